"""Positions that count open gates, and the bias that they look up."""

import math
import re
from typing import Any

import numpy as np
import pytest
from hypothesis import given, strategies as st
from numpy.testing import assert_allclose, assert_array_equal

from pedocs import attention, causal_mask, cope_bias, cope_positions, relative_offsets

INF = math.inf


def sigmoid(x: float) -> float:
    if x == -INF:
        return 0.0
    return 1 / (1 + math.exp(-x)) if x > 0 else math.exp(x) / (1 + math.exp(x))


def positions_by_hand(logits: Any, mask: Any, limit: float) -> Any:
    """§4 gate by gate: from the key up to the query, which stands with its last at the last key."""
    n_query, n_key = logits.shape
    positions = np.zeros((n_query, n_key))
    for row in range(n_query):
        i = row + n_key - n_query
        for j in range(i + 1):
            gates = [sigmoid(logits[row, t]) for t in range(j, i + 1) if mask[row, t]]
            positions[row, j] = min(sum(gates), limit)
    return positions


def bias_by_hand(q: Any, logits: Any, mask: Any, table: Any) -> Any:
    """§4: the vector between two rows of the table is built for every pair, then multiplied."""
    positions = positions_by_hand(logits, mask, len(table) - 1)
    bias = np.zeros(positions.shape)
    for row, j in np.ndindex(bias.shape):
        p = positions[row, j]
        share = p - math.floor(p)
        vector = share * table[math.ceil(p)] + (1 - share) * table[math.floor(p)]
        bias[row, j] = sum(a * b for a, b in zip(q[row], vector, strict=True))
    return bias


def arrays(seed: int, *shapes: tuple[int, ...]) -> Any:
    rng = np.random.default_rng(seed)
    return [rng.normal(scale=2, size=shape) for shape in shapes]


# Positions


@given(
    st.integers(0, 6), st.integers(0, 3), st.sampled_from([None, 0, 1.5, 2, 50]), st.integers(0, 9)
)
def test_every_position_follows_the_formula(n: int, more: int, limit: Any, seed: int) -> None:
    (logits,) = arrays(seed, (n, n + more))
    mask = np.random.default_rng(seed).random((n, n + more)) < 0.7
    largest = INF if limit is None else limit
    positions = cope_positions(logits, max_position=limit)
    every = np.ones_like(mask)
    assert_allclose(positions, positions_by_hand(logits, every, largest), rtol=0, atol=1e-14)
    positions = cope_positions(logits, mask=mask, max_position=limit)
    assert_allclose(positions, positions_by_hand(logits, mask, largest), rtol=0, atol=1e-14)


def test_half_open_gates() -> None:
    assert_array_equal(cope_positions(np.zeros((3, 3))), [[0.5, 0, 0], [1, 0.5, 0], [1.5, 1, 0.5]])
    assert_array_equal(cope_positions(np.zeros((1, 3))), [[1.5, 1, 0.5]])
    assert_array_equal(cope_positions(np.zeros((1, 3)), max_position=1), [[1, 1, 0.5]])
    assert_array_equal(cope_positions(np.zeros((1, 3)), max_position=0), [[0, 0, 0]])


def test_open_gates_count_tokens() -> None:
    """With every gate open the position is one more than the distance."""
    positions = cope_positions(np.full((4, 6), 1000.0))
    assert_array_equal(positions, np.maximum(1 - relative_offsets(4, 6), 0))


def test_gates_at_full_stops_count_sentences() -> None:
    stops = np.array([0, 0, 1, 0, 1, 0, 0])
    logits = np.where(stops == 1, 1000.0, -INF)[np.newaxis]
    assert_array_equal(cope_positions(logits), [[2, 2, 2, 1, 1, 0, 0]])


def test_large_logits_neither_warn_nor_overflow() -> None:
    positions = cope_positions([[-1e308, 1e308, -1000.0, 1000.0, -INF, -9e9]])
    assert_array_equal(positions, [[2, 2, 1, 1, 0, 0]])
    with np.errstate(all="raise"):
        assert_array_equal(cope_positions([[-1000.0, -INF]]), [[0, 0]])
    small = cope_positions([[-40.0]])
    assert small[0, 0] == pytest.approx(math.exp(-40), rel=1e-14)


def test_a_gate_ahead_or_masked_counts_nothing() -> None:
    logits = np.full((3, 3), 1000.0)
    assert_array_equal(cope_positions(logits), [[1, 0, 0], [2, 1, 0], [3, 2, 1]])
    padding = np.array([False, True, True])
    assert_array_equal(cope_positions(logits, mask=padding), [[0, 0, 0], [1, 1, 0], [2, 2, 1]])
    everything = np.ones((3, 3), np.bool_)
    assert_array_equal(cope_positions(logits, mask=everything), cope_positions(logits))
    # Logits that the mask has made very low already are the same gates.
    low = np.where(causal_mask(3), logits, -9e9)
    assert_array_equal(cope_positions(low), cope_positions(logits))


