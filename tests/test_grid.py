"""Positions in an image, and the sinusoids of two positions."""

import math
from typing import Any

import numpy as np
import pytest
from hypothesis import given, strategies as st
from numpy.testing import assert_allclose, assert_array_equal

from pedocs import grid_positions, sinusoidal, sinusoidal_2d

DETR: dict[str, Any] = {"start": 1, "span": 2 * math.pi, "epsilon": 1e-6}
HALVES: dict[str, Any] = {"layout": "half-split"}

# Positions


def test_two_rows_and_three_columns_are_not_swapped() -> None:
    rows, columns = grid_positions(2, 3)
    assert_array_equal(rows, [[0, 0, 0], [1, 1, 1]])
    assert_array_equal(columns, [[0, 1, 2], [0, 1, 2]])


def test_the_result_has_named_fields_and_unpacks() -> None:
    grid = grid_positions(2, 3)
    rows, columns = grid
    assert_array_equal(rows, grid.rows)
    assert_array_equal(columns, grid.columns)


@pytest.mark.parametrize("start", [0, 1, 7, -4, 2**53])
@pytest.mark.parametrize(("height", "width"), [(1, 1), (2, 3), (5, 1), (4, 6)])
def test_every_place_counts_from_the_start(height: int, width: int, start: int) -> None:
    rows, columns = grid_positions(height, width, start=start)
    assert rows.shape == columns.shape == (height, width)
    assert rows.dtype == columns.dtype == np.int64
    for y in range(height):
        for x in range(width):
            assert (rows[y, x], columns[y, x]) == (start + y, start + x)


@given(
    st.integers(1, 7),
    st.integers(1, 7),
    st.integers(0, 3),
    st.floats(0.5, 50),
    st.sampled_from([1e-6, 0.5]),
)
def test_a_span_divides_by_the_last_count(
    height: int, width: int, start: int, span: float, epsilon: float
) -> None:
    rows, columns = grid_positions(height, width, start=start, span=span, epsilon=epsilon)
    assert rows.dtype == columns.dtype == np.float64
    for y in range(height):
        for x in range(width):
            last_row, last_column = start + height - 1, start + width - 1
            wanted = (start + y) / (last_row + epsilon) * span
            assert rows[y, x] == pytest.approx(wanted, rel=1e-15)
            wanted = (start + x) / (last_column + epsilon) * span
            assert columns[y, x] == pytest.approx(wanted, rel=1e-15)


def test_positions_as_detr_counts_them() -> None:
    rows, columns = grid_positions(2, 3, **DETR)
    assert_allclose(rows[:, 0], np.array([1, 2]) / 2 * 2 * math.pi, rtol=1e-6)
    assert_allclose(columns[0], np.array([1, 2, 3]) / 3 * 2 * math.pi, rtol=1e-6)
    assert columns.max() < 2 * math.pi  # epsilon keeps the last below the span
    assert 2 * math.pi - columns.max() == pytest.approx(2 * math.pi * 1e-6 / 3, rel=1e-5)


def test_without_epsilon_the_last_position_is_the_span() -> None:
    rows, columns = grid_positions(4, 5, span=6)
    assert_array_equal(rows[:, 2], [0, 2, 4, 6])
    assert_array_equal(columns[2], [0, 1.5, 3, 4.5, 6])
    assert grid_positions(3, 1, start=1, span=2).columns.max() == 2


def test_one_row_from_zero_needs_an_epsilon() -> None:
    rows, columns = grid_positions(1, 2, span=6, epsilon=1)
    assert_array_equal(rows, [[0, 0]])
    assert_array_equal(columns, [[0, 3]])


def test_the_defaults_of_the_grid() -> None:
    for one, other in zip(
        grid_positions(2, 3), grid_positions(2, 3, start=0, span=None, epsilon=0.0), strict=True
    ):
        assert_array_equal(one, other)
    for one, other in zip(
        grid_positions(2, 3, span=1), grid_positions(2, 3, start=0, span=1, epsilon=0), strict=True
    ):
        assert_array_equal(one, other)


# Encodings


