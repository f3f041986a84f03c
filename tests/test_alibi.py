"""ALiBi: slopes, and the four forms of the bias."""

import math
import tracemalloc
from typing import Any

import numpy as np
import pytest
from hypothesis import given, strategies as st
from numpy.testing import assert_allclose, assert_array_equal

from pedocs import alibi_bias, alibi_slopes, causal_mask, relative_offsets, softmax


def on_one_line(value: Any) -> str:
    """An array as the name of a test: without line breaks, which mutmut cannot pass on."""
    return " ".join(str(value).split())


FORMS = ["distance", "key", "last-key", "causal"]

# Slopes


@pytest.mark.parametrize(
    ("n_heads", "exponents"),
    [
        (1, [8]),
        (2, [4, 8]),
        (3, [4, 8, 2]),
        (4, [2, 4, 6, 8]),
        (5, [2, 4, 6, 8, 1]),
        (7, [2, 4, 6, 8, 1, 3, 5]),
        (8, [1, 2, 3, 4, 5, 6, 7, 8]),
        (12, [1, 2, 3, 4, 5, 6, 7, 8, 0.5, 1.5, 2.5, 3.5]),
        (16, [0.5, 1, 1.5, 2, 2.5, 3, 3.5, 4, 4.5, 5, 5.5, 6, 6.5, 7, 7.5, 8]),
        (20, [*(k / 2 for k in range(1, 17)), 0.25, 0.75, 1.25, 1.75]),
    ],
)
def test_slopes_are_powers_of_one_half(n_heads: int, exponents: list[float]) -> None:
    """The first and the last of 8 are 1/2 and 1/256; a head count may be no power of two."""
    assert alibi_slopes(n_heads).shape == (n_heads,)
    assert_allclose(alibi_slopes(n_heads), [2.0**-e for e in exponents], rtol=2e-16)


def test_three_heads_have_the_slopes_of_the_papers_code() -> None:
    """ALiBi for head counts that are not powers of two."""
    assert_array_equal(alibi_slopes(3), [1 / 16, 1 / 256, 1 / 4])
    assert alibi_slopes(3).dtype == np.float64


def repository_slopes(n: int) -> list[float]:
    """The recursive rule: the lower power of two, then every second slope of twice as many."""
    if n & (n - 1) == 0:
        return [2.0 ** (-8 * (h + 1) / n) for h in range(n)]
    lower = 1
    while 2 * lower < n:
        lower *= 2
    return repository_slopes(lower) + repository_slopes(2 * lower)[::2][: n - lower]


@given(st.integers(1, 300))
def test_slopes_follow_the_recursive_rule(n_heads: int) -> None:
    assert_allclose(alibi_slopes(n_heads), repository_slopes(n_heads), rtol=1e-15)


@given(st.integers(1, 300))
def test_slopes_differ_and_lie_between_one_256th_and_one(n_heads: int) -> None:
    slopes = alibi_slopes(n_heads)
    assert len(set(slopes.round(14))) == n_heads
    assert slopes.min() == 1 / 256
    assert slopes.max() < 1
    falls = (np.diff(slopes) < 0).all()
    assert falls == (math.log2(n_heads) % 1 == 0)


# Bias


def bias_by_hand(form: str, m: float, i: int, j: int, n_key: int) -> float:
    return {
        "distance": -m * abs(j - i),
        "key": m * j,
        "last-key": m * (j - (n_key - 1)),
        "causal": -m * (i - j) if j <= i else 0.0,
    }[form]


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize(("n_query", "n_key"), [(1, 1), (5, 5), (1, 6), (2, 7), (0, 3), (0, 0)])
def test_every_entry_follows_its_form(form: Any, n_query: int, n_key: int) -> None:
    bias = alibi_bias(3, n_query, n_key, form=form)
    assert bias.shape == (3, n_query, n_key)
    assert bias.dtype == np.float64
    for h, m in enumerate([1 / 16, 1 / 256, 1 / 4]):
        for row in range(n_query):
            for j in range(n_key):
                i = n_key - n_query + row
                assert bias[h, row, j] == bias_by_hand(form, m, i, j, n_key)


