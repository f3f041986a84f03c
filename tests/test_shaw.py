"""Relative vectors for clipped offsets."""

import math
import re
import tracemalloc
from typing import Any

import numpy as np
import pytest
from hypothesis import given, strategies as st
from numpy.testing import assert_allclose, assert_array_equal

from pedocs import attention, clipped_offsets, relative_offsets, shaw_bias, shaw_values, softmax

WHOLE: Any = 2.0  # a whole float is no integer


def row(r: int, k: int) -> int:
    """The row of one offset, by cases."""
    if r <= -k:
        return 0
    if r >= k:
        return 2 * k
    return r + k


def paper_by_hand(q: Any, k: Any, v: Any, a_key: Any, a_value: Any) -> Any:
    """Scores and output of one head as §3.1 writes them, pair by pair; last query at last key."""
    (n_query, d), n_key, clip = q.shape, len(k), len(a_key) // 2
    scores, output = np.zeros((n_query, n_key)), np.zeros((n_query, v.shape[1]))
    for i in range(n_query):
        offsets = [j - (i + n_key - n_query) for j in range(n_key)]
        for j in range(n_key):
            key = k[j] + a_key[row(offsets[j], clip)]
            scores[i, j] = sum(q[i, c] * key[c] for c in range(d)) / math.sqrt(d)
        total = sum(math.exp(score) for score in scores[i])
        for j in range(n_key):
            value = v[j] + a_value[row(offsets[j], clip)]
            output[i] += math.exp(scores[i, j]) / total * value
    return scores, output


def arrays(seed: int, *shapes: tuple[int, ...]) -> Any:
    rng = np.random.default_rng(seed)
    return [rng.normal(size=shape) for shape in shapes]


# The rows


@pytest.mark.parametrize(
    ("n_query", "n_key", "expected"),
    [
        (
            5,
            5,
            [
                [2, 3, 4, 4, 4],
                [1, 2, 3, 4, 4],
                [0, 1, 2, 3, 4],
                [0, 0, 1, 2, 3],
                [0, 0, 0, 1, 2],
            ],
        ),
        (2, 5, [[0, 0, 1, 2, 3], [0, 0, 0, 1, 2]]),
        (1, 5, [[0, 0, 0, 1, 2]]),
    ],
)
def test_rows_are_those_of_tensor2tensor(n_query: int, n_key: int, expected: Any) -> None:
    """The second and third are its decoder, with fewer queries than keys."""
    rows = clipped_offsets(relative_offsets(n_query, n_key), 2)
    assert_array_equal(rows, expected)
    assert rows.dtype == np.int64


def test_a_table_of_speecht5_becomes_one_of_the_paper() -> None:
    """SpeechT5 counts query minus key and has 2k rows: transformers 5.24.0, max_length 2."""
    table = np.arange(4)
    expected = [
        [2, 1, 0, 0, 0],
        [3, 2, 1, 0, 0],
        [3, 3, 2, 1, 0],
        [3, 3, 3, 2, 1],
        [3, 3, 3, 3, 2],
    ]
    turned = np.concatenate([table[-1:], table[::-1]])
    assert_array_equal(turned[clipped_offsets(relative_offsets(5), 2)], expected)


@given(st.integers(-(2**53), 2**53), st.integers(0, 2**20))
def test_a_row_follows_the_formula(r: int, k: int) -> None:
    assert clipped_offsets(r, k) == row(r, k)
    assert clipped_offsets(-r, k) == 2 * k - row(r, k)


def test_bug_offsets_are_clipped_beyond_the_table() -> None:
    """Bug: indices that are not clipped leave the table when the length passes k."""
    assert_array_equal(clipped_offsets([-1000000, -3, -2, 2, 3, 1000000], 2), [0, 0, 0, 4, 4, 4])
    q, table = arrays(1, (50, 4), (5, 4))
    assert shaw_bias(q, table).shape == (50, 50)


def test_a_largest_distance_of_zero_leaves_one_row() -> None:
    assert_array_equal(clipped_offsets([-5, 0, 5], 0), [0, 0, 0])