@pytest.mark.parametrize("spacing", ["paper", "tensor2tensor"])
@pytest.mark.parametrize("layout", ["interleaved", "half-split"])
@pytest.mark.parametrize("base", [10000.0, 20.0])
@pytest.mark.parametrize("d_model", [4, 8, 12])
def test_every_entry_follows_the_formula(
    d_model: int, base: float, layout: Any, spacing: Any
) -> None:
    table = sinusoidal_2d(*grid_positions(2, 3), d_model, base=base, layout=layout, spacing=spacing)
    assert table.shape == (2, 3, d_model)
    half, pairs = d_model // 2, d_model // 4
    for y in range(2):
        for x in range(3):
            for place, position in ((0, y), (half, x)):
                for m in range(pairs):
                    steps = pairs if spacing == "paper" else max(pairs - 1, 1)
                    angle = position * base ** (-m / steps)
                    sine, cosine = place + 2 * m, place + 2 * m + 1
                    if layout == "half-split":
                        sine, cosine = place + m, place + pairs + m
                    assert table[y, x, sine] == pytest.approx(math.sin(angle), abs=1e-14)
                    assert table[y, x, cosine] == pytest.approx(math.cos(angle), abs=1e-14)


def test_the_axes_are_not_swapped() -> None:
    """The bug of mae#18: only an image that is not square tells the axes apart."""
    table = sinusoidal_2d(*grid_positions(2, 3), 8)
    for y in range(2):
        for x in range(3):
            assert_array_equal(table[y, x, :4], sinusoidal(y, 4))
            assert_array_equal(table[y, x, 4:], sinusoidal(x, 4))
    # The weights of MAE hold the column first, whatever its names say.
    rows, columns = grid_positions(2, 3)
    swapped = sinusoidal_2d(columns, rows, 8)
    assert_array_equal(swapped[..., :4], table[..., 4:])
    assert_array_equal(swapped[..., 4:], table[..., :4])


S, C = math.sin, math.cos


def test_golden_values_of_three_implementations() -> None:
    """Two rows, three columns, eight wide: the frequencies are 1 and 1/100 in each half."""
    at = (1, 2)
    counted = sinusoidal_2d(*grid_positions(2, 3), 8)[at]
    wanted = [S(1), C(1), S(0.01), C(0.01), S(2), C(2), S(0.02), C(0.02)]
    assert_allclose(counted, wanted, rtol=0, atol=1e-15)  # positional-encodings

    halves = sinusoidal_2d(*grid_positions(2, 3), 8, **HALVES)[at]
    wanted = [S(1), S(0.01), C(1), C(0.01), S(2), S(0.02), C(2), C(0.02)]
    assert_allclose(halves, wanted, rtol=0, atol=1e-15)  # MAE

    from_one = sinusoidal_2d(*grid_positions(2, 3, start=1), 8)[at]
    wanted = [S(2), C(2), S(0.02), C(0.02), S(3), C(3), S(0.03), C(0.03)]
    assert_allclose(from_one, wanted, rtol=0, atol=1e-15)  # DETR, not normalised

    stretched = sinusoidal_2d(*grid_positions(2, 3, **DETR), 8)[0, 0]
    y, x = 2 * math.pi / (2 + 1e-6), 2 * math.pi / (3 + 1e-6)
    wanted = [S(y), C(y), S(y / 100), C(y / 100), S(x), C(x), S(x / 100), C(x / 100)]
    assert_allclose(stretched, wanted, rtol=0, atol=1e-15)  # DETR


@given(st.integers(-50, 50), st.integers(-50, 50), st.integers(-9, 9), st.sampled_from([4, 8, 20]))
def test_a_step_changes_one_half_only(y: int, x: int, step: int, d_model: int) -> None:
    here, half = sinusoidal_2d(y, x, d_model), d_model // 2
    down, right = sinusoidal_2d(y + step, x, d_model), sinusoidal_2d(y, x + step, d_model)
    assert_array_equal(down[half:], here[half:])
    assert_array_equal(right[:half], here[:half])
    assert_array_equal(down[:half], sinusoidal(y + step, half))
    assert_array_equal(right[half:], sinusoidal(x + step, half))


@given(st.integers(-50, 50), st.integers(-50, 50), st.integers(-9, 9), st.integers(-9, 9))
def test_the_product_of_two_encodings_depends_on_their_offset_only(
    y: int, x: int, down: int, right: int
) -> None:
    product = sinusoidal_2d(y, x, 8) @ sinusoidal_2d(y + down, x + right, 8)
    wanted = sum(math.cos(r * w) for r in (down, right) for w in (1, 0.01))
    assert product == pytest.approx(wanted, abs=1e-13)


