"""Scaled dot-product attention and its softmax."""

import math
from typing import Any

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from pedocs import attention, causal_mask, relative_offsets, sinusoidal, softmax

INF = math.inf


def by_hand(q: Any, k: Any, v: Any, bias: Any, mask: Any, scale: float) -> Any:
    """Attention of one head, one number at a time."""
    n_query, n_key, d_v = len(q), len(k), v.shape[1]
    output, weights = np.zeros((n_query, d_v)), np.zeros((n_query, n_key))
    scores = np.full((n_query, n_key), -INF)
    for i in range(n_query):
        read = [j for j in range(n_key) if mask[i, j]]
        for j in read:
            scores[i, j] = scale * sum(a * b for a, b in zip(q[i], k[j], strict=True)) + bias[i, j]
        total = sum(math.exp(scores[i, j]) for j in read)
        for j in read:
            weights[i, j] = math.exp(scores[i, j]) / total
            output[i] += weights[i, j] * v[j]
    return output, weights, scores


# Softmax


def test_softmax_of_three_scores() -> None:
    total = math.exp(1) + math.exp(2) + math.exp(3)
    expected = [math.exp(1) / total, math.exp(2) / total, math.exp(3) / total]
    assert_allclose(softmax([1, 2, 3]), expected, rtol=1e-15)
    assert softmax([1, 2, 3]).dtype == np.float64


@pytest.mark.parametrize("shape", [(1,), (5,), (3, 4), (2, 3, 4), (2, 1, 3, 2)])
def test_weights_are_positive_and_add_up_to_one_along_the_axis(shape: tuple[int, ...]) -> None:
    x = np.random.default_rng(3).normal(scale=3, size=shape)
    for axis in range(-len(shape), len(shape)):
        weights = softmax(x, axis=axis)
        assert weights.shape == shape
        assert (weights > 0).all()
        assert_allclose(weights.sum(axis=axis), 1, rtol=1e-14)
        exponentials = np.exp(x)
        expected = exponentials / exponentials.sum(axis=axis, keepdims=True)
        assert_allclose(weights, expected, rtol=1e-13)
    assert_array_equal(softmax(x), softmax(x, axis=len(shape) - 1))


@pytest.mark.parametrize("shift", [1000.0, -1000.0, 1e15])
def test_a_common_shift_changes_nothing_and_does_not_overflow(shift: float) -> None:
    x = np.array([0.0, 1.0, 3.0])
    assert_allclose(softmax(x + shift), softmax(x), rtol=1e-15)


@pytest.mark.parametrize(
    ("x", "expected"),
    [
        ([1.7e308, -1.7e308], [1, 0]),
        ([-1.7e308, -1.7e308], [0.5, 0.5]),
        ([0, -800], [1, 0]),
        ([-INF, 0, 0], [0, 0.5, 0.5]),
        ([-INF, -INF], [0, 0]),
        ([[-INF, -INF], [-INF, 7]], [[0, 0], [0, 1]]),
        ([], []),
        (np.zeros((0, 3)), np.zeros((0, 3))),
        (np.zeros((3, 0)), np.zeros((3, 0))),
    ],
)
def test_extreme_scores_give_no_warning(x: Any, expected: Any) -> None:
    with np.errstate(all="raise"):
        assert_array_equal(softmax(x), np.array(expected, dtype=float))


def test_what_where_leaves_out_gets_nothing_and_counts_for_nothing() -> None:
    x = [[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]]
    weights = softmax(x, where=[[True, False, True], [False, False, False]])
    assert weights[0, 1] == 0
    assert_allclose(weights[0, [0, 2]], softmax([1.0, 3.0]), rtol=1e-15)
    assert_array_equal(weights[1], [0, 0, 0])


@pytest.mark.parametrize("hidden", [math.nan, INF, -INF, 1e308])
def test_what_where_leaves_out_is_not_looked_at(hidden: float) -> None:
    assert_array_equal(softmax([hidden, 1.0, 1.0], where=[False, True, True]), [0, 0.5, 0.5])


