"""A matrix whose entries depend on the offset alone, as an array of its own."""

from typing import Any, TypeVar

import numpy as np
from numpy.lib.stride_tricks import sliding_window_view
from numpy.typing import NDArray

Scalar = TypeVar("Scalar", bound="np.generic[Any]")


def offsets_in_order(n_query: int, n_key: int) -> NDArray[np.int64]:
    """Every offset that occurs between queries and keys, rising, when the last ones stand together.

    The first is that of the last query and the first key, the last that of the first query and the
    last key.
    """
    return np.arange(1 - n_key, n_query, dtype=np.int64)


def toeplitz(by_offset: NDArray[Scalar], n_query: int, n_key: int) -> NDArray[Scalar]:
    """Copy one value per offset to every query-key pair that stands that far apart.

    `by_offset` has shape `(…, n_query + n_key − 1)`, in the order of `offsets_in_order`. Row i of
    the result is a window of it that begins one entry further right than the row below, so the
    whole matrix is a copy at memory speed.
    """
    if n_query == 0 or n_key == 0:
        return np.empty((*by_offset.shape[:-1], n_query, n_key), by_offset.dtype)
    line = np.ascontiguousarray(by_offset)  # a row of the result is then one piece of memory
    windows = sliding_window_view(line, n_key, axis=-1)  # the first is the last query's
    return windows[..., ::-1, :].copy()
