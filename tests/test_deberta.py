"""The buckets of DeBERTa and its three terms."""

import math
import re
from typing import Any

import numpy as np
import pytest
from hypothesis import given, strategies as st
from numpy.testing import assert_allclose, assert_array_equal

from pedocs import attention, deberta_bucket, deberta_scores, relative_offsets, softmax

WHOLE: Any = 2.0  # a whole float is no integer
OTHER: Any = "transposed"

# transformers 5.24.0, make_log_bucket_position with 16 buckets and maximum 64, of the distances
# 0 … 70 from key to query: bucket 0, then how many distances each bucket has.
V2_COUNTS = [1, 1, 1, 1, 1, 1, 1, 1, 1, 2, 4, 5, 7, 8, 12, 17, 7]


def arrays(seed: int, *shapes: tuple[int, ...]) -> Any:
    rng = np.random.default_rng(seed)
    return [rng.normal(size=shape) for shape in shapes]


def bucket_by_integers(x: int, size: int, maximum: int) -> int:
    """The bucket of the distance x from key to query, by comparing whole powers.

    m steps reach |x| when (|x| / M)^(M − 1) ≤ ((D − 1) / M)^m.
    """
    middle = size // 2
    distance = abs(x)
    if distance <= middle:
        return x
    m = 0
    while distance ** (middle - 1) * middle**m > (maximum - 1) ** m * middle ** (middle - 1):
        m += 1
    return (middle + m) * (1 if x > 0 else -1)


def delta(x: int, size: int, maximum: int | None = None) -> int:
    """The row of the paper's δ by its three cases, where x = i − j."""
    if maximum is not None:
        x = bucket_by_integers(x, size, maximum)
    if x <= -size:
        return 0
    if x >= size:
        return 2 * size - 1
    return x + size


def paper_by_hand(
    q: Any, k: Any, q_table: Any, k_table: Any, maximum: int | None, released: bool
) -> Any:
    """The three terms of one head, pair by pair; the last query stands at the last key."""
    (n_query, d), n_key = q.shape, len(k)
    size = len(q_table) // 2
    scores = np.zeros((n_query, n_key))
    for row in range(n_query):
        i = row + n_key - n_query
        for j in range(n_key):
            there, back = delta(i - j, size, maximum), delta(j - i, size, maximum)
            for c in range(d):
                scores[row, j] += q[row, c] * k[j, c]
                scores[row, j] += q[row, c] * k_table[there, c]
                scores[row, j] += k[j, c] * q_table[there if released else back, c]
    return scores / math.sqrt(3 * d)


# The rows


def test_rows_of_the_paper() -> None:
    assert_array_equal(
        deberta_bucket(relative_offsets(4), num_buckets=2),
        [[2, 1, 0, 0], [3, 2, 1, 0], [3, 3, 2, 1], [3, 3, 3, 2]],
    )
    assert_array_equal(deberta_bucket([2, 1, 0, -1, -2], num_buckets=1), [0, 0, 1, 1, 1])


def test_rows_are_those_of_deberta_v2() -> None:
    buckets = np.repeat(range(17), V2_COUNTS)
    behind = deberta_bucket(-np.arange(71), num_buckets=16, max_distance=64)
    ahead = deberta_bucket(np.arange(71), num_buckets=16, max_distance=64)
    assert_array_equal(behind, np.minimum(16 + buckets, 31))
    assert_array_equal(ahead, 16 - buckets)
    assert behind.dtype == np.int64


@given(st.integers(-(2**53), 2**53), st.integers(1, 2**20))
def test_a_row_follows_the_paper(r: int, size: int) -> None:
    assert deberta_bucket(r, num_buckets=size) == delta(-r, size)
    assert deberta_bucket(r, num_buckets=size, max_distance=None) == delta(-r, size)


@pytest.mark.parametrize(
    ("size", "maximum"),
    [(2, 3), (2, 50), (3, 4), (4, 4), (5, 9), (6, 13), (8, 6), (8, 33), (16, 64), (32, 128)],
)
def test_a_row_follows_the_logarithm_exactly(size: int, maximum: int) -> None:
    """Whole powers decide, as in (8, 33): 4 · 8^(1/3) = 8 is the last of its row."""
    x = range(-3 * maximum, 3 * maximum + 1)
    rows = deberta_bucket([-one for one in x], num_buckets=size, max_distance=maximum)
    assert_array_equal(rows, [delta(one, size, maximum) for one in x])


