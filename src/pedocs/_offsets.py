"""Who stands how far from whom."""

import numpy as np
from numpy.typing import NDArray

from pedocs import _checks


def relative_offsets(
    n_query: int,
    n_key: int | None = None,
    *,
    query_start: int | None = None,
    key_start: int = 0,
) -> NDArray[np.int64]:
    """How far each key stands from each query: key position minus query position.

    ```text
    r_ij = j − i
    ```

    An offset below zero is a key to the left of the query, one that is already
    written. With fewer queries than keys, as when a decoder adds one token to
    those that it holds, the last query stands at the last key.

    Args:
        n_query: Number of queries.
        n_key: Number of keys; None is as many as queries.
        query_start: Position of the first query; None lets the last query
            stand at the last key.
        key_start: Position of the first key.

    Returns:
        Array of shape `(n_query, n_key)`, int64, in tokens.

    Raises:
        ValueError: An argument is not as described, or there are more queries
            than keys and `query_start` does not say where they begin.

    Examples:
        >>> from pedocs import relative_offsets
        >>> relative_offsets(3)
        array([[ 0,  1,  2],
               [-1,  0,  1],
               [-2, -1,  0]])
        >>> relative_offsets(1, 3)
        array([[-2, -1,  0]])

    Source:
        [Shaw, Uszkoreit and Vaswani 2018](https://arxiv.org/abs/1803.02155),
        §3.2, where the vectors are looked up by j − i.
    """
    n_query, n_key = _sizes(n_query, n_key)
    key_start = _checks.integer("key_start", key_start)
    if query_start is None:
        _check_last_query(n_query, n_key, ", or query_start")
        query_start = key_start + n_key - n_query
    else:
        query_start = _checks.integer("query_start", query_start)
    query_positions = query_start + np.arange(n_query, dtype=np.int64)
    key_positions = key_start + np.arange(n_key, dtype=np.int64)
    return key_positions - query_positions[:, np.newaxis]


def _sizes(n_query: int, n_key: int | None) -> tuple[int, int]:
    n_query = _checks.integer("n_query", n_query, minimum=0)
    if n_key is None:
        return n_query, n_query
    return n_query, _checks.integer("n_key", n_key, minimum=0)


def _check_last_query(n_query: int, n_key: int, way_out: str) -> None:
    """With the last query at the last key, no query may stand before key 0."""
    if n_query > n_key:
        raise ValueError(
            f"n_query is {n_query} and n_key is {n_key}; "
            f"allowed: no more queries than keys{way_out}"
        )
