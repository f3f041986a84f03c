"""FIRE: distances as a share of the query's position, and the network on top of them."""

import math
import tracemalloc
from typing import Any

import numpy as np
import pytest
from hypothesis import given, strategies as st
from numpy.testing import assert_allclose, assert_array_equal

from pedocs import fire_bias, fire_distances, kerple_bias


def on_one_line(value: Any) -> str:
    """An array as the name of a test: without line breaks, which mutmut cannot pass on."""
    return " ".join(str(value).split())


# Distances


def share_by_hand(i: int, j: int, c: float, threshold: float, epsilon: float) -> float:
    def psi(x: float) -> float:
        return math.log(c * x + 1)

    return psi(abs(i - j)) / (psi(max(threshold, i)) + epsilon)


@pytest.mark.parametrize("start", [0, 1, 5])
@pytest.mark.parametrize(("c", "threshold", "epsilon"), [(0.1, 512, 1e-6), (1, 2.5, 0), (3, 1, 1)])
@pytest.mark.parametrize(("n_query", "n_key"), [(1, 1), (5, 5), (1, 6), (3, 7)])
def test_every_share_follows_the_formula(
    n_query: int, n_key: int, c: float, threshold: float, epsilon: float, start: int
) -> None:
    shares = fire_distances(n_query, n_key, c=c, threshold=threshold, epsilon=epsilon, start=start)
    assert shares.shape == (n_query, n_key)
    assert shares.dtype == np.float64
    for row in range(n_query):
        for j in range(n_key):
            i = n_key - n_query + row  # the last query stands at the last key
            expected = share_by_hand(start + i, start + j, c, threshold, epsilon)
            assert shares[row, j] == pytest.approx(expected, rel=1e-13, abs=0)


def test_shares_worked_by_hand() -> None:
    """With c = 1 the logarithms are of whole numbers: ln 3 / ln 2 at distance 2."""
    shares = fire_distances(4, c=1, threshold=1, epsilon=0)
    log = np.log([1, 2, 3, 4])
    assert_allclose(shares[0], log / log[1], rtol=1e-15)
    assert_allclose(shares[1], log[[1, 0, 1, 2]] / log[1], rtol=1e-15)
    assert_allclose(shares[3], log[[3, 2, 1, 0]] / log[3], rtol=1e-15)
    assert_allclose(shares[3, 2], 0.5, rtol=1e-15)


def test_the_defaults_are_those_of_the_pseudo_code() -> None:
    explicit = fire_distances(5, 7, c=0.1, threshold=3, epsilon=1e-6, start=0)
    assert_array_equal(fire_distances(5, 7, c=0.1, threshold=3), explicit)
    layers = network(4, 2)
    bias = of(layers, 5, 7, c=0.1, threshold=3, epsilon=1e-6, start=0)
    assert_array_equal(of(layers, 5, 7, c=0.1, threshold=3), bias)


def test_the_start_of_the_positions_matters_beyond_the_threshold() -> None:
    near = [fire_distances(4, c=1, threshold=9, start=start) for start in (0, 1, 5)]
    assert_array_equal(near[0], near[1])
    assert_array_equal(near[0], near[2])
    far = [fire_distances(4, c=1, threshold=1, start=start) for start in (0, 1)]
    assert (far[0][3, 0], far[1][3, 0]) == (
        pytest.approx(1, abs=2e-6),
        pytest.approx(math.log(4) / math.log(5), abs=2e-6),
    )


settings = st.fixed_dictionaries(
    {"c": st.floats(1e-3, 1e3), "threshold": st.floats(1e-2, 1e3), "start": st.integers(0, 20)}
)


@given(settings, st.integers(1, 12), st.integers(0, 12))
def test_under_a_causal_mask_shares_lie_between_zero_and_one(
    setting: dict[str, Any], n_query: int, more: int
) -> None:
    shares = fire_distances(n_query, n_query + more, **setting)
    for row in range(n_query):
        seen = shares[row, : more + row + 1]
        assert seen[-1] == 0
        assert (np.diff(seen) < 0).all()
        assert seen.max() < 1 + 1e-12


@given(settings, st.integers(1, 12), st.integers(0, 12))
def test_up_to_the_threshold_the_shares_depend_on_the_offset_only(
    setting: dict[str, Any], n_query: int, more: int
) -> None:
    setting["threshold"] = n_query + more + setting["start"]
    shares = fire_distances(n_query, n_query + more, **setting)
    assert_array_equal(shares[1:, 1:], shares[:-1, :-1])


def test_beyond_the_threshold_they_depend_on_the_position() -> None:
    shares = fire_distances(6, c=1, threshold=1)
    assert shares[2, 1] > shares[3, 2] > shares[4, 3] > shares[5, 4]


@given(settings, st.integers(1, 12), st.integers(0, 12))
def test_a_decoder_step_is_the_last_row(setting: dict[str, Any], n_query: int, more: int) -> None:
    whole = fire_distances(n_query + more, **setting)
    assert_array_equal(fire_distances(n_query, n_query + more, **setting), whole[more:])