def test_five_tokens_under_the_steepest_of_eight_heads() -> None:
    steepest = alibi_bias(8, 5)[0]
    assert_array_equal(steepest[0], [0, -0.5, -1, -1.5, -2])
    assert_array_equal(steepest[2], [-1, -0.5, 0, -0.5, -1])
    assert_array_equal(alibi_bias(8, 5, form="key")[0, 3], [0, 0.5, 1, 1.5, 2])
    assert_array_equal(alibi_bias(8, 5, form="last-key")[0, 3], [-2, -1.5, -1, -0.5, 0])
    assert_array_equal(alibi_bias(8, 5, form="causal")[0, 3], [-1.5, -1, -0.5, 0, 0])


def test_distance_is_the_form_unless_another_is_asked_for() -> None:
    assert_array_equal(alibi_bias(4, 3, 5), alibi_bias(4, 3, 5, form="distance"))
    assert_array_equal(alibi_bias(4, 3, 5), alibi_bias(4, 3, 5, slopes=alibi_slopes(4)))


@given(st.integers(1, 20), st.integers(0, 12), st.integers(0, 12))
def test_the_bias_is_never_positive_and_farther_is_smaller(
    n_heads: int, n_query: int, more: int
) -> None:
    bias = alibi_bias(n_heads, n_query, n_query + more)
    distance = np.abs(relative_offsets(n_query, n_query + more))
    assert (bias <= 0).all()
    assert_array_equal(bias == 0, np.broadcast_to(distance == 0, bias.shape))
    for head in bias:
        by_distance = head.ravel()[np.argsort(distance, axis=None)]
        assert (np.diff(by_distance) <= 0).all()


@given(st.sampled_from(FORMS), st.integers(1, 5), st.integers(1, 9), st.integers(0, 9))
def test_the_bias_of_an_offset_is_the_same_in_every_row(
    form: Any, n_heads: int, n_query: int, more: int
) -> None:
    n_key = n_query + more
    bias = alibi_bias(n_heads, n_query, n_key, form=form)
    if form in ("distance", "causal"):
        assert_array_equal(bias[:, 1:, 1:], bias[:, :-1, :-1])
    else:
        assert_array_equal(bias, np.broadcast_to(bias[:, :1], bias.shape))


@given(st.integers(1, 8), st.integers(1, 9), st.integers(0, 9))
def test_under_a_causal_softmax_all_forms_are_equal(n_heads: int, n_query: int, more: int) -> None:
    n_key = n_query + more
    mask = causal_mask(n_query, n_key)
    scores = np.random.default_rng(2).normal(size=(n_heads, n_query, n_key))
    weights = [
        softmax(scores + alibi_bias(n_heads, n_query, n_key, form=form), where=mask)  # type: ignore[arg-type]
        for form in FORMS
    ]
    for other in weights[1:]:
        assert_allclose(other, weights[0], rtol=0, atol=1e-14)


def test_without_the_mask_the_forms_differ() -> None:
    """The +m·j form is equal under a causal softmax and different without."""
    weights = {form: softmax(alibi_bias(2, 4, form=form)) for form in FORMS}  # type: ignore[arg-type]
    assert_allclose(weights["key"], weights["last-key"], rtol=0, atol=1e-15)
    for one, other in [("distance", "key"), ("distance", "causal"), ("key", "causal")]:
        assert np.abs(weights[one] - weights[other]).max() > 0.01
    # The first query should prefer itself, and prefers the last key.
    assert weights["distance"][0, 0].argmax() == 0
    assert weights["key"][0, 0].argmax() == 3


@pytest.mark.parametrize("form", FORMS)
def test_a_decoder_step_is_the_last_row_of_the_whole_bias(form: Any) -> None:
    whole = alibi_bias(3, 9, form=form)
    assert_array_equal(alibi_bias(3, 1, 9, form=form), whole[:, -1:])


def test_a_longer_bias_extends_a_shorter_one() -> None:
    """No cache that grows by a fixed factor: each length is computed for itself."""
    lengths = (3, 40, 7, 400, 3)
    whole = alibi_bias(2, 400)
    for n in lengths:
        assert_array_equal(alibi_bias(2, n), whole[:, :n, :n])


@pytest.mark.parametrize("form", FORMS)
def test_other_slopes_take_the_place_of_the_default(form: Any) -> None:
    bias = alibi_bias(2, 3, 4, form=form, slopes=[0, 3])
    assert not bias[0].any()
    assert bias[1, 2, 0] == bias_by_hand(form, 3, 3, 0, 4)


