"""The bias of forgetting attention."""

import math
import re
from typing import Any

import numpy as np
import pytest
from hypothesis import given, strategies as st
from numpy.testing import assert_allclose, assert_array_equal

from pedocs import attention, causal_mask, forgetting_bias, relative_offsets

INF = math.inf
WHOLE: Any = 2.0  # a whole float is no integer


def by_hand(log_gates: Any, n_query: int) -> Any:
    """D of §3, every sum from its own terms."""
    n_key = len(log_gates)
    bias = np.full((n_query, n_key), -INF)
    for row in range(n_query):
        i = row + n_key - n_query
        for j in range(i + 1):
            bias[row, j] = math.fsum(log_gates[j + 1 : i + 1])
    return bias


def some_gates(seed: int, *shape: int) -> Any:
    """Logarithms of sigmoids."""
    return -np.logaddexp(0, -np.random.default_rng(seed).normal(size=shape))


@given(st.integers(0, 8), st.integers(0, 4), st.integers(0, 9))
def test_every_pair_follows_the_formula(n: int, more: int, seed: int) -> None:
    log_gates = some_gates(seed, n + more)
    bias = forgetting_bias(log_gates, n)
    assert bias.shape == (n, n + more)
    assert_allclose(bias, by_hand(log_gates, n), rtol=0, atol=1e-13)
    if not more:
        assert_array_equal(forgetting_bias(log_gates), bias)


def test_whole_numbers_by_hand() -> None:
    bias = forgetting_bias([-1, -2, -4, -8])
    expected = [[0, -INF, -INF, -INF], [-2, 0, -INF, -INF], [-6, -4, 0, -INF], [-14, -12, -8, 0]]
    assert_array_equal(bias, expected)
    assert_array_equal(forgetting_bias([-1, -2, -4, -8], 2), expected[2:])


def test_recorded_values_of_x_transformers() -> None:
    """x-transformers 2.31.10, DataDependentAlibi(causal=True) in float32, below the diagonal."""
    x = np.array([[1.0, 0.5], [-0.25, 2.0], [0.75, -1.0], [1.5, 0.25]])
    logits = x @ np.array([[0.5, -1.0], [2.0, 0.25]]).T + [1.0, -0.5]
    bias = forgetting_bias(-np.logaddexp(0, -logits).T)
    below = [
        [-1.4061501, -1.49508953, -0.0889394283, -1.69650292, -0.290352821, -0.201413393],
        [-0.974076986, -1.36094797, -0.38687098, -1.43523109, -0.461154103, -0.074283123],
    ]
    rows, columns = np.tril_indices(4, -1)
    assert_allclose(bias[:, rows, columns], below, rtol=0, atol=3e-7)


def test_nothing_is_positive_and_keys_ahead_are_shut_out() -> None:
    bias = forgetting_bias(some_gates(1, 2, 3, 50))
    assert (bias <= 0).all()
    seen = causal_mask(50)
    assert np.isfinite(bias[..., seen]).all()
    assert (bias[..., ~seen] == -INF).all()
    assert (np.diagonal(bias, axis1=-2, axis2=-1) == 0).all()
    assert not np.signbit(np.diagonal(bias, axis1=-2, axis2=-1)).any()
    # Farther to the left means more forgotten.
    assert (np.diff(bias[..., -1, :]) > 0).all()


def test_one_gate_for_all_is_alibi() -> None:
    bias = forgetting_bias(np.full(6, -0.25))
    r = relative_offsets(6)
    assert_array_equal(bias, np.where(r <= 0, 0.25 * r, -INF))


def test_the_first_gate_has_nothing_before_it_to_forget() -> None:
    log_gates = some_gates(2, 6)
    other = log_gates.copy()
    other[0] = -3
    assert_allclose(forgetting_bias(other), forgetting_bias(log_gates), rtol=0, atol=1e-13)


def test_a_closed_gate_forgets_all_that_lies_before() -> None:
    bias = forgetting_bias([-1.0, -INF, -2.0, -INF, -4.0])
    assert_array_equal(bias, by_hand([-1.0, -INF, -2.0, -INF, -4.0], 5))
    expected = [
        [0, -INF, -INF, -INF, -INF],
        [-INF, 0, -INF, -INF, -INF],
        [-INF, -2, 0, -INF, -INF],
        [-INF, -INF, -INF, 0, -INF],
        [-INF, -INF, -INF, -4, 0],
    ]
    assert_array_equal(bias, expected)
    assert_array_equal(forgetting_bias([-1.0, -INF, -2.0, -INF, -4.0], 2), expected[3:])
    heads = forgetting_bias([[-INF, -1.0], [-1.0, -INF]])
    assert_array_equal(heads, [[[0, -INF], [-1, 0]], [[0, -INF], [-INF, 0]]])


