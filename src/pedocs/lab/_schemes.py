"""Positional schemes in training: no encoding, absolute encodings, and rotation.

A scheme enters at the embeddings or at the scores. What it does there is
computed by the library; what stands here is how a gradient comes back. Its
parameters belong to all layers together and have the seeds in front.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import TypeAlias

import numpy as np

from pedocs import learned, rope, sinusoidal
from pedocs.lab._pieces import Array, Params

Shapes: TypeAlias = dict[str, tuple[int, ...]]
Embedded: TypeAlias = tuple[Array, Callable[[Array], Params]]
Scored: TypeAlias = tuple[Array, Callable[[Array], tuple[Array, Array, Params]]]


@dataclass(frozen=True)
class Scheme:
    """No encoding at all, and what the other schemes start from.

    ```text
    x ← embed(x)                     before the first layer
    S = scores(q, k) = q k^T / √d_k   in each head of each layer
    ```

    A scheme of one's own overrides `embed` or `scores`, which return what they
    compute and the way back: a function from its gradient to those of q, k and
    the scheme's parameters.

    Attributes:
        causal: Whether no query reads a key ahead of it.

    Examples:
        >>> import numpy as np
        >>> from pedocs.lab import Scheme
        >>> q = np.eye(4).reshape(1, 1, 1, 4, 4)  # seeds, batch, heads, n, d_k
        >>> k = q
        >>> S, back = Scheme().scores({}, q, k)
        >>> S[0, 0, 0, 0]
        array([0.5, 0. , 0. , 0. ])
        >>> dq, dk, grads = back(S)
        >>> dq.shape, grads
        ((1, 1, 1, 4, 4), {})

    Source:
        [Vaswani et al. 2017](https://arxiv.org/abs/1706.03762), §3.2.1.
    """

    causal: bool = False

    def shapes(self, d_model: int, heads: int, length: int) -> Shapes:
        """The shapes of its parameters, without the axis of the seeds."""
        return {}

    def start(self, name: str, drawn: Array) -> Array:
        """The first value of a parameter, from standard normal numbers."""
        return 0.5 * drawn

    def embed(self, params: Params, x: Array) -> Embedded:
        """Change the embeddings, shape `(s, batch, n, d_model)`, before the first layer."""
        return x, lambda dx: {}

    def scores(self, params: Params, q: Array, k: Array) -> Scored:
        """Score queries and keys, shape `(s, batch, heads, n, d_k)`: q k^T / √d_k."""
        scale = 1 / np.sqrt(q.shape[-1])

        def back(dS: Array) -> tuple[Array, Array, Params]:
            dS = scale * dS
            return dS @ k, np.swapaxes(dS, -1, -2) @ q, {}

        return scale * (q @ np.swapaxes(k, -1, -2)), back


class Sinusoidal(Scheme):
    """Sines and cosines, added to the embeddings."""

    def embed(self, params: Params, x: Array) -> Embedded:
        n, d_model = x.shape[-2:]
        return x + sinusoidal(np.arange(n), d_model), lambda dx: {}


class Learned(Scheme):
    """A row of a learned table for each trained position, added to the embeddings."""

    def shapes(self, d_model: int, heads: int, length: int) -> Shapes:
        return {"table": (length, d_model)}

    def embed(self, params: Params, x: Array) -> Embedded:
        table, n = params["table"], x.shape[-2]
        side_by_side = np.concatenate(list(table), axis=1)  # the library looks up one table
        rows = np.split(learned(side_by_side, np.arange(n)), len(table), axis=1)

        def back(dx: Array) -> Params:
            dtable = np.zeros_like(table)
            dtable[:, :n] = dx.sum(axis=1)
            return {"table": dtable}

        return x + np.stack(rows)[:, np.newaxis], back


class Rope(Scheme):
    """Queries and keys, turned by their positions. A gradient is turned back."""

    def scores(self, params: Params, q: Array, k: Array) -> Scored:
        positions = np.arange(q.shape[-2])

        def turn(x: Array, to: int = 1) -> Array:
            return np.asarray(rope(x, to * positions), dtype=np.float64)

        scores, back_scores = super().scores(params, turn(q), turn(k))

        def back(dS: Array) -> tuple[Array, Array, Params]:
            dq, dk, none = back_scores(dS)
            return turn(dq, -1), turn(dk, -1), none

        return scores, back