@pytest.mark.parametrize("dtype", [np.int8, np.uint8, np.int16, np.int64, np.uint64, ">i4"])
def test_any_integer_type_gives_the_same_rows(dtype: Any) -> None:
    r = np.array([0, 3, 100], dtype=dtype)
    for k in (0, 2, 100, 300, 2**40):
        rows = clipped_offsets(r, k)
        assert_array_equal(rows, [row(int(one), k) for one in r])
        assert rows.dtype == np.int64
    extremes = np.array([np.iinfo(dtype).min, np.iinfo(dtype).max], dtype=dtype)
    assert_array_equal(clipped_offsets(extremes, 2), [row(int(one), 2) for one in extremes])


@pytest.mark.parametrize("shape", [(), (0,), (3,), (2, 0), (2, 3, 4)])
def test_rows_have_the_shape_of_the_offsets(shape: tuple[int, ...]) -> None:
    r = np.random.default_rng(2).integers(-9, 9, size=shape)
    rows = clipped_offsets(r, 4)
    assert rows.shape == shape
    for index in np.ndindex(shape):
        assert rows[index] == row(int(r[index]), 4)


def test_rows_share_no_memory_with_the_offsets() -> None:
    r = np.array([0, 1])
    rows = clipped_offsets(r, 0)
    assert not np.shares_memory(rows, clipped_offsets(r, 5))
    rows = clipped_offsets(r, 5)
    rows += 1
    assert_array_equal(r, [0, 1])


# The scores and the values


@pytest.mark.parametrize("clip", [0, 1, 2, 3, 20])
@pytest.mark.parametrize(("n_query", "n_key"), [(1, 1), (6, 6), (1, 6), (3, 7), (5, 6)])
def test_attention_is_that_of_the_paper(n_query: int, n_key: int, clip: int) -> None:
    q, k, v, a_key, a_value = arrays(
        3, (n_query, 4), (n_key, 4), (n_key, 3), (2 * clip + 1, 4), (2 * clip + 1, 3)
    )
    scores, output = paper_by_hand(q, k, v, a_key, a_value)
    result = attention(q, k, v, bias=shaw_bias(q, a_key, n_key))
    assert_allclose(result.scores, scores, rtol=0, atol=1e-13)
    total = result.output + shaw_values(result.weights, a_value)
    assert_allclose(total, output, rtol=0, atol=1e-13)


def test_golden_bias_and_values() -> None:
    """By hand: one row per side, whole numbers."""
    q, table = [[1.0, 2.0], [3.0, 4.0]], [[1.0, 0.0], [0.0, 1.0], [1.0, 1.0]]
    assert_array_equal(shaw_bias(q, table, scale=2), [[4, 6], [6, 8]])
    assert_array_equal(shaw_bias(q, table, 3, scale=2), [[2, 4, 6], [6, 6, 8]])
    weights = [[1.0, 2.0, 4.0], [8.0, 16.0, 32.0], [64.0, 128.0, 256.0]]
    assert_array_equal(shaw_values(weights, table), [[6, 7], [40, 48], [192, 256]])
    assert_array_equal(shaw_values(weights[1:], table), [[40, 48], [192, 256]])
    assert_array_equal(shaw_values(weights, [[1.0, -1.0]]), [[7, -7], [56, -56], [448, -448]])


def test_the_default_scale_is_that_of_attention() -> None:
    q, table = arrays(4, (5, 9), (7, 9))
    assert_allclose(shaw_bias(q, table), shaw_bias(q, table, scale=1 / 3), rtol=1e-15)
    assert_allclose(shaw_bias(q, table, scale=-6), -18 * shaw_bias(q, table), rtol=1e-14)
    assert_array_equal(shaw_bias(q, table, scale=0), np.zeros((5, 5)))


@pytest.mark.parametrize("clip", [0, 2, 9])
def test_one_new_query_gets_the_last_row_of_the_full_pass(clip: int) -> None:
    q, a_key, a_value = arrays(5, (2, 8, 4), (2 * clip + 1, 4), (2 * clip + 1, 3))
    full = shaw_bias(q, a_key)
    for n in range(1, 9):
        step = shaw_bias(q[:, n - 1 : n], a_key, n)
        assert_allclose(step[:, 0], full[:, n - 1, :n], rtol=0, atol=1e-14)
    weights = softmax(full)
    step = shaw_values(weights[:, -1:], a_value)
    assert_allclose(step, shaw_values(weights, a_value)[:, -1:], rtol=0, atol=1e-14)


