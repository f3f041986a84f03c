"""The model and its training: seeds side by side, the same run each time, refusals."""

import re
from typing import Any

import numpy as np
import pytest

from pedocs import multi_head_attention, rope
from pedocs.lab import (
    SCHEMES,
    Scheme,
    Transformer,
    headlines,
    places_back,
    scheme,
    train,
)

SMALL: dict[str, Any] = {"vocabulary": 8, "outputs": 8, "length": 6, "d_model": 8, "heads": 2}


@pytest.mark.parametrize("name", SCHEMES)
def test_seeds_side_by_side_are_seeds_one_by_one(name: str) -> None:
    model = Transformer(**SMALL, scheme=scheme(name, causal=True))
    together = train(model, places_back, seeds=[3, 4], steps=4, length=6)
    for column, seed in enumerate([3, 4]):
        alone = train(model, places_back, seeds=[seed], steps=4, length=6)
        np.testing.assert_allclose(together.losses[:, [column]], alone.losses, rtol=1e-9)
        for key, value in alone.params.items():
            np.testing.assert_allclose(together.params[key][[column]], value, atol=1e-9)


def test_a_run_can_be_repeated() -> None:
    model = Transformer(**SMALL)
    first, second = (train(model, places_back, seeds=[0, 1], steps=3, length=6) for _ in "ab")
    assert np.array_equal(first.losses, second.losses)
    assert not np.array_equal(first.losses[:, 0], first.losses[:, 1])


def test_training_makes_the_loss_small() -> None:
    model = Transformer(**SMALL, scheme=scheme("Shaw", causal=True))
    losses = train(model, places_back, seeds=[0, 1], steps=150, length=6).losses
    assert losses.shape == (150, 2)
    assert (losses[-1] < 0.1 * losses[0]).all()


def test_one_layer_is_the_attention_of_the_library() -> None:
    model = Transformer(**SMALL, scheme=scheme("RoPE", causal=True))
    params = {name: value[0] for name, value in model.start([5]).items()}
    x = np.random.default_rng(0).normal(size=(1, 1, 6, 8))
    own = {
        name: params[f"layer_0.{name}"][np.newaxis]
        for name in ("norm_1.g", "norm_1.t", "W_Q", "W_K", "W_V", "W_O")
    }
    mask = np.tri(6, dtype=bool)
    attended, _ = model._attend(own, {}, x, mask)
    z = x - x.mean(axis=-1, keepdims=True)
    z /= np.sqrt((z * z).mean(axis=-1, keepdims=True) + 1e-5)
    maps = (params[f"layer_0.{name}"] for name in ("W_Q", "W_K", "W_V", "W_O"))
    expected = multi_head_attention(z[0, 0], *maps, n_heads=2, rotate=rope, mask=mask).output
    np.testing.assert_allclose(attended[0, 0], x[0, 0] + expected)


def test_the_numbers_of_a_model_are_counted() -> None:
    model = Transformer(**SMALL)
    assert model.count() == sum(value[0].size for value in model.start([0, 1]).values())


@pytest.mark.parametrize(
    ("changed", "message"),
    [
        ({"vocabulary": 0}, "vocabulary is 0; allowed: an integer, at least 1"),
        ({"layers": 1.5}, "layers is 1.5; allowed: an integer, at least 1"),
        ({"d_model": 7}, "d_model is 7; allowed: an even integer, at least 2"),
        ({"d_model": 6}, "d_model is 6; allowed: a multiple of 4, an even width for each head"),
        ({"scheme": "RoPE"}, "scheme is 'RoPE'; allowed: what pedocs.lab.scheme returns"),
    ],
)
def test_a_model_of_no_size_is_refused(changed: dict[str, Any], message: str) -> None:
    with pytest.raises(ValueError, match=f"^{re.escape(message)}$"):
        Transformer(**(SMALL | changed))


@pytest.mark.parametrize(
    ("changed", "message"),
    [
        ({"seeds": []}, "seeds is []; allowed: at least one integer"),
        ({"seeds": [-1]}, "seeds is -1; allowed: an integer, at least 0"),
        ({"steps": 0}, "steps is 0; allowed: an integer, at least 1"),
        ({"length": 0}, "length is 0; allowed: an integer, at least 1"),
        ({"batch": True}, "batch is True; allowed: an integer, at least 1"),
        ({"rate": 2}, "rate is 2; allowed: a real number from 0 to 1"),
    ],
)
def test_a_wrong_setting_is_refused(changed: dict[str, Any], message: str) -> None:
    settings: dict[str, Any] = {"seeds": [0], "steps": 1, "length": 6} | changed
    with pytest.raises(ValueError, match=f"^{re.escape(message)}$"):
        train(Transformer(**SMALL), places_back, **settings)


def test_a_model_and_a_task_are_asked_for() -> None:
    with pytest.raises(ValueError, match=r"^model is 3; allowed: a Transformer$"):
        train(3, places_back, seeds=[0], steps=1, length=6)  # type: ignore[arg-type]
    with pytest.raises(ValueError, match=r"^task is 'copy'; allowed: a function of"):
        train(Transformer(**SMALL), "copy", seeds=[0], steps=1, length=6)  # type: ignore[arg-type]


def test_a_scheme_is_found_by_its_name() -> None:
    assert isinstance(scheme("RoPE", causal=True), Scheme)
    assert scheme("none") == Scheme()
    with pytest.raises(ValueError, match=r"^name is 'rope'; allowed: 'none' or 'sinusoidal'"):
        scheme("rope")
    with pytest.raises(ValueError, match=r"^causal is 1; allowed: True or False$"):
        scheme("RoPE", causal=1)  # type: ignore[arg-type]


def test_tasks_fit_the_models() -> None:
    model = Transformer(18, 8, 5, pooled=True)
    assert train(model, headlines, seeds=[0], steps=2, length=5).losses.shape == (2, 1)
