"""Positions of tokens in rows with padding and in rows of packed documents."""

from typing import Any

import numpy as np
import pytest
from hypothesis import given, strategies as st
from numpy.testing import assert_array_equal

from pedocs import packed_positions, padded_positions, sinusoidal

T, F = True, False

# Padding


def slowly_padded(row: list[bool], start: int, padding: int) -> list[int]:
    """One token after another, with a counter."""
    positions, counter = [], start
    for real in row:
        positions.append(counter if real else padding)
        counter += real
    return positions


def test_padding_on_either_side_is_skipped() -> None:
    assert_array_equal(padded_positions([F, F, T, T, T]), [0, 0, 0, 1, 2])
    assert_array_equal(padded_positions([T, T, T, F, F]), [0, 1, 2, 0, 0])
    assert_array_equal(padded_positions([T, F, T, F, T]), [0, 0, 1, 0, 2])


@pytest.mark.parametrize(
    ("start", "padding", "left", "right"),
    [
        (2, 1, [1, 1, 2, 3, 4], [2, 3, 4, 1, 1]),  # fairseq and RoBERTa with pad 1; OPT
        (1, 0, [0, 0, 1, 2, 3], [1, 2, 3, 0, 0]),  # fairseq with pad 0; DETR's rows and columns
        (0, -1, [-1, -1, 0, 1, 2], [0, 1, 2, -1, -1]),  # fairseq with pad -1
        (0, 0, [0, 0, 0, 1, 2], [0, 1, 2, 0, 0]),  # BLOOM; generation in transformers 5
        (0, 1, [1, 1, 0, 1, 2], [0, 1, 2, 1, 1]),  # generation in transformers 4
        (5, 9, [9, 9, 5, 6, 7], [5, 6, 7, 9, 9]),
        (2**53, -(2**53), [-(2**53)] * 2 + [2**53, 2**53 + 1, 2**53 + 2], None),
    ],
)
def test_the_start_and_the_position_of_padding_are_explicit(
    start: int, padding: int, left: Any, right: Any
) -> None:
    """The bugs of fairseq#1177 and #1187: positions that start at pad + 1 by surprise."""
    assert_array_equal(padded_positions([F, F, T, T, T], start=start, padding=padding), left)
    if right:
        assert_array_equal(padded_positions([T, T, T, F, F], start=start, padding=padding), right)


def test_left_padding_does_not_move_a_text() -> None:
    """The bug of left padding: the same text, encoded as in the row without padding."""
    text = sinusoidal(padded_positions([T] * 4), 8)
    for pads in range(4):
        row = padded_positions([F] * pads + [T] * 4)
        assert_array_equal(sinusoidal(row, 8)[pads:], text)


def test_a_cached_prefix_moves_the_start() -> None:
    whole = padded_positions([F, T, T, T, T, T], start=2, padding=1)
    assert_array_equal(padded_positions([T, T], start=2 + 3, padding=1), whole[4:])


@given(st.lists(st.booleans(), max_size=12), st.integers(-5, 5), st.integers(-5, 5))
def test_every_position_counts_the_tokens_before(row: list[bool], start: int, padding: int) -> None:
    real = np.array(row, dtype=bool)
    positions = padded_positions(real, start=start, padding=padding)
    assert positions.tolist() == slowly_padded(row, start, padding)


@given(st.lists(st.booleans(), max_size=12), st.integers(-5, 5))
def test_the_real_tokens_count_up_from_the_start(row: list[bool], start: int) -> None:
    real = np.array(row, dtype=bool)
    positions = padded_positions(real, start=start)
    assert_array_equal(positions[real], start + np.arange(real.sum()))
    assert_array_equal(positions[~real], 0)


def test_the_defaults_of_padding() -> None:
    real = [F, T, T]
    assert_array_equal(padded_positions(real), padded_positions(real, start=0, padding=0))


# Packing


def slowly_packed(row: list[int], start: int) -> list[int]:
    positions: list[int] = []
    for i, document in enumerate(row):
        fresh = i == 0 or document != row[i - 1]
        positions.append(start if fresh else positions[-1] + 1)
    return positions


@st.composite
def packings(draw: st.DrawFn) -> list[int]:
    """Lengths of documents, and a number for each that no other has."""
    lengths = draw(st.lists(st.integers(1, 4), max_size=5))
    count = len(lengths)
    numbers = draw(st.lists(st.integers(-9, 9), min_size=count, max_size=count, unique=True))
    return [n for n, length in zip(numbers, lengths, strict=True) for _ in range(length)]