def test_where_broadcasts_to_the_scores() -> None:
    x = np.arange(6.0).reshape(2, 3)
    assert_array_equal(softmax(x, where=[True, True, False])[:, 2], [0, 0])
    assert_array_equal(softmax(x, where=[[True], [False]])[1], [0, 0, 0])
    assert_array_equal(softmax(x, where=True), softmax(x))
    assert_array_equal(softmax(x, axis=0, where=[[True], [False]]), [[1, 1, 1], [0, 0, 0]])


@pytest.mark.parametrize("x", [[0, 1], (0, 1), np.array([0, 1], np.int8), np.array([0, 1], "f2")])
def test_softmax_takes_any_real_numbers(x: Any) -> None:
    assert_array_equal(softmax(x), softmax([0.0, 1.0]))
    assert_array_equal(softmax(x, where=[True, True]), softmax([0.0, 1.0]))


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"x": [0, math.nan]}, "x holds nan; allowed: finite real numbers or -inf"),
        ({"x": [0, INF]}, "x holds inf; allowed: finite real numbers or -inf"),
        ({"x": [1j]}, "x is [1j]; allowed: a real number or an array of real numbers"),
        ({"x": [True]}, "x is [True]; allowed: a real number or an array of real numbers"),
        ({"x": "scores"}, "x is 'scores'; allowed: a real number or an array of real numbers"),
        ({"x": 3.0}, "axis is -1; allowed: an axis of x, whose shape is ()"),
        ({"axis": 1}, "axis is 1; allowed: an axis of x, whose shape is (2,)"),
        ({"axis": -2}, "axis is -2; allowed: an axis of x, whose shape is (2,)"),
        ({"axis": None}, "axis is None; allowed: an integer"),
        ({"axis": 0.0}, "axis is 0.0; allowed: an integer"),
        ({"axis": True}, "axis is True; allowed: an integer"),
        ({"axis": (0,)}, "axis is (0,); allowed: an integer"),
        ({"where": [1, 0]}, "where is [1, 0]; allowed: booleans, True where an entry may be read"),
        ({"where": "all"}, "where is 'all'; allowed: booleans, True where an entry may be read"),
        (
            {"where": [[True], [True, False]]},
            "where is [[True], [True, False]]; allowed: booleans, True where an entry may be read",
        ),
        (
            {"where": [True, True, True]},
            "where has shape (3,); allowed: one that broadcasts to the shape of x, (2,)",
        ),
        (
            {"where": [[True, True], [True, True]]},
            "where has shape (2, 2); allowed: one that broadcasts to the shape of x, (2,)",
        ),
    ],
    ids=str,
)
def test_softmax_refuses_by_name(arguments: Any, message: str) -> None:
    with pytest.raises(ValueError) as refused:  # noqa: PT011 (the whole message is compared)
        softmax(**{"x": [0.0, 1.0], **arguments})
    assert str(refused.value) == message


# Attention


@pytest.mark.parametrize(
    ("n_query", "n_key", "d_k", "d_v"), [(1, 1, 1, 1), (3, 3, 4, 4), (2, 5, 3, 6), (4, 2, 8, 1)]
)
@pytest.mark.parametrize("scale", [None, 1, 0.25, 0, -2.0])
@pytest.mark.parametrize("biased", [False, True])
@pytest.mark.parametrize("masked", [False, True])
def test_equals_attention_by_hand(
    n_query: int, n_key: int, d_k: int, d_v: int, scale: Any, biased: bool, masked: bool
) -> None:
    rng = np.random.default_rng(n_query + n_key)
    q, k, v = (rng.normal(size=s) for s in [(n_query, d_k), (n_key, d_k), (n_key, d_v)])
    bias = rng.normal(size=(n_query, n_key))
    mask = rng.random((n_query, n_key)) < 0.6
    result = attention(
        q, k, v, bias=bias if biased else None, mask=mask if masked else None, scale=scale
    )
    expected = by_hand(
        q,
        k,
        v,
        bias * biased,
        mask | (not masked),
        1 / math.sqrt(d_k) if scale is None else scale,
    )
    for found, wanted in zip((result.output, result.weights, result.scores), expected, strict=True):
        assert found.dtype == np.float64
        assert found.shape == wanted.shape
        assert_allclose(found, wanted, rtol=0, atol=1e-13)


def test_the_result_can_be_unpacked() -> None:
    result = attention(np.eye(2), np.eye(2), np.eye(2))
    output, weights, scores = result
    assert output is result.output
    assert weights is result.weights
    assert scores is result.scores


