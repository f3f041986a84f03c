"""The cache of keys and values: it grows, it forgets, it never changes."""

from dataclasses import FrozenInstanceError, replace
from typing import Any

import numpy as np
import pytest
from hypothesis import given, strategies as st
from numpy.testing import assert_array_equal

from pedocs import KVCache

RNG = np.random.default_rng(1)
KEYS, VALUES = RNG.normal(size=(2, 3, 4, 5)), RNG.normal(size=(2, 3, 4, 6))
MORE_KEYS, MORE_VALUES = RNG.normal(size=(2, 3, 2, 5)), RNG.normal(size=(2, 3, 2, 6))


def held() -> KVCache:
    return KVCache(KEYS, VALUES, next_position=9)


def test_a_cache_holds_what_it_was_given() -> None:
    cache = held()
    assert_array_equal(cache.keys, KEYS)
    assert_array_equal(cache.values, VALUES)
    assert (cache.n_key, cache.next_position) == (4, 9)
    assert cache.keys.dtype == cache.values.dtype == np.float64
    assert type(cache.n_key) is int


def test_new_entries_stand_behind_the_old_ones() -> None:
    longer = held().append(MORE_KEYS, MORE_VALUES)
    assert_array_equal(longer.keys, np.concatenate([KEYS, MORE_KEYS], axis=2))
    assert_array_equal(longer.values, np.concatenate([VALUES, MORE_VALUES], axis=2))
    assert (longer.n_key, longer.next_position) == (6, 11)


def test_appending_does_not_change_the_old_cache() -> None:
    """Bug kind: two continuations of one prefix that write into each other."""
    cache = held()
    first, second = (cache.append(MORE_KEYS * f, MORE_VALUES * f) for f in (1, 2))
    assert_array_equal(cache.keys, KEYS)
    assert (cache.n_key, cache.next_position) == (4, 9)
    assert_array_equal(first.keys[..., 4:, :] * 2, second.keys[..., 4:, :])
    assert_array_equal(first.keys[..., :4, :], second.keys[..., :4, :])


def test_nobody_can_write_into_a_cache() -> None:
    """Bug kind: a cache that is stale or poisoned by way of an array that was handed out."""
    keys, values = KEYS.copy(), VALUES.copy()
    cache = KVCache(keys, values, next_position=4)
    keys[...] = values[...] = 0
    assert_array_equal(cache.keys, KEYS)
    assert_array_equal(cache.values, VALUES)
    for made in (cache, cache.append(MORE_KEYS, MORE_VALUES), cache.newest(2)):
        for array in (made.keys, made.values):
            with pytest.raises(ValueError, match="read-only"):
                array[...] = 0
            assert not np.shares_memory(array, KEYS)
    assert not np.shares_memory(cache.newest(2).keys, cache.keys)
    with pytest.raises(FrozenInstanceError):
        cache.next_position = 7  # type: ignore[misc]


def test_dropping_the_oldest_keeps_the_next_position() -> None:
    """Bug: rotary-embedding-torch#11, a position taken from the length of the cache."""
    window = held().newest(3)
    assert_array_equal(window.keys, KEYS[:, :, 1:])
    assert_array_equal(window.values, VALUES[:, :, 1:])
    assert (window.n_key, window.next_position) == (3, 9)
    assert window.append(MORE_KEYS, MORE_VALUES).next_position == 11


@pytest.mark.parametrize(("asked", "kept"), [(0, 0), (1, 1), (4, 4), (5, 4), (100, 4)])
def test_the_newest_are_all_when_there_are_no_more(asked: int, kept: int) -> None:
    assert_array_equal(held().newest(asked).keys, KEYS[:, :, 4 - kept :])


@given(sizes=st.lists(st.integers(0, 4), max_size=5), start=st.integers(-3, 100))
def test_chunks_of_any_size_make_the_same_cache(sizes: list[int], start: int) -> None:
    n = sum(sizes)
    keys, values = RNG.normal(size=(1, n, 2)), RNG.normal(size=(1, n, 3))
    cache = KVCache(np.empty((1, 0, 2)), np.empty((1, 0, 3)), next_position=start)
    done = 0
    for size in sizes:
        part = slice(done, done + size)
        cache = cache.append(keys[:, part], values[:, part])
        done += size
    assert_array_equal(cache.keys, keys)
    assert_array_equal(cache.values, values)
    assert cache.next_position == start + n


