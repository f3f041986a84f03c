"""Masks: who may read whom."""

from typing import Any

import numpy as np
import pytest
from hypothesis import given, strategies as st
from numpy.testing import assert_allclose, assert_array_equal

from pedocs import (
    attention,
    causal_mask,
    document_mask,
    packed_positions,
    padding_mask,
    relative_offsets,
    sinusoidal,
    sliding_window_mask,
)

SIZES = [(1, 1), (4, 4), (1, 7), (3, 7), (0, 0), (0, 4), (6, 6)]

# Causal


def test_a_causal_mask_lets_each_query_read_back_and_itself() -> None:
    assert_array_equal(causal_mask(3), [[1, 0, 0], [1, 1, 0], [1, 1, 1]])
    assert_array_equal(causal_mask(1, 4), [[1, 1, 1, 1]])
    assert_array_equal(causal_mask(2, 4), [[1, 1, 1, 0], [1, 1, 1, 1]])


@pytest.mark.parametrize(("n_query", "n_key"), SIZES)
def test_the_causal_mask_is_the_offsets_that_are_not_ahead(n_query: int, n_key: int) -> None:
    mask = causal_mask(n_query, n_key)
    assert mask.dtype == np.bool_
    assert mask.shape == (n_query, n_key)
    assert_array_equal(mask, relative_offsets(n_query, n_key) <= 0)
    assert_array_equal(mask.sum(axis=1), np.arange(n_key - n_query, n_key) + 1)


# Sliding window


def test_a_window_of_two_is_itself_and_the_key_before() -> None:
    assert_array_equal(
        sliding_window_mask(4, window=2), [[1, 0, 0, 0], [1, 1, 0, 0], [0, 1, 1, 0], [0, 0, 1, 1]]
    )
    assert_array_equal(sliding_window_mask(2, 4, window=2), [[0, 1, 1, 0], [0, 0, 1, 1]])
    assert_array_equal(sliding_window_mask(3, window=1), np.eye(3))


@pytest.mark.parametrize("window", [1, 2, 3, 6, 7, 8, 100])
@pytest.mark.parametrize(("n_query", "n_key"), SIZES)
def test_each_query_reads_itself_and_window_less_one_keys_before(
    n_query: int, n_key: int, window: int
) -> None:
    mask = sliding_window_mask(n_query, n_key, window=window)
    assert mask.dtype == np.bool_
    assert mask.shape == (n_query, n_key)
    for row in range(n_query):
        i = n_key - n_query + row  # the last query stands at the last key
        read = [j for j in range(n_key) if mask[row, j]]
        assert read == list(range(max(0, i - window + 1), i + 1))


def test_a_window_as_wide_as_the_keys_is_the_causal_mask() -> None:
    assert_array_equal(sliding_window_mask(3, 7, window=7), causal_mask(3, 7))
    assert not sliding_window_mask(3, 7, window=6)[-1, 0]


# Padding


def test_a_padding_mask_hides_the_padded_keys_from_all_queries() -> None:
    assert_array_equal(padding_mask([False, True, True]), [[0, 1, 1]])
    real = np.array([[False, True, True], [True, True, True]])
    assert_array_equal(padding_mask(real), real[:, None, None, :])
    assert_array_equal(padding_mask(real, head_axis=True), padding_mask(real))
    assert_array_equal(padding_mask(real, head_axis=np.False_), real[:, None, :])  # type: ignore[arg-type]
    assert padding_mask(real).dtype == np.bool_


@pytest.mark.parametrize("shape", [(4,), (0,), (2, 4), (0, 4), (2, 3, 4)])
def test_the_axes_of_padding_and_document_masks(shape: tuple[int, ...]) -> None:
    *batch, n = shape
    heads = [1] if batch else []
    real, documents = np.ones(shape, bool), np.ones(shape, int)
    assert padding_mask(real).shape == (*batch, *heads, 1, n)
    assert padding_mask(real, head_axis=False).shape == (*batch, 1, n)
    assert document_mask(documents).shape == (*batch, *heads, n, n)
    assert document_mask(documents, head_axis=False).shape == (*batch, n, n)


def test_padding_on_the_left_changes_nothing_for_the_real_tokens() -> None:
    """Bug: nnsight#672, unsloth#3699, padded prompts gave other answers."""
    rng = np.random.default_rng(1)
    x = rng.normal(size=(2, 5, 4))
    real = np.arange(5) >= np.array([[0], [2]])
    mask = causal_mask(5) & padding_mask(real, head_axis=False)
    padded = attention(x, x, x, mask=mask)
    for row, pad in enumerate((0, 2)):
        alone = attention(x[row, pad:], x[row, pad:], x[row, pad:], mask=causal_mask(5 - pad))
        assert_allclose(padded.output[row, pad:], alone.output, rtol=0, atol=1e-15)
        assert_array_equal(padded.output[row, :pad], np.zeros((pad, 4)))
        assert_array_equal(padded.weights[row, :pad], np.zeros((pad, 5)))


def test_a_sequence_of_padding_alone_gives_zeros_and_no_nan() -> None:
    """Bug: mlx#2395, a fully masked row."""
    x = np.ones((2, 3, 4))
    real = np.array([[True, True, True], [False, False, False]])
    result = attention(x, x, x, mask=padding_mask(real, head_axis=False))
    assert_array_equal(result.output[1], np.zeros((3, 4)))
    assert_array_equal(result.output[0], np.ones((3, 4)))