@given(
    st.integers(0, 6), st.integers(0, 4), st.integers(0, 4), st.integers(1, 3), st.integers(0, 9)
)
def test_every_pair_follows_the_formula(n: int, more: int, clip: int, d: int, seed: int) -> None:
    q, weights, a_key, a_value = arrays(
        seed, (n, d), (n, n + more), (2 * clip + 1, d), (2 * clip + 1, d)
    )
    bias, added = shaw_bias(q, a_key, n + more), shaw_values(weights, a_value)
    assert bias.shape == (n, n + more)
    assert added.shape == (n, d)
    for i in range(n):
        total = np.zeros(d)
        for j in range(n + more):
            which = row(j - i - more, clip)
            assert bias[i, j] == pytest.approx(q[i] @ a_key[which] / math.sqrt(d), abs=1e-13)
            total += weights[i, j] * a_value[which]
        assert_allclose(added[i], total, rtol=0, atol=1e-13)


def test_heads_and_batches_broadcast() -> None:
    """Batch of 2, 3 heads, 5 queries, 6 keys: one table for all heads, or one for each."""
    q, weights, shared, own = arrays(6, (2, 3, 5, 4), (2, 3, 5, 6), (7, 4), (3, 7, 4))
    bias, added = shaw_bias(q, shared, 6), shaw_values(weights, shared)
    assert bias.shape == (2, 3, 5, 6)
    assert added.shape == (2, 3, 5, 4)
    own_bias, own_added = shaw_bias(q, own, 6), shaw_values(weights, own)
    for b in range(2):
        for h in range(3):
            assert_allclose(bias[b, h], shaw_bias(q[b, h], shared, 6), rtol=0, atol=1e-14)
            assert_allclose(own_bias[b, h], shaw_bias(q[b, h], own[h], 6), rtol=0, atol=1e-14)
            expected = shaw_values(weights[b, h], shared)
            assert_allclose(added[b, h], expected, rtol=0, atol=1e-14)
            expected = shaw_values(weights[b, h], own[h])
            assert_allclose(own_added[b, h], expected, rtol=0, atol=1e-14)
    # The table may bring axes that the queries do not have.
    assert shaw_bias(q[0, 0], own).shape == (3, 5, 5)
    assert shaw_values(weights[0, 0], own).shape == (3, 5, 4)


def test_no_queries_and_no_keys() -> None:
    table = np.ones((3, 2))
    assert shaw_bias(np.ones((0, 2)), table).shape == (0, 0)
    assert shaw_bias(np.ones((0, 2)), table, 4).shape == (0, 4)
    assert shaw_values(np.ones((0, 0)), table).shape == (0, 2)
    assert shaw_values(np.ones((0, 4)), table).shape == (0, 2)
    assert shaw_values(np.ones((2, 4)), np.ones((3, 0))).shape == (2, 0)


def test_results_are_float64_and_their_own() -> None:
    q, table = np.ones((2, 2), np.float16), np.ones((3, 2), np.float32)
    bias = shaw_bias(q, table)
    added = shaw_values(q, table)
    assert bias.dtype == added.dtype == np.float64
    bias += 1
    added += 1
    assert_array_equal(q, 1)
    assert_array_equal(table, 1)


def test_no_vector_is_copied_to_a_pair() -> None:
    n, d = 256, 256
    q, table, weights = np.ones((n, d)), np.ones((17, d)), np.ones((n, n))
    for function, argument in ((shaw_bias, q), (shaw_values, weights)):
        tracemalloc.start()
        function(argument, table)
        _, peak = tracemalloc.get_traced_memory()
        tracemalloc.stop()
        assert peak < 4 * n * n * 8


