"""Rotary encoding: the rotation of the paper, its laws, and the bugs that are common."""

import cmath
import math
import tracemalloc
from typing import Any

import numpy as np
import pytest
from hypothesis import given, strategies as st
from numpy.testing import assert_allclose, assert_array_equal

from pedocs import RopeFrequencies, angular_frequencies, rope
from pedocs._blocks import polar
from pedocs._rotation import block_steps, rotate

LAYOUTS: list[Any] = ["interleaved", "half-split"]


def assert_same(result: Any, expected: Any) -> None:
    """Equal up to how a processor rounds the sum of two products."""
    eps = float(np.finfo(result.dtype).eps)
    assert result.dtype == expected.dtype
    assert_allclose(result, expected, rtol=2 * eps, atol=8 * eps)


RNG = np.random.default_rng(8)


def turned(vector: Any, p: float, layout: str, width: int, base: float = 10000.0) -> list[float]:
    """One vector, pair by pair, as §3.2 of the paper has it."""
    result = [float(number) for number in vector]
    for m in range(width // 2):
        a, b = (2 * m, 2 * m + 1) if layout == "interleaved" else (m, m + width // 2)
        turn = cmath.rect(1, p / math.pow(base, 2 * m / width))
        pair = complex(vector[a], vector[b]) * turn
        result[a], result[b] = pair.real, pair.imag
    return result


# The definition


@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.parametrize(("width", "rotary_dim"), [(2, None), (8, None), (10, 6), (7, 4), (8, 8)])
@pytest.mark.parametrize("base", [10000.0, 100.0, 1.0])
def test_every_pair_turns_as_in_the_paper(
    layout: Any, width: int, rotary_dim: int | None, base: float
) -> None:
    x = RNG.standard_normal((2, 5, width))
    positions = [0, 1, 7, 7, -3]
    result = rope(x, positions, layout=layout, base=base, rotary_dim=rotary_dim)
    assert result.shape == x.shape
    for batch in range(2):
        for token, p in enumerate(positions):
            expected = turned(x[batch, token], p, layout, rotary_dim or width, base)
            assert_allclose(result[batch, token], expected, rtol=0, atol=1e-14)


def test_golden_values() -> None:
    s, c, slow_s, slow_c = math.sin(2), math.cos(2), math.sin(0.02), math.cos(0.02)
    interleaved = [c - 2 * s, s + 2 * c, 3 * slow_c - 4 * slow_s, 3 * slow_s + 4 * slow_c]
    half_split = [c - 3 * s, 2 * slow_c - 4 * slow_s, s + 3 * c, 2 * slow_s + 4 * slow_c]
    x = [1, 2, 3, 4]
    assert_allclose(rope(x, 2), interleaved, rtol=0, atol=1e-15)
    assert_allclose(rope(x, 2), [-2.234742, 0.077004, 2.919405, 4.059196], rtol=0, atol=5e-7)
    assert_allclose(rope(x, 2, layout="half-split"), half_split, rtol=0, atol=1e-15)


def test_the_defaults() -> None:
    x = RNG.standard_normal((4, 8))
    plain = rope(x, range(4))
    assert_array_equal(plain, rope(x, range(4), base=10000.0, layout="interleaved"))
    assert_array_equal(plain, rope(x, range(4), frequencies=None, rotary_dim=None))
    assert_array_equal(plain, rope(x, range(4), rotary_dim=8))


def test_one_vector_and_one_position() -> None:
    x = RNG.standard_normal((3, 6))
    for token, p in enumerate([5.0, 0.5, 2.0]):
        one = rope(x[token], p)
        assert one.shape == (6,)
        assert_same(one, rope(x, [5, 0.5, 2])[token])


# Laws

sizes = st.integers(1, 8).map(lambda pairs: 2 * pairs)
numbers = st.floats(-100, 100)


@given(st.data(), sizes, st.integers(-5000, 5000), st.sampled_from(LAYOUTS))
def test_norms_are_kept(data: Any, width: int, p: int, layout: Any) -> None:
    x = np.array(data.draw(st.lists(numbers, min_size=width, max_size=width)))
    assert np.linalg.norm(rope(x, p, layout=layout)) == pytest.approx(np.linalg.norm(x), abs=1e-11)


@given(
    sizes,
    st.integers(-500, 500),
    st.integers(-500, 500),
    st.integers(-500, 500),
    st.sampled_from(LAYOUTS),
)
def test_a_common_shift_leaves_scores_alone(
    width: int, i: int, j: int, shift: int, layout: Any
) -> None:
    q, k = np.random.default_rng(width).standard_normal((2, width))
    here = rope(q, i, layout=layout) @ rope(k, j, layout=layout)
    there = rope(q, i + shift, layout=layout) @ rope(k, j + shift, layout=layout)
    assert there == pytest.approx(here, abs=1e-11)
    offset = rope(q, i - j, layout=layout) @ k
    assert offset == pytest.approx(here, abs=1e-11)


@given(sizes, st.sampled_from(LAYOUTS), st.sampled_from([np.float16, np.float32, np.float64]))
def test_position_zero_is_the_identity(width: int, layout: Any, dtype: Any) -> None:
    x = np.random.default_rng(width).standard_normal((3, width)).astype(dtype)
    assert_array_equal(rope(x, [0, 0, 0], layout=layout), x)


@given(sizes, st.integers(-500, 500), st.integers(-500, 500))
def test_rotations_add_up(width: int, p: int, q: int) -> None:
    x = np.random.default_rng(width).standard_normal(width)
    assert_allclose(rope(rope(x, p), q), rope(x, p + q), rtol=0, atol=1e-11)


@given(sizes, st.integers(0, 3), st.integers(-500, 500))
def test_the_layouts_are_permutations_of_each_other(width: int, rest: int, p: int) -> None:
    x = np.random.default_rng(width).standard_normal(width + rest)
    order = [*range(0, width, 2), *range(1, width, 2), *range(width, width + rest)]
    assert_same(
        rope(x[order], p, layout="half-split", rotary_dim=width),
        rope(x, p, rotary_dim=width)[order],
    )


# Bugs that were reported of others


def test_bug_rotation_over_the_head_axis() -> None:
    """Heads are not positions: heads alike stay alike, tokens alike do not."""
    x = np.broadcast_to(RNG.standard_normal(8), (3, 5, 8))
    result = rope(x, np.arange(5))
    assert_array_equal(result[0], result[2])
    assert not np.allclose(result[:, 1], result[:, 2])
    one = rope(np.tile(x[0, 0], (2, 1)), [3, 4])
    assert not np.allclose(one[0], one[1])
    with pytest.raises(ValueError, match=r"^positions has shape \(3,\); allowed: \(5,\), or"):
        rope(x, np.arange(3))


def test_bug_base_ignored() -> None:
    x = RNG.standard_normal((4, 8))
    assert not np.allclose(rope(x, range(4), base=5e5), rope(x, range(4)))
    assert_array_equal(
        rope(x, range(4), base=5e5),
        rope(x, range(4), frequencies=angular_frequencies(8, base=5e5)),
    )


def test_bug_pairing() -> None:
    """A unit vector shows who is paired with whom."""
    x = [1.0, 0, 0, 0, 0, 0]
    assert np.flatnonzero(rope(x, 1)).tolist() == [0, 1]
    assert np.flatnonzero(rope(x, 1, layout="half-split")).tolist() == [0, 3]
    assert np.flatnonzero(rope(x, 1, layout="half-split", rotary_dim=4)).tolist() == [0, 2]


def test_bug_partial_exponent_over_the_whole_head() -> None:
    """The exponent is counted in the dimensions that rotate, as GPT-J and GPT-NeoX do."""
    x = RNG.standard_normal((3, 16))
    partial = rope(x, range(3), rotary_dim=4)
    assert_same(partial[:, :4], rope(x[:, :4], range(3)))
    assert_array_equal(partial[:, 4:], x[:, 4:])
    proportional = rope(x, range(3), frequencies=[*angular_frequencies(16)[:2], *[0] * 6])
    assert not np.allclose(partial, proportional)


def test_bug_batch_taken_for_the_length() -> None:
    """Batch 2, heads 3, length 5: each sequence has positions of its own."""
    x = RNG.standard_normal((2, 3, 5, 4))
    positions = np.array([[0, 1, 2, 3, 4], [0, 0, 0, 1, 2]])
    result = rope(x, positions[:, None])
    for batch in range(2):
        assert_same(result[batch], rope(x[batch], positions[batch]))


@pytest.mark.parametrize("layout", LAYOUTS)
def test_bug_angles_in_half_precision(layout: Any) -> None:
    """2049 is no float16; the result is that of float64, rounded once."""
    x = RNG.standard_normal((2, 64)).astype(np.float16)
    result = rope(x, [2049, 65537], layout=layout)
    assert result.dtype == np.float16
    exact = rope(x.astype(np.float64), [2049, 65537], layout=layout)
    assert_array_equal(result, exact.astype(np.float16))
    single = rope(x.astype(np.float32), [2049, 65537], layout=layout)
    assert single.dtype == np.float32
    assert_allclose(single, exact, rtol=0, atol=1e-6)


def test_bug_angles_in_the_dtype_of_the_positions() -> None:
    x = RNG.standard_normal((1, 8))
    assert_array_equal(rope(x, np.array([257], np.uint16)), rope(x, [257]))
    assert_array_equal(rope(x, np.array([2048], np.float16)), rope(x, [2048]))


def test_bug_state_between_calls() -> None:
    x = RNG.standard_normal((3, 4))
    before = rope(x, range(3))
    rope(np.zeros((3, 4), np.float32), range(3))
    result = rope(x, range(3))
    result[:] = 0
    assert_array_equal(rope(x, range(3)), before)


# Frequencies


def test_frequencies_replace_the_ladder() -> None:
    x = RNG.standard_normal((3, 6))
    result = rope(x, [0, 1, 2], frequencies=[1.0, 0.5, 0.25])
    for m, rate in enumerate([1.0, 0.5, 0.25]):
        pair = slice(2 * m, 2 * m + 2)
        alone = rope(x[:, pair], np.arange(3) * rate)
        assert_allclose(result[:, pair], alone, rtol=0, atol=1e-15)


@pytest.mark.parametrize("layout", LAYOUTS)
def test_a_pair_of_frequency_zero_is_left_alone(layout: Any) -> None:
    """p-RoPE: the slow pairs do not turn."""
    x = RNG.standard_normal((3, 8))
    result = rope(x, [5, 600, 7000], frequencies=[1.0, 0.1, 0, 0], layout=layout)
    still = [4, 5, 6, 7] if layout == "interleaved" else [2, 3, 6, 7]
    moved = [m for m in range(8) if m not in still]
    assert_array_equal(result[:, still], x[:, still])
    assert (result[:, moved] != x[:, moved]).all()


@pytest.mark.parametrize("n", [3, 1100])
@pytest.mark.parametrize("layout", LAYOUTS)
def test_the_attention_factor_multiplies_what_rotates(layout: Any, n: int) -> None:
    x = RNG.standard_normal((n, 8))
    rates = np.array([1.0, 0.5])
    scaled = RopeFrequencies(rates, 1.5)
    result = rope(x, range(n), frequencies=scaled, rotary_dim=4, layout=layout)
    plain = rope(x, range(n), frequencies=rates, rotary_dim=4, layout=layout)
    assert_allclose(result[:, :4], 1.5 * plain[:, :4], rtol=0, atol=1e-14)
    assert_array_equal(result[:, 4:], x[:, 4:])


# Shapes, dtypes, memory


@pytest.mark.parametrize("dtype", [np.float16, np.float32, np.float64, ">f4"])
@pytest.mark.parametrize("layout", LAYOUTS)
def test_floats_keep_their_dtype(dtype: Any, layout: Any) -> None:
    x = RNG.standard_normal((4, 6)).astype(dtype)
    result = rope(x, range(4), layout=layout, rotary_dim=4)
    assert result.dtype == np.dtype(dtype).newbyteorder("=")
    exact = rope(x.astype(np.float64), range(4), layout=layout, rotary_dim=4)
    assert_allclose(result, exact, rtol=0, atol=4 * float(np.finfo(result.dtype).eps))


def test_float32_is_rotated_in_float32() -> None:
    x = RNG.standard_normal((500, 8)).astype(np.float32)
    positions = RNG.integers(0, 9000, size=500)
    phases = np.exp(1j * positions[:, np.newaxis] * angular_frequencies(8))
    expected = (x.view(np.complex64) * phases.astype(np.complex64)).view(np.float32)
    assert (rope(x, positions) == expected).mean() > 0.99
    exact = rope(x.astype(np.float64), positions).astype(np.float32)
    assert (rope(x, positions) == exact).mean() < 0.9


@pytest.mark.parametrize("x", [[[1, 2]], np.array([[1, 2]], np.int8), np.array([[1, 2]], "g")])
def test_everything_else_becomes_float64(x: Any) -> None:
    result = rope(x, [1])
    assert result.dtype == np.float64
    assert_array_equal(result, rope([[1.0, 2.0]], [1]))


@pytest.mark.parametrize("shape", [(0, 4), (3, 0, 4), (0, 5, 4), (0, 0, 4)])
def test_nothing_rotates_to_nothing(shape: tuple[int, ...]) -> None:
    for layout in LAYOUTS:
        assert rope(np.empty(shape), np.arange(shape[-2]), layout=layout).shape == shape


@pytest.mark.parametrize("layout", LAYOUTS)
def test_strides_do_not_matter(layout: Any) -> None:
    x = RNG.standard_normal((4, 6, 10)).astype(np.float32)
    expected = rope(x[:, ::2, ::-1].copy(), range(3), layout=layout)
    assert_array_equal(rope(x[:, ::2, ::-1], range(3), layout=layout), expected)
    assert_array_equal(
        rope(np.asfortranarray(x), range(6), layout=layout), rope(x, range(6), layout=layout)
    )
    same = np.broadcast_to(np.float32(2), (3, 4))
    assert_array_equal(
        rope(same, range(3), layout=layout), rope(same.copy(), range(3), layout=layout)
    )


@pytest.mark.parametrize("layout", LAYOUTS)
def test_the_result_is_new_and_the_argument_untouched(layout: Any) -> None:
    x = RNG.standard_normal((4, 6))
    kept = x.copy()
    rates = np.zeros(3)
    result = rope(x, [0, 0, 0, 0], layout=layout, frequencies=rates)
    assert not np.shares_memory(result, x)
    assert result.flags.owndata or result.base is not x
    result[:] = 9
    assert_array_equal(x, kept)


@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.parametrize("dtype", [np.float16, np.float32, np.float64])
@pytest.mark.parametrize("shape", [(3, 700, 32), (40, 20, 32), (5, 7, 3, 90, 8), (1300, 34)])
def test_blocks_change_nothing(shape: tuple[int, ...], dtype: Any, layout: Any) -> None:
    assert any(s < n for s, n in zip(block_steps(shape, 1), shape, strict=False))
    x = RNG.standard_normal(shape).astype(dtype)
    positions = RNG.integers(0, 4000, size=shape[-2])
    result = rope(x, positions, layout=layout, rotary_dim=8)
    flat, rows = x.reshape(-1, *shape[-2:]), result.reshape(-1, *shape[-2:])
    for head in range(len(flat)):
        for token in {0, 1, shape[-2] // 2, shape[-2] - 1}:
            one = rope(flat[head, token], positions[token], layout=layout, rotary_dim=8)
            assert_same(rows[head, token], one)


@pytest.mark.parametrize("n", [1023, 1024, 1025, 2000])
@pytest.mark.parametrize("start", [0, 17, -500, 0.25])
def test_a_long_run_is_as_exact_as_single_tokens(n: int, start: float) -> None:
    x = RNG.standard_normal((n, 4))
    result = rope(x, start + np.arange(n))
    for token in [0, 1, 63, 64, 65, 127, 128, 600, n - 1]:
        one = rope(x[token], start + token)
        assert_allclose(result[token], one, rtol=0, atol=1e-12)
    single = rope(x.astype(np.float32), start + np.arange(n))
    assert_allclose(single, result, rtol=0, atol=2e-6)


def test_a_long_list_that_is_no_run_is_not_taken_for_one() -> None:
    positions = np.arange(2000)
    positions[1500:] += 1
    x = RNG.standard_normal((2000, 4))
    result = rope(x, positions)
    for token in (1499, 1500, 1999):
        assert_same(result[token], rope(x[token], positions[token]))


def test_heads_share_their_phases() -> None:
    """The sines and cosines of a token are computed once for all heads."""
    asked: list[slice] = []

    def phases(tokens: slice) -> Any:
        asked.append(tokens)
        return polar(1.0, np.arange(600.0)[tokens, np.newaxis] * np.ones(16))

    rotate(RNG.standard_normal((2, 8, 600, 32)), phases, 1, 32, "interleaved")
    covered = [p for tokens in asked for p in range(600)[tokens]]
    assert covered == list(range(600))


@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.parametrize("dtype", [np.float16, np.float32, np.float64])
@pytest.mark.parametrize("shape", [(1, 16, 512, 64), (4096, 128)])
def test_memory_stays_near_the_result(shape: Any, dtype: Any, layout: Any) -> None:
    x = np.ones(shape, dtype)
    positions = np.arange(shape[-2])
    rope(x, positions, layout=layout)
    tracemalloc.start()
    try:
        rope(x, positions, layout=layout)
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert peak < 2 * x.nbytes + 2**17


def test_memory_stays_near_the_result_where_each_batch_has_its_positions() -> None:
    x = np.ones((32, 1, 512, 64), np.float32)
    positions = np.arange(32 * 512).reshape(32, 1, 512)
    tracemalloc.start()
    try:
        rope(x, positions)
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert peak < 2 * x.nbytes


def test_a_block_reaches_along_tokens_first() -> None:
    assert block_steps((1, 32, 2048, 128), 1) == (1, 1, 2048)
    assert block_steps((1, 32, 2048, 128), 3) == (1, 3, 682)
    assert block_steps((64, 32, 1, 128), 1) == (2, 32, 1)
    assert block_steps((64, 1, 512, 128), 64) == (64, 1, 16)
    assert block_steps((1, 64, 2048, 128), 1) == (1, 1, 2048)
    assert block_steps((8192, 128), 1) == (256,)
    assert block_steps((2, 3, 4), 1) == (2, 3)
    assert block_steps((3, 10, 100000), 2) == (1, 1)
    assert block_steps((0, 0, 4), 0) == (1, 1)


# Refusals


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"x": [[True, False]]}, "x is [[True, False]]; allowed: a real number or an array of real"
         " numbers"),
        ({"x": 1.0}, "x has shape (); allowed: (…, n, head_dim), head_dim at least 2"),
        ({"x": [[1.0]]}, "x has shape (1, 1); allowed: (…, n, head_dim), head_dim at least 2"),
        ({"x": [[1.0, 2, 3]]}, "x has shape (1, 3); allowed: an even head_dim, "
         "or an even rotary_dim within it"),
        ({"x": [[1.0, np.nan]]}, "x holds nan; allowed: finite real numbers"),
        ({"x": [[-np.inf, 1]]}, "x holds -inf; allowed: finite real numbers"),
        ({"x": np.array([[np.inf, 1]], np.longdouble)}, "x holds inf; allowed: finite real "
         "numbers"),
        ({"x": [[1.0, 2, np.inf]], "rotary_dim": 2}, "x holds inf; allowed: finite real numbers"),
        ({"x": np.full((1, 2), 60000, np.float16)}, "x is too large; allowed: rotated numbers "
         "that fit in float16"),
        ({"x": np.full((1, 2), 3e38, np.float32)}, "x is too large; allowed: rotated numbers "
         "that fit in float32"),
        ({"x": np.full((1, 2), 1.7e308)}, "x is too large; allowed: rotated numbers that fit in "
         "float64"),
        ({"positions": [0, 1]}, "positions has shape (2,); allowed: (1,)"),
        ({"positions": 0}, "positions has shape (); allowed: (1,)"),
        ({"positions": [[0]]}, "positions has shape (1, 1); allowed: (1,)"),
        ({"x": np.ones((2, 3, 5, 4)), "positions": np.zeros((3, 1))}, "positions has shape (3, 1);"
         " allowed: (5,), or 3 axes that end in 5 and broadcast to (2, 3, 5)"),
        ({"x": np.ones((2, 3, 5, 4)), "positions": np.zeros((2, 5))}, "positions has shape (2, 5);"
         " allowed: (5,), or 3 axes that end in 5 and broadcast to (2, 3, 5)"),
        # As many texts as heads: without the rule, each head would get another text's positions.
        ({"x": np.ones((3, 3, 5, 4)), "positions": np.zeros((3, 5))}, "positions has shape (3, 5);"
         " allowed: (5,), or 3 axes that end in 5 and broadcast to (3, 3, 5)"),
        ({"x": np.ones((1, 5, 4)), "positions": np.zeros((2, 5))}, "positions has shape (2, 5);"
         " allowed: (5,), or 2 axes that end in 5 and broadcast to (1, 5)"),
        ({"x": [1.0, 2.0]}, "positions has shape (1,); allowed: one number, for x is one vector"),
        ({"positions": [np.nan]}, "positions holds nan; allowed: finite real numbers"),
        ({"positions": [1e308], "frequencies": [10.0]}, "positions are too large; allowed: angles "
         "that fit in float64"),
        ({"base": 0.5}, "base is 0.5; allowed: a real number from 1 to 1e300"),
        ({"layout": "halves"}, "layout is 'halves'; allowed: 'interleaved' or 'half-split'"),
        ({"frequencies": [1.0, 2.0]}, "frequencies has shape (2,); allowed: (1,), one for each "
         "pair of the 2 dimensions that rotate"),
        ({"frequencies": [np.inf]}, "frequencies holds inf; allowed: finite real numbers"),
        ({"frequencies": RopeFrequencies(np.ones(1), math.nan)}, "attention_factor is nan; "
         "allowed: one finite real number"),
        ({"frequencies": [1.0], "base": 5e5}, "base is 500000.0; allowed: 10000.0, the default, "
         "where frequencies are given"),
        ({"rotary_dim": 3}, "rotary_dim is 3; allowed: an even integer, at least 2"),
        ({"rotary_dim": 0}, "rotary_dim is 0; allowed: an even integer, at least 2"),
        ({"rotary_dim": 4}, "rotary_dim is 4; allowed: an even integer from 2 to 2, the width of x"),
        ({"x": np.ones((2, 3, 1, 4)), "rotary_dim": 6}, "rotary_dim is 6; allowed: an even integer "
         "from 2 to 4, the width of x"),
        ({"rotary_dim": True}, "rotary_dim is True; allowed: an even integer, at least 2"),
    ],
)  # fmt: skip
def test_refusals(arguments: dict[str, Any], message: str) -> None:
    call = {"x": [[1.0, 2.0]], "positions": [1], **arguments}
    for layout in LAYOUTS:
        with pytest.raises(ValueError) as refusal:  # noqa: PT011
            rope(**{"layout": layout, **call})
        assert str(refusal.value) == message


def test_the_largest_numbers_that_fit_are_not_refused() -> None:
    assert rope([[1.7e308, 0.0]], [0])[0, 0] == 1.7e308
    assert rope([[1.0, 0.0]], [1.7e308], frequencies=[1.0]).shape == (1, 2)
    assert rope(np.full((1, 2), 60000, np.float16), [0])[0, 0] == 60000
