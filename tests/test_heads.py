"""Splitting vectors into heads and merging them."""

from typing import Any

import numpy as np
import pytest
from hypothesis import given, strategies as st
from numpy.testing import assert_array_equal

from pedocs import merge_heads, split_heads


def test_a_head_is_a_run_of_columns() -> None:
    x = np.arange(24.0).reshape(4, 6)
    heads = split_heads(x, 3)
    assert heads.shape == (3, 4, 2)
    for h in range(3):
        assert_array_equal(heads[h], x[:, 2 * h : 2 * h + 2])
    assert_array_equal(merge_heads(heads), x)


@given(
    batch=st.lists(st.integers(0, 3), max_size=2),
    n=st.integers(0, 4),
    heads=st.integers(1, 5),
    width=st.integers(0, 3),
)
def test_merging_undoes_splitting(batch: list[int], n: int, heads: int, width: int) -> None:
    x = np.random.default_rng(0).normal(size=(*batch, n, heads * width))
    parts = split_heads(x, heads)
    assert parts.shape == (*batch, heads, n, width)
    assert_array_equal(merge_heads(parts), x)
    for index in np.ndindex(parts.shape):
        *front, h, i, c = index
        assert parts[index] == x[(*front, i, h * width + c)]


def test_heads_and_tokens_are_not_mixed_up() -> None:
    """Bug: xformers#841, a head axis in the place of the tokens."""
    x = np.zeros((5, 6))
    x[2] = 1  # token 2 in every head
    assert_array_equal(split_heads(x, 3).sum(axis=(0, 2)), [0, 0, 6, 0, 0])


def test_results_are_float64_and_fresh() -> None:
    x = np.arange(6, dtype=np.float64).reshape(1, 6)
    for made in (split_heads(x, 1), split_heads(x, 6), merge_heads(x[np.newaxis])):
        assert not np.shares_memory(made, x)
        assert made.dtype == np.float64
        assert made.flags.c_contiguous
    assert split_heads(np.ones((2, 4), np.int8), np.int8(2)).dtype == np.float64  # type: ignore[arg-type]
    assert merge_heads(np.ones((2, 3, 4), np.float16)).dtype == np.float64


TOKENS = "allowed: at least two axes, a row for each token"


@pytest.mark.parametrize(
    ("call", "arguments", "message"),
    [
        (split_heads, ([1.0, 2.0], 2), f"x has shape (2,); {TOKENS}"),
        (
            split_heads,
            (np.ones((4, 6)), 4),
            "x has shape (4, 6); allowed: (…, n, a multiple of 4), the same width for each head",
        ),
        (split_heads, (np.ones((4, 6)), 0), "n_heads is 0; allowed: an integer, at least 1"),
        (split_heads, (np.ones((4, 6)), 2.0), "n_heads is 2.0; allowed: an integer, at least 1"),
        (split_heads, (np.ones((4, 6)), True), "n_heads is True; allowed: an integer, at least 1"),
        (split_heads, ([[np.inf]], 1), "x holds inf; allowed: finite real numbers"),
        (merge_heads, ([1.0],), f"x has shape (1,); {TOKENS}"),
        (
            merge_heads,
            (np.ones((4, 6)),),
            "x has shape (4, 6); allowed: at least three axes, (…, n_heads, n, d)",
        ),
        (merge_heads, ([[[np.nan]]],), "x holds nan; allowed: finite real numbers"),
    ],
    ids=str,
)
def test_splitting_and_merging_refuse_by_name(call: Any, arguments: Any, message: str) -> None:
    with pytest.raises(ValueError) as refused:  # noqa: PT011 (the whole message is compared)
        call(*arguments)
    assert str(refused.value) == message