def test_a_key_to_the_right_can_be_more_than_the_whole_way() -> None:
    assert fire_distances(5, c=1, threshold=1)[0, 4] > 2
    assert (fire_distances(5, c=1, threshold=1) >= 0).all()


# Bias


def bias_by_hand(network: Any, h: int, x: float) -> float:
    w, b, v, a = network
    total = a[h]
    for unit in range(len(w)):
        total += v[unit][h] * max(w[unit] * x + b[unit], 0.0)
    return float(total)


def of(layers: Any, n_query: int, n_key: int | None = None, **setting: Any) -> Any:
    w, b, v, a = layers
    return fire_bias(w, b, v, a, n_query, n_key, **setting)


def network(width: int, heads: int) -> Any:
    rng = np.random.default_rng(9)
    return (
        rng.normal(size=width),
        rng.normal(size=width),
        rng.normal(size=(width, heads)),
        rng.normal(size=heads),
    )


@pytest.mark.parametrize(("width", "heads"), [(1, 1), (4, 3), (32, 2)])
@pytest.mark.parametrize(("n_query", "n_key"), [(1, 1), (5, 5), (2, 7)])
def test_every_bias_is_the_network_at_its_share(
    width: int, heads: int, n_query: int, n_key: int
) -> None:
    layers = network(width, heads)
    setting: Any = {"c": 0.5, "threshold": 3, "epsilon": 0.01, "start": 2}
    bias = of(layers, n_query, n_key, **setting)
    assert bias.shape == (heads, n_query, n_key)
    assert bias.dtype == np.float64
    shares = fire_distances(n_query, n_key, **setting)
    for h in range(heads):
        for row in range(n_query):
            for j in range(n_key):
                expected = bias_by_hand(layers, h, shares[row, j])
                assert bias[h, row, j] == pytest.approx(expected, rel=1e-12, abs=1e-12)


def test_a_network_can_be_kerple() -> None:
    """One unit that passes the share on: −r1 ln(1 + r2 |r|) up to the threshold."""
    r1, r2, threshold = 1.5, 0.5, 100
    slope = -r1 * math.log(1 + r2 * threshold)
    bias = fire_bias([1], [0], [[slope]], [0], 6, c=r2, threshold=threshold, epsilon=0)
    assert_allclose(bias, kerple_bias([r1], [r2], 6), rtol=1e-14)


def test_a_hidden_unit_below_zero_is_silent() -> None:
    silent = fire_bias([-1], [0], [[5]], [2], 3, c=1, threshold=3)
    assert_array_equal(silent, np.full((1, 3, 3), 2.0))


@pytest.mark.parametrize("dtype", [np.float16, np.float32, np.float64])
def test_the_bias_comes_in_the_dtype_asked_for(dtype: Any) -> None:
    bias = of(network(5, 3), 4, 6, c=0.1, threshold=5, dtype=dtype)
    assert bias.dtype == dtype
    whole = of(network(5, 3), 4, 6, c=0.1, threshold=5)
    assert_array_equal(bias, whole.astype(dtype))


def test_no_zero_is_negative() -> None:
    bias = fire_bias([1], [0], [[-1e-30]], [-0.0], 3, c=1, threshold=3, dtype=np.float16)
    assert not bias.any()
    assert not np.signbit(bias).any()
    assert not np.signbit(fire_distances(3, c=1, threshold=3)).any()


def test_the_result_is_an_array_of_its_own() -> None:
    layers = network(2, 2)
    copies = [part.copy() for part in layers]
    bias = of(layers, 3, c=1, threshold=3)
    bias[...] = 99
    for part, copy in zip(layers, copies, strict=True):
        assert_array_equal(part, copy)


def test_empty_inputs_give_an_empty_bias() -> None:
    assert fire_distances(0, c=1, threshold=1).shape == (0, 0)
    assert fire_distances(0, 4, c=1, threshold=1).shape == (0, 4)
    assert of(network(3, 2), 0, 4, c=1, threshold=1).shape == (2, 0, 4)
    assert of(network(3, 0), 2, 4, c=1, threshold=1).shape == (0, 2, 4)


def test_the_work_needs_no_more_than_twice_the_result() -> None:
    layers = network(32, 8)
    tracemalloc.start()
    result = of(layers, 512, c=1, threshold=100)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 2 * result.nbytes


@pytest.mark.parametrize("epsilon", [0, 1])
@pytest.mark.parametrize("threshold", [1e-100, 1e100])
@pytest.mark.parametrize("c", [1e-100, 1e100])
def test_the_bounds_of_the_settings_give_finite_shares(
    c: float, threshold: float, epsilon: float
) -> None:
    with np.errstate(divide="raise", over="raise", invalid="raise"):
        shares = fire_distances(3, c=c, threshold=threshold, epsilon=epsilon, start=2**53)
    assert np.isfinite(shares).all()
    with np.errstate(divide="raise", over="raise", invalid="raise"):
        assert np.isfinite(fire_distances(3, c=c, threshold=threshold, epsilon=epsilon)).all()


# Refusals