@pytest.mark.parametrize(
    ("rows", "columns", "shape"),
    [
        ((), (), ()),
        ((2, 1), (1, 3), (2, 3)),
        ((2, 1), (3,), (2, 3)),
        ((2, 3), (), (2, 3)),
        ((), (2, 3), (2, 3)),
        ((6,), (6,), (6,)),
        ((4, 2, 1), (2, 3), (4, 2, 3)),
        ((0, 1), (1, 3), (0, 3)),
    ],
)
def test_rows_and_columns_broadcast(rows: Any, columns: Any, shape: Any) -> None:
    rng = np.random.default_rng(3)
    y, x = rng.integers(0, 100, rows), rng.integers(0, 100, columns)
    table = sinusoidal_2d(y, x, 8)
    assert table.shape == (*shape, 8)
    y, x = np.broadcast_to(y, shape), np.broadcast_to(x, shape)
    for index in np.ndindex(shape):
        assert_array_equal(table[index], sinusoidal_2d(int(y[index]), int(x[index]), 8))


def test_an_open_grid_gives_the_table_of_the_full_one() -> None:
    rows, columns = np.ogrid[:4, :5]
    full = sinusoidal_2d(*grid_positions(4, 5), 12)
    assert_array_equal(sinusoidal_2d(rows, columns, 12), full)
    # Patches in one row, as a Transformer reads them.
    y, x = (positions.ravel() for positions in grid_positions(4, 5))
    assert_array_equal(sinusoidal_2d(y, x, 12), full.reshape(20, 12))


@pytest.mark.parametrize("dtype", [np.float16, np.float32, np.float64, "f2", ">f4"])
def test_another_dtype_is_the_cast_of_the_float64_table(dtype: Any) -> None:
    y, x = [[0], [2049]], [[0, 1, 4097]]
    table = sinusoidal_2d(y, x, 8, dtype=dtype)
    assert table.dtype == np.dtype(dtype)
    assert_array_equal(table, sinusoidal_2d(y, x, 8).astype(dtype))


def test_the_defaults_of_the_encoding() -> None:
    table = sinusoidal_2d([1, 2], [3, 4], 12)
    assert table.dtype == np.float64
    settings: dict[str, Any] = {
        "base": 10000.0,
        "layout": "interleaved",
        "spacing": "paper",
        "dtype": None,
    }
    assert_array_equal(table, sinusoidal_2d([1, 2], [3, 4], 12, **settings))
    for other in ({"base": 100.0}, HALVES, {"spacing": "tensor2tensor"}):
        assert not np.allclose(table, sinusoidal_2d([1, 2], [3, 4], 12, **other))


# Inputs and outputs


def test_results_share_memory_with_nothing() -> None:
    for given_span in (None, 6.0):
        rows, columns = grid_positions(3, 3, span=given_span)
        assert not np.shares_memory(rows, columns)
        assert rows.flags.writeable and columns.flags.writeable
        rows[0, 0] = 99
        columns[0, 0] = 98
        assert 99 not in rows[0, 1:] and 98 not in columns[1:, 0]
        assert_array_equal(grid_positions(3, 3, span=given_span).rows[0], [0, 0, 0])
    y = np.arange(3.0)
    first = sinusoidal_2d(y, y, 4)
    kept = first.copy()
    first[...] = 9
    assert_array_equal(y, np.arange(3.0))
    assert_array_equal(sinusoidal_2d(y, y, 4), kept)


@pytest.mark.parametrize("one", [2, np.int8(2), np.array(2)])
def test_settings_may_be_numpy_integers(one: Any) -> None:
    for got, wanted in zip(
        grid_positions(one, one, start=one, span=one, epsilon=one),
        grid_positions(2, 2, start=2, span=2.0, epsilon=2.0),
        strict=True,
    ):
        assert_array_equal(got, wanted)
    width: Any = np.int8(4)
    assert_array_equal(sinusoidal_2d(one, one, width), sinusoidal_2d(2, 2, 4))


def test_the_largest_and_smallest_numbers_give_no_warning() -> None:
    with np.errstate(all="raise"):
        assert np.isfinite(grid_positions(3, 4, span=1.7e308).rows).all()
        assert grid_positions(1, 1, span=1, epsilon=5e-324).rows == [[0]]
        assert np.isfinite(sinusoidal_2d(2**53, -(2**53), 8)).all()


# Refusals

