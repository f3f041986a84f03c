"""Multi-head attention: heads, groups, a memory, and the places of a scheme."""

import math
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from pedocs import (
    KVCache,
    attention,
    causal_mask,
    merge_heads,
    multi_head_attention,
    padding_mask,
    sinusoidal,
    split_heads,
)

INF = math.inf


def weights_of(
    heads: int,
    key_heads: int,
    *,
    d_model: int = 6,
    d_memory: int | None = None,
    d_k: int = 3,
    d_v: int = 2,
    d_out: int = 5,
) -> Any:
    rng = np.random.default_rng(7)
    source = d_model if d_memory is None else d_memory
    return (
        rng.normal(size=(d_model, heads * d_k)),
        rng.normal(size=(source, key_heads * d_k)),
        rng.normal(size=(source, key_heads * d_v)),
        rng.normal(size=(heads * d_v, d_out)),
    )


def by_hand(
    x: Any,
    source: Any,
    maps: Any,
    heads: int,
    key_heads: int,
    *,
    bias: Callable[[int, int, int], float] = lambda h, i, j: 0.0,
    read: Callable[[int, int], bool] = lambda i, j: True,
) -> Any:
    """One sequence, one head after another, one pair of tokens after another."""
    w_q, w_k, w_v, w_o = maps
    d_k, d_v = w_q.shape[1] // heads, w_v.shape[1] // key_heads
    output = np.zeros((len(x), w_o.shape[1]))
    for h in range(heads):
        g = h * key_heads // heads
        for i, token in enumerate(x):
            query = token @ w_q[:, h * d_k : (h + 1) * d_k]
            exponentials, values = [], []
            for j, other in enumerate(source):
                if read(i, j):
                    key = other @ w_k[:, g * d_k : (g + 1) * d_k]
                    exponentials.append(math.exp(query @ key / math.sqrt(d_k) + bias(h, i, j)))
                    values.append(other @ w_v[:, g * d_v : (g + 1) * d_v])
            for weight, value in zip(exponentials, values, strict=True):
                output[i] += weight / sum(exponentials) * value @ w_o[h * d_v : (h + 1) * d_v]
    return output


def tokens(*shape: int) -> Any:
    return np.random.default_rng(3).normal(size=shape) / 2


# Heads and groups


@pytest.mark.parametrize(("heads", "key_heads"), [(1, 1), (2, 2), (4, 4), (4, 2), (4, 1), (6, 3)])
def test_every_output_follows_the_formula(heads: int, key_heads: int) -> None:
    x, maps = tokens(4, 6), weights_of(heads, key_heads)
    result = multi_head_attention(x, *maps, n_heads=heads, n_key_heads=key_heads)
    assert_allclose(result.output, by_hand(x, x, maps, heads, key_heads), rtol=0, atol=1e-13)
    assert result.output.shape == (4, 5)
    assert result.weights.shape == result.scores.shape == (heads, 4, 4)
    assert_allclose(result.weights.sum(axis=-1), 1, rtol=1e-14)
    assert result.cache is not None
    assert result.cache.keys.shape == (key_heads, 4, 3)  # shared keys are held once
    assert result.cache.values.shape == (key_heads, 4, 2)
    assert result.cache.next_position == 4


def test_neighbouring_heads_form_a_group() -> None:
    x, maps = tokens(4, 6), weights_of(4, 2)
    w_k = maps[1]
    scores = multi_head_attention(x, *maps, n_heads=4, n_key_heads=2).scores
    for h, g in enumerate([0, 0, 1, 1]):
        q, k = x @ maps[0][:, 3 * h : 3 * h + 3], x @ w_k[:, 3 * g : 3 * g + 3]
        assert_allclose(scores[h], q @ k.T / math.sqrt(3), rtol=0, atol=1e-14)