def test_positions_fall_from_left_to_right() -> None:
    (logits,) = arrays(1, (2, 3, 8, 8))
    positions = cope_positions(logits)
    assert (np.diff(positions, axis=-1) <= 0).all()
    assert (positions >= 0).all()
    assert not np.signbit(positions).any()


# The bias


def test_recorded_values_of_x_transformers() -> None:
    """x-transformers 2.31.10, CoPE(dim=2, heads=1, max_pos=4), in float32."""
    table = [[0.1, -0.2], [0.3, 0.4], [-0.5, 0.6], [0.7, -0.8]]
    q = [[1.0, 0.5], [-0.25, 2.0], [0.75, -1.0], [1.5, 0.25]]
    low = -9e9
    logits = [
        [0.5, low, low, low],
        [1.0, -1.0, low, low],
        [0.0, 2.0, 0.25, low],
        [-0.5, 0.75, 1.25, -2.0],
    ]
    out = [
        [0.311229676, 0.0, 0.0, 0.0],
        [0.725000024, -0.115717366, -0.425000012, -0.425000012],
        [-0.929378927, -0.529378891, 0.0220205635, 0.275000006],
        [-0.546205521, -0.112033799, 0.503426254, 0.153641313],
    ]
    assert_allclose(cope_bias(q, logits, table), out, rtol=0, atol=2e-7)


@given(
    st.integers(0, 5), st.integers(0, 3), st.integers(1, 7), st.integers(1, 3), st.integers(0, 9)
)
def test_every_pair_follows_the_formula(n: int, more: int, rows: int, d: int, seed: int) -> None:
    q, logits, table = arrays(seed, (n, d), (n, n + more), (rows, d))
    mask = np.random.default_rng(seed).random((n, n + more)) < 0.7
    bias = cope_bias(q, logits, table)
    assert bias.shape == (n, n + more)
    every = np.ones_like(mask)
    assert_allclose(bias, bias_by_hand(q, logits, every, table), rtol=0, atol=1e-12)
    bias = cope_bias(q, logits, table, mask=mask)
    assert_allclose(bias, bias_by_hand(q, logits, mask, table), rtol=0, atol=1e-12)


def test_a_whole_position_gets_its_row() -> None:
    q, table = np.ones((4, 1)), np.array([[7.0], [11.0], [13.0]])
    bias = cope_bias(q, np.full((4, 4), 1000.0), table)
    assert_array_equal(bias, [[11, 7, 7, 7], [13, 11, 7, 7], [13, 13, 11, 7], [13, 13, 13, 11]])
    assert_array_equal(cope_bias(q, np.zeros((4, 4)), table[:1]), np.full((4, 4), 7))
    assert_array_equal(cope_bias(q[:1], [[0.0]], table), [[9]])


def test_the_weights_of_the_paper() -> None:
    """softmax of q · (k + e[p]) with the gates of q · k, as §4 writes it."""
    q, k, v, table = arrays(2, (5, 3), (5, 3), (5, 2), (4, 3))
    logits = q @ k.T
    result = attention(q, k, v, bias=cope_bias(q, logits, table), mask=causal_mask(5), scale=1.0)
    positions = positions_by_hand(logits, np.ones((5, 5), np.bool_), 3)
    for i in range(5):
        scores = []
        for j in range(i + 1):
            p = positions[i, j]
            low, share = math.floor(p), p - math.floor(p)
            vector = (1 - share) * table[low] + share * table[math.ceil(p)]
            scores.append(q[i] @ (k[j] + vector))
        expected = np.exp(scores) / np.exp(scores).sum()
        assert_allclose(result.weights[i, : i + 1], expected, rtol=0, atol=1e-12)


def test_one_new_query_gets_the_last_row_of_the_full_pass() -> None:
    q, k, table = arrays(3, (2, 8, 4), (2, 8, 4), (3, 4))
    full_logits = q @ k.swapaxes(-1, -2)
    positions, bias = cope_positions(full_logits), cope_bias(q, full_logits, table)
    for n in range(1, 9):
        logits = q[:, n - 1 : n] @ k[:, :n].swapaxes(-1, -2)
        assert_allclose(cope_positions(logits)[:, 0], positions[:, n - 1, :n], rtol=0, atol=1e-13)
        step = cope_bias(q[:, n - 1 : n], logits, table)
        assert_allclose(step[:, 0], bias[:, n - 1, :n], rtol=0, atol=1e-12)