SETTINGS: list[tuple[dict[str, Any], str]] = [
    ({"c": 0}, "c is 0; allowed: a real number from 1e-100 to 1e100"),
    ({"c": -0.1}, "c is -0.1; allowed: a real number from 1e-100 to 1e100"),
    ({"c": 2e100}, "c is 2e+100; allowed: a real number from 1e-100 to 1e100"),
    ({"c": math.nan}, "c is nan; allowed: a real number from 1e-100 to 1e100"),
    ({"c": [0.1]}, "c is [0.1]; allowed: a real number from 1e-100 to 1e100"),
    ({"threshold": 0}, "threshold is 0; allowed: a real number from 1e-100 to 1e100"),
    ({"threshold": 2e100}, "threshold is 2e+100; allowed: a real number from 1e-100 to 1e100"),
    ({"threshold": "512"}, "threshold is '512'; allowed: a real number from 1e-100 to 1e100"),
    ({"epsilon": -1e-6}, "epsilon is -1e-06; allowed: a real number from 0 to 1"),
    ({"epsilon": 1.5}, "epsilon is 1.5; allowed: a real number from 0 to 1"),
    ({"epsilon": None}, "epsilon is None; allowed: a real number from 0 to 1"),
    ({"start": -1}, "start is -1; allowed: an integer, at least 0"),
    ({"start": 0.0}, "start is 0.0; allowed: an integer, at least 0"),
    ({"n_query": -1}, "n_query is -1; allowed: an integer, at least 0"),
    ({"n_key": True}, "n_key is True; allowed: an integer, at least 0"),
    (
        {"n_query": 5, "n_key": 3},
        "n_query is 5 and n_key is 3; allowed: no more queries than keys",
    ),
]
TOO_LARGE = "hidden_weights, hidden_bias, output_weights or output_bias is too large"


@pytest.mark.parametrize(("change", "message"), SETTINGS, ids=on_one_line)
def test_a_wrong_setting_is_named(change: Any, message: str) -> None:
    arguments: dict[str, Any] = {"n_query": 3, "n_key": 4, "c": 0.1, "threshold": 5}
    with pytest.raises(ValueError) as refused:  # noqa: PT011 (the whole message is compared)
        fire_distances(**(arguments | change))
    assert str(refused.value) == message


@pytest.mark.parametrize(
    ("change", "message"),
    [
        *SETTINGS,
        ({"hidden_weights": 1.0}, "hidden_weights has shape (); allowed: (width,)"),
        ({"hidden_weights": np.ones((2, 1))}, "hidden_weights has shape (2, 1); allowed: (width,)"),
        ({"hidden_bias": [[1.0]]}, "hidden_bias has shape (1, 1); allowed: (width,)"),
        (
            {"hidden_bias": [1.0]},
            "hidden_bias has shape (1,); allowed: (2,), the shape of hidden_weights",
        ),
        ({"output_bias": 0.0}, "output_bias has shape (); allowed: (heads,)"),
        (
            {"output_weights": np.ones((3, 2))},
            "output_weights has shape (3, 2); allowed: (2, 3), "
            "a row for each of hidden_weights and a column for each of output_bias",
        ),
        (
            {"output_weights": np.ones(2)},
            "output_weights has shape (2,); allowed: (2, 3), "
            "a row for each of hidden_weights and a column for each of output_bias",
        ),
        (
            {"hidden_weights": [math.nan, 1]},
            "hidden_weights holds nan; allowed: finite real numbers",
        ),
        ({"hidden_bias": [math.inf, 1]}, "hidden_bias holds inf; allowed: finite real numbers"),
        (
            {"output_weights": np.full((2, 3), -math.inf)},
            "output_weights holds -inf; allowed: finite real numbers",
        ),
        (
            {"output_bias": "abc"},
            "output_bias is 'abc'; allowed: a real number or an array of real numbers",
        ),
        ({"dtype": int}, f"dtype is {int!r}; allowed: None, float16, float32 or float64"),
        (
            {"hidden_weights": [1e308, 1e308], "output_weights": np.full((2, 3), 1e308)},
            f"{TOO_LARGE}; allowed: biases that fit in float64",
        ),
        (
            {"output_bias": [0, 7e4, 0], "dtype": np.float16},
            f"{TOO_LARGE}; allowed: biases that fit in float16",
        ),
    ],
    ids=on_one_line,
)
def test_a_wrong_argument_of_the_bias_is_named(change: Any, message: str) -> None:
    arguments: dict[str, Any] = {
        "hidden_weights": [1.0, 2.0],
        "hidden_bias": [0.0, 1.0],
        "output_weights": np.ones((2, 3)),
        "output_bias": [0.0, 1.0, 2.0],
        "n_query": 3,
        "n_key": 4,
        "c": 0.1,
        "threshold": 5,
    }
    with pytest.raises(ValueError) as refused:  # noqa: PT011
        fire_bias(**(arguments | change))
    assert str(refused.value) == message


def test_settings_are_given_by_name() -> None:
    with pytest.raises(TypeError):
        fire_distances(3, 3, 0.1, 5)  # type: ignore[call-arg]
    with pytest.raises(TypeError):
        fire_bias([1], [1], [[1]], [1], 3, 3, 0.1, 5)  # type: ignore[call-arg]
