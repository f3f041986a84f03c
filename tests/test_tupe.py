"""The positions of TUPE against loops over every pair."""

import math
import re
from typing import Any

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from pedocs import attention, relative_offsets, t5_bias, t5_bucket, tupe_bias

NO_PAIR: Any = 3.0


def arrays(seed: int, *shapes: tuple[int, ...]) -> Any:
    rng = np.random.default_rng(seed)
    return [rng.normal(size=shape) for shape in shapes]


def by_hand(table: Any, w_q: Any, w_k: Any, relative: Any, thetas: Any) -> Any:
    """Equations 7 to 9 of one head, pair by pair; the paper's position 1 is 0 here."""
    n, d = table.shape
    d_k = w_q.shape[-1]
    v = np.zeros((n, n))
    for i in range(n):
        for j in range(n):
            for c in range(d_k):
                asks = sum(table[i, e] * w_q[e, c] for e in range(d))
                answers = sum(table[j, e] * w_k[e, c] for e in range(d))
                v[i, j] += asks * answers / math.sqrt(2 * d_k)
            v[i, j] += relative[i, j]
            if thetas is not None:
                v[i, j] = thetas[0] if i == 0 else thetas[1] if j == 0 else v[i, j]
    return v


def as_released(pos: Any, pos_q: Any, pos_k: Any) -> Any:
    """The steps of guolinke/TUPE 000ded0, transformer_sentence_encoder.py, forward.

    The table has a row more than there are tokens, and the numbers of [CLS] are products of rows
    0 and 1 with themselves. LayerNorm and the biases of the projection are left out.
    """
    heads, _, d_k = pos_q.shape
    asks, answers = pos @ pos_q * float(d_k * 2) ** -0.5, pos @ pos_k
    bias = asks @ answers.transpose(0, 2, 1)
    cls_2_other, other_2_cls = bias[:, 0, 0].copy(), bias[:, 1, 1].copy()
    bias = bias[:, 1:, 1:].copy()
    bias[:, :, 0] = other_2_cls.reshape(heads, 1)
    bias[:, 0, :] = cls_2_other.reshape(heads, 1)
    return bias, cls_2_other, other_2_cls


@pytest.mark.parametrize("n", [1, 2, 5])
@pytest.mark.parametrize("thetas", [None, (0.5, -0.25)])
def test_every_pair_follows_the_paper(n: int, thetas: Any) -> None:
    table, w_q, w_k, relative = arrays(n, (n, 6), (6, 4), (6, 4), (n, n))
    zeros = np.zeros((n, n))
    bias = tupe_bias(table, w_q, w_k, reset=thetas)
    assert_allclose(bias, by_hand(table, w_q, w_k, zeros, thetas), rtol=0, atol=1e-13)
    bias = tupe_bias(table, w_q, w_k, relative=relative, reset=thetas)
    assert_allclose(bias, by_hand(table, w_q, w_k, relative, thetas), rtol=0, atol=1e-13)


def test_the_reset_is_that_of_the_released_code() -> None:
    pos, pos_q, pos_k = arrays(1, (8, 6), (3, 6, 2), (3, 6, 2))
    released, from_cls, to_cls = as_released(pos, pos_q, pos_k)
    bias = tupe_bias(pos[1:], pos_q, pos_k, reset=(from_cls, to_cls))
    assert_allclose(bias, released, rtol=0, atol=1e-14)


def test_the_relative_bias_of_the_released_code_has_entries_for_cls() -> None:
    """Bucket 16, which no offset has, for the row of [CLS], and a 33rd for its column."""
    pos, pos_q, pos_k, buckets = arrays(6, (8, 6), (3, 6, 2), (3, 6, 2), (33, 3))
    absolute, from_cls, to_cls = as_released(pos, pos_q, pos_k)
    rows = t5_bucket(relative_offsets(7))
    assert 16 not in rows
    rows[:, 0] = 32
    rows[0, :] = 16
    released = absolute + buckets[rows].transpose(2, 0, 1)
    bias = tupe_bias(
        pos[1:],
        pos_q,
        pos_k,
        relative=t5_bias(buckets[:32], 7),
        reset=(from_cls + buckets[16], to_cls + buckets[32]),
    )
    assert_allclose(bias, released, rtol=0, atol=1e-14)


def test_the_reset_replaces_what_a_relative_bias_says_of_cls() -> None:
    table, w_q, w_k, buckets = arrays(2, (5, 6), (2, 6, 3), (2, 6, 3), (32, 2))
    relative = t5_bias(buckets, 5)
    bias = tupe_bias(table, w_q, w_k, relative=relative, reset=([1.0, 2.0], [3.0, 4.0]))
    assert_array_equal(bias[:, 0], [[1.0] * 5, [2.0] * 5])
    assert_array_equal(bias[:, 1:, 0], [[3.0] * 4, [4.0] * 4])
    rest = tupe_bias(table, w_q, w_k) + relative
    assert_allclose(bias[:, 1:, 1:], rest[:, 1:, 1:], rtol=0, atol=1e-14)