def test_positions_begin_anew_in_each_document() -> None:
    assert_array_equal(packed_positions([7, 7, 7, 8, 8, 9]), [0, 1, 2, 0, 1, 0])
    assert_array_equal(packed_positions([7, 7, 7, 8, 8, 9], start=2), [2, 3, 4, 2, 3, 2])
    assert_array_equal(packed_positions([5]), [0])
    assert_array_equal(packed_positions([3, 1, 2]), [0, 0, 0])
    assert_array_equal(packed_positions([4, 4, -1, -1, -1], start=-3), [-3, -2, -3, -2, -1])


def test_a_packed_document_is_encoded_as_if_it_stood_alone() -> None:
    """The bug of torchtitan#2559 and OLMo-core#591: positions that run on into the next."""
    packed = sinusoidal(packed_positions([0] * 20 + [1] * 20), 8)
    assert_array_equal(packed[20:], packed[:20])
    assert_array_equal(packed[:20], sinusoidal(np.arange(20), 8))


@given(packings(), st.integers(-5, 5))
def test_every_position_counts_from_the_first_token_of_its_document(
    row: list[int], start: int
) -> None:
    assert packed_positions(row, start=start).tolist() == slowly_packed(row, start)


@given(packings())
def test_the_positions_tell_the_documents_apart(row: list[int]) -> None:
    """A kernel for packed rows finds the boundaries where a position is not one further on."""
    positions = packed_positions(row)
    jumps = np.diff(positions) != 1
    assert_array_equal(jumps, np.diff(np.array(row, dtype=int)) != 0)


@given(packings(), st.data())
def test_a_document_in_two_places_is_refused(row: list[int], data: st.DataObject) -> None:
    if len(set(row)) < 2:
        return
    again = data.draw(st.sampled_from([n for n in row if n != row[-1]]))
    with pytest.raises(ValueError) as refused:  # noqa: PT011 (the whole message is compared)
        packed_positions([*row, again])
    assert str(refused.value) == (
        f"documents holds {again} in two places; allowed: the tokens of a document side by side"
    )


def test_the_refused_document_is_the_one_in_two_places_of_its_own_row() -> None:
    with pytest.raises(ValueError) as refused:  # noqa: PT011
        packed_positions([[[1, 1, 2, 3], [4, 5, 6, 7]], [[8, 9, 9, 8], [8, 7, 8, 8]]])
    assert str(refused.value) == (
        "documents holds 8 in two places; allowed: the tokens of a document side by side"
    )
    # Each row counts its own documents, so the same number may stand in two rows.
    assert_array_equal(packed_positions([[1, 2, 2], [2, 2, 1]]), [[0, 0, 1], [0, 1, 0]])


def test_the_default_of_packing() -> None:
    assert_array_equal(packed_positions([1, 1, 2]), packed_positions([1, 1, 2], start=0))


# Inputs and outputs


@pytest.mark.parametrize("shape", [(0,), (1,), (5,), (2, 5), (5, 2), (3, 2, 4), (2, 0), (0, 3)])
def test_tokens_stand_in_the_last_axis_whatever_the_shape(shape: tuple[int, ...]) -> None:
    """The bug of the batch axis: two rows of five tokens are not five rows of two."""
    rng = np.random.default_rng(1)
    real = rng.random(shape) < 0.6
    documents = np.sort(rng.integers(0, 3, shape), axis=-1)
    padded = padded_positions(real, start=3, padding=1)
    packed = packed_positions(documents, start=3)
    assert padded.shape == packed.shape == shape
    assert padded.dtype == packed.dtype == np.int64
    for row in np.ndindex(shape[:-1]):
        assert padded[row].tolist() == slowly_padded(real[row].tolist(), 3, 1)
        assert packed[row].tolist() == slowly_packed(documents[row].tolist(), 3)


@pytest.mark.parametrize("dtype", [np.int8, np.uint8, np.int32, np.uint64, ">i4"])
def test_the_type_of_the_numbers_does_not_matter(dtype: Any) -> None:
    positions = packed_positions(np.array([2, 2, 1, 100, 100, 100], dtype))
    assert positions.dtype == np.int64
    assert_array_equal(positions, [0, 1, 0, 0, 1, 2])


def test_numbers_beyond_int64_are_still_told_apart() -> None:
    documents = np.array([2**64 - 1, 2**64 - 1, 2**64 - 2], np.uint64)
    assert_array_equal(packed_positions(documents), [0, 1, 0])


