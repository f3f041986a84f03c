"""Scaled dot-product attention, and the softmax inside it."""

from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from pedocs import _checks


class AttentionResult(NamedTuple):
    """What `attention` returns: the result and the two steps before it.

    ```text
    weights = softmax(scores)        output = weights · V
    ```

    Attributes:
        output: The weighted sums of the values, shape `(…, n_query, d_v)`,
            float64.
        weights: The softmax of the scores, shape `(…, n_query, n_key)`,
            float64.
        scores: What enters the softmax, in the shape of the weights, float64:
            scaled, biased, −inf where masked.

    Examples:
        >>> from pedocs import attention
        >>> result = attention([[1.0]], [[2.0], [2.0]], [[3.0], [5.0]])
        >>> result.scores
        array([[2., 2.]])
        >>> output, weights, scores = result
        >>> weights @ [[3.0], [5.0]] == output
        array([[ True]])

    Source:
        [Vaswani et al. 2017](https://arxiv.org/abs/1706.03762), §3.2.1.
    """

    output: NDArray[np.float64]
    weights: NDArray[np.float64]
    scores: NDArray[np.float64]


def attention(
    q: ArrayLike,
    k: ArrayLike,
    v: ArrayLike,
    *,
    bias: ArrayLike | None = None,
    mask: ArrayLike | None = None,
    scale: float | None = None,
) -> AttentionResult:
    """Let each query read the values whose keys match it.

    ```text
    S      = scale · Q Kᵀ + bias      (−∞ where the mask is False)
    α      = softmax(S)               along each row
    output = α V
    ```

    Axes before the last two broadcast as in numpy: heads, a batch, or both.
    A query that may read no key gets weights and an output of zeros.

    Args:
        q: Queries, shape `(…, n_query, d_k)`.
        k: Keys, shape `(…, n_key, d_k)`.
        v: Values, shape `(…, n_key, d_v)`.
        bias: Added to the scaled scores; broadcasts to `(…, n_query, n_key)`.
            An entry of −inf shuts a key out.
        mask: Booleans, True where the key may be read; broadcasts to
            `(…, n_query, n_key)`.
        scale: Factor of the dot products; None is 1 / √d_k.

    Returns:
        An `AttentionResult` of float64 arrays with the fields `output`, shape
            `(…, n_query, d_v)`, `weights` and `scores`, both of shape
            `(…, n_query, n_key)`. `scores` is what enters the softmax.

    Raises:
        ValueError: An argument is not as described: shapes do not fit, a
            number is not finite, or the dot products do not fit in float64.

    Examples:
        >>> from pedocs import attention, causal_mask
        >>> q = k = [[1.0, 0.0], [0.0, 1.0]]
        >>> result = attention(q, k, [[10.0], [20.0]], mask=causal_mask(2))
        >>> result.weights.round(6)
        array([[1.      , 0.      ],
               [0.330238, 0.669762]])
        >>> result.output.round(6)
        array([[10.      ],
               [16.697615]])

    Source:
        [Vaswani et al. 2017](https://arxiv.org/abs/1706.03762), §3.2.1.
    """
    queries, keys, values = (
        _checks.token_vectors(name, value) for name, value in (("q", q), ("k", k), ("v", v))
    )
    d_k, n_query, n_key = queries.shape[-1], queries.shape[-2], keys.shape[-2]
    if d_k == 0:
        raise ValueError(f"q has shape {queries.shape}; allowed: d_k at least 1")
    if keys.shape[-1] != d_k:
        raise ValueError(
            f"k has shape {keys.shape}; allowed: (…, n_key, {d_k}), "
            f"the width of q with shape {queries.shape}"
        )
    if values.shape[-2] != n_key:
        raise ValueError(
            f"v has shape {values.shape}; allowed: (…, {n_key}, d_v), "
            f"one value for each key of k with shape {keys.shape}"
        )
    factor = 1 / np.sqrt(d_k) if scale is None else _checks.real_number("scale", scale)
    added = _checks.float64_array("bias", 0 if bias is None else bias, minus_infinity=True)
    readable = _checks.boolean_array("mask", True if mask is None else mask)
    check_broadcasts_to("bias", added, (n_query, n_key))
    check_broadcasts_to("mask", readable, (n_query, n_key))
    given = {"q": queries, "k": keys, "v": values, "bias": added, "mask": readable}
    _checks.leading_axes(**{name: array for name, array in given.items() if array.ndim})

    with np.errstate(all="ignore"):  # what overflows is refused by name
        scores = factor * (queries @ np.swapaxes(keys, -1, -2))
        scores = _checks.products_that_fit("q and k", scores) + added
        if (scores == np.inf).any():
            raise ValueError("bias is too large; allowed: scores that fit in float64")
        scores = np.where(readable, scores, -np.inf)
        weights = softmax(scores)
        output = weights @ values
    return AttentionResult(output, weights, scores)


