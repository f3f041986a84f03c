"""T5's buckets of distance and the bias that is looked up in them."""

import itertools
import math
import tracemalloc
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from hypothesis import given, strategies as st
from numpy.testing import assert_array_equal

from pedocs import relative_offsets, t5_bias, t5_bucket


def on_one_line(value: Any) -> str:
    """An array as the name of a test: without line breaks, which mutmut cannot pass on."""
    return " ".join(str(value).split())


# The definition


def bucket_by_hand(r: int, num_buckets: int, max_distance: int, bidirectional: bool) -> int:
    """The bucket of one offset, with the formula's floor taken in rational arithmetic.

    The floor of (B − E) ln(n/E) / ln(M/E) is the number of k ≥ 1 with (M/E)^k ≤ (n/E)^(B−E).
    """
    if bidirectional:
        buckets, first, n = num_buckets // 2, num_buckets // 2 if r > 0 else 0, abs(r)
    else:
        buckets, first, n = num_buckets, 0, max(-r, 0)
    exact = buckets // 2
    if n < exact:
        return first + n
    k = 0
    while k < buckets and Fraction(max_distance, exact) ** (k + 1) <= Fraction(n, exact) ** (
        buckets - exact
    ):
        k += 1
    return first + min(exact + k, buckets - 1)


SMALL = [(4, 3), (4, 20), (5, 9), (6, 8), (7, 30), (8, 20), (8, 64), (9, 5), (10, 6), (16, 40)]


@pytest.mark.parametrize("bidirectional", [True, False])
@pytest.mark.parametrize(("num_buckets", "max_distance"), SMALL)
def test_every_bucket_follows_the_formula(
    num_buckets: int, max_distance: int, bidirectional: bool
) -> None:
    setting: Any = {
        "num_buckets": num_buckets,
        "max_distance": max_distance,
        "bidirectional": bidirectional,
    }
    offsets = range(-max_distance - 3, max_distance + 4)
    expected = [bucket_by_hand(r, **setting) for r in offsets]
    assert_array_equal(t5_bucket(offsets, **setting), expected)
    for r, bucket in zip(offsets, expected, strict=True):  # not by the table of all buckets
        assert t5_bucket(r, **setting) == bucket


def test_the_boundaries_of_32_buckets_up_to_128() -> None:
    """The first distance of each bucket, as 8 · 16^(k/8) and 16 · 8^(k/16) round up."""
    distances = -np.arange(200)
    both = t5_bucket(distances)
    firsts = [int(np.argmax(both == bucket)) for bucket in range(16)]
    assert firsts == [0, 1, 2, 3, 4, 5, 6, 7, 8, 12, 16, 23, 32, 46, 64, 91]
    one = t5_bucket(distances, bidirectional=False)
    firsts = [int(np.argmax(one == bucket)) for bucket in range(32)]
    assert firsts[:17] == list(range(17))
    assert firsts[17:] == [19, 21, 24, 27, 31, 35, 40, 46, 52, 59, 67, 77, 87, 99, 113]


def test_the_defaults_are_those_of_t5() -> None:
    r = np.arange(-300, 301)
    explicit = t5_bucket(r, num_buckets=32, max_distance=128, bidirectional=True)
    assert_array_equal(t5_bucket(r), explicit)
    table = np.random.default_rng(1).normal(size=(32, 2))
    bias = t5_bias(table, 300, max_distance=128, bidirectional=True)
    assert_array_equal(t5_bias(table, 300), bias)


def test_eight_buckets_up_to_twenty_as_transformers_gives_them() -> None:
    r = [-25, -14, -13, -9, -8, -7, -6, -5, -4, -3, -2, -1, 0, 1, 2, 6, 7, 25]
    causal = [7, 7, 6, 6, 5, 5, 5, 4, 4, 3, 2, 1, 0, 0, 0, 0, 0, 0]
    both = [3, 3, 3, 3, 3, 3, 2, 2, 2, 2, 2, 1, 0, 5, 6, 6, 7, 7]
    setting: Any = {"num_buckets": 8, "max_distance": 20}
    assert_array_equal(t5_bucket(r, bidirectional=False, **setting), causal)
    assert_array_equal(t5_bucket(r, **setting), both)