SIDE = "allowed: an integer, at least 1"
SPAN = "allowed: None or a finite real number above 0"
MARGIN = "allowed: a finite real number, at least 0"
FOUR = "allowed: a multiple of 4, at least 4"
REAL = "allowed: a real number or an array of real numbers"


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        ({"height": 0}, f"height is 0; {SIDE}"),
        ({"height": 2.0}, f"height is 2.0; {SIDE}"),
        ({"height": True}, f"height is True; {SIDE}"),
        ({"width": 0}, f"width is 0; {SIDE}"),
        ({"width": -1}, f"width is -1; {SIDE}"),
        ({"width": "3"}, f"width is '3'; {SIDE}"),
        ({"start": 0.5}, "start is 0.5; allowed: an integer"),
        ({"start": True}, "start is True; allowed: an integer"),
        ({"start": None}, "start is None; allowed: an integer"),
        (
            {"start": -1, "span": 1},
            "start is -1; allowed: an integer, at least 0 where a span is given",
        ),
        ({"span": 0}, f"span is 0; {SPAN}"),
        ({"span": -1.5}, f"span is -1.5; {SPAN}"),
        ({"span": math.nan}, f"span is nan; {SPAN}"),
        ({"span": math.inf}, f"span is inf; {SPAN}"),
        ({"span": True}, f"span is True; {SPAN}"),
        ({"span": [1.0]}, f"span is [1.0]; {SPAN}"),
        ({"epsilon": 1e-6}, "epsilon is 1e-06; allowed: 0 where span is None"),
        ({"epsilon": -1e-6}, f"epsilon is -1e-06; {MARGIN}"),
        ({"epsilon": -1e-6, "span": 1}, f"epsilon is -1e-06; {MARGIN}"),
        ({"epsilon": math.inf, "span": 1}, f"epsilon is inf; {MARGIN}"),
        ({"epsilon": math.nan}, f"epsilon is nan; {MARGIN}"),
        ({"epsilon": None}, f"epsilon is None; {MARGIN}"),
        ({"epsilon": True, "span": 1}, f"epsilon is True; {MARGIN}"),
        (
            {"height": 1, "span": 1},
            "start is 0 and height or width is 1; allowed: epsilon above 0 where a span is given",
        ),
        (
            {"width": 1, "span": 1},
            "start is 0 and height or width is 1; allowed: epsilon above 0 where a span is given",
        ),
    ],
    ids=str,
)
def test_a_wrong_argument_of_the_grid_is_named(wrong: Any, message: str) -> None:
    with pytest.raises(ValueError) as refused:  # noqa: PT011 (the whole message is compared)
        grid_positions(**{"height": 2, "width": 3, **wrong})
    assert str(refused.value) == message


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        ({"d_model": 2}, f"d_model is 2; {FOUR}"),
        ({"d_model": 6}, f"d_model is 6; {FOUR}"),
        ({"d_model": 5}, f"d_model is 5; {FOUR}"),
        ({"d_model": 0}, f"d_model is 0; {FOUR}"),
        ({"d_model": 8.0}, f"d_model is 8.0; {FOUR}"),
        ({"d_model": True}, f"d_model is True; {FOUR}"),
        (
            {"rows": [1, 2], "columns": [1, 2, 3]},
            "rows has shape (2,) and columns has shape (3,); allowed: shapes that broadcast",
        ),
        ({"rows": math.nan}, "rows holds nan; allowed: finite real numbers"),
        ({"columns": [0, math.inf]}, "columns holds inf; allowed: finite real numbers"),
        ({"rows": True}, f"rows is True; {REAL}"),
        ({"columns": None}, f"columns is None; {REAL}"),
        (
            {"rows": 2**53 + 1},
            f"rows holds {2**53 + 1}; allowed: integers up to 2^53 in size, or floats",
        ),
        (
            {"columns": [2**53 + 1]},
            f"columns holds {2**53 + 1}; allowed: integers up to 2^53 in size, or floats",
        ),
        ({"base": 0.5}, "base is 0.5; allowed: a real number from 1 to 1e300"),
        ({"layout": "halves"}, "layout is 'halves'; allowed: 'interleaved' or 'half-split'"),
        ({"spacing": "t2t"}, "spacing is 't2t'; allowed: 'paper' or 'tensor2tensor'"),
        ({"dtype": int}, f"dtype is {int!r}; allowed: None, float16, float32 or float64"),
    ],
    ids=str,
)
def test_a_wrong_argument_of_the_encoding_is_named(wrong: Any, message: str) -> None:
    with pytest.raises(ValueError) as refused:  # noqa: PT011
        sinusoidal_2d(**{"rows": 1, "columns": 2, "d_model": 8, **wrong})
    assert str(refused.value) == message


def test_settings_are_given_by_name() -> None:
    with pytest.raises(TypeError):
        grid_positions(2, 3, 0)  # type: ignore[call-arg]
    with pytest.raises(TypeError):
        sinusoidal_2d(1, 2, 4, 10000.0)  # type: ignore[call-arg]