# Types and memory


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("dtype", [np.float16, np.float32, np.float64])
def test_the_bias_comes_in_the_dtype_asked_for(dtype: Any, form: Any) -> None:
    bias = alibi_bias(12, 5, 8, form=form, dtype=dtype)
    assert bias.dtype == dtype
    assert_array_equal(bias, alibi_bias(12, 5, 8, form=form).astype(dtype))


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("slope", [0.0, -0.0, 0.5, 1e-30])
def test_no_zero_is_negative(form: Any, slope: float) -> None:
    bias = alibi_bias(1, 3, form=form, slopes=[slope], dtype=np.float16)
    assert not np.signbit(bias[bias == 0]).any()


@pytest.mark.parametrize("form", FORMS)
def test_the_result_is_an_array_of_its_own(form: Any) -> None:
    slopes = np.array([1.0, 2.0])
    bias = alibi_bias(2, 3, form=form, slopes=slopes)
    bias[0, 0, 0] = 99
    assert (bias == 99).sum() == 1
    assert_array_equal(slopes, [1, 2])
    first = alibi_slopes(4)
    first[:] = 0
    assert alibi_slopes(4).all()


@pytest.mark.parametrize("form", FORMS)
def test_the_work_needs_no_more_than_twice_the_result(form: Any) -> None:
    tracemalloc.start()
    result = alibi_bias(4, 512, form=form, dtype=np.float32)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 2 * result.nbytes


# Refusals


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"n_heads": 0}, "n_heads is 0; allowed: an integer, at least 1"),
        ({"n_heads": 8.0}, "n_heads is 8.0; allowed: an integer, at least 1"),
        ({"n_heads": True}, "n_heads is True; allowed: an integer, at least 1"),
        ({"n_query": -1}, "n_query is -1; allowed: an integer, at least 0"),
        ({"n_key": 1.5}, "n_key is 1.5; allowed: an integer, at least 0"),
        (
            {"n_query": 4, "n_key": 3},
            "n_query is 4 and n_key is 3; allowed: no more queries than keys",
        ),
        (
            {"form": "linear"},
            "form is 'linear'; allowed: 'distance' or 'key' or 'last-key' or 'causal'",
        ),
        ({"form": None}, "form is None; allowed: 'distance' or 'key' or 'last-key' or 'causal'"),
        ({"slopes": [1.0]}, "slopes has shape (1,); allowed: (2,), one for each head"),
        ({"slopes": [[1.0, 2.0]]}, "slopes has shape (1, 2); allowed: (2,), one for each head"),
        ({"slopes": 0.5}, "slopes has shape (); allowed: (2,), one for each head"),
        (
            {"slopes": [0.0, -0.25]},
            "slopes holds -0.25; allowed: numbers that are at least 0",
        ),
        ({"slopes": [0.5, math.nan]}, "slopes holds nan; allowed: finite real numbers"),
        ({"slopes": [0.5, math.inf]}, "slopes holds inf; allowed: finite real numbers"),
        (
            {"slopes": "steep"},
            "slopes is 'steep'; allowed: a real number or an array of real numbers",
        ),
        ({"dtype": int}, f"dtype is {int!r}; allowed: None, float16, float32 or float64"),
        (
            {"slopes": [1e308, 0]},
            "slopes or n_key is too large; allowed: biases that fit in float64",
        ),
        (
            {"n_query": 1, "n_key": 140000, "n_heads": 8, "dtype": np.float16},
            "slopes or n_key is too large; allowed: biases that fit in float16",
        ),
    ],
    ids=on_one_line,
)
def test_a_wrong_argument_is_named(change: Any, message: str) -> None:
    arguments: dict[str, Any] = {"n_heads": 2, "n_query": 3, "n_key": 4} | change
    with pytest.raises(ValueError) as refused:  # noqa: PT011 (the whole message is compared)
        alibi_bias(**arguments)
    assert str(refused.value) == message


@pytest.mark.parametrize("n_heads", [0, -1, 2.0, None, "8", False])
def test_a_wrong_number_of_heads_has_no_slopes(n_heads: Any) -> None:
    with pytest.raises(ValueError) as refused:  # noqa: PT011
        alibi_slopes(n_heads)
    assert str(refused.value) == f"n_heads is {n_heads!r}; allowed: an integer, at least 1"


def test_settings_are_given_by_name() -> None:
    with pytest.raises(TypeError):
        alibi_bias(2, 3, 3, "key")  # type: ignore[call-arg]