# Bugs that were reported elsewhere


def test_a_distance_on_a_boundary_is_not_rounded_down() -> None:
    """Float rounding at a boundary: with the terms in another order, 32 lands in bucket 6."""
    reordered = 4 + math.floor(math.log(32 / 4) * (4 / math.log(64 / 4)))
    assert reordered == 6
    found = t5_bucket([-31, -32], num_buckets=8, max_distance=64, bidirectional=False)
    assert_array_equal(found, [6, 7])


@pytest.mark.parametrize("ratio", [2, 3, 5, 7, 10])
@pytest.mark.parametrize("steps", [2, 3, 4, 6])
def test_powers_are_exact_boundaries(ratio: int, steps: int) -> None:
    exact = steps  # B = 2E, so there are as many steps as exact buckets
    setting: Any = {
        "num_buckets": 2 * exact,
        "max_distance": exact * ratio**steps,
        "bidirectional": False,
    }
    for k in range(steps):
        first = exact * ratio**k
        assert t5_bucket(-first, **setting) == exact + k
        assert t5_bucket(-first + 1, **setting) == exact + k - 1


@pytest.mark.parametrize("far", [128, 10**6, 2**53, 2**62])
def test_far_offsets_stay_in_range(far: int) -> None:
    """Missing clamp: r = ±10^6 must not leave the table."""
    assert_array_equal(t5_bucket([-far, far]), [15, 31])
    assert_array_equal(t5_bucket([-far, far], bidirectional=False), [31, 0])


@pytest.mark.parametrize(
    "dtype", ["int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64", ">i4"]
)
def test_the_extremes_of_every_integer_type_stay_in_range(dtype: str) -> None:
    """The lowest int64 has no absolute value, and 128 does not fit in int8."""
    limits = np.iinfo(dtype)
    r = np.array([limits.min, limits.max], dtype)
    assert_array_equal(t5_bucket(r), [15 if limits.min else 0, 31])
    assert_array_equal(t5_bucket(r, bidirectional=False), [31 if limits.min else 0, 0])
    long = np.tile(r, 200)  # enough to be looked up
    assert_array_equal(t5_bucket(long), np.tile(t5_bucket(r), 200))


def test_the_log_of_zero_is_never_taken() -> None:
    """A log(0) warning would be an error here."""
    with np.errstate(all="raise"):
        assert_array_equal(t5_bucket([0, 0]), [0, 0])


@pytest.mark.parametrize(("fewest", "bidirectional"), [(4, True), (2, False)])
def test_the_fewest_buckets_hold_the_token_itself_and_all_others(
    fewest: int, bidirectional: bool
) -> None:
    setting: Any = {"num_buckets": fewest, "bidirectional": bidirectional}
    left, right = (1, 3) if bidirectional else (1, 0)
    assert_array_equal(t5_bucket([-9, -1, 0, 1, 9], **setting), [left, left, 0, right, right])


# Laws


