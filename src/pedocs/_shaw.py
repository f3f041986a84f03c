"""A learned vector for each clipped offset: Shaw, Uszkoreit and Vaswani."""

import numpy as np
from numpy.typing import ArrayLike, NDArray

from pedocs import _checks
from pedocs._offsets import _check_last_query, relative_offsets


def clipped_offsets(offsets: ArrayLike, max_distance: int) -> NDArray[np.int64]:
    """The row of a table of relative vectors that belongs to each offset.

    Offsets beyond the largest distance k share the last row on their side:

    ```text
    row(r) = clip(r, −k, k) + k        r = j − i,  rows 0 … 2k
    ```

    Row k is the token itself, the rows below it are keys to the left.

    Implementations differ. This is the table of the paper and of
    tensor2tensor, with 2k + 1 rows. SpeechT5 in transformers counts the other
    way, query minus key, and has no row for the distance k on one side: 2k
    rows. Such a table, turned round and with its last row twice, is one of ours.

    Args:
        offsets: Key position minus query position, in tokens: an integer or an
            array of integers of any shape, for instance `relative_offsets(n)`.
        max_distance: The largest distance k that has rows of its own, in
            tokens; zero leaves one row for all.

    Returns:
        Array of the shape of `offsets`, int64, from 0 to 2k.

    Raises:
        ValueError: An argument is not as described.

    Examples:
        >>> from pedocs import clipped_offsets, relative_offsets
        >>> clipped_offsets(relative_offsets(4), max_distance=2)
        array([[2, 3, 4, 4],
               [1, 2, 3, 4],
               [0, 1, 2, 3],
               [0, 0, 1, 2]])

    Source:
        [Shaw, Uszkoreit and Vaswani 2018](https://arxiv.org/abs/1803.02155),
        §3.2;
        [tensor2tensor](https://github.com/tensorflow/tensor2tensor/blob/bafdc1b67730430d38d6ab802cbd51f9d053ba2e/tensor2tensor/layers/common_attention.py),
        function `_generate_relative_positions_matrix`.
    """
    r = _checks.integer_array("offsets", offsets)
    k = _checks.integer("max_distance", max_distance, minimum=0)
    # Clipped as Python integers, so that a bound fits whatever dtype came in.
    low, high = np.iinfo(r.dtype).min, np.iinfo(r.dtype).max
    rows: NDArray[np.int64] = np.clip(r, max(-k, low), min(k, high)).astype(np.int64) + k
    return rows


