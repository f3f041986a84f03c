"""Each experiment in small: fewer steps and seeds, and the same finding."""

import json
from typing import Any

import numpy as np
import pytest

from pedocs.lab import SCHEMES, Transformer, held_out_headlines, scheme
from pedocs.lab._experiments import _read, count, lengths, order


def last_loss(run: dict[str, Any]) -> float:
    return float(np.mean([losses[-1] for losses in run["loss"]]))


def test_order_is_seen_by_a_scheme_that_tells_the_sides_apart() -> None:
    names = ("ALiBi", "one-sided ALiBi", "RoPE")
    found = order(steps=120, seeds=(0, 1), names=names)
    runs = found["runs"]
    assert list(runs) == list(names)
    assert max(runs["ALiBi"]["accuracy"]) <= 0.5
    assert last_loss(runs["ALiBi"]) > 0.6
    for seeing in ("one-sided ALiBi", "RoPE"):
        assert min(runs[seeing]["accuracy"]) > 0.8
    assert json.loads(json.dumps(found)) == found


@pytest.mark.parametrize("name", ["none", "ALiBi", "KERPLE"])
def test_no_weights_whatever_see_the_order_through_a_mirror(name: str) -> None:
    tokens, ahead = held_out_headlines(4)
    model = Transformer(18, 8, 4, scheme=scheme(name), pooled=True, layers=2)
    params = {key: 3 * value for key, value in model.start(range(5)).items()}
    outputs = _read(model, params, tokens)
    np.testing.assert_allclose(outputs, _read(model, params, tokens[:, ::-1]), atol=1e-9)
    assert ((outputs.argmax(axis=-1) == ahead).mean(axis=-1) <= 0.5).all()


def test_train_short_test_long() -> None:
    names = ("learned", "RoPE", "KERPLE")
    found = lengths(steps=120, seeds=(0, 1), names=names, times=(1, 4))
    back, latest = (found["runs"][task] for task in ("places back", "latest mark"))
    assert list(back) == list(names)
    for name in ("learned", "RoPE"):
        assert min(back[name]["accuracy"]["1"]) > 0.8
    assert back["learned"]["accuracy"]["4"] is None
    assert back["learned"]["refused"].startswith("positions holds 16; allowed: integers from 0")
    assert back["RoPE"]["refused"] is None
    assert max(back["RoPE"]["accuracy"]["4"]) < 0.8
    assert max(back["KERPLE"]["accuracy"]["1"]) < 0.6
    assert min(latest["KERPLE"]["accuracy"]["4"]) > 0.8
    assert json.loads(json.dumps(found)) == found


def test_counting_takes_a_mask_and_a_start_token() -> None:
    found = count(steps=250, seeds=(0, 1))
    runs = found["runs"]
    assert max(runs["decoder"]["error"]) < 0.5
    assert min(runs["no start token"]["error"]) > 1.5
    assert min(runs["encoder"]["error"]) > 3.4
    said = np.array(runs["decoder"]["said"])
    assert said.shape == (2, found["counted"])
    assert (said[:, -1] < 24).all()
    assert json.loads(json.dumps(found)) == found


def test_the_schemes_have_the_names_of_the_book() -> None:
    assert list(SCHEMES)[:3] == ["none", "sinusoidal", "learned"]
