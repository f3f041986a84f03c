"""FIRE: a bias that a small network makes of the distance, relative to the query's position."""

from typing import Any

import numpy as np
from numpy.typing import ArrayLike, DTypeLike, NDArray

from pedocs import _checks
from pedocs._offsets import _check_last_query, _sizes
from pedocs._toeplitz import offsets_in_order, toeplitz

# Between these bounds no product of two settings leaves float64, and no denominator is zero.
SMALLEST, LARGEST = 1e-100, 1e100


def fire_distances(
    n_query: int,
    n_key: int | None = None,
    *,
    c: float,
    threshold: float,
    epsilon: float = 1e-6,
    start: int = 0,
) -> NDArray[np.float64]:
    """How far each key is from the query, as a share of the query's own position.

    ```text
    x_ij = ψ(|i − j|) / (ψ(max(L, i)) + ε)        ψ(x) = ln(c x + 1)
    ```

    Under a causal mask all shares lie between 0 and 1, however long the text,
    so that a longer text asks for nothing but finer steps between them:
    progressive interpolation. The logarithm spreads out the keys close by. The
    threshold L keeps the first queries, whose positions are small, from
    stretching every distance to a large share.

    This depends on i and j, not on their difference alone, and therefore on
    what positions count from. The pseudo-code of the paper counts from 0,
    takes |i − j| where the formula has i − j, and adds ε, which the formula
    has not: `epsilon=0` is the formula. Keys to the right of a query can reach
    a share above 1.

    Args:
        n_query: Number of queries. The last stands at the last key.
        n_key: Number of keys, at least as many as queries; None is as many.
        c: How much the logarithm spreads, per token, above 0. Code that
            learns c takes its absolute value.
        threshold: The position L, in tokens, above 0, up to which queries
            share one denominator. Code that learns it as a multiple of a
            starting value takes the absolute value of the product.
        epsilon: Added to the denominator, from 0 to 1.
        start: Position of the first key, at least 0.

    Returns:
        Array of shape `(n_query, n_key)`, float64.

    Raises:
        ValueError: An argument is not as described.

    Examples:
        >>> from pedocs import fire_distances
        >>> fire_distances(3, c=1, threshold=1, epsilon=0).round(6)
        array([[0.      , 1.      , 1.584963],
               [1.      , 0.      , 1.      ],
               [1.      , 0.63093 , 0.      ]])

        The last query of five, with the denominator of position 7:

        >>> fire_distances(1, 5, c=1, threshold=7, epsilon=0).round(6)
        array([[0.773976, 0.666667, 0.528321, 0.333333, 0.      ]])

    Source:
        [Li et al. 2023](https://arxiv.org/abs/2310.04418), §3, and the
        pseudo-code in its appendix.
    """
    n_query, n_key = _sizes(n_query, n_key)
    _check_last_query(n_query, n_key, "")
    spread = _checks.number_in_range("c", c, SMALLEST, LARGEST)
    least = _checks.number_in_range("threshold", threshold, SMALLEST, LARGEST)
    extra = _checks.number_in_range("epsilon", epsilon, 0, 1)
    first_key = _checks.integer("start", start, minimum=0)

    def psi(x: NDArray[Any]) -> NDArray[np.float64]:
        return np.log1p(spread * x)

    query_positions = first_key + np.arange(n_key - n_query, n_key, dtype=np.int64)
    shares = toeplitz(psi(np.abs(offsets_in_order(n_query, n_key))), n_query, n_key)
    shares /= (psi(np.maximum(query_positions, least)) + extra)[:, np.newaxis]
    return shares