@pytest.mark.parametrize("start", [3, np.int8(3), np.array(3)])
def test_settings_may_be_numpy_integers(start: Any) -> None:
    padded = padded_positions([F, T, T], start=start, padding=start)
    assert_array_equal(padded, [3, 3, 4])
    assert padded.dtype == np.int64
    assert_array_equal(packed_positions([1, 1], start=start), [3, 4])


def test_empty_lists_are_rows_without_tokens() -> None:
    assert_array_equal(packed_positions([]), np.zeros(0, np.int64))
    assert_array_equal(packed_positions([[], []]), np.zeros((2, 0), np.int64))
    assert packed_positions([]).dtype == np.int64


def test_arguments_are_left_as_they_were_and_results_stand_alone() -> None:
    real, documents = np.array([F, T, T]), np.array([1, 1, 2])
    for call, argument in ((padded_positions, real), (packed_positions, documents)):
        kept = argument.copy()
        first: Any = call(argument)
        wanted = first.copy()
        first[...] = 9
        assert_array_equal(argument, kept)
        assert_array_equal(call(argument), wanted)
        assert not np.shares_memory(call(argument), argument)


def test_a_strided_argument_is_read_as_it_looks() -> None:
    documents = np.array([1, 0, 1, 0, 2, 0, 2])
    assert_array_equal(packed_positions(documents[::2]), [0, 1, 0, 1])
    assert_array_equal(padded_positions((documents == 2)[::-2]), [0, 1, 0, 0])


# Refusals

MASK = "allowed: booleans, True where an entry may be read"
NUMBERS = "allowed: an integer or an array of integers"
AXIS = "allowed: at least one axis, the last for the tokens"


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: padded_positions([1, 0]), f"real is [1, 0]; {MASK}"),
        (
            lambda: padded_positions(np.ones(3)),
            f"real is an array of float64 with shape (3,); {MASK}",
        ),
        (lambda: padded_positions([]), f"real is []; {MASK}"),
        (lambda: padded_positions([[T], [T, F]]), f"real is [[True], [True, False]]; {MASK}"),
        (lambda: padded_positions(True), f"real has shape (); {AXIS}"),
        (lambda: padded_positions([T], start=0.5), "start is 0.5; allowed: an integer"),  # type: ignore[arg-type]
        (lambda: padded_positions([T], start=True), "start is True; allowed: an integer"),
        (
            lambda: padded_positions([T], start=2**53 + 1),
            f"start is {2**53 + 1}; allowed: an integer, up to 2^53 in size",
        ),
        (lambda: padded_positions([T], padding=1.0), "padding is 1.0; allowed: an integer"),  # type: ignore[arg-type]
        (lambda: padded_positions([T], padding=None), "padding is None; allowed: an integer"),  # type: ignore[arg-type]
        (
            lambda: padded_positions([T], padding=-(2**53) - 1),
            f"padding is {-(2**53) - 1}; allowed: an integer, up to 2^53 in size",
        ),
        (lambda: packed_positions([1.0, 2.0]), f"documents is [1.0, 2.0]; {NUMBERS}"),
        (lambda: packed_positions([T, F]), f"documents is [True, False]; {NUMBERS}"),
        (
            lambda: packed_positions(np.ones((2, 3))),
            f"documents is an array of float64 with shape (2, 3); {NUMBERS}",
        ),
        (
            lambda: packed_positions(np.ones(0)),
            f"documents is an array of float64 with shape (0,); {NUMBERS}",
        ),
        (lambda: packed_positions([10**30]), f"documents is [{10**30}]; {NUMBERS}"),
        (lambda: packed_positions([[1], [1, 2]]), f"documents is [[1], [1, 2]]; {NUMBERS}"),
        (lambda: packed_positions("ab"), f"documents is 'ab'; {NUMBERS}"),
        (lambda: packed_positions(7), f"documents has shape (); {AXIS}"),
        (lambda: packed_positions([7], start="0"), "start is '0'; allowed: an integer"),  # type: ignore[arg-type]
        (
            lambda: packed_positions([7], start=2**53 + 1),
            f"start is {2**53 + 1}; allowed: an integer, up to 2^53 in size",
        ),
        (
            lambda: packed_positions([0, 1, 0]),
            "documents holds 0 in two places; allowed: the tokens of a document side by side",
        ),
    ],
)
def test_a_wrong_argument_is_named(call: Any, message: str) -> None:
    with pytest.raises(ValueError) as refused:  # noqa: PT011
        call()
    assert str(refused.value) == message


def test_settings_are_given_by_name() -> None:
    with pytest.raises(TypeError):
        padded_positions([T], 0)  # type: ignore[call-arg]
    with pytest.raises(TypeError):
        packed_positions([1], 0)  # type: ignore[call-arg]
