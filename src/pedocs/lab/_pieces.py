"""The pieces of a Transformer, each with its gradient written out by hand.

Every function returns its output and a second function that carries a gradient
back: given the derivative of the loss by the output, it returns the derivatives
by the inputs, in their order. `dx` stands for the derivative by x.

The first axis of every array is that of the seeds, s in the shapes: models of
equal shape that share nothing but the call.
"""

from collections.abc import Callable
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from pedocs import softmax

Array: TypeAlias = NDArray[np.float64]
Params: TypeAlias = dict[str, Array]

EPSILON = 1e-5


def linear(x: Array, W: Array) -> tuple[Array, Callable[[Array], tuple[Array, Array]]]:
    """Multiply each vector by a matrix: y = x W.

    Shapes: x `(s, …, d_in)`, W `(s, d_in, d_out)`, y `(s, …, d_out)`.
    """
    rows = _rows(x)

    def back(dy: Array) -> tuple[Array, Array]:
        drows = _rows(dy)
        return (drows @ np.swapaxes(W, 1, 2)).reshape(x.shape), np.swapaxes(rows, 1, 2) @ drows

    return (rows @ W).reshape(*x.shape[:-1], W.shape[-1]), back


def add_vector(x: Array, t: Array) -> tuple[Array, Callable[[Array], tuple[Array, Array]]]:
    """Add one vector to all: y = x + t.

    Shapes: x and y `(s, …, d)`, t `(s, d)`.
    """
    return x + _for_all(t, x), lambda dy: (dy, _sum(dy))


def layer_norm(
    x: Array, g: Array, t: Array
) -> tuple[Array, Callable[[Array], tuple[Array, Array, Array]]]:
    """Bring each vector to mean zero and variance one, then apply a gain and a shift.

    ```text
    z  = (x − mean(x)) / √(var(x) + ε)                               y = g ⊙ z + t
    dx = (dz − mean(dz) − z · mean(dz ⊙ z)) / √(var(x) + ε)         dz = g ⊙ dy
    ```

    Shapes: x and y `(s, …, d)`, g and t `(s, d)`.
    """
    centred = x - _mean(x)
    inverse = 1 / np.sqrt(_mean(centred * centred) + EPSILON)
    z = centred * inverse
    gain = _for_all(g, x)

    def back(dy: Array) -> tuple[Array, Array, Array]:
        dz = dy * gain
        dx = dz - _mean(dz) - z * _mean(dz * z)
        return dx * inverse, _sum(dy * z), _sum(dy)

    return z * gain + _for_all(t, x), back


def relu(x: Array) -> tuple[Array, Callable[[Array], Array]]:
    """Keep what is above zero, and pass a gradient on only there."""
    above = x > 0
    return x * above, lambda dy: dy * above


def weighted_sum(
    scores: Array, v: Array, mask: NDArray[np.bool_]
) -> tuple[Array, Callable[[Array], tuple[Array, Array]]]:
    """Turn scores into weights, and let each query add up the values.

    ```text
    α  = softmax(S)                            o  = α V
    dS = α ⊙ (dα − Σ_j α_ij dα_ij)             dα = do V^T       dV = α^T do
    ```

    Shapes: scores `(…, n_query, n_key)`, v `(…, n_key, d_v)`, o `(…, n_query, d_v)`.
    """
    weights = softmax(scores, where=mask)

    def back(do: Array) -> tuple[Array, Array]:
        dweights = do @ np.swapaxes(v, -1, -2)
        within = (weights * dweights).sum(axis=-1, keepdims=True)
        return weights * (dweights - within), np.swapaxes(weights, -1, -2) @ do

    return weights @ v, back


def _rows(x: Array) -> Array:
    """All vectors of a seed one below the other."""
    return x.reshape(len(x), -1, x.shape[-1])


def _mean(x: Array) -> Array:
    """The mean of each vector. As a product it is faster than a sum along a short axis."""
    d = x.shape[-1]
    means: Array = x.reshape(-1, d) @ np.full((d, 1), 1 / d)
    return means.reshape(*x.shape[:-1], 1)


def _sum(x: Array) -> Array:
    """The sum of all vectors of a seed, `(s, d)`, as a product as well."""
    rows = _rows(x)
    total: Array = np.ones((1, rows.shape[1])) @ rows
    return total[:, 0]


def _for_all(vector: Array, x: Array) -> Array:
    """A vector of each seed, with axes of one between, so that it meets all vectors of x."""
    return vector.reshape(len(vector), *[1] * (x.ndim - 2), vector.shape[-1])