def test_boundaries_on_whole_powers_are_not_lifted() -> None:
    for middle in range(2, 40):
        for base in (2, 3, 7, 10):
            # (middle − 1) steps from middle to middle · base^(middle − 1): one per power.
            if middle * base ** (middle - 1) > 2**40:
                break
            maximum = middle * base ** (middle - 1) + 1
            for m in range(middle):
                edge = middle * base**m
                rows = deberta_bucket(
                    [-edge, -edge - 1], num_buckets=2 * middle, max_distance=maximum
                )
                first = 2 * middle + middle + m
                assert_array_equal(rows, [first, min(first + 1, 4 * middle - 1)])


@given(st.integers(1, 10**6), st.integers(2, 600), st.integers(3, 5000))
def test_the_two_directions_mirror_each_other_until_the_clip(r: int, size: int, more: int) -> None:
    maximum = size // 2 + more
    ahead, behind = deberta_bucket([r, -r], num_buckets=size, max_distance=maximum)
    assert 0 <= ahead < size < behind < 2 * size
    if ahead > 0:
        assert ahead + behind == 2 * size
    further = deberta_bucket(r + 1, num_buckets=size, max_distance=maximum)
    assert further <= ahead


def test_the_last_row_for_a_distance_of_its_own() -> None:
    rows = deberta_bucket([511, 512, -511, -512], num_buckets=256, max_distance=512)
    assert_array_equal(rows, [1, 0, 511, 511])
    far = deberta_bucket([2**53, -(2**53)], num_buckets=256, max_distance=512)
    assert_array_equal(far, [0, 511])
    near = deberta_bucket([-128, -129, 128, 129], num_buckets=256, max_distance=512)
    assert_array_equal(near, [384, 385, 128, 127])


@pytest.mark.parametrize("dtype", [np.int8, np.uint8, np.uint64, ">i4"])
def test_any_integer_type_gives_the_same_rows(dtype: Any) -> None:
    r = np.array([0, 3, 100], dtype=dtype)
    rows = deberta_bucket(r, num_buckets=2)
    assert_array_equal(rows, [2, 0, 0])
    assert rows.dtype == np.int64
    assert deberta_bucket(r, num_buckets=4, max_distance=9).dtype == np.int64


@pytest.mark.parametrize("shape", [(), (0,), (3,), (2, 0), (2, 3, 4)])
def test_rows_have_the_shape_of_the_offsets(shape: tuple[int, ...]) -> None:
    r = np.random.default_rng(2).integers(-30, 30, size=shape)
    for maximum in (None, 20):
        rows = deberta_bucket(r, num_buckets=8, max_distance=maximum)
        assert rows.shape == shape
        for index in np.ndindex(shape):
            assert rows[index] == delta(-int(r[index]), 8, maximum)


# The scores


@pytest.mark.parametrize("released", [False, True])
@pytest.mark.parametrize(("size", "maximum"), [(1, None), (3, None), (20, None), (4, 8), (8, 200)])
@pytest.mark.parametrize(("n_query", "n_key"), [(1, 1), (6, 6), (1, 7), (4, 9)])
def test_bug_the_sign_of_position_to_content(
    n_query: int, n_key: int, size: int, maximum: int | None, released: bool
) -> None:
    """Bug: δ(i, j) for δ(j, i), or the other way round, in the third term."""
    q, k, q_table, k_table = arrays(3, (n_query, 4), (n_key, 4), (2 * size, 4), (2 * size, 4))
    scores = deberta_scores(
        q,
        k,
        q_table,
        k_table,
        max_distance=maximum,
        position_to_content="released" if released else "paper",
    )
    expected = paper_by_hand(q, k, q_table, k_table, maximum, released)
    assert_allclose(scores, expected, rtol=0, atol=1e-13)


def test_each_term_alone() -> None:
    ones, nothing, table = np.ones((3, 1)), np.zeros((3, 1)), [[10.0], [20.0], [30.0], [40.0]]
    there, back = (
        [[30, 20, 10], [40, 30, 20], [40, 40, 30]],
        [[30, 40, 40], [20, 30, 40], [10, 20, 30]],
    )
    assert_array_equal(deberta_scores(ones, nothing, None, table, scale=1), there)
    assert_array_equal(deberta_scores(nothing, ones, table, None, scale=1), back)
    released = deberta_scores(nothing, ones, table, None, scale=1, position_to_content="released")
    assert_array_equal(released, there)