def shaw_bias(
    q: ArrayLike, key_table: ArrayLike, n_key: int | None = None, *, scale: float | None = None
) -> NDArray[np.float64]:
    """What the relative vectors of the keys add to the scaled scores.

    ```text
    scale · q_i · (k_j + a_row(j−i)) = scale · q_i · k_j + bias_ij

    bias_ij = scale · q_i · a_row(j−i)
    ```

    So `attention(q, k, v, bias=shaw_bias(q, key_table))` has the scores of the
    paper. With fewer queries than keys, the last query stands at the last key.

    The sum is split as in §3.3 of the paper. One step goes further here: the
    queries are multiplied by the 2k + 1 rows of the table, and each pair of
    tokens then picks its product, so that no vector is ever copied to a pair.

    Args:
        q: Queries, shape `(…, n_query, d_k)`.
        key_table: Relative vectors of the keys, shape `(…, 2k + 1, d_k)`, a row
            for each of `clipped_offsets`; the axes before the last two
            broadcast with those of `q`.
        n_key: Number of keys, at least as many as queries; None is as many.
        scale: Factor of the products; None is 1 / √d_k. It must be the scale
            of `attention`.

    Returns:
        Array of shape `(…, n_query, n_key)`, float64, to add to scaled scores.

    Raises:
        ValueError: An argument is not as described: shapes do not fit, a
            number is not finite, or a product does not fit in float64.

    Examples:
        Keys to the left, the token itself and keys to the right:

        >>> from pedocs import shaw_bias
        >>> table = [[1.0, 0.0], [2.0, 0.0], [3.0, 0.0]]
        >>> q = [[1.0, 5.0], [10.0, 5.0], [100.0, 5.0]]
        >>> shaw_bias(q, table, scale=1)
        array([[  2.,   3.,   3.],
               [ 10.,  20.,  30.],
               [100., 100., 200.]])

    Source:
        [Shaw, Uszkoreit and Vaswani 2018](https://arxiv.org/abs/1803.02155),
        §3.1 to §3.3.
    """
    queries, table = _checks.token_vectors("q", q), _table("key_table", key_table)
    n_query, d_k = queries.shape[-2:]
    if d_k == 0:
        raise ValueError(f"q has shape {queries.shape}; allowed: d_k at least 1")
    if table.shape[-1] != d_k:
        raise ValueError(
            f"key_table has shape {table.shape}; allowed: (…, 2k + 1, {d_k}), "
            f"the width of q with shape {queries.shape}"
        )
    n_key = n_query if n_key is None else _checks.integer("n_key", n_key, minimum=0)
    _check_last_query(n_query, n_key, "")
    factor = 1 / np.sqrt(d_k) if scale is None else _checks.real_number("scale", scale)
    _checks.leading_axes(q=queries, key_table=table)

    with np.errstate(all="ignore"):  # what overflows is refused by name
        products = factor * (queries @ np.swapaxes(table, -1, -2))
    _checks.products_that_fit("q and key_table", products)
    rows = clipped_offsets(relative_offsets(n_query, n_key), table.shape[-2] // 2)
    bias: NDArray[np.float64] = products[..., np.arange(n_query)[:, np.newaxis], rows]
    return bias


def shaw_values(weights: ArrayLike, value_table: ArrayLike) -> NDArray[np.float64]:
    """What the relative vectors of the values add to the output of attention.

    ```text
    z_i = Σ_j α_ij (v_j + a_row(j−i)) = Σ_j α_ij v_j + added_i

    added_i = Σ_j α_ij a_row(j−i)
    ```

    So `result.output + shaw_values(result.weights, value_table)` is the output
    of the paper, where `result` is that of `attention`. With fewer queries than
    keys, the last query stands at the last key.

    Each query first adds up the weights that fall on the same row, and then
    mixes 2k + 1 vectors, so that no vector is ever copied to a pair of tokens.

    Args:
        weights: Attention weights, shape `(…, n_query, n_key)`, no more queries
            than keys.
        value_table: Relative vectors of the values, shape `(…, 2k + 1, d_v)`, a
            row for each of `clipped_offsets`; the axes before the last two
            broadcast with those of `weights`.

    Returns:
        Array of shape `(…, n_query, d_v)`, float64, to add to the output.

    Raises:
        ValueError: An argument is not as described: shapes do not fit, a
            number is not finite, or a sum does not fit in float64.

    Examples:
        >>> from pedocs import shaw_values
        >>> weights = [[0.5, 0.25, 0.25], [0.0, 1.0, 0.0], [0.25, 0.25, 0.5]]
        >>> shaw_values(weights, [[1.0, 0.0], [0.0, 1.0], [2.0, 0.0]])
        array([[1. , 0.5],
               [0. , 1. ],
               [0.5, 0.5]])

    Source:
        [Shaw, Uszkoreit and Vaswani 2018](https://arxiv.org/abs/1803.02155),
        §3.1 and §3.2.
    """
    alpha, table = _checks.token_vectors("weights", weights), _table("value_table", value_table)
    n_query, n_key = alpha.shape[-2:]
    _check_last_query(n_query, n_key, "")
    _checks.leading_axes(weights=alpha, value_table=table)

    k = table.shape[-2] // 2
    queries = np.arange(n_query)[:, np.newaxis]
    keys = queries + n_key - n_query + np.arange(-k, k + 1)  # where each row's key stands
    inside = (keys >= 0) & (keys < n_key)
    with np.errstate(all="ignore"):  # what overflows is refused by name
        by_row = np.where(inside, alpha[..., queries, np.where(inside, keys, 0)], 0)
        # The rows at the ends take all that lies beyond them as well.
        rows = clipped_offsets(relative_offsets(n_query, n_key), k)
        by_row[..., 0] = np.sum(alpha, axis=-1, where=rows == 0)
        by_row[..., -1] = np.sum(alpha, axis=-1, where=rows == 2 * k)
        added = by_row @ table
    return _checks.products_that_fit("weights and value_table", added)


def _table(name: str, value: ArrayLike) -> NDArray[np.float64]:
    """A table with as many rows on either side of the token itself."""
    table = _checks.token_vectors(name, value)
    if table.shape[-2] % 2 == 0:
        raise ValueError(
            f"{name} has shape {table.shape}; "
            "allowed: an odd number of rows, 2k + 1, one for each clipped offset"
        )
    return table
