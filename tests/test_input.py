"""The sum at the input: scaled embeddings, encodings, dropout."""

import math
import subprocess
import sys
from typing import Any

import numpy as np
import pytest
from hypothesis import given, strategies as st
from numpy.testing import assert_allclose, assert_array_equal

from pedocs import input_stage, sinusoidal


def vectors(*shape: int, seed: int = 1) -> Any:
    return np.random.default_rng(seed).standard_normal(shape)


def generator() -> np.random.Generator:
    return np.random.default_rng(7)


# The sum


def test_the_embeddings_are_scaled_and_the_encodings_are_not() -> None:
    sums = input_stage([[1.0, 2.0, 3.0, 4.0]], [[0.5, 0.5, 0.25, -1.0]])
    assert_array_equal(sums, [[2.5, 4.5, 6.25, 7.0]])  # the square root of four is two


@given(st.integers(1, 3), st.integers(0, 4), st.integers(1, 6), st.floats(-3, 3))
def test_every_entry_is_the_scaled_sum(batch: int, n: int, d_model: int, scale: float) -> None:
    x, pe = vectors(batch, n, d_model), vectors(n, d_model, seed=2)
    scaled, default = input_stage(x, pe, scale=scale), input_stage(x, pe)
    assert scaled.shape == default.shape == (batch, n, d_model)
    for b, i, c in np.ndindex(x.shape):
        assert scaled[b, i, c] == pytest.approx(scale * x[b, i, c] + pe[i, c], abs=1e-15)
        wanted = math.sqrt(d_model) * x[b, i, c] + pe[i, c]
        assert default[b, i, c] == pytest.approx(wanted, abs=1e-14)


def test_bert_and_gpt_2_do_not_scale() -> None:
    x, pe = vectors(3, 4), vectors(3, 4, seed=2)
    assert_array_equal(input_stage(x, pe, scale=1), x + pe)
    assert_array_equal(input_stage(x, pe, scale=0), pe)


def test_a_batch_gets_its_encodings_along_the_tokens() -> None:
    """The bug of encodings cut to the batch: two texts of five tokens, four wide."""
    x, pe = np.zeros((2, 5, 4)), sinusoidal(range(5), 4)
    sums = input_stage(x, pe)
    assert_array_equal(sums[0], pe)
    assert_array_equal(sums[1], pe)
    with pytest.raises(ValueError) as refused:  # noqa: PT011 (the whole message is compared)
        input_stage(x, pe[:2])
    assert str(refused.value) == (
        "encodings has shape (2, 4); allowed: (…, 5, 4), a vector for each position "
        "of embeddings with shape (2, 5, 4)"
    )


@pytest.mark.parametrize(
    ("embeddings", "encodings"),
    [
        ((4,), (4,)),
        ((3, 4), (3, 4)),
        ((1, 4), (1, 4)),
        ((2, 3, 4), (3, 4)),
        ((2, 3, 4), (1, 3, 4)),
        ((2, 3, 4), (2, 3, 4)),
        ((5, 2, 3, 4), (2, 3, 4)),
        ((5, 2, 3, 4), (5, 1, 3, 4)),
        ((0, 3, 4), (3, 4)),
        ((0, 4), (0, 4)),
    ],
)
def test_axes_before_the_last_two_broadcast(embeddings: Any, encodings: Any) -> None:
    x, pe = vectors(*embeddings), vectors(*encodings, seed=2)
    sums = input_stage(x, pe)
    assert sums.shape == embeddings
    assert sums.dtype == np.float64
    assert_allclose(sums, 2 * x + np.broadcast_to(pe, embeddings), rtol=0, atol=0)


@pytest.mark.parametrize(
    ("embeddings", "encodings", "allowed"),
    [
        ((3, 4), (4,), "(…, 3, 4)"),  # one vector for all tokens
        ((3, 4), (1, 4), "(…, 3, 4)"),
        ((2, 3, 4), (2, 1, 4), "(…, 3, 4)"),
        ((3, 4), (3, 1), "(…, 3, 4)"),
        ((3, 4), (3, 5), "(…, 3, 4)"),
        ((3, 4), (4, 4), "(…, 3, 4)"),
        ((1, 4), (3, 4), "(…, 1, 4)"),
        ((3, 4), (1, 3, 4), "(…, 3, 4)"),  # a batch that the embeddings do not have
        ((3, 4), (), "(…, 3, 4)"),
        ((1, 3, 4), (2, 3, 4), "(…, 3, 4)"),
        ((2, 3, 4), (3, 3, 4), "(…, 3, 4)"),
        ((4,), (1, 4), "(4,)"),
        ((4,), (1,), "(4,)"),
        ((4,), (5,), "(4,)"),
    ],
)
def test_encodings_of_another_shape_are_refused(
    embeddings: Any, encodings: Any, allowed: str
) -> None:
    with pytest.raises(ValueError) as refused:  # noqa: PT011
        input_stage(np.ones(embeddings), np.ones(encodings))
    assert str(refused.value) == (
        f"encodings has shape {encodings}; allowed: {allowed}, a vector for each position "
        f"of embeddings with shape {embeddings}"
    )


