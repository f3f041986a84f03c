"""The shift from distances to keys, and the four terms of Transformer-XL."""

import math
import re
from typing import Any

import numpy as np
import pytest
from hypothesis import given, strategies as st
from numpy.testing import assert_allclose, assert_array_equal

from pedocs import attention, relative_shift, sinusoidal, softmax, transformer_xl_scores

INF = math.inf
WHOLE: Any = 2.0  # a whole float is no integer


def arrays(seed: int, *shapes: tuple[int, ...]) -> Any:
    rng = np.random.default_rng(seed)
    return [rng.normal(size=shape) for shape in shapes]


def dot(a: Any, b: Any) -> float:
    return sum(float(x) * float(y) for x, y in zip(a, b, strict=True))


def paper_by_hand(x: Any, memory: int, matrices: Any, u: Any, v: Any) -> Any:
    """The four terms of §3.3 for one head, from token vectors: E_x W_q, E_x W_kE, R W_kR.

    Queries are the tokens after the memory. Returns the terms, unscaled, for every pair.
    """
    W_q, W_kE, W_kR = matrices
    n, d_model = x.shape
    terms = np.zeros((4, n - memory, n))
    for i in range(memory, n):
        query = x[i] @ W_q
        for j in range(n):
            key, place = x[j] @ W_kE, sinusoidal(i - j, d_model, layout="half-split") @ W_kR
            terms[:, i - memory, j] = [
                dot(query, key),
                dot(query, place),
                dot(u, key),
                dot(v, place),
            ]
    return terms


# The shift


def test_the_three_by_four_example() -> None:
    """The valid entries of `_rel_shift` in Transformer-XL, which has 0, 5 and 0 in the others."""
    shifted = relative_shift(np.arange(1.0, 13).reshape(3, 4), 4)
    assert_array_equal(shifted, [[3, 4, -INF, -INF], [6, 7, 8, -INF], [9, 10, 11, 12]])
    square = relative_shift(np.arange(1.0, 10).reshape(3, 3), 3)
    assert_array_equal(square, [[3, -INF, -INF], [5, 6, -INF], [7, 8, 9]])


def test_bug_scores_ahead_are_shut_out_and_not_wrapped_around() -> None:
    """Bug: the reshaping trick puts scores of the next row above the diagonal."""
    shifted = relative_shift(np.ones((5, 7)), 7)
    for i in range(5):
        assert_array_equal(shifted[i], [1.0] * (i + 3) + [-INF] * (4 - i))


def test_xlnet_has_one_column_more_on_the_left_and_one_on_the_right() -> None:
    """`rel_shift_bnij` of XLNet on 3 × 7 numbers, with klen 3."""
    by_distance = np.arange(1.0, 22).reshape(3, 7)
    expected = [[4, 5, 6], [10, 11, 12], [16, 17, 18]]
    assert_array_equal(relative_shift(by_distance[:, 1:6], 3), expected)


def test_bug_both_directions_need_twice_the_columns() -> None:
    """Bug: with as many columns as keys, keys ahead have no score of their own."""
    shifted = relative_shift([[-2, -1, 0, 1, 2]] * 3, 3)
    assert_array_equal(shifted, [[0, 1, 2], [-1, 0, 1], [-2, -1, 0]])


@given(st.integers(0, 6), st.integers(0, 4), st.booleans())
def test_every_entry_comes_from_the_column_of_its_distance(n: int, more: int, both: bool) -> None:
    n_key = n + more
    n_columns = max(n + n_key - 1, n_key) if both else n_key
    by_distance = np.random.default_rng(1).normal(size=(n, n_columns))
    shifted = relative_shift(by_distance, n_key)
    assert shifted.shape == (n, n_key)
    for i in range(n):
        for j in range(n_key):
            distance = i + more - j
            if distance < 0 and not both:
                assert shifted[i, j] == -INF
            else:
                assert shifted[i, j] == by_distance[i, n_key - 1 - distance]