def softmax(x: ArrayLike, *, axis: int = -1, where: ArrayLike | None = None) -> NDArray[np.float64]:
    """Turn scores into positive weights that add up to one.

    ```text
    softmax(x)_j = exp(x_j) / Σ_t exp(x_t)
    ```

    The largest score is subtracted from all before the exponential. That
    cancels in the quotient and keeps large scores from overflowing. A score of
    −inf gets the weight zero, and so does an entry where `where` is False.
    Where nothing is left to read, all weights are zero.

    Args:
        x: Scores, an array of at least one axis; finite or −inf. Entries that
            `where` leaves out are not looked at.
        axis: The axis along which the weights add up to one, by default the
            last.
        where: Booleans, True where an entry takes part; broadcasts to the
            shape of `x`.

    Returns:
        Array of the shape of `x`, float64.

    Raises:
        ValueError: An argument is not as described; NaN and +inf are refused,
            since no weights follow from them.

    Examples:
        >>> from pedocs import softmax
        >>> softmax([1.0, 2.0, 3.0]).round(6)
        array([0.090031, 0.244728, 0.665241])
        >>> softmax([1.0, 2.0, 3.0], where=[True, True, False]).round(6)
        array([0.268941, 0.731059, 0.      ])

    Source:
        [Vaswani et al. 2017](https://arxiv.org/abs/1706.03762), §3.2.1;
        [Goodfellow, Bengio and Courville 2016](https://www.deeplearningbook.org/contents/numerical.html),
        §4.1, on the subtraction.
    """
    scores = _checks.real_array("x", x)
    if where is not None:
        part = _checks.boolean_array("where", where)
        try:
            part = np.broadcast_to(part, scores.shape)
        except ValueError:
            raise ValueError(
                f"where has shape {part.shape}; "
                f"allowed: one that broadcasts to the shape of x, {scores.shape}"
            ) from None
        scores = np.where(part, scores, -np.inf)
    scores = _checks.float64_array("x", scores, minus_infinity=True)
    axis = _checks.integer("axis", axis)
    if not -scores.ndim <= axis < scores.ndim:
        raise _checks.refusal("axis", axis, f"an axis of x, whose shape is {scores.shape}")

    with np.errstate(over="ignore", under="ignore"):
        largest = np.max(scores, axis=axis, keepdims=True, initial=-np.inf)
        largest[largest == -np.inf] = 0  # nothing to read: −inf − 0 stays −inf
        exponentials: NDArray[np.float64] = np.exp(scores - largest)
        total: NDArray[np.float64] = np.sum(exponentials, axis=axis, keepdims=True)
        total[total == 0] = 1
        return exponentials / total


def check_broadcasts_to(name: str, array: NDArray[np.generic], axes: tuple[int, ...]) -> None:
    """A bias or mask may be stretched to the scores, never the scores to it."""
    try:
        np.broadcast_to(np.empty(array.shape[-len(axes) :]), axes)
    except ValueError:
        listed = ", ".join(map(str, axes))
        raise ValueError(
            f"{name} has shape {array.shape}; allowed: one that broadcasts to (…, {listed})"
        ) from None