def setting_of(data: st.DataObject, most: int = 64) -> dict[str, Any]:
    bidirectional = data.draw(st.booleans())
    num_buckets = data.draw(st.integers(4 if bidirectional else 2, most))
    exact = (num_buckets // 2 if bidirectional else num_buckets) // 2
    max_distance = data.draw(st.integers(exact + 1, 5000))
    return {
        "num_buckets": num_buckets,
        "max_distance": max_distance,
        "bidirectional": bidirectional,
    }


@given(st.data())
def test_buckets_are_in_range_and_rise_with_the_distance(data: st.DataObject) -> None:
    setting = setting_of(data)
    per_direction = setting["num_buckets"] // (2 if setting["bidirectional"] else 1)
    left = t5_bucket(-np.arange(6000), **setting)
    assert (left[0], left[-1]) == (0, per_direction - 1)
    assert (np.diff(left) >= 0).all()
    right = t5_bucket(np.arange(1, 6000), **setting)
    if setting["bidirectional"]:
        assert_array_equal(right, left[1:] + per_direction)
    else:
        assert not right.any()


@given(st.data())
def test_the_last_bucket_begins_before_the_maximum(data: st.DataObject) -> None:
    setting = setting_of(data)
    last = setting["num_buckets"] // (2 if setting["bidirectional"] else 1) - 1
    assert t5_bucket(-setting["max_distance"], **setting) == last


@given(st.data(), st.integers(-(10**6), 10**6))
def test_a_bucket_does_not_depend_on_its_company(data: st.DataObject, r: int) -> None:
    """One offset is sorted by itself, many are looked up."""
    setting = setting_of(data)
    many = np.full((2, setting["max_distance"] + 1), r)
    assert_array_equal(t5_bucket(many, **setting), np.full_like(many, t5_bucket(r, **setting)))


@given(st.data(), st.integers(0, 8), st.integers(0, 8))
def test_every_bias_is_that_of_its_bucket(data: st.DataObject, n_query: int, more: int) -> None:
    setting = setting_of(data, most=20)
    n_key = n_query + more
    table = np.random.default_rng(5).normal(size=(setting.pop("num_buckets"), 3))
    bias = t5_bias(table, n_query, n_key, **setting)
    assert bias.shape == (3, n_query, n_key)
    for i, j, h in itertools.product(range(n_query), range(n_key), range(3)):
        r = j - (i + more)  # the last query stands at the last key
        bucket = bucket_by_hand(r, len(table), **setting)
        assert bias[h, i, j] == table[bucket, h]


def test_a_decoder_step_is_the_last_row_of_the_whole_bias() -> None:
    """T5 with a cache: the new query stands at the last key, not at the first."""
    table = np.random.default_rng(6).normal(size=(32, 4))
    whole = t5_bias(table, 50, bidirectional=False)
    assert_array_equal(t5_bias(table, 1, 50, bidirectional=False), whole[:, -1:])
    assert_array_equal(t5_bias(table, 3, 50, bidirectional=False), whole[:, -3:])


def test_the_bias_is_the_table_at_the_buckets_of_the_offsets() -> None:
    table = np.random.default_rng(7).normal(size=(16, 2))
    setting: Any = {"max_distance": 30, "bidirectional": False}
    buckets = t5_bucket(relative_offsets(20, 60), num_buckets=16, **setting)
    assert_array_equal(t5_bias(table, 20, 60, **setting), table[buckets].transpose(2, 0, 1))


# Types, shapes, memory


@pytest.mark.parametrize("shape", [(), (0,), (1,), (3, 0), (2, 3, 4), (50, 60)])
@pytest.mark.parametrize("bidirectional", [True, False])
def test_buckets_have_the_shape_of_the_offsets(shape: tuple[int, ...], bidirectional: bool) -> None:
    buckets = t5_bucket(np.zeros(shape, np.int16), bidirectional=bidirectional)
    assert isinstance(buckets, np.ndarray)
    assert buckets.shape == shape
    assert buckets.dtype == np.int64


def test_an_empty_list_has_no_buckets() -> None:
    assert t5_bucket([]).shape == (0,)
    assert t5_bucket([]).dtype == np.int64


@pytest.mark.parametrize("size", [5, 5000])
def test_the_offsets_are_left_as_they_were(size: int) -> None:
    r = np.arange(size) - 3
    before = r.copy()
    buckets = t5_bucket(r)
    assert not np.shares_memory(buckets, r)
    assert_array_equal(r, before)


@pytest.mark.parametrize("dtype", [np.float16, np.float32, np.float64])
def test_the_bias_comes_in_the_dtype_asked_for(dtype: Any) -> None:
    table = np.random.default_rng(8).normal(size=(8, 2))
    bias = t5_bias(table, 3, 5, dtype=dtype)
    assert bias.dtype == dtype
    assert_array_equal(bias, t5_bias(table, 3, 5).astype(dtype))
    assert t5_bias(table.astype(np.float32), 3).dtype == np.float64


def test_the_bias_shares_no_memory_and_shows_no_negative_zero() -> None:
    table = np.zeros((4, 1))
    table[1] = -0.0
    table[2] = -1e-30  # rounds to -0 in float16
    bias = t5_bias(table, 3, dtype=np.float16)
    assert not np.signbit(bias).any()
    assert not np.signbit(t5_bias(np.full((4, 1), -0.0), 3)).any()
    bias = t5_bias(table, 3)
    bias[...] = 7
    assert table[2, 0] == -1e-30 and table[0, 0] == 0
    assert (t5_bias(table, 1)[0, 0, 0]) == 0


@pytest.mark.parametrize(("n_query", "n_key"), [(0, 0), (0, 4)])
def test_no_queries_give_an_empty_bias(n_query: int, n_key: int) -> None:
    assert t5_bias(np.zeros((4, 2)), n_query, n_key).shape == (2, n_query, n_key)
    assert t5_bias(np.zeros((4, 0)), 3).shape == (0, 3, 3)


def test_the_work_needs_no_more_than_twice_the_result() -> None:
    r = relative_offsets(512)
    table = np.zeros((32, 4))
    for work in (lambda: t5_bucket(r), lambda: t5_bias(table, 512)):
        tracemalloc.start()
        result: Any = work()
        peak = tracemalloc.get_traced_memory()[1]
        tracemalloc.stop()
        assert peak < 2.1 * result.nbytes


# Refusals


AN_INTEGER = "allowed: an integer or an array of integers"


@pytest.mark.parametrize(
    ("offsets", "message"),
    [
        (0.0, f"offsets is 0.0; {AN_INTEGER}"),
        ([1.0, 2.0], f"offsets is [1.0, 2.0]; {AN_INTEGER}"),
        (True, f"offsets is True; {AN_INTEGER}"),
        ("1", f"offsets is '1'; {AN_INTEGER}"),
        (None, f"offsets is None; {AN_INTEGER}"),
        (np.zeros((2, 3)), f"offsets is an array of float64 with shape (2, 3); {AN_INTEGER}"),
        (np.zeros(0), f"offsets is an array of float64 with shape (0,); {AN_INTEGER}"),
        (math.nan, f"offsets is nan; {AN_INTEGER}"),
        (2**64, f"offsets is {2**64}; {AN_INTEGER}"),
        ([[1], [2, 3]], f"offsets is [[1], [2, 3]]; {AN_INTEGER}"),
    ],
    ids=on_one_line,
)
def test_offsets_that_are_not_integers_are_refused(offsets: Any, message: str) -> None:
    with pytest.raises(ValueError) as refused:  # noqa: PT011 (the whole message is compared)
        t5_bucket(offsets)
    assert str(refused.value) == message


SETTINGS: list[tuple[dict[str, Any], str]] = [
    ({"max_distance": 64.0}, "max_distance is 64.0; allowed: an integer"),
    ({"max_distance": True}, "max_distance is True; allowed: an integer"),
    (
        {"max_distance": 8},
        "max_distance is 8; allowed: more than 8, "
        "the buckets of one distance each that 32 buckets have",
    ),
    (
        {"max_distance": 16, "bidirectional": False},
        "max_distance is 16; allowed: more than 16, "
        "the buckets of one distance each that 32 buckets have",
    ),
    (
        {"max_distance": -1},
        "max_distance is -1; allowed: more than 8, "
        "the buckets of one distance each that 32 buckets have",
    ),
    ({"bidirectional": 1}, "bidirectional is 1; allowed: True or False"),
    ({"bidirectional": None}, "bidirectional is None; allowed: True or False"),
]


@pytest.mark.parametrize(
    ("setting", "message"),
    [
        *SETTINGS,
        ({"num_buckets": 3}, "num_buckets is 3; allowed: an integer, at least 4"),
        (
            {"num_buckets": 1, "bidirectional": False},
            "num_buckets is 1; allowed: an integer, at least 2",
        ),
        ({"num_buckets": 1025}, "num_buckets is 1025; allowed: an integer from 4 to 1024"),
        (
            {"num_buckets": 1025, "bidirectional": False},
            "num_buckets is 1025; allowed: an integer from 2 to 1024",
        ),
        ({"num_buckets": 32.0}, "num_buckets is 32.0; allowed: an integer, at least 4"),
        ({"num_buckets": True}, "num_buckets is True; allowed: an integer, at least 4"),
    ],
    ids=on_one_line,
)
def test_settings_that_make_no_buckets_are_refused(setting: Any, message: str) -> None:
    with pytest.raises(ValueError) as refused:  # noqa: PT011
        t5_bucket(0, **setting)
    assert str(refused.value) == message


@pytest.mark.parametrize(("bidirectional", "exact"), [(True, 8), (False, 16)])
def test_the_smallest_maximum_leaves_no_room_between(bidirectional: bool, exact: int) -> None:
    found = t5_bucket(
        [-exact + 1, -exact, -exact - 1], max_distance=exact + 1, bidirectional=bidirectional
    )
    assert_array_equal(found, [exact - 1, exact, 2 * exact - 1])


def test_as_many_buckets_as_are_allowed() -> None:
    buckets = t5_bucket(-np.arange(3000), num_buckets=1024, max_distance=2048, bidirectional=False)
    assert_array_equal(buckets[:513], np.arange(513))
    assert (buckets[-1], buckets.max()) == (1023, 1023)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        *SETTINGS,
        ({"table": np.zeros(32)}, "table has shape (32,); allowed: (num_buckets, heads)"),
        (
            {"table": np.zeros((2, 32, 2))},
            "table has shape (2, 32, 2); allowed: (num_buckets, heads)",
        ),
        (
            {"table": np.zeros((3, 2))},
            "the first axis of table is 3; allowed: an integer, at least 4",
        ),
        (
            {"table": np.zeros((1025, 2))},
            "the first axis of table is 1025; allowed: an integer from 4 to 1024",
        ),
        ({"table": [[math.nan]] * 4}, "table holds nan; allowed: finite real numbers"),
        ({"table": [[math.inf]] * 4}, "table holds inf; allowed: finite real numbers"),
        ({"table": "T5"}, "table is 'T5'; allowed: a real number or an array of real numbers"),
        ({"n_query": -1}, "n_query is -1; allowed: an integer, at least 0"),
        ({"n_query": 2.0}, "n_query is 2.0; allowed: an integer, at least 0"),
        ({"n_key": True}, "n_key is True; allowed: an integer, at least 0"),
        (
            {"n_query": 3, "n_key": 2},
            "n_query is 3 and n_key is 2; allowed: no more queries than keys",
        ),
        ({"dtype": int}, f"dtype is {int!r}; allowed: None, float16, float32 or float64"),
        (
            {"table": np.full((32, 1), 1e6), "dtype": np.float16},
            "table is too large; allowed: biases that fit in float16",
        ),
    ],
    ids=on_one_line,
)
def test_a_wrong_argument_of_the_bias_is_named(change: Any, message: str) -> None:
    arguments: dict[str, Any] = {"table": np.zeros((32, 2)), "n_query": 2, "n_key": 2} | change
    with pytest.raises(ValueError) as refused:  # noqa: PT011
        t5_bias(**arguments)
    assert str(refused.value) == message


def test_settings_are_given_by_name() -> None:
    with pytest.raises(TypeError):
        t5_bucket(0, 32)  # type: ignore[call-arg]
    with pytest.raises(TypeError):
        t5_bias(np.zeros((32, 1)), 2, 2, 128)  # type: ignore[call-arg]