def fire_bias(
    hidden_weights: ArrayLike,
    hidden_bias: ArrayLike,
    output_weights: ArrayLike,
    output_bias: ArrayLike,
    n_query: int,
    n_key: int | None = None,
    *,
    c: float,
    threshold: float,
    epsilon: float = 1e-6,
    start: int = 0,
    dtype: DTypeLike | None = None,
) -> NDArray[np.floating[Any]]:
    """Turn the distances of `fire_distances` into a bias for each head by a small network.

    ```text
    bias_hij = v_h · max(w x_ij + b, 0) + a_h        x_ij from fire_distances
    ```

    The network has one hidden layer, as in the paper's pseudo-code and the
    code that follows it; the paper's text has two. For any other network,
    apply it to `fire_distances`. A layer of torch holds its weights the other
    way round: pass `output_weights` transposed, and of the hidden layer the
    one column.

    Args:
        hidden_weights: The weights w, shape `(width,)`.
        hidden_bias: The biases b, shape `(width,)`.
        output_weights: The weights v, shape `(width, heads)`.
        output_bias: The biases a, shape `(heads,)`.
        n_query: Number of queries. The last stands at the last key.
        n_key: Number of keys, at least as many as queries; None is as many.
        c: As in `fire_distances`, per token.
        threshold: As in `fire_distances`, in tokens.
        epsilon: As in `fire_distances`.
        start: As in `fire_distances`.
        dtype: float16, float32 or float64; None is float64.

    Returns:
        Array of shape `(heads, n_query, n_key)`, to be added to the scores.

    Raises:
        ValueError: An argument is not as described, or the largest bias does
            not fit in `dtype`.

    Examples:
        A hidden layer of one unit that does nothing, and two heads: one
        falls with the distance, the other rises.

        >>> from pedocs import fire_bias
        >>> network = [1], [0], [[-2, 4]], [0, 1]
        >>> bias = fire_bias(*network, 3, c=1, threshold=3, epsilon=0)
        >>> bias[0].round(6)
        array([[ 0.      , -1.      , -1.584963],
               [-1.      ,  0.      , -1.      ],
               [-1.584963, -1.      ,  0.      ]])
        >>> bias[1, 0].round(6)
        array([1.      , 3.      , 4.169925])

    Source:
        [Li et al. 2023](https://arxiv.org/abs/2310.04418), §3, and the
        pseudo-code in its appendix, as in
        [mcleish7/arithmetic](https://github.com/mcleish7/arithmetic/blob/86022a57d38c0fde46444d62e8dcbebcc0af614c/cramming/architectures/embeddings.py),
        class `FIRE`.
    """
    w, b = _vector("hidden_weights", hidden_weights), _vector("hidden_bias", hidden_bias)
    a = _vector("output_bias", output_bias)
    v = _checks.float64_array("output_weights", output_weights)
    if b.shape != w.shape:
        raise ValueError(
            f"hidden_bias has shape {b.shape}; allowed: {w.shape}, the shape of hidden_weights"
        )
    if v.shape != (w.size, a.size):
        raise ValueError(
            f"output_weights has shape {v.shape}; allowed: {(w.size, a.size)}, "
            "a row for each of hidden_weights and a column for each of output_bias"
        )
    result_dtype = _checks.float_dtype(dtype)
    shares = fire_distances(n_query, n_key, c=c, threshold=threshold, epsilon=epsilon, start=start)

    bias = np.empty((a.size, *shares.shape), result_dtype)
    for row, x in enumerate(shares):  # all at once, the hidden layer would dwarf the result
        with np.errstate(all="ignore"):  # in_dtype refuses what does not fit
            hidden = np.maximum(w[:, np.newaxis] * x + b[:, np.newaxis], 0)
            of_query = v.T @ hidden + a[:, np.newaxis]
        bias[:, row] = _checks.in_dtype(
            of_query,
            result_dtype,
            "hidden_weights, hidden_bias, output_weights or output_bias is",
            "biases",
        )
    return bias


def _vector(name: str, value: ArrayLike) -> NDArray[np.float64]:
    numbers = _checks.float64_array(name, value)
    if numbers.ndim != 1:
        axis = "heads" if name == "output_bias" else "width"
        raise ValueError(f"{name} has shape {numbers.shape}; allowed: ({axis},)")
    return numbers
