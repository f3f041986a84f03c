"""Every gradient of the lab against finite differences."""

import re
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from pedocs.lab import SCHEMES, Transformer, gradient_errors, scheme
from pedocs.lab._biases import T5
from pedocs.lab._losses import loss
from pedocs.lab._relative import Shaw

TINY: dict[str, Any] = {"vocabulary": 4, "outputs": 3, "length": 5, "d_model": 4, "heads": 2}


def tiny(name: str, *, causal: bool) -> Transformer:
    """Two layers, and tables so small that offsets are clipped and share buckets."""
    chosen = scheme(name, causal=causal)
    if isinstance(chosen, Shaw):
        chosen = replace(chosen, max_distance=2)
    if isinstance(chosen, T5):
        chosen = replace(chosen, num_buckets=4, max_distance=3)
    return Transformer(**TINY, scheme=chosen, pooled=not causal, layers=2, hidden=3)


@pytest.mark.parametrize("causal", [False, True])
@pytest.mark.parametrize("name", SCHEMES)
def test_the_gradient_of_every_parameter_is_that_of_the_loss(name: str, causal: bool) -> None:
    model = tiny(name, causal=causal)
    errors = gradient_errors(model)
    assert errors.keys() == model.shapes().keys()
    assert max(errors.values()) < 1e-6, errors


@pytest.mark.parametrize("name", ["learned", "Shaw", "Transformer-XL", "T5", "KERPLE"])
def test_a_scheme_that_learns_has_a_gradient(name: str) -> None:
    model = tiny(name, causal=True)
    params = model.start([0])
    tokens = np.random.default_rng(1).integers(4, size=(1, 3, 5))
    _, gradient = model.loss_and_gradient(params, tokens, tokens % 3)
    of_scheme = [key for key in gradient if key.startswith("scheme.")]
    assert of_scheme
    assert all(np.abs(gradient[key]).max() > 1e-6 for key in of_scheme)


def test_the_gradient_of_a_squared_error() -> None:
    model = Transformer(**(TINY | {"outputs": 1}))
    assert max(gradient_errors(model, seed=3).values()) < 1e-6


def test_a_wrong_gradient_is_seen(monkeypatch: pytest.MonkeyPatch) -> None:
    right = Shaw.scores

    def wrong(self: Shaw, params: Any, q: Any, k: Any) -> Any:
        scores, back = right(self, params, q, k)

        def half(dS: Any) -> Any:
            dq, dk, grads = back(dS)
            return dq, dk, {name: value / 2 for name, value in grads.items()}

        return scores, half

    monkeypatch.setattr(Shaw, "scores", wrong)
    errors = gradient_errors(tiny("Shaw", causal=False))
    assert {name for name, error in errors.items() if error > 1e-6} == {"scheme.key_table"}


def test_a_target_that_does_not_count_has_no_part_in_the_loss() -> None:
    outputs = np.random.default_rng(0).normal(size=(1, 1, 3, 4))
    all_three, _ = loss(outputs[:, :, :2], np.array([[[1, 2]]]))
    one_left_out, back = loss(outputs, np.array([[[1, 2, -1]]]))
    np.testing.assert_allclose(one_left_out, all_three)
    assert (back()[:, :, 2] == 0).all()


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"seed": -1}, "seed is -1; allowed: an integer, at least 0"),
        ({"batch": 0}, "batch is 0; allowed: an integer, at least 1"),
        ({"length": 2.0}, "length is 2.0; allowed: an integer, at least 1"),
        ({"step": 1.0}, "step is 1.0; allowed: a real number from 1e-08 to 0.01"),
    ],
)
def test_a_wrong_argument_is_refused(arguments: dict[str, Any], message: str) -> None:
    with pytest.raises(ValueError, match=f"^{re.escape(message)}$"):
        gradient_errors(Transformer(**TINY), **arguments)


def test_what_is_no_model_is_refused() -> None:
    with pytest.raises(ValueError, match=r"^model is 'RoPE'; allowed: a Transformer$"):
        gradient_errors("RoPE")  # type: ignore[arg-type]