def test_axes_before_the_last_two_are_kept() -> None:
    by_distance = np.random.default_rng(2).normal(size=(2, 3, 4, 6))
    shifted = relative_shift(by_distance, 6)
    assert shifted.shape == (2, 3, 4, 6)
    for b in range(2):
        for h in range(3):
            assert_array_equal(shifted[b, h], relative_shift(by_distance[b, h], 6))


def test_the_shift_keeps_minus_infinity_and_copies() -> None:
    by_distance = np.array([[0.0, 1.0], [-INF, 3.0]])
    shifted = relative_shift(by_distance, 2)
    assert_array_equal(shifted, [[1, -INF], [-INF, 3]])
    assert shifted.dtype == np.float64
    shifted[:] = 9
    assert_array_equal(by_distance, [[0, 1], [-INF, 3]])
    assert relative_shift(np.ones((1, 3), np.float16), 3).dtype == np.float64


# The scores


@pytest.mark.parametrize(("n", "memory"), [(1, 0), (5, 0), (7, 3), (6, 5)])
@pytest.mark.parametrize("both", [False, True])
def test_scores_are_the_four_terms_of_the_paper(n: int, memory: int, both: bool) -> None:
    d_model, d_k = 6, 4
    x, W_q, W_kE, W_kR, u, v = arrays(
        3, (n, d_model), (d_model, d_k), (d_model, d_k), (d_model, d_k), (d_k,), (d_k,)
    )
    n_query = n - memory
    last = -n_query if both else -1
    r = sinusoidal(np.arange(n - 1, last, -1), d_model, layout="half-split") @ W_kR
    scores = transformer_xl_scores(x[memory:] @ W_q, x @ W_kE, r, u, v)
    expected = paper_by_hand(x, memory, (W_q, W_kE, W_kR), u, v).sum(axis=0) / math.sqrt(d_k)
    for i in range(n_query):
        for j in range(n):
            if j > i + memory and not both:
                assert scores[i, j] == -INF
            else:
                assert scores[i, j] == pytest.approx(expected[i, j], abs=1e-12)


def test_each_term_alone() -> None:
    """Whole numbers by hand: three tokens, the distances 2, 1 and 0."""
    q, k, r = [[1.0, 2.0], [3.0, 4.0]], np.eye(3, 2), [[100.0, 0.0], [10.0, 0.0], [1.0, 0.0]]
    zero, nothing = np.zeros(2), np.zeros((3, 2))

    def score(q: Any, k: Any, r: Any, u: Any, v: Any) -> Any:
        return transformer_xl_scores(q, k, r, u, v, scale=1)

    assert_array_equal(score(q, k, nothing, zero, zero), [[1, 2, -INF], [3, 4, 0]])
    assert_array_equal(score(q, nothing, r, zero, zero), [[10, 1, -INF], [300, 30, 3]])
    assert_array_equal(score(nothing[:2], k, r, [5.0, 7.0], zero), [[5, 7, -INF], [5, 7, 0]])
    assert_array_equal(score(nothing[:2], k, r, zero, [2.0, 9.0]), [[20, 2, -INF], [200, 20, 2]])
    both = [*r, [0.5, 0.0]]
    assert_array_equal(score(q, nothing, both, zero, zero), [[10, 1, 0.5], [300, 30, 3]])


def test_the_default_scale_and_another() -> None:
    q, k, r, u, v = arrays(4, (4, 9), (6, 9), (6, 9), (9,), (9,))
    scores = transformer_xl_scores(q, k, r, u, v)
    same = transformer_xl_scores(q, k, r, u, v, scale=1 / 3)
    assert_allclose(scores, same, rtol=1e-15)
    seen = np.isfinite(scores)
    for factor in (2.0, 0.0, -2.0):
        other = transformer_xl_scores(q, k, r, u, v, scale=factor)
        assert_array_equal(np.isfinite(other), seen)
        assert (other[~seen] == -INF).all()
        assert_allclose(other[seen], 3 * factor * scores[seen], rtol=0, atol=1e-13)


