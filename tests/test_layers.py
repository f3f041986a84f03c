"""Which layers rotate."""

from typing import Any

import numpy as np
import pytest
from hypothesis import given, strategies as st
from numpy.testing import assert_array_equal

from pedocs import rope_layers


def test_layers_4_and_8_are_off() -> None:
    """`no_rope_layers[i] = 1` means "rotates" in configuration files: here True does."""
    layers = rope_layers(9, nope_every=4)
    assert layers.dtype == np.bool_
    off = [number for number in range(1, 10) if not layers[number - 1]]
    assert off == [4, 8]


@given(st.integers(0, 100), st.integers(1, 12))
def test_every_so_many_layers_go_without(n_layers: int, nope_every: int) -> None:
    layers = rope_layers(n_layers, nope_every=nope_every)
    assert layers.shape == (n_layers,)
    for index in range(n_layers):
        assert layers[index] == ((index + 1) % nope_every != 0)


def test_with_one_no_layer_rotates_and_beyond_the_depth_all_do() -> None:
    assert not rope_layers(5, nope_every=1).any()
    assert rope_layers(5, nope_every=6).all()


def test_editing_a_result_does_not_change_the_next_one() -> None:
    rope_layers(4, nope_every=4)[:] = False
    assert_array_equal(rope_layers(4, nope_every=4), [True, True, True, False])


@pytest.mark.parametrize(
    ("given_", "message"),
    [
        ({"n_layers": -1}, "n_layers is -1; allowed: an integer, at least 0"),
        ({"n_layers": 4.0}, "n_layers is 4.0; allowed: an integer, at least 0"),
        ({"n_layers": True}, "n_layers is True; allowed: an integer, at least 0"),
        ({"nope_every": 0}, "nope_every is 0; allowed: an integer, at least 1"),
        ({"nope_every": None}, "nope_every is None; allowed: an integer, at least 1"),
    ],
)
def test_a_wrong_argument_is_named(given_: Any, message: str) -> None:
    with pytest.raises(ValueError) as refused:  # noqa: PT011 (the whole message is compared)
        rope_layers(**{"n_layers": 4, "nope_every": 4, **given_})
    assert str(refused.value) == message
    with pytest.raises(TypeError):
        rope_layers(4, 4)  # type: ignore[call-arg]