# Packed documents


def test_documents_are_blocks_on_the_diagonal() -> None:
    assert_array_equal(
        document_mask([7, 7, -2, -2, -2]),
        [[1, 1, 0, 0, 0], [1, 1, 0, 0, 0], [0, 0, 1, 1, 1], [0, 0, 1, 1, 1], [0, 0, 1, 1, 1]],
    )
    assert document_mask([]).shape == (0, 0)
    assert document_mask([1]).dtype == np.bool_


@given(documents=st.lists(st.integers(-(2**53), 2**53), max_size=8))
def test_two_tokens_read_each_other_when_their_documents_are_one(documents: list[int]) -> None:
    mask = document_mask(documents)
    n = len(documents)
    assert mask.shape == (n, n)
    for i in range(n):
        for j in range(n):
            assert mask[i, j] == (documents[i] == documents[j])


def test_packed_documents_do_not_see_each_other_and_positions_restart() -> None:
    """Bug: torchtitan#2559 and OLMo-core#591."""
    rng = np.random.default_rng(2)
    documents = [3, 3, 3, 5, 5, 9]
    words = rng.normal(size=(6, 4))
    mask = causal_mask(6) & document_mask(documents)
    x = words + sinusoidal(packed_positions(documents), 4)
    packed = attention(x, x, x, mask=mask).output
    for part in (slice(0, 3), slice(3, 5), slice(5, 6)):
        n = part.stop - part.start
        alone = words[part] + sinusoidal(range(n), 4)
        expected = attention(alone, alone, alone, mask=causal_mask(n)).output
        assert_allclose(packed[part], expected, rtol=0, atol=1e-15)
    changed = x.copy()
    changed[:3] += 1  # another first document
    again = attention(changed, changed, changed, mask=mask).output
    assert_array_equal(again[3:], packed[3:])


# All


@pytest.mark.parametrize(
    "call",
    [
        lambda n: causal_mask(n),
        lambda n: sliding_window_mask(n, window=2),
    ],
)
def test_results_are_fresh_and_sizes_may_be_numpy_integers(call: Any) -> None:
    first = call(np.int32(3))
    kept = first.copy()
    first[...] = True
    assert_array_equal(call(3), kept)


def test_masks_do_not_share_memory_with_their_arguments() -> None:
    real = np.array([[True, False]])
    for head_axis in (True, False):
        mask = padding_mask(real, head_axis=head_axis)
        assert not np.shares_memory(mask, real)
        mask[...] = False
    assert_array_equal(real, [[True, False]])


# Refusals

SIZE = "allowed: an integer, at least 0"
TOKENS = "allowed: at least one axis, an entry for each token"
BOOLEANS = "allowed: booleans, True where an entry may be read"
INTEGERS = "allowed: an integer or an array of integers"


@pytest.mark.parametrize(
    "call",
    [causal_mask, lambda *sizes: sliding_window_mask(*sizes, window=3)],
    ids=["causal", "window"],
)
@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ((-1,), f"n_query is -1; {SIZE}"),
        ((3.0,), f"n_query is 3.0; {SIZE}"),
        ((True,), f"n_query is True; {SIZE}"),
        ((None,), f"n_query is None; {SIZE}"),
        ((3, -1), f"n_key is -1; {SIZE}"),
        ((3, 4.5), f"n_key is 4.5; {SIZE}"),
        ((5, 4), "n_query is 5 and n_key is 4; allowed: no more queries than keys"),
        ((5, 0), "n_query is 5 and n_key is 0; allowed: no more queries than keys"),
    ],
    ids=str,
)
def test_a_wrong_size_is_refused(call: Any, arguments: Any, message: str) -> None:
    with pytest.raises(ValueError) as refused:  # noqa: PT011 (the whole message is compared)
        call(*arguments)
    assert str(refused.value) == message


@pytest.mark.parametrize("window", [0, -1, 2.0, True, None, "2"])
def test_a_wrong_window_is_refused(window: Any) -> None:
    with pytest.raises(ValueError) as refused:  # noqa: PT011
        sliding_window_mask(3, window=window)
    assert str(refused.value) == f"window is {window!r}; allowed: an integer, at least 1"


@pytest.mark.parametrize(
    ("call", "arguments", "message"),
    [
        (padding_mask, {"real": [1, 0]}, f"real is [1, 0]; {BOOLEANS}"),
        (padding_mask, {"real": True}, f"real has shape (); {TOKENS}"),
        (padding_mask, {"real": [True], "head_axis": 1}, "head_axis is 1; allowed: True or False"),
        (
            padding_mask,
            {"real": [[True]], "head_axis": None},
            "head_axis is None; allowed: True or False",
        ),
        (document_mask, {"documents": [1.0, 2.0]}, f"documents is [1.0, 2.0]; {INTEGERS}"),
        (document_mask, {"documents": [True]}, f"documents is [True]; {INTEGERS}"),
        (document_mask, {"documents": 3}, f"documents has shape (); {TOKENS}"),
        (
            document_mask,
            {"documents": [3], "head_axis": "no"},
            "head_axis is 'no'; allowed: True or False",
        ),
    ],
    ids=str,
)
def test_masks_refuse_by_name(call: Any, arguments: Any, message: str) -> None:
    with pytest.raises(ValueError) as refused:  # noqa: PT011
        call(**arguments)
    assert str(refused.value) == message