def test_without_distances_and_biases_it_is_plain_attention() -> None:
    q, k, v = arrays(5, (2, 5, 4), (2, 5, 4), (2, 5, 3))
    scores = transformer_xl_scores(q, k, np.zeros((9, 4)), np.zeros(4), np.zeros(4))
    result = attention(q, k, v)
    assert_allclose(scores, result.scores, rtol=0, atol=1e-14)
    assert_allclose(softmax(scores) @ v, result.output, rtol=0, atol=1e-14)


def test_one_new_query_gets_the_last_row_of_the_full_pass() -> None:
    x, u, v = arrays(6, (8, 4), (4,), (4,))
    r = sinusoidal(np.arange(7, -1, -1), 4)
    full = transformer_xl_scores(x, x, r, u, v)
    for n in range(1, 9):
        step = transformer_xl_scores(x[n - 1 : n], x[:n], r[8 - n :], u, v)
        assert_allclose(step[0], full[n - 1, :n], rtol=0, atol=1e-14)


def test_a_common_move_of_all_tokens_changes_nothing() -> None:
    """Only distances enter: tokens of a later segment see their memory as tokens of an earlier."""
    x, u, v = arrays(7, (9, 4), (4,), (4,))
    r = sinusoidal(np.arange(8, -1, -1), 4)
    full = transformer_xl_scores(x, x, r, u, v)
    late = transformer_xl_scores(x[4:], x[1:], r[1:], u, v)
    assert_allclose(late, full[4:, 1:], rtol=0, atol=1e-14)


def test_heads_and_batches_broadcast() -> None:
    """Batch of 2, 3 heads, 4 queries, 6 keys: r and the biases differ by head."""
    q, k, r, u, v = arrays(8, (2, 3, 4, 5), (2, 3, 6, 5), (3, 6, 5), (3, 5), (3, 5))
    scores = transformer_xl_scores(q, k, r, u, v)
    assert scores.shape == (2, 3, 4, 6)
    for b in range(2):
        for h in range(3):
            one = transformer_xl_scores(q[b, h], k[b, h], r[h], u[h], v[h])
            assert_allclose(scores[b, h], one, rtol=0, atol=1e-14)
    shared = transformer_xl_scores(q, k, r[0], u[0], v[0])
    one = transformer_xl_scores(q[1, 2], k[1, 2], r[0], u[0], v[0])
    assert_allclose(shared[1, 2], one, rtol=0, atol=1e-14)


def test_no_queries_and_no_keys() -> None:
    zero = np.zeros(2)
    for n in (0, 3):
        keys = np.ones((n, 2))
        scores = transformer_xl_scores(np.ones((0, 2)), keys, keys, zero, zero)
        assert scores.shape == (0, n)
        assert relative_shift(np.ones((5, 2, 0, n)), n).shape == (5, 2, 0, n)


def test_scores_are_float64_and_their_own() -> None:
    q = np.ones((2, 2), np.float16)
    scores = transformer_xl_scores(q, q, q, q[0], q[0])
    assert scores.dtype == np.float64
    scores[:] = 9
    assert_array_equal(q, 1)


# Refusals