def test_golden_scores_of_two_neighbours() -> None:
    a, b = np.array([1.0, 0.0, 0.5, -0.5]), np.array([0.0, 1.0, -0.5, 0.5])

    def score(i: int, j: int) -> Any:
        q, k = a + sinusoidal(i, 4), b + sinusoidal(j, 4)
        return attention([q], [k], [[0.0]], scale=1).scores

    assert_allclose(score(10, 11), [[-0.793313]], rtol=0, atol=5.1e-7)
    assert_allclose(score(0, 1), [[2.886748]], rtol=0, atol=5.1e-7)
    relative = attention([a], [b], [[0.0]], bias=[[-0.3]], scale=1)
    assert_allclose(relative.scores, [[-0.8]], rtol=0, atol=1e-15)


@pytest.mark.parametrize("seed", range(5))
def test_without_positions_a_permutation_of_the_tokens_permutes_the_output(seed: int) -> None:
    rng = np.random.default_rng(seed)
    x, order = rng.normal(size=(6, 4)), rng.permutation(6)
    maps = rng.normal(size=(3, 4, 4))

    def block(tokens: Any) -> Any:
        return attention(*(tokens @ m for m in maps)).output

    assert_allclose(block(x[order]), block(x)[order], rtol=0, atol=1e-12)
    placed = sinusoidal(range(6), 4)
    assert not np.allclose(block(x[order] + placed), block(x + placed)[order])


def test_a_causal_mask_hides_what_comes_later() -> None:
    rng = np.random.default_rng(4)
    x = rng.normal(size=(5, 4))
    changed = x.copy()
    changed[3:] += 1
    mask = causal_mask(5)
    before, after = attention(x, x, x, mask=mask), attention(changed, changed, changed, mask=mask)
    assert_allclose(before.output[:3], after.output[:3], rtol=0, atol=1e-15)
    assert not np.allclose(before.output[3:], after.output[3:])
    assert_array_equal(np.isneginf(before.scores), ~mask)
    assert_array_equal(before.weights == 0, ~mask)
    # One new query with the keys that are held reads what the whole table reads.
    last = attention(x[-1:], x, x, mask=causal_mask(1, 5))
    assert_allclose(last.output, before.output[-1:], rtol=0, atol=1e-15)


@pytest.mark.parametrize("shut", ["mask", "bias"])
def test_a_query_that_may_read_nothing_gets_zeros(shut: str) -> None:
    x = np.random.default_rng(5).normal(size=(3, 4))
    readable = np.array([[True, True, False], [False, False, False], [True, True, True]])
    given: dict[str, Any] = {
        "mask": {"mask": readable},
        "bias": {"bias": np.where(readable, 0, -INF)},
    }[shut]
    with np.errstate(all="raise"):
        result = attention(x, x, x, **given)
    assert_array_equal(result.output[1], np.zeros(4))
    assert_array_equal(result.weights[1], np.zeros(3))
    assert_array_equal(result.scores[1], [-INF, -INF, -INF])
    assert_allclose(result.weights.sum(axis=1), [1, 0, 1], rtol=1e-15)
    assert_allclose(result.output[2], result.weights[2] @ x, rtol=1e-15)


def test_with_no_keys_every_output_is_zero() -> None:
    result = attention(np.ones((2, 3)), np.ones((0, 3)), np.ones((0, 4)))
    assert_array_equal(result.output, np.zeros((2, 4)))
    assert result.weights.shape == result.scores.shape == (2, 0)


def test_with_no_queries_the_result_is_empty() -> None:
    result = attention(np.ones((0, 3)), np.ones((2, 3)), np.ones((2, 4)))
    assert result.output.shape == (0, 4)
    assert result.weights.shape == (0, 2)


def test_the_scale_does_not_touch_the_bias() -> None:
    x, bias = np.ones((2, 16)), np.array([[0.0, -1.0], [-1.0, 0.0]])
    assert_array_equal(attention(x, x, x, bias=bias).scores, 4 + bias)


