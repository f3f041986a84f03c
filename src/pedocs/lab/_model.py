"""A small Transformer: its parameters, its outputs, and the gradient of a loss."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from pedocs import _checks, causal_mask, merge_heads, split_heads
from pedocs.lab._losses import loss
from pedocs.lab._pieces import Array, Params, add_vector, layer_norm, linear, relu, weighted_sum
from pedocs.lab._schemes import Scheme, Shapes

Found: TypeAlias = tuple[Array, Params, Params]
"""The gradient of a layer: by its input, its own parameters and those of the scheme."""


@dataclass(frozen=True)
class Transformer:
    """A Transformer small enough to be trained while a page is built.

    ```text
    x ← x + MultiHead(LayerNorm(x))      with the scheme
    x ← x + FFN(LayerNorm(x))            and so on, layer by layer
    y = LayerNorm(x) W_out + t_out       for each token, or for their mean
    ```

    The object holds the sizes. The parameters are a dictionary of arrays, and
    all of them have an axis for the seeds in front: models that start from
    different seeds are trained in one call, and none sees the others.

    Attributes:
        vocabulary: Number of different tokens.
        outputs: Number of classes, or 1 for a number.
        length: The trained length, in tokens. Only a learned table needs it.
        scheme: Where positions come from, see `scheme`; by default none.
        pooled: Whether the tokens are averaged, for one output per text.
        d_model: Width of the model.
        heads: Number of heads.
        layers: Number of layers.
        hidden: Hidden units of each feed-forward network.

    Examples:
        >>> import numpy as np
        >>> from pedocs.lab import Transformer, scheme
        >>> turned = scheme("RoPE")
        >>> model = Transformer(vocabulary=8, outputs=8, length=16, scheme=turned)
        >>> params = model.start(seeds=[0, 1, 2])
        >>> outputs, back = model(params, np.zeros((3, 4, 16), dtype=int))
        >>> model.count(), outputs.shape
        (2456, (3, 4, 16, 8))

    Source:
        [Vaswani et al. 2017](https://arxiv.org/abs/1706.03762), §3; the place of
        LayerNorm as in [Xiong et al. 2020](https://arxiv.org/abs/2002.04745), §3.
    """

    vocabulary: int
    outputs: int
    length: int
    scheme: Scheme = field(default_factory=Scheme)
    pooled: bool = False
    d_model: int = 16
    heads: int = 4
    layers: int = 1
    hidden: int = 32

    def __post_init__(self) -> None:
        if not isinstance(self.scheme, Scheme):
            raise _checks.refusal("scheme", self.scheme, "what pedocs.lab.scheme returns")
        for name in ("vocabulary", "outputs", "length", "heads", "layers", "hidden"):
            _checks.integer(name, getattr(self, name), minimum=1)
        _checks.even_width(self.d_model)
        if self.d_model % (2 * self.heads):
            allowed = f"a multiple of {2 * self.heads}, an even width for each head"
            raise _checks.refusal("d_model", self.d_model, allowed)

    def shapes(self) -> Shapes:
        """The shape of every parameter, without the axis of the seeds."""
        d, hidden = self.d_model, self.hidden
        shapes: Shapes = {"tokens": (self.vocabulary, d)}
        for layer in range(self.layers):
            own: Shapes = {
                **dict.fromkeys(("norm_1.g", "norm_1.t"), (d,)),
                **dict.fromkeys(("W_Q", "W_K", "W_V", "W_O"), (d, d)),
                **dict.fromkeys(("norm_2.g", "norm_2.t"), (d,)),
                "W_1": (d, hidden),
                "t_1": (hidden,),
                "W_2": (hidden, d),
                "t_2": (d,),
            }
            shapes |= {f"layer_{layer}.{name}": shape for name, shape in own.items()}
        shapes |= {"norm.g": (d,), "norm.t": (d,), "W_out": (d, self.outputs)}
        shapes |= {"t_out": (self.outputs,)}
        of_scheme = self.scheme.shapes(d, self.heads, self.length)
        return shapes | {f"scheme.{name}": shape for name, shape in of_scheme.items()}

    def count(self) -> int:
        """How many numbers one model learns."""
        return sum(int(np.prod(shape)) for shape in self.shapes().values())

    def start(self, seeds: Sequence[int]) -> Params:
        """The first parameters, for each seed from a random generator of its own."""
        shapes = self.shapes()
        rngs = [np.random.default_rng([seed, 0]) for seed in seeds]
        models = [
            {name: self._start(name, rng.standard_normal(shape)) for name, shape in shapes.items()}
            for rng in rngs
        ]
        return {name: np.stack([model[name] for model in models]) for name in shapes}

    def _start(self, name: str, drawn: Array) -> Array:
        owner, _, last = name.rpartition(".")
        if owner == "scheme":
            return self.scheme.start(last, drawn)
        if last == "g":
            return np.ones_like(drawn)
        if last.startswith("t") and drawn.ndim == 1:
            return np.zeros_like(drawn)
        return drawn / 2 if name == "tokens" else drawn / np.sqrt(len(drawn))

    def __call__(
        self, params: Params, tokens: NDArray[np.int64]
    ) -> tuple[Array, Callable[[Array], Params]]:
        """Read tokens, shape `(s, batch, n)`; return the outputs and their way back."""
        n = tokens.shape[-1]
        mask = causal_mask(n) if self.scheme.causal else np.ones((n, n), dtype=np.bool_)
        of_scheme = _part(params, "scheme.")
        x, back_tokens = linear(np.eye(self.vocabulary)[tokens], params["tokens"])
        x, back_embed = self.scheme.embed(of_scheme, x)
        backs = []
        for layer in range(self.layers):
            own = _part(params, f"layer_{layer}.")
            x, back = self._attend(own, of_scheme, x, mask)
            backs.append((f"layer_{layer}.", back))
            x, back = self._feed_forward(own, x)
            backs.append((f"layer_{layer}.", back))
        x = x.mean(axis=-2) if self.pooled else x
        x, back_norm = layer_norm(x, params["norm.g"], params["norm.t"])
        y, back_out = linear(x, params["W_out"])
        y, back_t = add_vector(y, params["t_out"])

        def back_all(dy: Array) -> Params:
            grads = {name: np.zeros_like(value) for name, value in params.items()}
            dx, grads["t_out"] = back_t(dy)
            dx, grads["W_out"] = back_out(dx)
            dx, grads["norm.g"], grads["norm.t"] = back_norm(dx)
            dx = np.repeat(dx[..., np.newaxis, :] / n, n, axis=-2) if self.pooled else dx
            for prefix, back in reversed(backs):
                dx, own, of_scheme = back(dx)
                _add(grads, prefix, own)
                _add(grads, "scheme.", of_scheme)
            _add(grads, "scheme.", back_embed(dx))
            _, grads["tokens"] = back_tokens(dx)
            return grads

        return y, back_all

    def loss_and_gradient(
        self, params: Params, tokens: NDArray[np.int64], targets: NDArray[Any]
    ) -> tuple[Array, Params]:
        """The loss of each seed, shape `(s,)`, and its gradient by every parameter."""
        outputs, back = self(params, tokens)
        losses, back_loss = loss(outputs, targets)
        return losses, back(back_loss())

    def _attend(
        self, own: Params, of_scheme: Params, x: Array, mask: NDArray[np.bool_]
    ) -> tuple[Array, Callable[[Array], Found]]:
        z, back_norm = layer_norm(x, own["norm_1.g"], own["norm_1.t"])
        q, back_q = linear(z, own["W_Q"])
        k, back_k = linear(z, own["W_K"])
        v, back_v = linear(z, own["W_V"])
        q, k, v = (split_heads(vectors, self.heads) for vectors in (q, k, v))
        scores, back_scores = self.scheme.scores(of_scheme, q, k)
        read, back_read = weighted_sum(scores, v, mask)
        out, back_out = linear(merge_heads(read), own["W_O"])

        def back(dx: Array) -> Found:
            grads: Params = {}
            dread, grads["W_O"] = back_out(dx)
            dS, dv = back_read(split_heads(dread, self.heads))
            dq, dk, of_scheme = back_scores(dS)
            dz_q, grads["W_Q"] = back_q(merge_heads(dq))
            dz_k, grads["W_K"] = back_k(merge_heads(dk))
            dz_v, grads["W_V"] = back_v(merge_heads(dv))
            inner, grads["norm_1.g"], grads["norm_1.t"] = back_norm(dz_q + dz_k + dz_v)
            return dx + inner, grads, of_scheme

        return x + out, back

    def _feed_forward(self, own: Params, x: Array) -> tuple[Array, Callable[[Array], Found]]:
        y, back_norm = layer_norm(x, own["norm_2.g"], own["norm_2.t"])
        y, back_1 = linear(y, own["W_1"])
        y, back_t_1 = add_vector(y, own["t_1"])
        y, back_relu = relu(y)
        y, back_2 = linear(y, own["W_2"])
        y, back_t_2 = add_vector(y, own["t_2"])

        def back(dx: Array) -> Found:
            grads: Params = {}
            dy, grads["t_2"] = back_t_2(dx)
            dy, grads["W_2"] = back_2(dy)
            dy, grads["t_1"] = back_t_1(back_relu(dy))
            dy, grads["W_1"] = back_1(dy)
            dy, grads["norm_2.g"], grads["norm_2.t"] = back_norm(dy)
            return dx + dy, grads, {}

        return x + y, back


def _part(params: Params, prefix: str) -> Params:
    return {
        name.removeprefix(prefix): value
        for name, value in params.items()
        if name.startswith(prefix)
    }


def _add(grads: Params, prefix: str, found: Params) -> None:
    for name, value in found.items():
        grads[prefix + name] += value