# Dropout


def test_dropout_applies_to_the_sum_and_keeps_its_mean() -> None:
    x, pe = vectors(50, 40), vectors(50, 40, seed=2)
    whole = input_stage(x, pe)
    dropped = input_stage(x, pe, dropout=0.25, rng=generator())
    kept = dropped != 0
    assert_allclose(dropped[kept], whole[kept] / 0.75, rtol=1e-15)
    assert kept.mean() == pytest.approx(0.75, abs=0.03)
    # Rows and columns are dropped alike: each entry has a chance of its own.
    assert 0 < kept.sum(axis=0).min() < kept.sum(axis=0).max() < 50
    assert 0 < kept.sum(axis=1).min() < kept.sum(axis=1).max() < 40


@given(st.floats(0.01, 0.99))
def test_the_mean_over_many_draws_is_the_sum(dropout: float) -> None:
    n = 4000
    sums = input_stage(np.full((n, 1), 1.0), np.full((n, 1), 2.0), dropout=dropout, rng=generator())
    assert np.unique(sums).tolist() == pytest.approx([0, 3 / (1 - dropout)])
    spread = 3 * math.sqrt(dropout / (1 - dropout) / n)
    assert abs(sums.mean() - 3) < 5 * spread


def test_almost_everything_and_almost_nothing_may_be_dropped() -> None:
    ones = np.ones((200, 5))
    few = input_stage(ones, ones, scale=1, dropout=1 - 2**-53, rng=generator())
    assert not few.any()
    all_but = input_stage(ones, ones, scale=1, dropout=1e-300, rng=generator())
    assert_array_equal(all_but, 2 * ones)


def test_the_generator_alone_decides() -> None:
    x, pe = vectors(6, 4), vectors(6, 4, seed=2)
    rng = generator()
    first, second = (input_stage(x, pe, dropout=0.5, rng=rng) for _ in range(2))
    assert not np.array_equal(first, second)
    assert_array_equal(first, input_stage(x, pe, dropout=0.5, rng=generator()))
    np.random.seed(1)  # noqa: NPY002 (the global state must have no effect)
    assert_array_equal(first, input_stage(x, pe, dropout=0.5, rng=generator()))


def test_without_dropout_the_generator_is_not_touched() -> None:
    rng = generator()
    x = vectors(6, 4)
    assert_array_equal(input_stage(x, x, dropout=0, rng=rng), input_stage(x, x))
    assert rng.random() == generator().random()


def test_the_defaults() -> None:
    x, pe = vectors(3, 9), vectors(3, 9, seed=2)
    assert_array_equal(input_stage(x, pe), input_stage(x, pe, scale=3.0, dropout=0.0, rng=None))


def test_import_does_not_load_numpy_random() -> None:
    script = "import sys, pedocs; print('numpy.random' in sys.modules)"
    before = "import sys, numpy; print('numpy.random' in sys.modules)"
    answers = [
        subprocess.run(
            [sys.executable, "-c", text], capture_output=True, text=True, check=True
        ).stdout
        for text in (script, before)
    ]
    assert answers[0] == answers[1]


# Inputs and outputs


def test_results_share_memory_with_nothing() -> None:
    x, pe = vectors(3, 4), vectors(3, 4, seed=2)
    kept = x.copy(), pe.copy()
    for rng in (None, generator()):
        sums = input_stage(x, pe, scale=1, dropout=0.0 if rng is None else 0.5, rng=rng)
        assert not np.shares_memory(sums, x)
        assert not np.shares_memory(sums, pe)
        sums[...] = 9
    assert_array_equal(x, kept[0])
    assert_array_equal(pe, kept[1])