def test_heads_and_batches_broadcast() -> None:
    """Batch of 2, 3 heads, 4 queries, 6 keys: one table for all, or one for each head."""
    q, logits, shared, own = arrays(4, (2, 3, 4, 5), (2, 3, 4, 6), (7, 5), (3, 7, 5))
    mask = np.random.default_rng(4).random((2, 1, 1, 6)) < 0.6
    for table in (shared, own):
        bias = cope_bias(q, logits, table, mask=mask)
        assert bias.shape == (2, 3, 4, 6)
        for b in range(2):
            for h in range(3):
                head = table if table.ndim == 2 else table[h]
                one = cope_bias(q[b, h], logits[b, h], head, mask=mask[b, 0])
                assert_allclose(bias[b, h], one, rtol=0, atol=1e-13)
    # Axes that only some of the three arrays have.
    assert cope_bias(q, logits[0, 0], shared).shape == (2, 3, 4, 6)
    assert cope_bias(q[0, 0], logits, shared).shape == (2, 3, 4, 6)
    assert cope_bias(q[0, 0], logits[0, 0], own).shape == (3, 4, 6)


def test_no_queries_and_no_keys() -> None:
    for n in (0, 3):
        logits = np.ones((0, n))
        assert cope_positions(logits).shape == (0, n)
        assert cope_bias(np.ones((0, 2)), logits, np.ones((3, 2))).shape == (0, n)


def test_results_are_float64_and_their_own() -> None:
    one = np.ones((2, 2), np.float16)
    positions, bias = cope_positions(one), cope_bias(one, one, one)
    assert positions.dtype == bias.dtype == np.float64
    positions[:] = 9
    bias[:] = 9
    assert_array_equal(one, 1)
    assert positions.base is None


# Refusals

ONE = np.ones((2, 2))
ZEROES: Any = [0, 1]


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (
            lambda: cope_positions([1.0]),
            "logits has shape (1,); allowed: at least two axes, a row for each query",
        ),
        (
            lambda: cope_positions(np.ones((3, 2))),
            "n_query is 3 and n_key is 2; allowed: no more queries than keys",
        ),
        (
            lambda: cope_positions([[INF]]),
            "logits holds inf; allowed: finite real numbers or -inf",
        ),
        (
            lambda: cope_positions([[math.nan]]),
            "logits holds nan; allowed: finite real numbers or -inf",
        ),
        (
            lambda: cope_positions(ONE, mask=ZEROES),
            "mask is [0, 1]; allowed: booleans, True where an entry may be read",
        ),
        (
            lambda: cope_positions(ONE, mask=[True, False, True]),
            "mask has shape (3,); allowed: one that broadcasts to the shape of logits, (2, 2)",
        ),
        (
            lambda: cope_positions(ONE, mask=np.ones((5, 2, 2), np.bool_)),
            "mask has shape (5, 2, 2); allowed: one that broadcasts to the shape of logits, (2, 2)",
        ),
        (
            lambda: cope_positions(ONE, max_position=-0.5),
            "max_position is -0.5; allowed: None, or a number of at least 0",
        ),
        (
            lambda: cope_positions(ONE, max_position=INF),
            "max_position is inf; allowed: one finite real number",
        ),
        (
            lambda: cope_bias([1.0], ONE, ONE),
            "q has shape (1,); allowed: at least two axes, a row for each token",
        ),
        (
            lambda: cope_bias(ONE, [1.0], ONE),
            "logits has shape (1,); allowed: at least two axes, a row for each query",
        ),
        (
            lambda: cope_bias(ONE, ONE, [1.0]),
            "table has shape (1,); allowed: at least two axes, a row for each token",
        ),
        (
            lambda: cope_bias(ONE[:, :0], ONE, ONE),
            "q has shape (2, 0); allowed: d_k at least 1",
        ),
        (
            lambda: cope_bias(ONE, ONE[:1], ONE),
            "logits has shape (1, 2); allowed: (…, 2, n_key), a row for each query of q "
            "with shape (2, 2)",
        ),
        (
            lambda: cope_bias(ONE, ONE, np.ones((4, 3))),
            "table has shape (4, 3); allowed: (…, positions, 2), positions at least 1, "
            "the width of q with shape (2, 2)",
        ),
        (
            lambda: cope_bias(ONE, ONE, np.ones((0, 2))),
            "table has shape (0, 2); allowed: (…, positions, 2), positions at least 1, "
            "the width of q with shape (2, 2)",
        ),
        (
            lambda: cope_bias(ONE, ONE, ONE, mask=[True, False, True]),
            "mask has shape (3,); allowed: one that broadcasts to the shape of logits, (2, 2)",
        ),
        (
            lambda: cope_bias(np.ones((2, 2, 2)), np.ones((3, 2, 2)), ONE),
            "the shapes are q (2, 2, 2), logits (3, 2, 2), table (2, 2); "
            "allowed: axes before the last two that broadcast",
        ),
        (
            lambda: cope_bias(ONE, ONE, [[math.nan, 1.0]]),
            "table holds nan; allowed: finite real numbers",
        ),
        (
            lambda: cope_bias(ONE * 1e200, ONE, ONE * 1e200),
            "q and table are too large; allowed: dot products that fit in float64",
        ),
    ],
)
def test_refusals(call: Any, message: str) -> None:
    with pytest.raises(ValueError, match=f"^{re.escape(message)}$"):
        call()