@pytest.mark.parametrize(
    ("q", "k", "v", "bias", "mask", "scores", "output"),
    [
        # batch and heads
        ((2, 3, 4, 6), (2, 3, 5, 6), (2, 3, 5, 7), (), (), (2, 3, 4, 5), (2, 3, 4, 7)),
        # one set of keys for all heads
        ((3, 4, 6), (5, 6), (5, 7), (), (), (3, 4, 5), (3, 4, 7)),
        ((2, 3, 4, 6), (2, 1, 5, 6), (2, 1, 5, 7), (), (), (2, 3, 4, 5), (2, 3, 4, 7)),
        # a bias of its own for each head, a mask of its own for each sequence
        ((4, 6), (5, 6), (5, 7), (3, 4, 5), (), (3, 4, 5), (3, 4, 7)),
        ((2, 3, 4, 6), (2, 3, 5, 6), (2, 3, 5, 7), (3, 4, 5), (2, 1, 1, 5), (2, 3, 4, 5), None),
        # values alone have an axis in front
        ((4, 6), (5, 6), (3, 5, 7), (), (), (4, 5), (3, 4, 7)),
        # a bias for each key, a mask for each query
        ((4, 6), (5, 6), (5, 7), (5,), (4, 1), (4, 5), (4, 7)),
    ],
)
def test_axes_in_front_broadcast(
    q: Any, k: Any, v: Any, bias: Any, mask: Any, scores: Any, output: Any
) -> None:
    rng = np.random.default_rng(6)
    arrays = [rng.normal(size=shape) for shape in (q, k, v)]
    added, readable = rng.normal(size=bias), rng.random(mask) < 0.7
    result = attention(*arrays, bias=added, mask=readable)
    output = output or (*scores[:-2], q[-2], v[-1])
    assert result.scores.shape == scores
    assert result.weights.shape == scores
    assert result.output.shape == output
    # Every head alone gives the same.
    front = output[:-2]
    qs, ks, vs = (np.broadcast_to(a, (*front, *a.shape[-2:])) for a in arrays)
    biases, masks = (np.broadcast_to(a, (*front, q[-2], k[-2])) for a in (added, readable))
    for head in np.ndindex(front):
        alone = by_hand(qs[head], ks[head], vs[head], biases[head], masks[head], q[-1] ** -0.5)
        assert_allclose(result.output[head], alone[0], rtol=0, atol=1e-13)


def test_lists_and_integers_are_taken_and_left_alone() -> None:
    q, k, v = [[1, 0], [0, 1]], [[2, 0], [0, 2]], [[10], [20]]
    result = attention(q, k, v, scale=np.float64(1), bias=[[0, 0], [0, 0]])
    assert_array_equal(result.scores, [[2, 0], [0, 2]])
    arrays = [np.array(a, dtype=float) for a in (q, k, v)]
    kept = [a.copy() for a in arrays]
    for array in attention(*arrays):
        array[...] = 9
    assert_array_equal(arrays[0], kept[0])
    assert_array_equal(arrays[1], kept[1])
    assert_array_equal(arrays[2], kept[2])


def test_float16_inputs_are_multiplied_in_float64() -> None:
    q = np.full((1, 4), 300, dtype=np.float16)  # 360000 is infinity in float16
    assert_array_equal(attention(q, q, q, scale=1).scores, [[360000.0]])


def test_an_offset_can_be_looked_up_as_a_bias() -> None:
    slope = np.arange(-2, 3) / 10
    bias = slope[relative_offsets(3) + 2]
    scores = attention(np.zeros((3, 2)), np.zeros((3, 2)), np.zeros((3, 2)), bias=bias).scores
    assert_array_equal(scores, bias)


