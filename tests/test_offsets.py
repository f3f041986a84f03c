"""Relative offsets."""

from typing import Any

import numpy as np
import pytest
from numpy.testing import assert_array_equal

from pedocs import relative_offsets


def test_five_tokens_see_each_other_from_minus_four_to_four() -> None:
    assert_array_equal(
        relative_offsets(5),
        [
            [0, 1, 2, 3, 4],
            [-1, 0, 1, 2, 3],
            [-2, -1, 0, 1, 2],
            [-3, -2, -1, 0, 1],
            [-4, -3, -2, -1, 0],
        ],
    )


def test_an_offset_is_key_minus_query() -> None:
    offsets = relative_offsets(3)
    assert offsets[2, 0] == -2  # query 2 looks back at key 0
    assert offsets[0, 2] == 2  # query 0 looks ahead at key 2
    assert (relative_offsets(10).min(), relative_offsets(10).max()) == (-9, 9)


@pytest.mark.parametrize("n_key", [0, 1, 3, 6])
@pytest.mark.parametrize("n_query", [0, 1, 2, 5])
@pytest.mark.parametrize(("query_start", "key_start"), [(0, 0), (4, 0), (0, 3), (-7, 2), (100, 98)])
def test_every_entry_is_the_difference_of_two_positions(
    n_query: int, n_key: int, query_start: int, key_start: int
) -> None:
    offsets = relative_offsets(n_query, n_key, query_start=query_start, key_start=key_start)
    assert offsets.shape == (n_query, n_key)
    assert offsets.dtype == np.int64
    for i in range(n_query):
        for j in range(n_key):
            assert offsets[i, j] == (key_start + j) - (query_start + i)


@pytest.mark.parametrize("key_start", [0, 5, -3])
@pytest.mark.parametrize(("n_query", "n_key"), [(1, 1), (1, 6), (2, 6), (6, 6)])
def test_the_last_query_stands_at_the_last_key(n_query: int, n_key: int, key_start: int) -> None:
    offsets = relative_offsets(n_query, n_key, key_start=key_start)
    assert offsets[-1, -1] == 0
    # A decoder that adds tokens sees the last rows of the whole table.
    assert_array_equal(offsets, relative_offsets(n_key)[n_key - n_query :])


@pytest.mark.parametrize("start", [0, 3, -3, 2**53])
def test_offsets_do_not_depend_on_where_the_sequence_begins(start: int) -> None:
    moved = relative_offsets(4, query_start=start, key_start=start)
    assert_array_equal(moved, relative_offsets(4))


def test_with_a_start_there_may_be_more_queries_than_keys() -> None:
    assert_array_equal(relative_offsets(3, 1, query_start=0), [[0], [-1], [-2]])


def test_no_queries_or_no_keys_is_an_empty_table() -> None:
    assert relative_offsets(0).shape == (0, 0)
    assert relative_offsets(0, 4).shape == (0, 4)


def test_a_result_is_fresh_and_sizes_may_be_numpy_integers() -> None:
    first = relative_offsets(np.int32(3), np.uint8(4))  # type: ignore[arg-type]
    kept = first.copy()
    first[...] = 9
    assert_array_equal(relative_offsets(3, 4), kept)


# Refusals

SIZE = "allowed: an integer, at least 0"


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ((-1,), f"n_query is -1; {SIZE}"),
        ((3.0,), f"n_query is 3.0; {SIZE}"),
        ((True,), f"n_query is True; {SIZE}"),
        (("3",), f"n_query is '3'; {SIZE}"),
        ((None,), f"n_query is None; {SIZE}"),
        (([3],), f"n_query is [3]; {SIZE}"),
        ((2**54,), f"n_query is {2**54}; {SIZE}, up to 2^53 in size"),
        ((3, -1), f"n_key is -1; {SIZE}"),
        ((3, 4.5), f"n_key is 4.5; {SIZE}"),
        ((3, False), f"n_key is False; {SIZE}"),
    ],
    ids=str,
)
def test_a_wrong_size_is_refused(arguments: Any, message: str) -> None:
    with pytest.raises(ValueError) as refused:  # noqa: PT011 (the whole message is compared)
        relative_offsets(*arguments)
    assert str(refused.value) == message


@pytest.mark.parametrize("n_key", [0, 3, 4])
def test_more_queries_than_keys_are_refused_without_a_start(n_key: int) -> None:
    with pytest.raises(ValueError) as refused:  # noqa: PT011
        relative_offsets(5, n_key, key_start=2)
    message = f"n_query is 5 and n_key is {n_key}; allowed: no more queries than keys"
    assert str(refused.value) == f"{message}, or query_start"


@pytest.mark.parametrize("name", ["query_start", "key_start"])
@pytest.mark.parametrize(
    ("value", "allowed"),
    [
        (1.0, "an integer"),
        (True, "an integer"),
        ("1", "an integer"),
        ([1], "an integer"),
        (2**53 + 1, "an integer, up to 2^53 in size"),
        (-(2**53) - 1, "an integer, up to 2^53 in size"),
    ],
    ids=str,
)
def test_a_wrong_start_is_refused(name: str, value: Any, allowed: str) -> None:
    with pytest.raises(ValueError) as refused:  # noqa: PT011
        relative_offsets(3, **{name: value})
    assert str(refused.value) == f"{name} is {value!r}; allowed: {allowed}"


def test_the_first_key_cannot_be_left_open() -> None:
    with pytest.raises(ValueError, match=r"^key_start is None; allowed: an integer$"):
        relative_offsets(3, key_start=None)  # type: ignore[arg-type]