def test_the_weights_are_those_of_gated_scores() -> None:
    """§3: exp(q · k) times the product of the gates, divided by the sum over the keys."""
    rng = np.random.default_rng(3)
    q, k, v = rng.normal(size=(3, 6, 4))
    log_gates = some_gates(3, 6)
    result = attention(q, k, v, bias=forgetting_bias(log_gates))
    for i in range(6):
        gated = []
        for j in range(i + 1):
            gate = math.prod(math.exp(log_gates[t]) for t in range(j + 1, i + 1))
            gated.append(gate * math.exp(q[i] @ k[j] / 2))
        expected = np.array(gated) / sum(gated)
        assert_allclose(result.weights[i, : i + 1], expected, rtol=0, atol=1e-14)
        assert_allclose(result.output[i], expected @ v[: i + 1], rtol=0, atol=1e-14)


def test_bug_the_queries_of_a_cache_stand_at_the_last_keys() -> None:
    """Bug: fewer queries than keys are paired with the first gates, not with the last.

    One new query against all keys gets the last row of the full pass.
    """
    log_gates = some_gates(4, 2, 3, 7)
    full = forgetting_bias(log_gates)
    for n in range(1, 8):
        step = forgetting_bias(log_gates[..., :n], 1)
        assert step.shape == (2, 3, 1, n)
        assert_allclose(step[..., 0, :], full[..., n - 1, :n], rtol=0, atol=1e-14)
    assert_array_equal(forgetting_bias(log_gates, 3), full[..., 4:, :])


def test_heads_and_batches_keep_their_axes() -> None:
    log_gates = some_gates(5, 2, 3, 4)
    bias = forgetting_bias(log_gates)
    assert bias.shape == (2, 3, 4, 4)
    for b in range(2):
        for h in range(3):
            assert_array_equal(bias[b, h], forgetting_bias(log_gates[b, h]))


@pytest.mark.parametrize("dtype", [np.float16, "float32", float, ">f4"])
def test_another_dtype_is_the_cast_of_the_float64_bias(dtype: Any) -> None:
    log_gates = some_gates(6, 3, 40) * 10
    log_gates[1, 7] = -INF
    for n_query in (1, 40):
        bias = forgetting_bias(log_gates, n_query, dtype=dtype)
        assert bias.dtype == np.dtype(dtype)
        assert_array_equal(bias, forgetting_bias(log_gates, n_query).astype(dtype))


def test_the_default_is_float64() -> None:
    half = np.array([-1, -2], np.float16)
    assert forgetting_bias(half).dtype == np.float64
    assert_array_equal(forgetting_bias(half, None, dtype=None), forgetting_bias(half))


def test_no_negative_zeros() -> None:
    """Rounding to float16 leaves nothing of a small gate; log 1 may be −0."""
    assert not np.signbit(forgetting_bias([-1e-9, -1e-9], 1, dtype="float16")).any()
    assert not np.signbit(forgetting_bias([-0.0, -0.0], 1)).any()


def test_no_queries_and_no_keys() -> None:
    assert forgetting_bias(np.zeros(0)).shape == (0, 0)
    assert forgetting_bias(np.zeros((2, 4)), 0).shape == (2, 0, 4)
    assert forgetting_bias(np.zeros((0, 4))).shape == (0, 4, 4)


def test_the_bias_is_its_own() -> None:
    log_gates = np.array([-1.0, -INF])
    bias = forgetting_bias(log_gates)
    bias[:] = 9
    assert_array_equal(log_gates, [-1, -INF])


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (
            lambda: forgetting_bias(-1.0),
            "log_gates has shape (); allowed: at least one axis, that of the keys",
        ),
        (
            lambda: forgetting_bias([-1.0, 0.5, 2.0]),
            "log_gates holds 0.5; allowed: logarithms of gates, none above 0",
        ),
        (
            lambda: forgetting_bias([0, 5e-324]),
            "log_gates holds 5e-324; allowed: logarithms of gates, none above 0",
        ),
        (
            lambda: forgetting_bias([INF]),
            "log_gates holds inf; allowed: finite real numbers or -inf",
        ),
        (
            lambda: forgetting_bias([math.nan]),
            "log_gates holds nan; allowed: finite real numbers or -inf",
        ),
        (
            lambda: forgetting_bias([-1.0], -1),
            "n_query is -1; allowed: an integer, at least 0",
        ),
        (
            lambda: forgetting_bias([-1.0, -1.0], WHOLE),
            "n_query is 2.0; allowed: an integer, at least 0",
        ),
        (
            lambda: forgetting_bias([-1.0], 2),
            "n_query is 2 and n_key is 1; allowed: no more queries than keys",
        ),
        (
            lambda: forgetting_bias([-1.0], dtype=int),
            "dtype is <class 'int'>; allowed: None, float16, float32 or float64",
        ),
        (
            lambda: forgetting_bias([-1e308, -1e308]),
            "log_gates are too large; allowed: sums that fit in float64",
        ),
        (
            lambda: forgetting_bias([0, -7e4], dtype="float16"),
            "log_gates are too large; allowed: sums that fit in float16",
        ),
    ],
)
def test_refusals(call: Any, message: str) -> None:
    with pytest.raises(ValueError, match=f"^{re.escape(message)}$"):
        call()