def test_the_default_is_the_paper() -> None:
    q, k, q_table, k_table = arrays(4, (5, 4), (5, 4), (6, 4), (6, 4))
    scores = deberta_scores(q, k, q_table, k_table)
    paper = deberta_scores(q, k, q_table, k_table, position_to_content="paper", max_distance=None)
    released = deberta_scores(q, k, q_table, k_table, position_to_content="released")
    assert_array_equal(scores, paper)
    assert not np.allclose(scores, released)
    assert_allclose(np.diag(scores), np.diag(released), rtol=0, atol=1e-14)


def test_the_default_scale_counts_the_terms() -> None:
    q, k, q_table, k_table = arrays(5, (5, 3), (5, 3), (6, 3), (6, 3))
    for tables, scale in (
        ((q_table, k_table), 1 / 3),
        ((q_table, None), 1 / math.sqrt(6)),
        ((None, k_table), 1 / math.sqrt(6)),
    ):
        scores = deberta_scores(q, k, *tables)
        assert_allclose(scores, deberta_scores(q, k, *tables, scale=scale), rtol=1e-14)
        assert_allclose(
            deberta_scores(q, k, *tables, scale=-2), -2 / scale * scores, rtol=0, atol=1e-13
        )


def test_tables_of_zeros_leave_plain_attention() -> None:
    q, k, v = arrays(6, (2, 5, 4), (2, 5, 4), (2, 5, 3))
    zeros = np.zeros((6, 4))
    scores = deberta_scores(q, k, zeros, zeros, scale=0.5)
    result = attention(q, k, v)
    assert_allclose(scores, result.scores, rtol=0, atol=1e-14)
    assert_allclose(softmax(scores) @ v, result.output, rtol=0, atol=1e-14)


@pytest.mark.parametrize("convention", ["paper", "released"])
def test_one_new_query_gets_the_last_row_of_the_full_pass(convention: Any) -> None:
    x, q_table, k_table = arrays(7, (9, 4), (8, 4), (8, 4))
    options: Any = {"max_distance": 6, "position_to_content": convention}
    full = deberta_scores(x, x, q_table, k_table, **options)
    for n in range(1, 10):
        step = deberta_scores(x[n - 1 : n], x[:n], q_table, k_table, **options)
        assert_allclose(step[0], full[n - 1, :n], rtol=0, atol=1e-14)


def test_heads_and_batches_broadcast() -> None:
    """Batch of 2, 3 heads, 4 queries, 6 keys: tables for each head."""
    q, k, q_table, k_table = arrays(8, (2, 3, 4, 5), (2, 3, 6, 5), (3, 8, 5), (3, 8, 5))
    scores = deberta_scores(q, k, q_table, k_table)
    assert scores.shape == (2, 3, 4, 6)
    for b in range(2):
        for h in range(3):
            one = deberta_scores(q[b, h], k[b, h], q_table[h], k_table[h])
            assert_allclose(scores[b, h], one, rtol=0, atol=1e-14)
    # The tables may bring axes that the tokens do not have.
    assert deberta_scores(q[0, 0], k[0, 0], q_table, k_table[0]).shape == (3, 4, 6)
    assert deberta_scores(q[0, 0], k[0, 0], q_table[0], k_table).shape == (3, 4, 6)


def test_no_queries_and_no_keys() -> None:
    table = np.ones((4, 2))
    for n in (0, 3):
        scores = deberta_scores(np.ones((0, 2)), np.ones((n, 2)), table, table)
        assert scores.shape == (0, n)


def test_scores_are_float64_and_their_own() -> None:
    q, table = np.ones((2, 2), np.float16), np.ones((4, 2), np.float32)
    scores = deberta_scores(q, q, table, table)
    assert scores.dtype == np.float64
    scores[:] = 9
    assert_array_equal(q, 1)
    assert_array_equal(table, 1)
    r = np.zeros(3, np.int64)
    rows = deberta_bucket(r, num_buckets=2)
    rows[:] = 9
    assert_array_equal(r, 0)


# Refusals

