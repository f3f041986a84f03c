"""The copy that turns one value per offset into a matrix."""

from typing import Any

import numpy as np
import pytest
from hypothesis import given, strategies as st
from numpy.testing import assert_array_equal

from pedocs import relative_offsets
from pedocs._toeplitz import offsets_in_order, toeplitz


def test_every_offset_occurs_once_and_they_rise() -> None:
    assert_array_equal(offsets_in_order(2, 4), [-3, -2, -1, 0, 1])
    assert_array_equal(offsets_in_order(1, 1), [0])
    assert_array_equal(offsets_in_order(0, 0), [])
    assert offsets_in_order(3, 3).dtype == np.int64


def test_a_line_of_offsets_becomes_the_table_of_offsets() -> None:
    assert_array_equal(toeplitz(offsets_in_order(2, 4), 2, 4), [[-2, -1, 0, 1], [-3, -2, -1, 0]])


@given(st.integers(0, 9), st.integers(0, 9), st.lists(st.integers(0, 3), max_size=2))
def test_each_entry_is_the_value_of_its_offset(n_query: int, more: int, leading: list[int]) -> None:
    n_key = n_query + more
    line = offsets_in_order(n_query, n_key)
    values = np.random.default_rng(3).normal(size=(*leading, line.size))
    matrix = toeplitz(values, n_query, n_key)
    assert matrix.shape == (*leading, n_query, n_key)
    offsets = relative_offsets(n_query, n_key)
    for i in range(n_query):
        for j in range(n_key):
            (where,) = np.flatnonzero(line == offsets[i, j])
            assert_array_equal(matrix[..., i, j], values[..., where])


@pytest.mark.parametrize(("n_query", "n_key"), [(0, 0), (0, 3), (3, 0)])
def test_no_queries_or_no_keys_is_empty(n_query: int, n_key: int) -> None:
    line = np.zeros((2, max(n_query + n_key - 1, 0)), np.float32)
    matrix = toeplitz(line, n_query, n_key)
    assert matrix.shape == (2, n_query, n_key)
    assert matrix.dtype == np.float32


@pytest.mark.parametrize("order", ["C", "F"])
@pytest.mark.parametrize("dtype", [np.float16, np.float64, np.int64, np.bool_])
def test_the_result_is_an_array_of_its_own(dtype: Any, order: Any) -> None:
    line = np.array(np.ones((3, 7)), dtype, order=order)
    matrix = toeplitz(line, 4, 4)
    assert matrix.dtype == dtype
    assert matrix.flags.c_contiguous and matrix.flags.writeable and matrix.flags.owndata
    matrix[0, 0, 0] = 0
    assert line.all()
    assert matrix.sum() == matrix.size - 1
