"""ALiBi: a penalty that grows with distance, at a rate of each head's own."""

from typing import Any, Literal, get_args

import numpy as np
from numpy.typing import ArrayLike, DTypeLike, NDArray

from pedocs import _checks
from pedocs._offsets import _check_last_query, _sizes
from pedocs._toeplitz import offsets_in_order, toeplitz

Form = Literal["distance", "key", "last-key", "causal"]


def alibi_slopes(n_heads: int) -> NDArray[np.float64]:
    """How fast the bias of each head falls, per token of distance.

    ```text
    m_h = 1 / 2^(8h / n)        h = 1 … n,  n a power of two
    ```

    For another number of heads, the paper's code takes the slopes of the next
    lower power of two, P. The heads that are left get every second slope of
    2P heads, beginning with the first, all of which lie between those of P:

    ```text
    m_h       = 1 / 2^(8h / P)               h = 1 … P
    m_(P + t) = 1 / 2^(4 (2t − 1) / P)       t = 1 … n − P
    ```

    So the slopes fall from head to head only where n is a power of two. The
    formula of the first line alone, with any n, gives other slopes, and an
    implementation that does so does not read the weights of one that follows
    the paper's code.

    Args:
        n_heads: Number of heads, n, at least 1.

    Returns:
        Array of shape `(n_heads,)`, float64, per token.

    Raises:
        ValueError: An argument is not as described.

    Examples:
        >>> from pedocs import alibi_slopes
        >>> alibi_slopes(4)
        array([0.25      , 0.0625    , 0.015625  , 0.00390625])
        >>> alibi_slopes(3)
        array([0.0625    , 0.00390625, 0.25      ])

    Source:
        [Press, Smith and Lewis 2021](https://arxiv.org/abs/2108.12409), §3; for
        other numbers of heads the
        [paper's repository](https://github.com/ofirpress/attention_with_linear_biases/blob/4b92f28a005ead2567abe2359f633e73e08f3833/fairseq/models/transformer.py),
        function `get_slopes`.
    """
    n = _checks.integer("n_heads", n_heads, minimum=1)
    power = 1 << (n.bit_length() - 1)
    first = np.arange(1, power + 1) / power
    between = np.arange(1, 2 * (n - power), 2) / (2 * power)
    slopes: NDArray[np.float64] = np.exp2(-8 * np.concatenate([first, between]))
    return slopes


def alibi_bias(
    n_heads: int,
    n_query: int,
    n_key: int | None = None,
    *,
    form: Form = "distance",
    slopes: ArrayLike | None = None,
    dtype: DTypeLike | None = None,
) -> NDArray[np.floating[Any]]:
    """Lower each score in proportion to the distance between query and key.

    ```text
    distance:  bias_hij = −m_h |j − i|
    key:       bias_hij =  m_h j
    last-key:  bias_hij =  m_h (j − (n_key − 1))
    causal:    bias_hij = −m_h (i − j)    j ≤ i
                        = 0               j > i
    ```

    A causal softmax cannot tell the four apart: within a row, over the keys
    that the query may read, they differ by a constant. Without the mask only
    "distance" falls on both sides of the query; the others favour the keys on
    its right.

    In code, "distance" is the form of x-transformers; "key" that of the
    paper's repository, BLOOM and Falcon; "last-key" that of MPT; "causal" that
    of GPT-NeoX. Those that do not depend on the query are stored with one row,
    here with all. In a batch with padding BLOOM counts j over real tokens: its
    bias is the slopes times `padded_positions`, with axes of one for queries.

    The bias is added to scores that are divided by the square root of d_k; it
    is not divided itself.

    Args:
        n_heads: Number of heads.
        n_query: Number of queries. The last stands at the last key.
        n_key: Number of keys, at least as many as queries; None is as many.
        form: "distance", "key", "last-key" or "causal".
        slopes: The slopes m, shape `(n_heads,)`, zero or more; None is
            `alibi_slopes(n_heads)`.
        dtype: float16, float32 or float64; None is float64.

    Returns:
        Array of shape `(n_heads, n_query, n_key)`, to be added to the scores.

    Raises:
        ValueError: An argument is not as described, or the largest bias does
            not fit in `dtype`.

    Examples:
        >>> from pedocs import alibi_bias
        >>> alibi_bias(1, 3, slopes=[0.5])
        array([[[ 0. , -0.5, -1. ],
                [-0.5,  0. , -0.5],
                [-1. , -0.5,  0. ]]])
        >>> alibi_bias(1, 3, slopes=[0.5], form="causal")
        array([[[ 0. ,  0. ,  0. ],
                [-0.5,  0. ,  0. ],
                [-1. , -0.5,  0. ]]])
        >>> alibi_bias(1, 2, 3, slopes=[0.5], form="last-key")
        array([[[-1. , -0.5,  0. ],
                [-1. , -0.5,  0. ]]])

    Source:
        [Press, Smith and Lewis 2021](https://arxiv.org/abs/2108.12409), §3;
        [x-transformers](https://github.com/lucidrains/x-transformers/blob/2.31.10/x_transformers/x_transformers.py),
        class `AlibiPositionalBias`; transformers,
        [BLOOM](https://github.com/huggingface/transformers/blob/v5.24.0/src/transformers/models/bloom/modeling_bloom.py)
        and
        [MPT](https://github.com/huggingface/transformers/blob/v5.24.0/src/transformers/models/mpt/modeling_mpt.py);
        [GPT-NeoX](https://github.com/EleutherAI/gpt-neox/blob/ea7aefd8f8e183256992d9fede4d7c71a46d67a5/megatron/model/positional_embeddings.py),
        class `AliBi`.
    """
    default_slopes = alibi_slopes(n_heads)
    n_query, n_key = _sizes(n_query, n_key)
    _check_last_query(n_query, n_key, "")
    _checks.choice("form", form, get_args(Form))
    m = default_slopes if slopes is None else _slopes(slopes, default_slopes.size)
    result_dtype = _checks.float_dtype(dtype)

    if form == "distance":
        steps = -np.abs(offsets_in_order(n_query, n_key))
    elif form == "causal":
        steps = np.minimum(offsets_in_order(n_query, n_key), 0)
    else:
        steps = np.arange(n_key, dtype=np.int64) - (n_key - 1 if form == "last-key" else 0)
    with np.errstate(over="ignore"):  # in_dtype refuses it by name
        line = m[:, np.newaxis] * steps
    line_in_dtype = _checks.in_dtype(line, result_dtype, "slopes or n_key is", "biases")
    if form in ("distance", "causal"):
        return toeplitz(line_in_dtype, n_query, n_key)
    return np.repeat(line_in_dtype[:, np.newaxis], n_query, axis=1)


def _slopes(slopes: ArrayLike, n_heads: int) -> NDArray[np.float64]:
    m = _checks.float64_array("slopes", slopes)
    if m.shape != (n_heads,):
        raise ValueError(f"slopes has shape {m.shape}; allowed: ({n_heads},), one for each head")
    if (m < 0).any():
        raise ValueError(f"slopes holds {m[m < 0][0]}; allowed: numbers that are at least 0")
    return m
