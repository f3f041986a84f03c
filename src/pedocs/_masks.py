"""Who may read whom: masks of booleans, True where the key may be read."""

from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from pedocs import _checks
from pedocs._offsets import _check_last_query, _sizes
from pedocs._toeplitz import offsets_in_order, toeplitz


def causal_mask(n_query: int, n_key: int | None = None) -> NDArray[np.bool_]:
    """Which keys each query may read when none may look ahead.

    ```text
    mask_ij = (j − i ≤ 0)
    ```

    The last query stands at the last key, as in `relative_offsets`.

    Args:
        n_query: Number of queries.
        n_key: Number of keys, at least as many as queries; None is as many.

    Returns:
        Array of shape `(n_query, n_key)`, bool, True where the key may be
            read.

    Raises:
        ValueError: An argument is not as described.

    Examples:
        >>> from pedocs import causal_mask
        >>> causal_mask(3)
        array([[ True, False, False],
               [ True,  True, False],
               [ True,  True,  True]])
        >>> causal_mask(2, 4)
        array([[ True,  True,  True, False],
               [ True,  True,  True,  True]])

    Source:
        [Vaswani et al. 2017](https://arxiv.org/abs/1706.03762), §3.2.3.
    """
    n_query, n_key = _sizes(n_query, n_key)
    _check_last_query(n_query, n_key, "")
    return toeplitz(offsets_in_order(n_query, n_key) <= 0, n_query, n_key)


def sliding_window_mask(
    n_query: int, n_key: int | None = None, *, window: int
) -> NDArray[np.bool_]:
    """Which keys each query may read when it sees itself and a few before it.

    ```text
    mask_ij = (−window < j − i ≤ 0)
    ```

    A query reads `window` keys, itself among them, so a decoder has to hold
    `window − 1` keys of the past. The transformers library and GPT-Neo count
    like this. The left window of flash-attention does not count the query
    itself, and transformers passes it one less.

    The last query stands at the last key, as in `relative_offsets`.

    Args:
        n_query: Number of queries.
        n_key: Number of keys, at least as many as queries; None is as many.
        window: How many keys a query reads at most, itself included; at
            least 1.

    Returns:
        Array of shape `(n_query, n_key)`, bool, True where the key may be
            read.

    Raises:
        ValueError: An argument is not as described.

    Examples:
        >>> from pedocs import sliding_window_mask
        >>> sliding_window_mask(4, window=2)
        array([[ True, False, False, False],
               [ True,  True, False, False],
               [False,  True,  True, False],
               [False, False,  True,  True]])
        >>> sliding_window_mask(1, 4, window=3)
        array([[False,  True,  True,  True]])

    Source:
        [Jiang et al. 2023](https://arxiv.org/abs/2310.06825), §2;
        [transformers](https://github.com/huggingface/transformers/blob/v5.24.0/src/transformers/masking_utils.py),
        function `sliding_window_causal_mask_function`, for what the window
        counts.
    """
    n_query, n_key = _sizes(n_query, n_key)
    window = _checks.integer("window", window, minimum=1)
    _check_last_query(n_query, n_key, "")
    offsets = offsets_in_order(n_query, n_key)
    return toeplitz((offsets > -window) & (offsets <= 0), n_query, n_key)


def padding_mask(real: ArrayLike, *, head_axis: bool = True) -> NDArray[np.bool_]:
    """Let every query read the real tokens and none of the padding.

    ```text
    mask_bhij = real_bj
    ```

    Combine it with another mask by `&`. A padded query behind a causal mask
    may then read nothing, and `attention` gives it zeros.

    Args:
        real: Booleans, True for a real token and False for padding, shape
            `(n_key,)` or `(…, n_key)` with a row for each sequence of a batch.
        head_axis: Whether the scores of a batch have an axis of heads between
            the batch and the queries, as in `multi_head_attention`. One
            sequence needs none.

    Returns:
        Array of bool that broadcasts to the scores: shape `(1, n_key)` for one
            sequence; for a batch `(…, 1, 1, n_key)`, or `(…, 1, n_key)`
            without the axis of heads.

    Raises:
        ValueError: An argument is not as described: integers in place of
            booleans are refused.

    Examples:
        >>> from pedocs import causal_mask, padding_mask
        >>> causal_mask(3) & padding_mask([False, True, True])
        array([[False, False, False],
               [False,  True, False],
               [False,  True,  True]])
        >>> padding_mask([[False, True, True], [True, True, True]]).shape
        (2, 1, 1, 3)

    Source:
        [Vaswani et al. 2017](https://arxiv.org/abs/1706.03762), §3.2.3, which
        masks what may not be read by minus infinity inside the softmax.
    """
    keys = _tokens("real", _checks.boolean_array("real", real))
    return _with_head_axis(keys[..., np.newaxis, :].copy(), head_axis)


def document_mask(documents: ArrayLike, *, head_axis: bool = True) -> NDArray[np.bool_]:
    """Let each token read its own document when several share one sequence.

    ```text
    mask_bhij = (documents_bi = documents_bj)
    ```

    Both directions stay open: `causal_mask(n) & document_mask(documents)` is
    the mask of a decoder. The positions have to restart too, as
    `packed_positions` lets them.

    Args:
        documents: Integers that name the document of each token, shape `(n,)`
            or `(…, n)` with a row for each sequence of a batch. Tokens of the
            same name may read each other, wherever they stand.
        head_axis: Whether the scores of a batch have an axis of heads, as in
            `padding_mask`.

    Returns:
        Array of bool that broadcasts to the scores: shape `(n, n)` for one
            sequence; for a batch `(…, 1, n, n)`, or `(…, n, n)` without the
            axis of heads. When only the newest tokens are queries, take its
            last rows.

    Raises:
        ValueError: An argument is not as described.

    Examples:
        >>> from pedocs import causal_mask, document_mask
        >>> causal_mask(4) & document_mask([7, 7, 8, 8])
        array([[ True, False, False, False],
               [ True,  True, False, False],
               [False, False,  True, False],
               [False, False,  True,  True]])

    Source:
        [Krell et al. 2021](https://arxiv.org/abs/2107.02027), §3.2.2, where the
        mask of packed sequences is block-diagonal.
    """
    names = _tokens("documents", _checks.integer_array("documents", documents))
    same: NDArray[np.bool_] = names[..., :, np.newaxis] == names[..., np.newaxis, :]
    return _with_head_axis(same, head_axis)


def _tokens(name: str, array: NDArray[Any]) -> NDArray[Any]:
    if array.ndim == 0:
        raise ValueError(
            f"{name} has shape (); allowed: at least one axis, an entry for each token"
        )
    return array


def _with_head_axis(mask: NDArray[np.bool_], head_axis: bool) -> NDArray[np.bool_]:
    """One mask for all heads of a sequence; without a batch it broadcasts as it is."""
    if _checks.boolean("head_axis", head_axis) and mask.ndim > 2:
        return mask[..., np.newaxis, :, :]
    return mask
