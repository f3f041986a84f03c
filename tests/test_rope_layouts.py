"""Weights from one layout of rotary pairs to the other."""

from typing import Any

import numpy as np
import pytest
from hypothesis import given, strategies as st
from numpy.testing import assert_allclose, assert_array_equal

from pedocs import half_split_to_interleaved, interleaved_to_half_split, rope

RNG = np.random.default_rng(3)
BOTH: list[Any] = [half_split_to_interleaved, interleaved_to_half_split]


@pytest.mark.parametrize(
    ("heads", "head_dim", "rotary_dim"), [(1, 2, None), (3, 8, None), (2, 10, 6), (2, 5, 4), (4, 8, 8)]
)  # fmt: skip
def test_every_row_goes_where_its_pair_is(
    heads: int, head_dim: int, rotary_dim: int | None
) -> None:
    old = RNG.standard_normal((heads * head_dim, 4))
    width = rotary_dim or head_dim
    new = interleaved_to_half_split(old, head_dim=head_dim, axis=0, rotary_dim=rotary_dim)
    back = half_split_to_interleaved(old, head_dim=head_dim, axis=0, rotary_dim=rotary_dim)
    for head in range(heads):
        first = head * head_dim
        for m in range(width // 2):
            assert_array_equal(new[first + m], old[first + 2 * m])
            assert_array_equal(new[first + m + width // 2], old[first + 2 * m + 1])
            assert_array_equal(back[first + 2 * m], old[first + m])
            assert_array_equal(back[first + 2 * m + 1], old[first + m + width // 2])
        for rest in range(width, head_dim):
            assert_array_equal(new[first + rest], old[first + rest])
            assert_array_equal(back[first + rest], old[first + rest])


def test_golden_orders() -> None:
    w = np.arange(8)
    assert interleaved_to_half_split(w, head_dim=8, axis=0).tolist() == [0, 2, 4, 6, 1, 3, 5, 7]
    assert half_split_to_interleaved(w, head_dim=8, axis=0).tolist() == [0, 4, 1, 5, 2, 6, 3, 7]
    assert half_split_to_interleaved(w, head_dim=4, axis=0).tolist() == [0, 2, 1, 3, 4, 6, 5, 7]


def test_equals_the_conversion_of_llama() -> None:
    """What transformers does to a query or key weight of `heads` heads, in numpy's words."""
    heads, head_dim, d_model = 3, 8, 5
    w = RNG.standard_normal((heads * head_dim, d_model))
    pairs = w.reshape(heads, head_dim // 2, 2, d_model)
    expected = np.swapaxes(pairs, 1, 2).reshape(w.shape)
    assert_array_equal(interleaved_to_half_split(w, head_dim=head_dim, axis=0), expected)


@given(
    st.integers(1, 3), st.integers(1, 5).map(lambda m: 2 * m), st.integers(0, 3), st.integers(-2, 1)
)
def test_the_two_undo_each_other(heads: int, rotary_dim: int, rest: int, axis: int) -> None:
    head_dim = rotary_dim + rest
    shape = [4, 4]
    shape[axis] = heads * head_dim
    w = np.random.default_rng(heads).standard_normal(shape)
    for there, back in (BOTH, BOTH[::-1]):
        moved = there(w, head_dim=head_dim, axis=axis, rotary_dim=rotary_dim)
        assert_array_equal(back(moved, head_dim=head_dim, axis=axis, rotary_dim=rotary_dim), w)


@pytest.mark.parametrize("rotary_dim", [None, 4])
def test_bug_half_split_or_interleaved_weights(rotary_dim: int | None) -> None:
    """Permuted weights give the same scores in the other layout; without, others."""
    heads, head_dim, n = 2, 6, 5
    x = RNG.standard_normal((n, 7))
    w_q, w_k = RNG.standard_normal((2, 7, heads * head_dim))

    def scores(w_q: Any, w_k: Any, layout: Any) -> Any:
        q, k = (
            rope(
                (x @ w).reshape(n, heads, head_dim).swapaxes(0, 1),
                range(n),
                layout=layout,
                rotary_dim=rotary_dim,
            )
            for w in (w_q, w_k)
        )
        return q @ k.swapaxes(-1, -2)

    before = scores(w_q, w_k, "interleaved")
    moved = [
        interleaved_to_half_split(w, head_dim=head_dim, axis=1, rotary_dim=rotary_dim)
        for w in (w_q, w_k)
    ]
    assert_allclose(scores(moved[0], moved[1], "half-split"), before, rtol=0, atol=1e-12)
    assert not np.allclose(scores(w_q, w_k, "half-split"), before)
    assert not np.allclose(scores(moved[0], w_k, "half-split"), before)


@pytest.mark.parametrize("convert", BOTH)
@pytest.mark.parametrize("axis", [0, 1, 2, -1, -2, -3])
def test_the_axis_is_the_one_that_is_named(convert: Any, axis: int) -> None:
    w = RNG.standard_normal((4, 8, 12))
    moved = convert(w, head_dim=4, axis=axis)
    expected = np.moveaxis(convert(np.moveaxis(w, axis, 0), head_dim=4, axis=0), 0, axis)
    assert_array_equal(moved, expected)
    assert not np.array_equal(moved, w)


@pytest.mark.parametrize("convert", BOTH)
@pytest.mark.parametrize("dtype", [np.int8, np.float16, np.float32, np.float64, ">f4"])
def test_the_result_is_a_copy_of_the_same_dtype(convert: Any, dtype: Any) -> None:
    w = np.arange(2).astype(dtype)
    moved = convert(w, head_dim=2, axis=0)  # the order of one pair is its own
    assert moved.dtype == w.dtype
    assert_array_equal(moved, w)
    assert not np.shares_memory(moved, w)
    assert convert([1, 2, 3, 4], head_dim=4, axis=0).dtype == np.int64
    assert convert(np.empty((0, 3)), head_dim=4, axis=0).shape == (0, 3)


@pytest.mark.parametrize("convert", BOTH)
@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"w": [True] * 8}, "w is [True, True, True, True, True, True, True, True]; "
         "allowed: a real number or an array of real numbers"),
        ({"w": [0.0] * 7 + [np.nan]}, "w holds nan; allowed: finite real numbers"),
        ({"w": np.zeros((3, 9)), "axis": 1}, "w has shape (3, 9); allowed: a multiple of head_dim,"
         " 4, along axis 1"),
        ({"w": 1.0}, "axis is 0; allowed: an axis of w, whose shape is ()"),
        ({"axis": 1}, "axis is 1; allowed: an axis of w, whose shape is (8,)"),
        ({"axis": -2}, "axis is -2; allowed: an axis of w, whose shape is (8,)"),
        ({"axis": 0.0}, "axis is 0.0; allowed: an integer"),
        ({"head_dim": 1}, "head_dim is 1; allowed: an integer, at least 2"),
        ({"head_dim": 5}, "head_dim is 5; allowed: an even integer, at least 2"),
        ({"head_dim": 4.0}, "head_dim is 4.0; allowed: an integer, at least 2"),
        ({"rotary_dim": 3}, "rotary_dim is 3; allowed: an even integer, at least 2"),
        ({"rotary_dim": 0}, "rotary_dim is 0; allowed: an even integer, at least 2"),
        ({"rotary_dim": 6}, "rotary_dim is 6; allowed: an even integer from 2 to 4, the head_dim"),
    ],
)  # fmt: skip
def test_refusals(convert: Any, arguments: dict[str, Any], message: str) -> None:
    with pytest.raises(ValueError) as refusal:  # noqa: PT011
        convert(**{"w": np.zeros(8), "head_dim": 4, "axis": 0, **arguments})
    assert str(refusal.value) == message