def test_positions_that_the_caller_counts_stay_with_the_caller() -> None:
    cache = KVCache(KEYS, VALUES, next_position=None)
    assert cache.append(MORE_KEYS, MORE_VALUES).next_position is None
    assert cache.newest(1).next_position is None
    assert replace(cache, next_position=7).append(MORE_KEYS, MORE_VALUES).next_position == 9


def test_lists_and_numpy_integers_are_taken() -> None:
    cache = KVCache([[1, 2]], [[3]], next_position=np.int8(-5))  # type: ignore[arg-type]
    longer = cache.append([[5, 6], [7, 8]], [[9], [10]])
    assert_array_equal(longer.keys, [[1, 2], [5, 6], [7, 8]])
    assert_array_equal(longer.values, [[3], [9], [10]])
    assert longer.next_position == -3
    assert type(cache.next_position) is int


TOKENS = "allowed: at least two axes, a row for each token"
INTEGER = "allowed: an integer"


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"keys": [1.0]}, f"keys has shape (1,); {TOKENS}"),
        ({"values": 1.0}, f"values has shape (); {TOKENS}"),
        ({"keys": [[np.inf]]}, "keys holds inf; allowed: finite real numbers"),
        ({"values": [[np.nan]]}, "values holds nan; allowed: finite real numbers"),
        (
            {"values": VALUES[:, :, 1:]},
            "values has shape (2, 3, 3, 6); allowed: (2, 3, 4, d_v), "
            "one value for each key of keys with shape (2, 3, 4, 5)",
        ),
        (
            {"values": VALUES[:, 1:]},
            "values has shape (2, 2, 4, 6); allowed: (2, 3, 4, d_v), "
            "one value for each key of keys with shape (2, 3, 4, 5)",
        ),
        ({"next_position": 1.0}, f"next_position is 1.0; {INTEGER}"),
        ({"next_position": True}, f"next_position is True; {INTEGER}"),
        ({"next_position": "3"}, f"next_position is '3'; {INTEGER}"),
    ],
    ids=str,
)
def test_a_cache_refuses_by_name(arguments: Any, message: str) -> None:
    with pytest.raises(ValueError) as refused:  # noqa: PT011 (the whole message is compared)
        KVCache(**{"keys": KEYS, "values": VALUES, "next_position": 0, **arguments})
    assert str(refused.value) == message


@pytest.mark.parametrize(
    ("keys", "values", "message"),
    [
        (
            MORE_KEYS[..., :4],
            MORE_VALUES,
            "keys has shape (2, 3, 2, 4); allowed: (2, 3, n_new, 5), "
            "to follow keys with shape (2, 3, 4, 5)",
        ),
        (
            MORE_KEYS[:, :1],
            MORE_VALUES,
            "keys has shape (2, 1, 2, 5); allowed: (2, 3, n_new, 5), "
            "to follow keys with shape (2, 3, 4, 5)",
        ),
        (
            MORE_KEYS,
            MORE_VALUES[0],
            "values has shape (3, 2, 6); allowed: (2, 3, n_new, 6), "
            "to follow values with shape (2, 3, 4, 6)",
        ),
        (
            MORE_KEYS,
            MORE_VALUES[:, :, 1:],
            "values has shape (2, 3, 1, 6); allowed: (2, 3, 2, d_v), "
            "one value for each key of keys with shape (2, 3, 2, 5)",
        ),
        (MORE_KEYS, 1.0, f"values has shape (); {TOKENS}"),
    ],
    ids=str,
)
def test_entries_that_do_not_follow_are_refused(keys: Any, values: Any, message: str) -> None:
    with pytest.raises(ValueError) as refused:  # noqa: PT011
        held().append(keys, values)
    assert str(refused.value) == message


@pytest.mark.parametrize("n_key", [-1, 1.0, True, None])
def test_a_wrong_number_of_newest_is_refused(n_key: Any) -> None:
    with pytest.raises(ValueError) as refused:  # noqa: PT011
        held().newest(n_key)
    assert str(refused.value) == f"n_key is {n_key!r}; allowed: an integer, at least 0"
