"""KERPLE: the logarithmic and the power bias."""

import math
import tracemalloc
from typing import Any

import numpy as np
import pytest
from hypothesis import given, strategies as st
from numpy.testing import assert_allclose, assert_array_equal

from pedocs import alibi_bias, alibi_slopes, causal_mask, kerple_bias, relative_offsets, softmax


def on_one_line(value: Any) -> str:
    """An array as the name of a test: without line breaks, which mutmut cannot pass on."""
    return " ".join(str(value).split())


KINDS = ["log", "power"]


def bias_by_hand(kind: str, r1: float, r2: float, r: int) -> float:
    if kind == "log":
        return -r1 * math.log(1 + r2 * abs(r))
    return -r1 * math.pow(abs(r), r2)


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize(("n_query", "n_key"), [(1, 1), (5, 5), (1, 6), (2, 7)])
def test_every_entry_follows_the_formula(kind: Any, n_query: int, n_key: int) -> None:
    r1, r2 = [1.5, 0.25, 3.0], [0.5, 2.0, 0.01]
    bias = kerple_bias(r1, r2, n_query, n_key, kind=kind)
    assert bias.shape == (3, n_query, n_key)
    assert bias.dtype == np.float64
    for h in range(3):
        for row in range(n_query):
            for j in range(n_key):
                i = n_key - n_query + row  # the last query stands at the last key
                expected = bias_by_hand(kind, r1[h], r2[h], j - i)
                assert bias[h, row, j] == pytest.approx(expected, rel=1e-14, abs=0)


def test_the_values_of_the_papers_code() -> None:
    """Below the diagonal; above it that code has zeros, where this has the distance."""
    log = kerple_bias([1.5, 0.25], [0.5, 2.0], 5)
    from_code = [-1.64791846, -1.37443614, -1.03972077, -0.608197629, 0]
    assert_allclose(log[0, 4], from_code, rtol=0, atol=1e-7)
    assert_allclose(log[1, 3, :2], [-0.486477524, -0.402359486], rtol=0, atol=1e-7)
    assert_allclose(log[0, 0], from_code[::-1], rtol=0, atol=1e-7)
    power = kerple_bias([0.5, 2.0], [1.0, 0.5], 5, kind="power")
    assert_allclose(power[0, 4], [-2, -1.5, -1, -0.5, 0], rtol=0, atol=1e-7)
    assert_allclose(power[1, 4], [-4, -3.46410155, -2.82842708, -2, 0], rtol=0, atol=1e-6)


def test_the_log_is_the_kind_unless_another_is_asked_for() -> None:
    assert_array_equal(kerple_bias([2.0], [0.5], 4), kerple_bias([2.0], [0.5], 4, kind="log"))


def test_a_power_of_one_is_alibi() -> None:
    assert_array_equal(
        kerple_bias(alibi_slopes(8), np.ones(8), 9, 20, kind="power"), alibi_bias(8, 9, 20)
    )


def test_the_zeros_above_the_diagonal_do_not_show_under_a_causal_softmax() -> None:
    ours = kerple_bias([0.7], [0.3], 6)
    theirs = np.tril(ours)
    mask = causal_mask(6)
    assert_array_equal(softmax(ours, where=mask), softmax(theirs, where=mask))
    assert np.abs(softmax(ours) - softmax(theirs)).max() > 0.01


# Laws


positive = st.floats(1e-3, 2, allow_subnormal=False)
sizes = st.tuples(st.integers(1, 10), st.integers(0, 10))


@given(st.sampled_from(KINDS), st.lists(st.tuples(positive, positive), max_size=3), sizes)
def test_the_bias_is_zero_at_home_and_falls_with_the_distance(
    kind: Any, heads: list[tuple[float, float]], size: tuple[int, int]
) -> None:
    r1, r2 = np.array(heads).reshape(-1, 2).T
    n_query, n_key = size[0], sum(size)
    bias = kerple_bias(r1, r2, n_query, n_key, kind=kind)
    assert bias.shape == (len(heads), n_query, n_key)
    distance = np.abs(relative_offsets(n_query, n_key))
    for head in bias:
        assert_array_equal(head == 0, distance == 0)
        by_distance = head.ravel()[np.unique(distance, return_index=True)[1]]
        assert_array_equal(head, by_distance[distance])
        assert (np.diff(by_distance) < 0).all()
    assert_array_equal(bias[:, 1:, 1:], bias[:, :-1, :-1])


@given(st.sampled_from(KINDS), positive, positive)
def test_the_bias_is_a_conditionally_positive_definite_kernel(
    kind: Any, r1: float, r2: float
) -> None:
    """Σ_ij c_i c_j bias_ij ≥ 0 where the c add up to zero: the bounds of r1 and r2 are for this."""
    bias = kerple_bias([r1], [r2], 12, kind=kind)[0]
    c = np.random.default_rng(4).normal(size=(40, 12))
    c -= c.mean(axis=1, keepdims=True)
    assert (np.einsum("ni,ij,nj->n", c, bias, c) >= -1e-9).all()


def test_an_exponent_above_two_would_not_be_such_a_kernel() -> None:
    distance = np.abs(relative_offsets(3)).astype(float)
    c = np.array([1.0, -2.0, 1.0])
    bias = kerple_bias([1], [2], 3, kind="power")
    assert c @ -(distance**2.1) @ c < 0 <= c @ bias[0] @ c