ONE = np.ones((2, 4))


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (
            lambda: deberta_bucket([0.0], num_buckets=2),
            "offsets is [0.0]; allowed: an integer or an array of integers",
        ),
        (
            lambda: deberta_bucket([0, 2**53 + 1], num_buckets=2),
            "offsets holds 9007199254740993; allowed: integers up to 2^53 in size",
        ),
        (
            lambda: deberta_bucket([0, -(2**53) - 1], num_buckets=2),
            "offsets holds -9007199254740993; allowed: integers up to 2^53 in size",
        ),
        (
            lambda: deberta_bucket(0, num_buckets=0),
            "num_buckets is 0; allowed: an integer, at least 1",
        ),
        (
            lambda: deberta_bucket(0, num_buckets=1, max_distance=9),
            "num_buckets is 1; allowed: an integer, at least 2",
        ),
        (
            lambda: deberta_bucket(0, num_buckets=WHOLE),
            "num_buckets is 2.0; allowed: an integer, at least 1",
        ),
        (
            lambda: deberta_bucket(0, num_buckets=2, max_distance=WHOLE),
            "max_distance is 2.0; allowed: an integer",
        ),
        (
            lambda: deberta_bucket(0, num_buckets=2, max_distance=2),
            "max_distance is 2; allowed: None, or more than 2, num_buckets // 2 + 1",
        ),
        (
            lambda: deberta_bucket(0, num_buckets=9, max_distance=5),
            "max_distance is 5; allowed: None, or more than 5, num_buckets // 2 + 1",
        ),
        (
            lambda: deberta_scores([1.0], ONE, ONE, ONE),
            "q has shape (1,); allowed: at least two axes, a row for each token",
        ),
        (
            lambda: deberta_scores(ONE, [1.0], ONE, ONE),
            "k has shape (1,); allowed: at least two axes, a row for each token",
        ),
        (
            lambda: deberta_scores(ONE[:, :0], ONE, ONE, ONE),
            "q has shape (2, 0); allowed: d_k at least 1",
        ),
        (
            lambda: deberta_scores(ONE, ONE[:, :3], ONE, ONE),
            "k has shape (2, 3); allowed: (…, n_key, 4), the width of q with shape (2, 4)",
        ),
        (
            lambda: deberta_scores(ONE, ONE[:1], ONE, ONE),
            "n_query is 2 and n_key is 1; allowed: no more queries than keys",
        ),
        (
            lambda: deberta_scores(ONE, ONE, None, None),
            "q_table and k_table are None; allowed: at least one table",
        ),
        (
            lambda: deberta_scores(ONE, ONE, ONE[0], ONE),
            "q_table has shape (4,); allowed: at least two axes, a row for each token",
        ),
        (
            lambda: deberta_scores(ONE, ONE, ONE[:, :3], ONE),
            "q_table has shape (2, 3); allowed: (…, 2 num_buckets, 4)",
        ),
        (
            lambda: deberta_scores(ONE, ONE, ONE, np.ones((3, 4))),
            "k_table has shape (3, 4); allowed: (…, 2 num_buckets, 4)",
        ),
        (
            lambda: deberta_scores(ONE, ONE, ONE, np.ones((0, 4))),
            "k_table has shape (0, 4); allowed: (…, 2 num_buckets, 4)",
        ),
        (
            lambda: deberta_scores(ONE, ONE, ONE, np.ones((6, 4))),
            "q_table has shape (2, 4) and k_table has shape (6, 4); allowed: as many rows in both",
        ),
        (
            lambda: deberta_scores(ONE, ONE, np.ones((8, 4)), None, max_distance=3),
            "max_distance is 3; allowed: None, or more than 3, num_buckets // 2 + 1",
        ),
        (
            lambda: deberta_scores(ONE, ONE, ONE, ONE, position_to_content=OTHER),
            "position_to_content is 'transposed'; allowed: 'paper' or 'released'",
        ),
        (
            lambda: deberta_scores(ONE, ONE, ONE, ONE, scale=math.nan),
            "scale is nan; allowed: one finite real number",
        ),
        (
            lambda: deberta_scores(ONE, ONE * math.inf, ONE, ONE),
            "k holds inf; allowed: finite real numbers",
        ),
        (
            lambda: deberta_scores(np.ones((2, 2, 4)), ONE, np.ones((3, 2, 4)), np.ones((1, 2, 4))),
            "the shapes are q (2, 2, 4), k (2, 4), q_table (3, 2, 4), k_table (1, 2, 4); "
            "allowed: axes before the last two that broadcast",
        ),
        *(
            (
                lambda arguments=arguments: deberta_scores(*arguments),
                "q, k and the tables are too large; allowed: dot products that fit in float64",
            )
            for arguments in (
                (ONE * 1e200, ONE * 1e200, ONE, ONE),
                (ONE * 1e200, ONE, ONE, ONE * 1e200),
                (ONE, ONE * 1e200, ONE * 1e200, ONE),
            )
        ),
    ],
)
def test_refusals(call: Any, message: str) -> None:
    with pytest.raises(ValueError, match=f"^{re.escape(message)}$"):
        call()