# Refusals


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (
            lambda: clipped_offsets([0.0], 2),
            "offsets is [0.0]; allowed: an integer or an array of integers",
        ),
        (
            lambda: clipped_offsets(True, 2),
            "offsets is True; allowed: an integer or an array of integers",
        ),
        (lambda: clipped_offsets(0, -1), "max_distance is -1; allowed: an integer, at least 0"),
        (
            lambda: clipped_offsets(0, WHOLE),
            "max_distance is 2.0; allowed: an integer, at least 0",
        ),
        (lambda: clipped_offsets(0, True), "max_distance is True; allowed: an integer, at least 0"),
        (
            lambda: shaw_bias([1.0], [[1.0]]),
            "q has shape (1,); allowed: at least two axes, a row for each token",
        ),
        (
            lambda: shaw_bias([[1.0]], [1.0]),
            "key_table has shape (1,); allowed: at least two axes, a row for each token",
        ),
        (
            lambda: shaw_bias([[1.0]], [[1.0], [1.0]]),
            "key_table has shape (2, 1); allowed: an odd number of rows, 2k + 1, "
            "one for each clipped offset",
        ),
        (
            lambda: shaw_bias([[1.0]], np.ones((0, 1))),
            "key_table has shape (0, 1); allowed: an odd number of rows, 2k + 1, "
            "one for each clipped offset",
        ),
        (
            lambda: shaw_bias(np.ones((2, 0)), np.ones((3, 0))),
            "q has shape (2, 0); allowed: d_k at least 1",
        ),
        (
            lambda: shaw_bias(np.ones((2, 4)), np.ones((3, 5))),
            "key_table has shape (3, 5); allowed: (…, 2k + 1, 4), the width of q with shape (2, 4)",
        ),
        (
            lambda: shaw_bias([[1.0], [2.0]], [[1.0]], 1),
            "n_query is 2 and n_key is 1; allowed: no more queries than keys",
        ),
        (lambda: shaw_bias([[1.0]], [[1.0]], -1), "n_key is -1; allowed: an integer, at least 0"),
        (
            lambda: shaw_bias([[1.0]], [[1.0]], True),
            "n_key is True; allowed: an integer, at least 0",
        ),
        (
            lambda: shaw_bias([[1.0]], [[1.0]], scale=math.nan),
            "scale is nan; allowed: one finite real number",
        ),
        (
            lambda: shaw_bias([[math.nan]], [[1.0]]),
            "q holds nan; allowed: finite real numbers",
        ),
        (
            lambda: shaw_bias([[1.0]], [[-math.inf]]),
            "key_table holds -inf; allowed: finite real numbers",
        ),
        (
            lambda: shaw_bias(np.ones((2, 3, 4)), np.ones((3, 3, 4))),
            "the shapes are q (2, 3, 4), key_table (3, 3, 4); "
            "allowed: axes before the last two that broadcast",
        ),
        (
            lambda: shaw_bias([[1e200]], [[1e200]]),
            "q and key_table are too large; allowed: dot products that fit in float64",
        ),
        (
            lambda: shaw_values([1.0], [[1.0]]),
            "weights has shape (1,); allowed: at least two axes, a row for each token",
        ),
        (
            lambda: shaw_values([[-math.inf]], [[1.0]]),
            "weights holds -inf; allowed: finite real numbers",
        ),
        (
            lambda: shaw_values([[1.0]], [[1.0], [1.0]]),
            "value_table has shape (2, 1); allowed: an odd number of rows, 2k + 1, "
            "one for each clipped offset",
        ),
        (
            lambda: shaw_values([[1.0], [1.0]], [[1.0]]),
            "n_query is 2 and n_key is 1; allowed: no more queries than keys",
        ),
        (
            lambda: shaw_values(np.ones((2, 3, 4)), np.ones((3, 3, 4))),
            "the shapes are weights (2, 3, 4), value_table (3, 3, 4); "
            "allowed: axes before the last two that broadcast",
        ),
        (
            lambda: shaw_values([[1e200, 1.0]], [[1e200]]),
            "weights and value_table are too large; allowed: dot products that fit in float64",
        ),
    ],
)
def test_refusals(call: Any, message: str) -> None:
    with pytest.raises(ValueError, match=f"^{re.escape(message)}$"):
        call()