@pytest.mark.parametrize("dtype", [np.int8, np.float16, np.float32, ">f8"])
def test_the_sum_is_float64_whatever_comes_in(dtype: Any) -> None:
    x = np.array([[1, 2], [3, 127]], dtype)
    sums = input_stage(x, x, scale=np.float32(2))  # type: ignore[arg-type]
    assert sums.dtype == np.float64
    assert_array_equal(sums, [[3, 6], [9, 381]])


def test_no_negative_zero_is_shown() -> None:
    zeros = np.full((3, 4), -0.0)
    assert not np.signbit(input_stage(zeros, zeros)).any()
    negative = np.full((30, 4), -1.0)
    dropped = input_stage(negative, negative, dropout=0.5, rng=generator())
    assert not np.signbit(dropped[dropped == 0]).any()


# Refusals

GENERATOR = "allowed: None or a numpy.random.Generator"
CHANCE = "allowed: a real number, at least 0 and below 1"
REAL = "allowed: a real number or an array of real numbers"
SIZE = "allowed: (…, n, d_model) with d_model at least 1, or (d_model,)"
LARGE = "embeddings and encodings are too large; allowed: a sum that fits in float64"


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        ({"embeddings": 1.0}, f"embeddings has shape (); {SIZE}"),
        ({"embeddings": np.ones((3, 0))}, f"embeddings has shape (3, 0); {SIZE}"),
        ({"embeddings": [[math.nan] * 2]}, "embeddings holds nan; allowed: finite real numbers"),
        ({"embeddings": [[True, False]]}, f"embeddings is [[True, False]]; {REAL}"),
        ({"embeddings": None}, f"embeddings is None; {REAL}"),
        ({"encodings": [[math.inf] * 2]}, "encodings holds inf; allowed: finite real numbers"),
        ({"encodings": [["a", "b"]]}, f"encodings is [['a', 'b']]; {REAL}"),
        ({"scale": math.nan}, "scale is nan; allowed: one finite real number"),
        ({"scale": [1.0]}, "scale is [1.0]; allowed: one finite real number"),
        ({"scale": True}, "scale is True; allowed: one finite real number"),
        ({"dropout": 1.0, "rng": generator()}, f"dropout is 1.0; {CHANCE}"),
        ({"dropout": 1, "rng": generator()}, f"dropout is 1; {CHANCE}"),
        ({"dropout": -0.1}, f"dropout is -0.1; {CHANCE}"),
        ({"dropout": 50, "rng": generator()}, f"dropout is 50; {CHANCE}"),
        ({"dropout": math.nan}, f"dropout is nan; {CHANCE}"),
        ({"dropout": None}, f"dropout is None; {CHANCE}"),
        ({"dropout": True}, f"dropout is True; {CHANCE}"),
        (
            {"dropout": 0.1},
            "rng is None; allowed: a numpy.random.Generator where dropout is above 0",
        ),
        ({"dropout": 0.1, "rng": 0}, f"rng is 0; {GENERATOR}"),
        ({"rng": 0}, f"rng is 0; {GENERATOR}"),
        ({"embeddings": [[1.7e308, 0.0]]}, LARGE),
        ({"embeddings": [[1e308, 0.0]], "encodings": [[1e308, 0.0]], "scale": 1}, LARGE),
        ({"embeddings": [[1.0, 1e308]], "scale": -1e300}, LARGE),
        ({"embeddings": [[1.7e308, 0.0]], "scale": 1, "dropout": 0.5, "rng": generator()}, LARGE),
    ],
    ids=str,
)
def test_a_wrong_argument_is_named(wrong: Any, message: str) -> None:
    with pytest.raises(ValueError) as refused:  # noqa: PT011
        input_stage(**{"embeddings": [[1.0, 2.0]], "encodings": [[3.0, 4.0]], **wrong})
    assert str(refused.value) == message


def test_the_old_random_state_is_refused() -> None:
    with pytest.raises(ValueError, match=r"^rng is RandomState\(.*; allowed: None or a numpy\.ra"):
        input_stage([1.0], [1.0], rng=np.random.RandomState(0))  # type: ignore[arg-type]


def test_settings_are_given_by_name() -> None:
    with pytest.raises(TypeError):
        input_stage([1.0], [1.0], 1.0)  # type: ignore[call-arg]


def test_a_short_float_loses_nothing_as_a_probability() -> None:
    x = np.ones((50, 2))
    chance: Any = np.float16(0.1)
    dropped = input_stage(x, x, dropout=chance, rng=generator())
    assert_array_equal(dropped, input_stage(x, x, dropout=float(chance), rng=generator()))