def test_the_score_is_two_terms_of_one_scale() -> None:
    """Equation 7 as a whole: both terms are divided by √(2 d)."""
    x, table, w_q, w_k, u_q, u_k = arrays(3, *[(4, 6)] * 2, *[(6, 6)] * 4)
    scale = 1 / math.sqrt(12)
    bias = tupe_bias(table, u_q, u_k)
    result = attention(x @ w_q, x @ w_k, x, bias=bias, scale=scale)
    for i in range(4):
        for j in range(4):
            words = (x[i] @ w_q) @ (x[j] @ w_k)
            places = (table[i] @ u_q) @ (table[j] @ u_k)
            assert result.scores[i, j] == pytest.approx((words + places) / math.sqrt(12))


def test_the_scale_is_no_factor_of_the_rest() -> None:
    table, w_q, w_k, relative = arrays(4, (3, 2), (2, 2), (2, 2), (3, 3))
    plain = tupe_bias(table, w_q, w_k, scale=1)
    assert_allclose(tupe_bias(table, w_q, w_k), plain / 2, rtol=1e-14)
    bias = tupe_bias(table, w_q, w_k, relative=relative, reset=(7, 8), scale=0)
    assert_array_equal(bias[1:, 1:], relative[1:, 1:])
    assert_array_equal(bias[0], 7)
    assert_array_equal(bias[1:, 0], 8)


def test_heads_and_batches_broadcast() -> None:
    table, w_q, w_k = arrays(5, (2, 1, 4, 5), (3, 5, 2), (3, 5, 2))
    bias = tupe_bias(table, w_q, w_k, relative=1.0, reset=(0.5, [1.0, 2.0, 3.0]))
    assert bias.shape == (2, 3, 4, 4)
    for b in range(2):
        for h in range(3):
            one = tupe_bias(table[b, 0], w_q[h], w_k[h], relative=1.0, reset=(0.5, h + 1.0))
            assert_allclose(bias[b, h], one, rtol=0, atol=1e-14)
    # The numbers of [CLS] and the relative bias may bring the axis of heads.
    assert tupe_bias(table[0, 0], w_q[0], w_k[0], reset=([1, 2], 3)).shape == (2, 4, 4)
    assert tupe_bias(table[0, 0], w_q[0], w_k[0], relative=np.ones((2, 4, 4))).shape == (2, 4, 4)


def test_no_tokens_and_results_of_their_own() -> None:
    one = np.eye(2)
    for reset in (None, (1, 2)):
        assert tupe_bias(np.ones((0, 2)), one, one, reset=reset).shape == (0, 0)
    table, relative = np.ones((3, 2), np.float16), np.zeros((3, 3))
    bias = tupe_bias(table, one, one, relative=relative)
    assert bias.dtype == np.float64
    bias[:] = 9
    assert_array_equal(relative, 0)


# Refusals

TABLE, ONE = np.ones((3, 2)), np.eye(2)


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (
            lambda: tupe_bias([1.0], ONE, ONE),
            "table has shape (1,); allowed: at least two axes, a row for each token",
        ),
        (
            lambda: tupe_bias(TABLE, [1.0], ONE),
            "w_q has shape (1,); allowed: at least two axes, a row for each token",
        ),
        (
            lambda: tupe_bias(TABLE, ONE[:, :0], ONE),
            "w_q has shape (2, 0); allowed: d_k at least 1",
        ),
        (
            lambda: tupe_bias(TABLE, np.eye(3), ONE),
            "w_q has shape (3, 3); allowed: (…, 2, 3), for a table with shape (3, 2)",
        ),
        (
            lambda: tupe_bias(TABLE, ONE, ONE[:, :1]),
            "w_k has shape (2, 1); allowed: (…, 2, 2), for a table with shape (3, 2)",
        ),
        (
            lambda: tupe_bias(TABLE, ONE, ONE * math.nan),
            "w_k holds nan; allowed: finite real numbers",
        ),
        (
            lambda: tupe_bias(TABLE, ONE, ONE, relative=np.ones((4, 4))),
            "relative has shape (4, 4); allowed: one that broadcasts to (…, 3, 3)",
        ),
        (
            lambda: tupe_bias(TABLE, ONE, ONE, reset=NO_PAIR),
            "reset is 3.0; allowed: None, or a pair of numbers or of arrays",
        ),
        (
            lambda: tupe_bias(TABLE, ONE, ONE, reset=(math.inf, 0)),
            "reset[0] holds inf; allowed: finite real numbers",
        ),
        (
            lambda: tupe_bias(TABLE, ONE, ONE, reset=([1, 2], [1, 2, 3])),
            "the shapes are table (3, 2), w_q (2, 2), w_k (2, 2), relative (1, 1), "
            "reset[0] (2, 1, 1), reset[1] (3, 1, 1); "
            "allowed: axes before the last two that broadcast",
        ),
        (
            lambda: tupe_bias(TABLE, ONE, ONE, scale=math.nan),
            "scale is nan; allowed: one finite real number",
        ),
        (
            lambda: tupe_bias(TABLE * 1e200, ONE, ONE),
            "table, w_q and w_k are too large; allowed: dot products that fit in float64",
        ),
    ],
)
def test_refusals(call: Any, message: str) -> None:
    with pytest.raises(ValueError, match=f"^{re.escape(message)}$"):
        call()