REAL = "allowed: a real number or an array of real numbers"
TOKENS = "allowed: at least two axes, a row for each token"
ONES = np.ones((2, 3))


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"q": [1.0, 2.0, 3.0]}, f"q has shape (3,); {TOKENS}"),
        ({"k": 1.0}, f"k has shape (); {TOKENS}"),
        ({"v": [1.0, 2.0]}, f"v has shape (2,); {TOKENS}"),
        ({"q": "tokens"}, f"q is 'tokens'; {REAL}"),
        ({"k": [[1.0], [1.0, 2.0]]}, f"k is [[1.0], [1.0, 2.0]]; {REAL}"),
        ({"v": ONES * 1j}, f"v is an array of complex128 with shape (2, 3); {REAL}"),
        ({"q": ONES > 0}, f"q is an array of bool with shape (2, 3); {REAL}"),
        ({"q": ONES * math.nan}, "q holds nan; allowed: finite real numbers"),
        ({"k": ONES * INF}, "k holds inf; allowed: finite real numbers"),
        ({"v": ONES * -INF}, "v holds -inf; allowed: finite real numbers"),
        ({"q": np.ones((2, 0))}, "q has shape (2, 0); allowed: d_k at least 1"),
        (
            {"k": np.ones((2, 4))},
            "k has shape (2, 4); allowed: (…, n_key, 3), the width of q with shape (2, 3)",
        ),
        (
            {"v": np.ones((5, 3))},
            "v has shape (5, 3); allowed: (…, 2, d_v), one value for each key of k "
            "with shape (2, 3)",
        ),
        (
            {"q": np.ones((4, 2, 3)), "k": np.ones((5, 2, 3))},
            "the shapes are q (4, 2, 3), k (5, 2, 3), v (2, 3); "
            "allowed: axes before the last two that broadcast",
        ),
        (
            {"q": np.ones((4, 2, 3)), "bias": np.ones((3, 2, 2))},
            "the shapes are q (4, 2, 3), k (2, 3), v (2, 3), bias (3, 2, 2); "
            "allowed: axes before the last two that broadcast",
        ),
        (
            {"v": np.ones((4, 2, 3)), "mask": np.ones((3, 2, 2), bool)},
            "the shapes are q (2, 3), k (2, 3), v (4, 2, 3), mask (3, 2, 2); "
            "allowed: axes before the last two that broadcast",
        ),
        (
            {"bias": np.ones((2, 3))},
            "bias has shape (2, 3); allowed: one that broadcasts to (…, 2, 2)",
        ),
        (
            {"mask": np.ones((3, 2), bool)},
            "mask has shape (3, 2); allowed: one that broadcasts to (…, 2, 2)",
        ),
        (
            {"q": np.ones((1, 3)), "bias": np.ones((4, 2))},
            "bias has shape (4, 2); allowed: one that broadcasts to (…, 1, 2)",
        ),
        (
            {"q": np.ones((1, 3)), "mask": np.ones((7, 4, 2), bool)},
            "mask has shape (7, 4, 2); allowed: one that broadcasts to (…, 1, 2)",
        ),
        ({"bias": INF}, "bias holds inf; allowed: finite real numbers or -inf"),
        ({"bias": [[0, math.nan]]}, "bias holds nan; allowed: finite real numbers or -inf"),
        ({"bias": [[True, False]]}, f"bias is [[True, False]]; {REAL}"),
        ({"mask": [1, 0]}, "mask is [1, 0]; allowed: booleans, True where an entry may be read"),
        (
            {"mask": np.zeros((2, 2))},
            "mask is an array of float64 with shape (2, 2); "
            "allowed: booleans, True where an entry may be read",
        ),
        ({"scale": math.nan}, "scale is nan; allowed: one finite real number"),
        ({"scale": INF}, "scale is inf; allowed: one finite real number"),
        ({"scale": True}, "scale is True; allowed: one finite real number"),
        ({"scale": "1"}, "scale is '1'; allowed: one finite real number"),
        ({"scale": [1.0, 2.0]}, "scale is [1.0, 2.0]; allowed: one finite real number"),
        (
            {"q": ONES * 1e200, "k": ONES * 1e200},
            "q and k are too large; allowed: dot products that fit in float64",
        ),
        (
            {"q": ONES * 1e300, "scale": 1e300},
            "q and k are too large; allowed: dot products that fit in float64",
        ),
        (
            {"q": ONES * 5e307, "scale": 1, "bias": 1.7e308},
            "bias is too large; allowed: scores that fit in float64",
        ),
    ],
    ids=str,
)
def test_attention_refuses_by_name(arguments: Any, message: str) -> None:
    with pytest.raises(ValueError) as refused:  # noqa: PT011
        attention(**{"q": ONES, "k": ONES, "v": ONES, **arguments})
    assert str(refused.value) == message


def test_settings_are_given_by_name() -> None:
    with pytest.raises(TypeError):
        attention(ONES, ONES, ONES, ONES)  # type: ignore[call-arg]
    with pytest.raises(TypeError):
        softmax(ONES, -1)  # type: ignore[call-arg]