@pytest.mark.parametrize("kind", KINDS)
def test_a_decoder_step_is_the_last_row_of_the_whole_bias(kind: Any) -> None:
    whole = kerple_bias([0.5, 1], [1, 0.25], 9, kind=kind)
    assert_array_equal(kerple_bias([0.5, 1], [1, 0.25], 1, 9, kind=kind), whole[:, -1:])


# Types and memory


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("dtype", [np.float16, np.float32, np.float64])
def test_the_bias_comes_in_the_dtype_asked_for(kind: Any, dtype: Any) -> None:
    r1, r2 = np.array([0.3, 1.7], np.float32), np.array([0.9, 0.1], np.float32)
    bias = kerple_bias(r1, r2, 5, 8, kind=kind, dtype=dtype)
    assert bias.dtype == dtype
    assert_array_equal(bias, kerple_bias(r1, r2, 5, 8, kind=kind).astype(dtype))
    assert not np.signbit(bias[bias == 0]).any()


@pytest.mark.parametrize("kind", KINDS)
def test_tiny_numbers_underflow_to_zero_without_a_warning(kind: Any) -> None:
    with np.errstate(all="raise"):
        bias = kerple_bias([1e-300], [1e-300], 3, kind=kind, dtype=np.float32)
    assert not bias.any()
    assert not np.signbit(bias).any()


@pytest.mark.parametrize("kind", KINDS)
def test_the_result_is_an_array_of_its_own(kind: Any) -> None:
    r1, r2 = np.array([1.0]), np.array([2.0])
    bias = kerple_bias(r1, r2, 3, kind=kind)
    bias[0, 0, 0] = 99
    assert (bias == 99).sum() == 1
    assert (r1[0], r2[0]) == (1, 2)


@pytest.mark.parametrize("kind", KINDS)
def test_empty_inputs_give_an_empty_bias(kind: Any) -> None:
    assert kerple_bias([1.0], [1.0], 0, kind=kind).shape == (1, 0, 0)
    assert kerple_bias([1.0], [1.0], 0, 4, kind=kind).shape == (1, 0, 4)
    assert kerple_bias([], [], 2, 4, kind=kind).shape == (0, 2, 4)


@pytest.mark.parametrize("kind", KINDS)
def test_the_work_needs_no_more_than_twice_the_result(kind: Any) -> None:
    tracemalloc.start()
    result = kerple_bias([1, 2], [1, 2], 512, kind=kind, dtype=np.float32)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 2 * result.nbytes


# Refusals


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"kind": "linear"}, "kind is 'linear'; allowed: 'log' or 'power'"),
        ({"kind": None}, "kind is None; allowed: 'log' or 'power'"),
        ({"r1": 1.0}, "r1 has shape (); allowed: (heads,)"),
        ({"r2": [[1.0, 1.0]]}, "r2 has shape (1, 2); allowed: (heads,)"),
        ({"r2": [1.0]}, "r2 has shape (1,); allowed: (2,), one for each head of r1"),
        ({"r1": [1.0, 0.0]}, "r1 holds 0.0; allowed: numbers above 0"),
        ({"r1": [-1.0, 2.0]}, "r1 holds -1.0; allowed: numbers above 0"),
        ({"r2": [1.0, -0.5]}, "r2 holds -0.5; allowed: numbers above 0"),
        ({"r2": [1, 0]}, "r2 holds 0.0; allowed: numbers above 0"),
        (
            {"r2": [2.0, 2.5], "kind": "power"},
            "r2 holds 2.5; allowed: exponents above 0, at most 2",
        ),
        ({"r1": [1.0, math.nan]}, "r1 holds nan; allowed: finite real numbers"),
        ({"r2": [1.0, math.inf]}, "r2 holds inf; allowed: finite real numbers"),
        ({"r1": "ab"}, "r1 is 'ab'; allowed: a real number or an array of real numbers"),
        ({"n_query": -1}, "n_query is -1; allowed: an integer, at least 0"),
        ({"n_key": 3.0}, "n_key is 3.0; allowed: an integer, at least 0"),
        (
            {"n_query": 5, "n_key": 3},
            "n_query is 5 and n_key is 3; allowed: no more queries than keys",
        ),
        ({"dtype": bool}, f"dtype is {bool!r}; allowed: None, float16, float32 or float64"),
        (
            {"r2": [1e308, 1.0]},
            "r1, r2 or n_key is too large; allowed: biases that fit in float64",
        ),
        (
            {"r1": [1e308, 1.0], "kind": "power"},
            "r1, r2 or n_key is too large; allowed: biases that fit in float64",
        ),
        (
            {"r1": [7e4, 1.0], "dtype": "float16"},
            "r1, r2 or n_key is too large; allowed: biases that fit in float16",
        ),
    ],
    ids=on_one_line,
)
def test_a_wrong_argument_is_named(change: Any, message: str) -> None:
    arguments: dict[str, Any] = {"r1": [1.0, 2.0], "r2": [1.0, 1.5], "n_query": 3, "n_key": 4}
    with pytest.raises(ValueError) as refused:  # noqa: PT011 (the whole message is compared)
        kerple_bias(**(arguments | change))
    assert str(refused.value) == message


def test_a_log_may_have_a_rate_above_two() -> None:
    assert kerple_bias([1.0], [2.5], 2)[0, 0, 1] == pytest.approx(-math.log(3.5))
    assert kerple_bias([1.0], [2.0], 2, kind="power")[0, 0, 1] == -1


def test_settings_are_given_by_name() -> None:
    with pytest.raises(TypeError):
        kerple_bias([1.0], [1.0], 3, 3, "log")  # type: ignore[call-arg]