ONE = np.ones((2, 4))
BIAS = np.zeros(4)


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (
            lambda: relative_shift([1.0], 1),
            "scores has shape (1,); allowed: at least two axes, a row for each token",
        ),
        (
            lambda: relative_shift(np.ones((3, 5)), 4),
            "scores has shape (3, 5); allowed: 4 columns, no key ahead, or 6, keys on both sides",
        ),
        (
            lambda: relative_shift(np.ones((3, 7)), 4),
            "scores has shape (3, 7); allowed: 4 columns, no key ahead, or 6, keys on both sides",
        ),
        (
            lambda: relative_shift(np.ones((3, 3)), 4),
            "scores has shape (3, 3); allowed: 4 columns, no key ahead, or 6, keys on both sides",
        ),
        (
            lambda: relative_shift(np.ones((3, 2)), 2),
            "n_query is 3 and n_key is 2; allowed: no more queries than keys",
        ),
        (lambda: relative_shift(ONE, -1), "n_key is -1; allowed: an integer, at least 0"),
        (lambda: relative_shift(ONE, WHOLE), "n_key is 2.0; allowed: an integer, at least 0"),
        (
            lambda: relative_shift([[math.nan]], 1),
            "scores holds nan; allowed: finite real numbers or -inf",
        ),
        (
            lambda: relative_shift([[INF]], 1),
            "scores holds inf; allowed: finite real numbers or -inf",
        ),
        (
            lambda: transformer_xl_scores([1.0], ONE, ONE, BIAS, BIAS),
            "q has shape (1,); allowed: at least two axes, a row for each token",
        ),
        (
            lambda: transformer_xl_scores(ONE, [1.0], ONE, BIAS, BIAS),
            "k has shape (1,); allowed: at least two axes, a row for each token",
        ),
        (
            lambda: transformer_xl_scores(ONE, ONE, [1.0], BIAS, BIAS),
            "r has shape (1,); allowed: at least two axes, a row for each token",
        ),
        (
            lambda: transformer_xl_scores(ONE[:, :0], ONE, ONE, BIAS, BIAS),
            "q has shape (2, 0); allowed: d_k at least 1",
        ),
        (
            lambda: transformer_xl_scores(ONE, ONE[:, :3], ONE, BIAS, BIAS),
            "k has shape (2, 3); allowed: (…, rows, 4), the width of q with shape (2, 4)",
        ),
        (
            lambda: transformer_xl_scores(ONE, ONE, ONE[:, :3], BIAS, BIAS),
            "r has shape (2, 3); allowed: (…, rows, 4), the width of q with shape (2, 4)",
        ),
        (
            lambda: transformer_xl_scores(ONE, ONE[:1], ONE, BIAS, BIAS),
            "n_query is 2 and n_key is 1; allowed: no more queries than keys",
        ),
        (
            lambda: transformer_xl_scores(ONE, ONE, np.ones((4, 4)), BIAS, BIAS),
            "r has shape (4, 4); allowed: 2 rows, no key ahead, or 3, keys on both sides",
        ),
        (
            lambda: transformer_xl_scores(ONE, ONE, ONE[:1], BIAS, BIAS),
            "r has shape (1, 4); allowed: 2 rows, no key ahead, or 3, keys on both sides",
        ),
        (
            lambda: transformer_xl_scores(ONE, ONE, ONE, BIAS[:3], BIAS),
            "content_bias has shape (3,); allowed: (d_k,) or (heads, d_k), where d_k is 4",
        ),
        (
            lambda: transformer_xl_scores(ONE, ONE, ONE, BIAS, 0.0),
            "position_bias has shape (); allowed: (d_k,) or (heads, d_k), where d_k is 4",
        ),
        (
            lambda: transformer_xl_scores(ONE, ONE, ONE, [math.nan] * 4, BIAS),
            "content_bias holds nan; allowed: finite real numbers",
        ),
        (
            lambda: transformer_xl_scores(ONE, ONE, ONE, BIAS, BIAS, scale=INF),
            "scale is inf; allowed: one finite real number",
        ),
        (
            lambda: transformer_xl_scores(
                np.ones((2, 2, 4)), np.ones((3, 2, 4)), ONE, np.ones((2, 4)), BIAS
            ),
            "the shapes are q (2, 2, 4), k (3, 2, 4), r (2, 4), content_bias (2, 1, 4), "
            "position_bias (1, 4); allowed: axes before the last two that broadcast",
        ),
        *(
            (
                lambda arguments=arguments: transformer_xl_scores(*arguments, scale=1),
                "q, k, r and the biases are too large; allowed: dot products that fit in float64",
            )
            for arguments in (
                (ONE * 1e200, ONE * 1e200, ONE, BIAS, BIAS),
                (ONE * 1e200, ONE, ONE * 1e200, BIAS, BIAS),
                (ONE, ONE * 1e200, ONE, BIAS + 1e200, BIAS),
                (ONE, ONE, ONE * 1e200, BIAS, BIAS + 1e200),
                (ONE, ONE * 3e307, ONE * 3e307, BIAS, BIAS),
            )
        ),
    ],
)
def test_refusals(call: Any, message: str) -> None:
    with pytest.raises(ValueError, match=f"^{re.escape(message)}$"):
        call()
