"""KERPLE: biases by distance that come from kernels, with two numbers for each head."""

from typing import Any, Literal, get_args

import numpy as np
from numpy.typing import ArrayLike, DTypeLike, NDArray

from pedocs import _checks
from pedocs._offsets import _check_last_query, _sizes
from pedocs._toeplitz import offsets_in_order, toeplitz

Kind = Literal["log", "power"]


def kerple_bias(
    r1: ArrayLike,
    r2: ArrayLike,
    n_query: int,
    n_key: int | None = None,
    *,
    kind: Kind = "log",
    dtype: DTypeLike | None = None,
) -> NDArray[np.floating[Any]]:
    """Lower each score by a learned function of the distance between query and key.

    ```text
    log:    bias_hij = −r1_h ln(1 + r2_h |j − i|)     r1 > 0, r2 > 0
    power:  bias_hij = −r1_h |j − i|^(r2_h)           r1 > 0, 0 < r2 ≤ 2
    ```

    Within these bounds the bias is a conditionally positive definite kernel,
    which is what the scheme rests on. For the log, and for powers below 2, it
    is an inner product up to a constant, which the softmax does not see; at
    the power 2 no constant is enough. A power with r2 = 1 is ALiBi with the
    slope r1.

    The distance counts in both directions here, as in the paper. The paper's
    code has zeros above the diagonal, which is the same under a causal mask
    and a different bias without. Its names for r1 and r2 are p and a for the
    log, a and p for the power; it keeps them away from zero while it trains,
    and adds the bias to scores that are already divided by the square root of
    d_k. The paper's equation 1 divides the bias as well, which is another r1.

    Args:
        r1: How strong the bias of each head is, shape `(heads,)`, above 0.
        r2: Its rate per token ("log") or exponent ("power"), shape
            `(heads,)`, above 0; an exponent is at most 2.
        n_query: Number of queries. The last stands at the last key.
        n_key: Number of keys, at least as many as queries; None is as many.
        kind: "log" or "power".
        dtype: float16, float32 or float64; None is float64.

    Returns:
        Array of shape `(heads, n_query, n_key)`, to be added to the scores.

    Raises:
        ValueError: An argument is not as described, or the largest bias does
            not fit in `dtype`.

    Examples:
        >>> from pedocs import kerple_bias
        >>> kerple_bias([1.5], [0.5], 3).round(6)
        array([[[ 0.      , -0.608198, -1.039721],
                [-0.608198,  0.      , -0.608198],
                [-1.039721, -0.608198,  0.      ]]])
        >>> kerple_bias([2.0], [0.5], 1, 5, kind="power").round(6)
        array([[[-4.      , -3.464102, -2.828427, -2.      ,  0.      ]]])

    Source:
        [Chi et al. 2022](https://arxiv.org/abs/2205.09921), §4; the
        [paper's repository](https://github.com/chijames/KERPLE/blob/25be3d712e96a3353b374f1f8e36b97d86f97ffa/megatron/mpu/layers.py),
        classes `ParallelKerpleLog` and `ParallelKerplePower`.
    """
    _checks.choice("kind", kind, get_args(Kind))
    strength, rate = _per_head("r1", r1), _per_head("r2", r2)
    if strength.shape != rate.shape:
        raise ValueError(
            f"r2 has shape {rate.shape}; allowed: {strength.shape}, one for each head of r1"
        )
    if kind == "power" and (rate > 2).any():
        raise ValueError(f"r2 holds {rate[rate > 2][0]}; allowed: exponents above 0, at most 2")
    n_query, n_key = _sizes(n_query, n_key)
    _check_last_query(n_query, n_key, "")
    result_dtype = _checks.float_dtype(dtype)

    r1_column, r2_column = strength[:, np.newaxis], rate[:, np.newaxis]
    distance = np.abs(offsets_in_order(n_query, n_key))
    with np.errstate(over="ignore", under="ignore"):  # in_dtype refuses what is too large
        growth = np.log1p(r2_column * distance) if kind == "log" else distance**r2_column
        line = -r1_column * growth
    return toeplitz(
        _checks.in_dtype(line, result_dtype, "r1, r2 or n_key is", "biases"), n_query, n_key
    )


def _per_head(name: str, value: ArrayLike) -> NDArray[np.float64]:
    numbers = _checks.float64_array(name, value)
    if numbers.ndim != 1:
        raise ValueError(f"{name} has shape {numbers.shape}; allowed: (heads,)")
    if (numbers <= 0).any():
        raise ValueError(f"{name} holds {numbers[numbers <= 0][0]}; allowed: numbers above 0")
    return numbers
