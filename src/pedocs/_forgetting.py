"""Forgetting attention: a gate at each token decides how much of what lies behind it remains."""

from typing import Any

import numpy as np
from numpy.typing import ArrayLike, DTypeLike, NDArray

from pedocs import _checks
from pedocs._masks import causal_mask
from pedocs._offsets import _check_last_query


def forgetting_bias(
    log_gates: ArrayLike, n_query: int | None = None, *, dtype: DTypeLike | None = None
) -> NDArray[np.floating[Any]]:
    """How much each query has forgotten of each key, as a logarithm to add to the score.

    A key fades by the gate of every token that came after it, up to the query:

    ```text
    D_ij = Σ_t log f_t  over j < t ≤ i        j < i
         = 0                                  j = i
         = −∞                                 j > i
    ```

    A sum of logarithms in the score is a product of gates in the weight. The
    gates come from the tokens, f_t = σ(w · x_t + b), one for each head, and
    their logarithms are best computed without the gates themselves:
    `-np.logaddexp(0, -logits)`, where logits = w · x_t + b. With the same gate
    f at every token the bias is that of ALiBi, with the slope −log f.

    There is no position anywhere: pass the bias to `attention`, which is causal
    then. The gates are those of all keys; with fewer queries, the last query
    stands at the last key. x-transformers leaves out the −∞ and relies on its
    mask; code that pairs the queries with the first gates is wrong for a cache.

    Args:
        log_gates: Logarithms of the gates, shape `(…, n_key)`, none above zero;
            −inf is a gate that forgets all that lies before its token.
        n_query: Number of queries, no more than keys; None is as many.
        dtype: float16, float32 or float64; None is float64. The sums are
            float64 whatever the choice, and each entry is rounded once.

    Returns:
        Array of shape `(…, n_query, n_key)`, to be added to the scores.

    Raises:
        ValueError: An argument is not as described, or a sum does not fit in
            the dtype.

    Examples:
        Every gate halves, but the third token forgets nothing:

        >>> import numpy as np
        >>> from pedocs import forgetting_bias
        >>> np.exp(forgetting_bias(np.log([0.5, 0.5, 1.0, 0.5]))).round(6)
        array([[1.  , 0.  , 0.  , 0.  ],
               [0.5 , 1.  , 0.  , 0.  ],
               [0.5 , 1.  , 1.  , 0.  ],
               [0.25, 0.5 , 0.5 , 1.  ]])

        One new query against four keys gets the last row:

        >>> forgetting_bias([-1.0, -2.0, -4.0, -8.0], n_query=1)
        array([[-14., -12.,  -8.,   0.]])

    Source:
        [Lin et al. 2025](https://arxiv.org/abs/2503.02130), §3.
    """
    gates = _checks.float64_array("log_gates", log_gates, minus_infinity=True)
    if gates.ndim == 0:
        raise ValueError("log_gates has shape (); allowed: at least one axis, that of the keys")
    if (gates > 0).any():
        raise ValueError(
            f"log_gates holds {gates[gates > 0][0]}; allowed: logarithms of gates, none above 0"
        )
    n_key = gates.shape[-1]
    n_query = n_key if n_query is None else _checks.integer("n_query", n_query, minimum=0)
    _check_last_query(n_query, n_key, "")
    result_dtype = _checks.float_dtype(dtype)

    closed = np.isneginf(gates)
    first = n_key - n_query
    bias = np.empty((*gates.shape[:-1], n_query, n_key), dtype=result_dtype)
    with np.errstate(all="ignore"):  # what does not fit is refused by name
        sums = np.cumsum(np.where(closed, 0, gates), axis=-1)
        # Each difference is computed in float64 and rounded as it is stored.
        np.subtract(sums[..., first:, np.newaxis], sums[..., np.newaxis, :], out=bias)
    if not np.isfinite(bias).all():
        raise ValueError(f"log_gates are too large; allowed: sums that fit in {result_dtype}")
    bias += 0.0  # rounding may leave -0
    if closed.any():
        # A difference of two sums cannot hold −inf, a difference of two counts tells where it is.
        counts = np.cumsum(closed, axis=-1)
        bias[counts[..., first:, np.newaxis] > counts[..., np.newaxis, :]] = -np.inf
    bias[..., ~causal_mask(n_query, n_key)] = -np.inf
    return bias