@pytest.mark.parametrize("key_heads", [1, 2])
def test_groups_are_heads_whose_keys_are_copies(key_heads: int) -> None:
    x, (w_q, w_k, w_v, w_o) = tokens(4, 6), weights_of(4, key_heads)
    grouped = multi_head_attention(x, w_q, w_k, w_v, w_o, n_heads=4, n_key_heads=key_heads)
    copied_k, copied_v = (
        np.repeat(w.reshape(6, key_heads, -1), 4 // key_heads, axis=1).reshape(6, -1)
        for w in (w_k, w_v)
    )
    full = multi_head_attention(x, w_q, copied_k, copied_v, w_o, n_heads=4)
    assert_allclose(grouped.output, full.output, rtol=0, atol=1e-14)
    assert_array_equal(
        multi_head_attention(x, w_q, copied_k, copied_v, w_o, n_heads=4, n_key_heads=4).output,
        full.output,
    )


def test_a_batch_comes_first() -> None:
    """Bug: a batch axis in the place of the tokens (pe[:x.size(0)])."""
    x, maps = tokens(2, 5, 6), weights_of(4, 2)
    x = x + sinusoidal(range(5), 6)
    result = multi_head_attention(x, *maps, n_heads=4, n_key_heads=2, mask=causal_mask(5))
    assert result.output.shape == (2, 5, 5)
    assert result.weights.shape == (2, 4, 5, 5)
    for row in range(2):
        expected = by_hand(x[row], x[row], maps, 4, 2, read=lambda i, j: j <= i)
        assert_allclose(result.output[row], expected, rtol=0, atol=1e-13)


def test_one_head_is_attention() -> None:
    x, (w_q, w_k, w_v, w_o) = tokens(4, 6), weights_of(1, 1)
    result = multi_head_attention(x, w_q, w_k, w_v, w_o, n_heads=1)
    alone = attention(x @ w_q, x @ w_k, x @ w_v)
    assert_allclose(result.output, alone.output @ w_o, rtol=0, atol=1e-14)
    assert_allclose(result.weights[0], alone.weights, rtol=0, atol=1e-15)


def test_no_tokens_give_no_output() -> None:
    result = multi_head_attention(np.ones((0, 6)), *weights_of(2, 2), n_heads=2)
    assert result.output.shape == (0, 5)


# Bias, mask, scale


def test_a_bias_and_a_mask_enter_the_scores() -> None:
    x, maps = tokens(4, 6), weights_of(2, 1)
    bias = np.random.default_rng(5).normal(size=(2, 4, 4))
    expected = by_hand(
        x, x, maps, 2, 1, bias=lambda h, i, j: bias[h, i, j], read=lambda i, j: j <= i
    )
    options: Any = {"n_heads": 2, "n_key_heads": 1, "mask": causal_mask(4)}
    for given in (bias, lambda q, k: bias):
        result = multi_head_attention(x, *maps, bias=given, **options)
        assert_allclose(result.output, expected, rtol=0, atol=1e-13)
    assert_array_equal(result.scores == -INF, np.broadcast_to(~causal_mask(4), (2, 4, 4)))
    shut = np.where(causal_mask(4), bias, -INF)
    again = multi_head_attention(x, *maps, bias=shut, n_heads=2, n_key_heads=1)
    assert_array_equal(again.output, result.output)


def test_functions_are_given_all_heads_of_queries_and_keys() -> None:
    x, maps = tokens(2, 4, 6), weights_of(4, 2)
    seen: list[Any] = []

    def scores(q: Any, k: Any) -> Any:
        seen.extend((q, k))
        return q @ np.swapaxes(k, -1, -2)

    result = multi_head_attention(x, *maps, n_heads=4, n_key_heads=2, scores=scores)
    q, k = seen
    assert q.shape == k.shape == (2, 4, 4, 3)
    assert_array_equal(q, split_heads(x @ maps[0], 4))
    assert_array_equal(k, np.repeat(split_heads(x @ maps[1], 2), 2, axis=1))
    same = multi_head_attention(x, *maps, n_heads=4, n_key_heads=2, scale=1)
    assert_allclose(result.output, same.output, rtol=0, atol=1e-15)
    assert_allclose(result.scores, same.scores, rtol=0, atol=1e-14)


def test_given_scores_take_the_place_of_the_dot_products() -> None:
    x, maps = tokens(3, 6), weights_of(2, 2)
    given = np.arange(18.0).reshape(2, 3, 3)
    result = multi_head_attention(x, *maps, n_heads=2, scores=lambda q, k: given)
    assert_array_equal(result.scores, given)
    biased = multi_head_attention(
        x, *maps, n_heads=2, scores=lambda q, k: given, bias=[1, 2, -INF], mask=causal_mask(3)
    )
    expected = np.where(causal_mask(3), given + np.array([1, 2, -INF]), -INF)
    assert_array_equal(biased.scores, expected)
    shut = multi_head_attention(x, *maps, n_heads=2, scores=lambda q, k: np.full((2, 3, 3), -INF))
    assert_array_equal(shut.output, np.zeros((3, 5)))


def test_the_scale_is_one_over_the_root_of_the_width_of_a_head() -> None:
    x, maps = tokens(3, 6), weights_of(2, 2, d_k=4)
    default = multi_head_attention(x, *maps, n_heads=2)
    assert_array_equal(multi_head_attention(x, *maps, n_heads=2, scale=0.5).scores, default.scores)
    assert_allclose(
        multi_head_attention(x, *maps, n_heads=2, scale=1).scores, 2 * default.scores, rtol=1e-14
    )


def test_what_is_added_to_the_values_is_added_in_each_head() -> None:
    x, maps = tokens(3, 6), weights_of(2, 1)
    seen: list[Any] = []
    added = np.random.default_rng(8).normal(size=(2, 3, 2))

    def value_bias(weights: Any) -> Any:
        seen.append(weights)
        return added

    plain = multi_head_attention(x, *maps, n_heads=2, n_key_heads=1)
    result = multi_head_attention(x, *maps, n_heads=2, n_key_heads=1, value_bias=value_bias)
    assert_array_equal(seen[0], plain.weights)
    assert_allclose(result.output, plain.output + merge_heads(added) @ maps[3], rtol=0, atol=1e-14)
    assert_array_equal(result.scores, plain.scores)


def test_a_query_that_may_read_nothing_gets_zeros() -> None:
    """Bug: mlx#2395."""
    x, maps = tokens(2, 4, 6), weights_of(2, 2)
    real = np.array([[True] * 4, [False, False, True, True]])
    mask = causal_mask(4) & padding_mask(real)
    with np.errstate(all="raise"):
        result = multi_head_attention(x, *maps, n_heads=2, mask=mask)
    assert_array_equal(result.output[1, :2], np.zeros((2, 5)))
    alone = multi_head_attention(x[1, 2:], *maps, n_heads=2, mask=causal_mask(2))
    assert_allclose(result.output[1, 2:], alone.output, rtol=0, atol=1e-14)


# Rotation and positions


def turn(x: Any, positions: Any) -> Any:
    """Move every vector by something that tells positions apart."""
    return x + np.broadcast_to(positions, x.shape[:-1])[..., np.newaxis]


def test_queries_and_keys_are_rotated_by_their_positions() -> None:
    x, (w_q, w_k, w_v, w_o) = tokens(4, 6), weights_of(2, 2)
    result = multi_head_attention(x, w_q, w_k, w_v, w_o, n_heads=2, rotate=turn)
    by = np.arange(4)[:, np.newaxis]
    q, k = split_heads(x @ w_q + by, 2), split_heads(x @ w_k + by, 2)
    expected = attention(q, k, split_heads(x @ w_v, 2))
    assert_allclose(result.scores, expected.scores, rtol=0, atol=1e-13)
    assert_allclose(result.output, merge_heads(expected.output) @ w_o, rtol=0, atol=1e-13)
    assert result.cache is not None
    assert_array_equal(result.cache.keys, k)  # held as they are compared
    given = multi_head_attention(x, w_q, w_k, w_v, w_o, n_heads=2, rotate=turn, positions=range(4))
    assert_array_equal(given.output, result.output)


def test_queries_and_keys_may_turn_differently() -> None:
    x, maps = tokens(4, 6), weights_of(2, 1)
    options: Any = {"n_heads": 2, "n_key_heads": 1}
    both = multi_head_attention(x, *maps, rotate=(turn, turn), **options)
    one = multi_head_attention(x, *maps, rotate=turn, **options)
    assert_array_equal(both.output, one.output)
    split = multi_head_attention(x, *maps, rotate=(turn, lambda x, p: x), **options)
    assert split.cache is not None
    assert_array_equal(split.cache.keys, split_heads(x @ maps[1], 1))
    q = split_heads(x @ maps[0] + np.arange(4)[:, np.newaxis], 2)
    expected = attention(q, split.cache.keys, split.cache.values)
    assert_allclose(split.scores, expected.scores, rtol=0, atol=1e-13)


@pytest.mark.parametrize(
    ("x_shape", "shape", "seen"),
    [
        ((4, 6), (4,), (4,)),
        ((2, 4, 6), (4,), (4,)),
        ((2, 4, 6), (2, 4), (2, 1, 4)),
        ((2, 4, 6), (1, 4), (1, 1, 4)),
        ((4, 6), (3, 4), (3, 1, 4)),  # three coordinates of each token
        ((2, 4, 6), (3, 2, 4), (3, 2, 1, 4)),
    ],
)
def test_positions_get_an_axis_for_the_heads(x_shape: Any, shape: Any, seen: Any) -> None:
    positions = np.arange(math.prod(shape)).reshape(shape)
    places: list[Any] = []

    def rotate(x: Any, p: Any) -> Any:
        places.append(p)
        return x

    multi_head_attention(
        tokens(*x_shape),
        *weights_of(2, 1),
        n_heads=2,
        n_key_heads=1,
        rotate=rotate,
        positions=positions,
    )
    for place in places:
        assert place.shape == seen
        assert place.dtype == positions.dtype
        assert_array_equal(place.ravel(), positions.ravel())
    assert len(places) == 2


# Memory


def test_a_memory_is_read_in_place_of_the_tokens() -> None:
    x, memory, maps = tokens(3, 6), tokens(5, 4), weights_of(4, 2, d_memory=4)
    result = multi_head_attention(x, *maps, n_heads=4, n_key_heads=2, memory=memory)
    assert_allclose(result.output, by_hand(x, memory, maps, 4, 2), rtol=0, atol=1e-13)
    assert result.weights.shape == (4, 3, 5)
    assert result.cache is None
    batch = multi_head_attention(tokens(2, 3, 6), *maps, n_heads=4, n_key_heads=2, memory=memory)
    assert batch.output.shape == (2, 3, 5)
    real = np.array([True, True, False, True, False])
    masked = multi_head_attention(
        x, *maps, n_heads=4, n_key_heads=2, memory=memory, mask=padding_mask(real)
    )
    expected = by_hand(x, memory[real], maps, 4, 2)
    assert_allclose(masked.output, expected, rtol=0, atol=1e-13)


def test_a_memory_may_be_shorter_than_the_tokens_and_take_a_function() -> None:
    x, memory, maps = tokens(2, 5, 6), tokens(1, 3, 4), weights_of(2, 2, d_memory=4)
    plain = multi_head_attention(x, *maps, n_heads=2, memory=memory)
    same = multi_head_attention(
        x,
        *maps,
        n_heads=2,
        memory=memory,
        scores=lambda q, k: q @ np.swapaxes(k, -1, -2) / math.sqrt(3),
    )
    assert plain.output.shape == (2, 5, 5)
    assert_allclose(same.output, plain.output, rtol=0, atol=1e-14)


# Cache (what every scheme computes with one is in test_decoding.py)


def test_new_tokens_read_the_cache_and_then_themselves() -> None:
    x, maps = tokens(2, 5, 6), weights_of(4, 2)
    options: Any = {"n_heads": 4, "n_key_heads": 2, "rotate": turn}
    full = multi_head_attention(x, *maps, mask=causal_mask(5), **options)
    first = multi_head_attention(x[:, :3], *maps, mask=causal_mask(3), **options)
    kept = first.cache
    assert kept is not None
    before = kept.keys.copy()
    rest = multi_head_attention(x[:, 3:], *maps, mask=causal_mask(2, 5), cache=kept, **options)
    assert_allclose(rest.output, full.output[:, 3:], rtol=0, atol=1e-12)
    assert rest.weights.shape == (2, 4, 2, 5)
    assert rest.cache is not None and full.cache is not None
    assert_allclose(rest.cache.keys, full.cache.keys, rtol=0, atol=1e-13)
    assert rest.cache.next_position == 5
    assert_array_equal(kept.keys, before)
    # The same prefix can be continued twice.
    again = multi_head_attention(x[:, 3:], *maps, mask=causal_mask(2, 5), cache=kept, **options)
    assert_array_equal(again.output, rest.output)


def test_positions_count_on_from_the_cache_and_not_from_its_length() -> None:
    """Bug: rotary-embedding-torch#11."""
    x, maps = tokens(5, 6), weights_of(2, 2)
    places: list[Any] = []

    def rotate(x: Any, p: Any) -> Any:
        places.append(p.tolist())
        return x

    cache = None
    for part in (slice(0, 2), slice(2, 4), slice(4, 5)):
        result = multi_head_attention(x[part], *maps, n_heads=2, rotate=rotate, cache=cache)
        assert result.cache is not None
        cache = result.cache.newest(1)
    assert places[::2] == places[1::2] == [[0, 1], [2, 3], [4]]
    assert (cache.n_key, cache.next_position) == (1, 5)  # type: ignore[union-attr]


def test_given_positions_have_to_be_given_again() -> None:
    x, maps = tokens(2, 6), weights_of(2, 2)
    first = multi_head_attention(x, *maps, n_heads=2, rotate=turn, positions=[5, 6])
    assert first.cache is not None
    assert first.cache.next_position is None
    with pytest.raises(ValueError) as refused:  # noqa: PT011
        multi_head_attention(x, *maps, n_heads=2, rotate=turn, cache=first.cache)
    assert str(refused.value) == (
        "positions is None; allowed: positions, because those of the tokens in the cache were given"
    )
    then = multi_head_attention(
        x, *maps, n_heads=2, rotate=turn, positions=[7, 8], cache=first.cache
    )
    assert then.cache is not None
    assert then.cache.next_position is None
    # A cache that counts stops to do so when the caller takes over.
    counted = KVCache(first.cache.keys, first.cache.values, next_position=7)
    result = multi_head_attention(x, *maps, n_heads=2, rotate=turn, cache=counted)
    assert_array_equal(result.output, then.output)
    assert result.cache is not None
    assert result.cache.next_position == 9
    given = multi_head_attention(x, *maps, n_heads=2, rotate=turn, positions=[7, 8], cache=counted)
    assert given.cache is not None
    assert given.cache.next_position is None
    # Without a rotation no positions are needed.
    unturned = multi_head_attention(x, *maps, n_heads=2, cache=first.cache)
    assert unturned.cache is not None
    assert unturned.cache.next_position is None


# Arrays


def test_results_share_no_memory() -> None:
    x, maps = np.eye(4), [np.eye(4) for _ in range(4)]
    cache = multi_head_attention(x, *maps, n_heads=1).cache
    result = multi_head_attention(x, *maps, n_heads=1, cache=cache, rotate=lambda x, p: x)
    assert result.cache is not None
    assert cache is not None
    made = [result.output, result.weights, result.scores, result.cache.keys, result.cache.values]
    given = [x, *maps, cache.keys, cache.values]
    for i, array in enumerate(made):
        assert array.dtype == np.float64
        assert not any(np.shares_memory(array, other) for other in made[:i] + given)


def test_lists_and_integers_are_taken() -> None:
    result = multi_head_attention(
        [[1, 0]],
        [[1], [0]],
        [[1], [0]],
        [[2], [0]],
        [[3, 4]],
        n_heads=np.int8(1),  # type: ignore[arg-type]
    )
    assert_array_equal(result.output, [[6, 8]])


# Refusals

ONES = np.ones((3, 4))
SQUARE = np.ones((4, 4))
BIG = 1e200
TOKENS = "allowed: at least two axes, a row for each token"


def returning(value: Any) -> Any:
    return lambda *arguments: value


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"x": [1.0]}, f"x has shape (1,); {TOKENS}"),
        ({"memory": 1.0}, f"memory has shape (); {TOKENS}"),
        (
            {"x": np.ones((2, 3, 4)), "memory": np.ones((3, 3, 4))},
            "the shapes are x (2, 3, 4), memory (3, 3, 4); "
            "allowed: axes before the last two that broadcast",
        ),
        ({"n_heads": 0}, "n_heads is 0; allowed: an integer, at least 1"),
        ({"n_heads": 2.0}, "n_heads is 2.0; allowed: an integer, at least 1"),
        ({"n_key_heads": 0}, "n_key_heads is 0; allowed: an integer, at least 1"),
        ({"n_key_heads": True}, "n_key_heads is True; allowed: an integer, at least 1"),
        ({"n_heads": 4, "n_key_heads": 3}, "n_key_heads is 3; allowed: a divisor of n_heads, 4"),
        ({"n_heads": 2, "n_key_heads": 4}, "n_key_heads is 4; allowed: a divisor of n_heads, 2"),
        ({"W_Q": np.ones((3, 4))}, "W_Q has shape (3, 4); allowed: (4, a multiple of 2)"),
        ({"W_Q": np.ones((4, 3))}, "W_Q has shape (4, 3); allowed: (4, a multiple of 2)"),
        ({"W_Q": np.ones((4, 0))}, "W_Q has shape (4, 0); allowed: (4, a multiple of 2)"),
        ({"W_Q": np.ones((1, 4, 4))}, "W_Q has shape (1, 4, 4); allowed: (4, a multiple of 2)"),
        ({"W_K": np.ones((4, 2))}, "W_K has shape (4, 2); allowed: (4, 4)"),
        ({"W_K": np.ones((2, 4))}, "W_K has shape (2, 4); allowed: (4, 4)"),
        ({"W_K": SQUARE, "n_key_heads": 1}, "W_K has shape (4, 4); allowed: (4, 2)"),
        ({"W_V": np.ones((4, 5))}, "W_V has shape (4, 5); allowed: (4, a multiple of 2)"),
        ({"W_V": np.ones((5, 4))}, "W_V has shape (5, 4); allowed: (4, a multiple of 2)"),
        ({"W_V": np.ones((4, 6))}, "W_O has shape (4, 4); allowed: (6, d_out)"),
        ({"W_O": np.ones(4)}, "W_O has shape (4,); allowed: (4, d_out)"),
        ({"W_Q": SQUARE * INF}, "W_Q holds inf; allowed: finite real numbers"),
        (
            {"W_O": SQUARE > 0},
            "W_O is an array of bool with shape (4, 4); allowed: a real number "
            "or an array of real numbers",
        ),
        (
            {"rotate": "rope"},
            "rotate is 'rope'; allowed: a function of vectors and positions, "
            "or two, for queries and for keys",
        ),
        (
            {"rotate": (1, 2)},
            "rotate is (1, 2); allowed: a function of vectors and positions, "
            "or two, for queries and for keys",
        ),
        (
            {"rotate": ()},
            "rotate is (); allowed: a function of vectors and positions, "
            "or two, for queries and for keys",
        ),
        ({"rotate": returning(ONES)}, "rotate(q, positions) has shape (3, 4); allowed: (2, 3, 2)"),
        (
            {"rotate": (lambda x, p: x, returning(1.0))},
            "rotate(k, positions) has shape (); allowed: (2, 3, 2)",
        ),
        (
            {"rotate": returning(np.full((2, 3, 2), -INF))},
            "rotate(q, positions) holds -inf; allowed: finite real numbers",
        ),
        ({"positions": [0, 1, 2]}, "positions is [0, 1, 2]; allowed: None without rotate"),
        (
            {"rotate": turn, "positions": [0, 1]},
            "positions has shape (2,); allowed: (…, 3), one for each token of x with shape (3, 4)",
        ),
        (
            {"rotate": turn, "positions": 0},
            "positions has shape (); allowed: (…, 3), one for each token of x with shape (3, 4)",
        ),
        (
            {"rotate": turn, "positions": [0, 1, math.nan]},
            "positions holds nan; allowed: finite real numbers",
        ),
        (
            {"memory": ONES, "rotate": turn},
            "rotate is given together with memory; allowed: one of the two",
        ),
        (
            {"memory": ONES, "cache": KVCache(ONES, ONES, next_position=0)},
            "cache is given together with memory; allowed: one of the two",
        ),
        (
            {"scores": returning(np.ones((2, 3, 3))), "scale": 1.0},
            "scale is given together with scores; allowed: one of the two",
        ),
        (
            {"scores": ONES},
            "scores is an array of float64 with shape (3, 4); "
            "allowed: None or a function of queries and keys",
        ),
        ({"value_bias": 1}, "value_bias is 1; allowed: None or a function of weights"),
        ({"cache": 3}, "cache is 3; allowed: None or a KVCache"),
        (
            {"cache": KVCache(np.ones((2, 5, 3)), np.ones((2, 5, 2)), next_position=5)},
            "keys has shape (2, 3, 2); allowed: (2, n_new, 3), to follow keys with shape (2, 5, 3)",
        ),
        (
            {"cache": KVCache(np.ones((1, 2, 5, 2)), np.ones((1, 2, 5, 2)), next_position=5)},
            "keys has shape (2, 3, 2); allowed: (1, 2, n_new, 2), "
            "to follow keys with shape (1, 2, 5, 2)",
        ),
        ({"scores": returning(ONES)}, "scores(q, k) has shape (3, 4); allowed: (2, 3, 3)"),
        (
            {"scores": returning(np.full((2, 3, 3), INF))},
            "scores(q, k) holds inf; allowed: finite real numbers or -inf",
        ),
        (
            {"scores": returning(np.full((2, 3, 3), 1.7e308)), "bias": 1.7e308},
            "scores(q, k) and bias are too large; allowed: sums that fit in float64",
        ),
        (
            {"scores": returning(np.full((2, 3, 3), -1.7e308)), "bias": -1.7e308},
            "scores(q, k) and bias are too large; allowed: sums that fit in float64",
        ),
        (
            {"bias": np.ones((3, 3, 3))},
            "bias has shape (3, 3, 3); allowed: one that broadcasts to (…, 2, 3, 3)",
        ),
        (
            {"n_heads": 1, "bias": np.ones((2, 3, 3))},
            "bias has shape (2, 3, 3); allowed: one that broadcasts to (…, 1, 3, 3)",
        ),
        (
            {"bias": returning(ONES)},
            "bias(q, k) has shape (3, 4); allowed: one that broadcasts to (…, 2, 3, 3)",
        ),
        (
            {"bias": returning("x")},
            "bias(q, k) is 'x'; allowed: a real number or an array of real numbers",
        ),
        ({"bias": math.nan}, "bias holds nan; allowed: finite real numbers or -inf"),
        (
            {"mask": causal_mask(4)},
            "mask has shape (4, 4); allowed: one that broadcasts to (…, 2, 3, 3)",
        ),
        (
            {"x": np.ones((3, 3, 4)), "mask": np.ones((3, 3, 3), bool)},
            "mask has shape (3, 3, 3); allowed: one that broadcasts to (…, 2, 3, 3)",
        ),
        (
            {"x": np.ones((5, 3, 4)), "mask": np.ones((4, 1, 3, 3), bool)},
            "the shapes are q (5, 2, 3, 2), k (5, 2, 3, 2), v (5, 2, 3, 2), mask (4, 1, 3, 3); "
            "allowed: axes before the last two that broadcast",
        ),
        ({"mask": 1}, "mask is 1; allowed: booleans, True where an entry may be read"),
        ({"scale": "1"}, "scale is '1'; allowed: one finite real number"),
        (
            {"value_bias": returning(ONES)},
            "value_bias(weights) has shape (3, 4); allowed: (2, 3, 2)",
        ),
        (
            {"value_bias": returning(np.full((2, 3, 2), -INF))},
            "value_bias(weights) holds -inf; allowed: finite real numbers",
        ),
        (
            {"W_V": SQUARE * 4e307, "value_bias": returning(np.full((2, 3, 2), 1.7e308))},
            "what the heads read and value_bias(weights) are too large; "
            "allowed: sums that fit in float64",
        ),
        (
            {"x": ONES * BIG, "W_Q": SQUARE * BIG},
            "x and W_Q are too large; allowed: dot products that fit in float64",
        ),
        (
            {"memory": ONES * BIG, "W_K": SQUARE * BIG},
            "memory and W_K are too large; allowed: dot products that fit in float64",
        ),
        (
            {"x": ONES * BIG, "W_Q": SQUARE * 0, "W_V": SQUARE * BIG, "W_K": SQUARE * 0},
            "x and W_V are too large; allowed: dot products that fit in float64",
        ),
        (
            {"x": ONES * BIG, "W_K": SQUARE * BIG},
            "x and W_K are too large; allowed: dot products that fit in float64",
        ),
        (
            {"memory": ONES * BIG, "W_K": SQUARE * 0, "W_V": SQUARE * BIG},
            "memory and W_V are too large; allowed: dot products that fit in float64",
        ),
        (
            {"W_V": SQUARE * BIG, "W_O": SQUARE * BIG},
            "what the heads read and W_O are too large; allowed: dot products that fit in float64",
        ),
        (
            {"W_Q": SQUARE * BIG, "W_K": SQUARE * BIG},
            "q and k are too large; allowed: dot products that fit in float64",
        ),
    ],
    ids=str,
)
def test_multi_head_attention_refuses_by_name(arguments: Any, message: str) -> None:
    given = {
        "x": ONES,
        "W_Q": SQUARE,
        "W_K": SQUARE,
        "W_V": SQUARE,
        "W_O": SQUARE,
        "n_heads": 2,
        **arguments,
    }
    with pytest.raises(ValueError) as refused:  # noqa: PT011 (the whole message is compared)
        multi_head_attention(**given)
    assert str(refused.value) == message


def test_settings_are_given_by_name() -> None:
    with pytest.raises(TypeError):
        multi_head_attention(ONES, SQUARE, SQUARE, SQUARE, SQUARE, 2)  # type: ignore[call-arg]


def test_a_bias_function_that_forgets_the_keys_of_the_cache_is_refused() -> None:
    """One entry for all keys would be stretched over them without a sign."""
    one = np.eye(4)
    tokens = np.arange(12.0).reshape(3, 4)
    two = multi_head_attention(tokens[:2], one, one, one, one, n_heads=2)
    with pytest.raises(ValueError) as refused:  # noqa: PT011 (the whole message is compared)
        multi_head_attention(
            tokens[2:],
            one,
            one,
            one,
            one,
            n_heads=2,
            cache=two.cache,
            bias=lambda q, k: np.zeros((2, q.shape[-2], q.shape[-2])),
        )
    assert str(refused.value) == (
        "bias(q, k) has shape (2, 1, 1); allowed: an entry for each of the 3 keys"
    )
