"""xPos: rotation and opposite scales for queries and keys."""

import cmath
import math
from typing import Any

import numpy as np
import pytest
from hypothesis import given, strategies as st
from numpy.testing import assert_allclose, assert_array_equal

from pedocs import rope, xpos

RNG = np.random.default_rng(5)
LAYOUTS: list[Any] = ["interleaved", "half-split"]
ROLES: list[Any] = ["query", "key"]


def zeta(m: int, width: int) -> float:
    return (m / (width / 2) + 0.4) / 1.4


# The definition


@pytest.mark.parametrize("role", ROLES)
@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.parametrize("setting", [{}, {"base": 100.0, "scale_base": 8.0, "center": 2.5}])
def test_every_pair_follows_the_formula(role: Any, layout: Any, setting: dict[str, float]) -> None:
    width, positions = 8, [0, 3, 700, -2]
    x = RNG.standard_normal((4, width))
    result = xpos(x, positions, role=role, layout=layout, **setting)
    base = setting.get("base", 10000.0)
    for token, p in enumerate(positions):
        for m in range(width // 2):
            a, b = (2 * m, 2 * m + 1) if layout == "interleaved" else (m, m + width // 2)
            power = (p - setting.get("center", 0.0)) / setting.get("scale_base", 512.0)
            scale = zeta(m, width) ** (power if role == "query" else -power)
            turn = cmath.rect(scale, p / math.pow(base, 2 * m / width))
            pair = complex(x[token, a], x[token, b]) * turn
            expected = [pair.real, pair.imag]
            assert_allclose(result[token, [a, b]], expected, rtol=1e-12, atol=1e-13 * scale)


def test_equals_torchscale() -> None:
    """Recorded with its XPOS(8, scale_base=512) for six tokens, whose centre is the third."""
    x = np.tile([1, -0.5, 0.25, 2, -1.5, 0.75, 3, -0.125], (6, 1))
    q = xpos(x, range(6), role="query", center=3)
    k = xpos(x, range(6), role="key", center=3)
    last_q = [-0.194844097, -1.09538186, -0.737242579, 1.86941016]
    last_k = [-0.196760446, -1.10615516, -0.741675019, 1.88064945]
    assert_allclose(q[0, :2], [1.00736737, -0.503683686], rtol=0, atol=1e-7)
    assert_allclose(k[0, :2], [0.99268651, -0.496343255], rtol=0, atol=1e-7)
    assert_allclose(q[5, :4], last_q, rtol=0, atol=5e-7)
    assert_allclose(k[5, :4], last_k, rtol=0, atol=5e-7)


def test_golden_scales() -> None:
    """The scales of four pairs, one scale base after the centre."""
    x = np.array([1.0, 0.0] * 4)
    lengths = np.hypot(*xpos(x, 512, role="query").reshape(4, 2).T)
    assert_allclose(lengths, [2 / 7, 13 / 28, 9 / 14, 23 / 28], rtol=1e-13)


def test_the_defaults() -> None:
    x = RNG.standard_normal((3, 4))
    expected = xpos(
        x, [1, 2, 900], role="key", base=10000.0, scale_base=512.0, center=0.0, layout="interleaved"
    )
    assert_array_equal(xpos(x, [1, 2, 900], role="key"), expected)


# Laws


@given(
    st.integers(1, 6).map(lambda m: 2 * m),
    st.integers(-600, 600),
    st.integers(-600, 600),
    st.integers(-600, 600),
    st.floats(-300, 300),
    st.sampled_from(LAYOUTS),
)
def test_a_score_depends_on_the_offset_alone(
    width: int, i: int, j: int, shift: int, center: float, layout: Any
) -> None:
    """Neither a common shift nor a common centre changes it."""
    q, k = np.random.default_rng(width).standard_normal((2, width))
    here = xpos(q, i, role="query", layout=layout) @ xpos(k, j, role="key", layout=layout)
    there = xpos(q, i + shift, role="query", layout=layout, center=center) @ xpos(
        k, j + shift, role="key", layout=layout, center=center
    )
    assert there == pytest.approx(here, rel=1e-9, abs=1e-9)


@given(st.sampled_from(LAYOUTS), st.sampled_from(ROLES), st.integers(-50, 50))
def test_at_the_center_it_is_rope(layout: Any, role: Any, p: int) -> None:
    x = RNG.standard_normal(8)
    result = xpos(x, p, role=role, center=p, layout=layout)
    assert_allclose(result, rope(x, p, layout=layout), rtol=0, atol=1e-15)


def test_scores_fade_behind_the_query_and_grow_ahead() -> None:
    x = np.array([1.0, 0.0])
    sizes = [
        np.linalg.norm(xpos(x, 0, role="query")) * np.linalg.norm(xpos(x, j, role="key"))
        for j in (-1024, -512, 0, 512)
    ]
    assert_allclose(sizes, [(2 / 7) ** 2, 2 / 7, 1, 7 / 2], rtol=1e-13)


# Bugs that were reported of others


def test_bug_cached_keys_centred_on_another_length() -> None:
    """Queries that arrive later, with their own positions, score as if all came at once."""
    q, k = RNG.standard_normal((2, 9, 8))
    whole = xpos(q, range(9), role="query", center=4) @ xpos(k, range(9), role="key", center=4).T
    cached = xpos(k[:7], range(7), role="key", center=4)
    later = xpos(k[7:], [7, 8], role="key", center=4)
    step = xpos(q[8:], [8], role="query", center=4) @ np.concatenate([cached, later]).T
    assert_allclose(step[0], whole[8], rtol=0, atol=1e-13)
    other = xpos(q[8:], [8], role="query", center=0) @ np.concatenate([cached, later]).T
    assert not np.allclose(other[0], whole[8])


def test_bug_roles_confused() -> None:
    x = RNG.standard_normal((2, 4))
    q, k = xpos(x, [100, 200], role="query"), xpos(x, [100, 200], role="key")
    assert not np.allclose(q, k)
    assert_allclose(q * k, rope(x, [100, 200]) ** 2, rtol=0, atol=1e-14)


def test_batch_and_head_axes() -> None:
    x = RNG.standard_normal((2, 3, 5, 4))
    positions = np.arange(10).reshape(2, 1, 5) * 100
    result = xpos(x, positions, role="key")
    for batch in range(2):
        for head in range(3):
            one = xpos(x[batch, head], positions[batch, 0], role="key")
            assert_allclose(result[batch, head], one, rtol=0, atol=1e-14)


@pytest.mark.parametrize("dtype", [np.float16, np.float32, np.float64])
def test_floats_keep_their_dtype(dtype: Any) -> None:
    x = RNG.standard_normal((2, 4)).astype(dtype)
    result = xpos(x, [3, 2049], role="query")
    assert result.dtype == dtype
    exact = xpos(x.astype(np.float64), [3, 2049], role="query")
    assert_allclose(result, exact, rtol=0, atol=8 * float(np.finfo(dtype).eps))
    assert xpos([[1, 2]], [3], role="query").dtype == np.float64
    assert xpos(np.empty((0, 4)), [], role="query").shape == (0, 4)


# How far from the center one may go

LIMIT = {np.float32: 87.3365, np.float64: 708.396}


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("role", ROLES)
@pytest.mark.parametrize("side", [-1, 1])
def test_scales_beyond_the_dtype_are_refused(dtype: Any, role: Any, side: int) -> None:
    farthest = LIMIT[dtype] / -math.log(zeta(0, 4)) * 512
    x = np.ones(4, dtype)
    assert xpos(x, side * (farthest - 5) + 9, role=role, center=9.0).all()
    with pytest.raises(ValueError) as refusal:  # noqa: PT011
        xpos(x, side * (farthest + 5) + 9, role=role, center=9.0)
    name = np.dtype(dtype).name
    expected = f"positions are too far from center; allowed: scales that fit in {name}"
    assert str(refusal.value) == expected


def test_float16_reaches_as_far_as_float32() -> None:
    x = np.full(4, 2.0**-14, np.float16)
    assert xpos(x, -8000, role="query")[:2].any()
    with pytest.raises(ValueError, match=r"^positions are too far from center; .* float32$"):
        xpos(x, 40000, role="query")


# Refusals


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"role": "value"}, "role is 'value'; allowed: 'query' or 'key'"),
        ({"role": None}, "role is None; allowed: 'query' or 'key'"),
        ({"x": np.ones((1, 3))}, "x has shape (1, 3); allowed: an even head_dim, "
         "or an even rotary_dim within it"),
        ({"positions": [0, 1]}, "positions has shape (2,); allowed: (1,)"),
        ({"positions": [np.inf]}, "positions holds inf; allowed: finite real numbers"),
        ({"base": 0}, "base is 0; allowed: a real number from 1 to 1e300"),
        ({"scale_base": 0.0}, "scale_base is 0.0; allowed: a real number above 0"),
        ({"scale_base": -1}, "scale_base is -1; allowed: a real number above 0"),
        ({"scale_base": np.inf}, "scale_base is inf; allowed: a real number above 0"),
        ({"center": np.nan}, "center holds nan; allowed: finite real numbers"),
        ({"center": [0.0]}, "center is [0.0]; allowed: one finite real number"),
        ({"layout": "halves"}, "layout is 'halves'; allowed: 'interleaved' or 'half-split'"),
        ({"scale_base": 1e-320}, "positions are too far from center; allowed: scales that fit in "
         "float64"),
        ({"x": [[np.nan, 1]]}, "x holds nan; allowed: finite real numbers"),
        ({"x": [[1.7e308, 0]], "positions": [-1]}, "x is too large; allowed: rotated numbers that "
         "fit in float64"),
    ],
)  # fmt: skip
def test_refusals(arguments: dict[str, Any], message: str) -> None:
    call: dict[str, Any] = {"x": [[1.0, 2.0]], "positions": [1], "role": "query", **arguments}
    if "too large" in message:
        call["scale_base"] = 1.0
    with pytest.raises(ValueError) as refusal:  # noqa: PT011
        xpos(**call)
    assert str(refusal.value) == message
