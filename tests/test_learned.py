"""Learned tables: looked up, and resized along one axis or two."""

import math
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from hypothesis import given, strategies as st
from numpy.testing import assert_allclose, assert_array_equal

from pedocs import learned, padded_positions, resize_learned, resize_learned_grid

TABLE = [[0.5, 1.0], [2.0, 3.0], [4.0, 7.0]]
METHODS = ["linear", "cubic"]


def random_table(rows: int, width: int = 3, seed: int = 1) -> Any:
    return np.random.default_rng(seed).standard_normal((rows, width))


# Looking up


def test_a_position_is_a_row() -> None:
    assert_array_equal(learned(TABLE, 0), [0.5, 1.0])
    assert_array_equal(learned(TABLE, 2), [4.0, 7.0])
    assert_array_equal(learned(TABLE, [2, 0, 2]), [[4.0, 7.0], [0.5, 1.0], [4.0, 7.0]])


@pytest.mark.parametrize("shape", [(), (0,), (1,), (5,), (2, 5), (2, 0), (2, 3, 4)])
def test_vectors_stand_in_the_last_axis_whatever_the_shape(shape: tuple[int, ...]) -> None:
    table = random_table(7)
    p = np.random.default_rng(2).integers(0, 7, size=shape)
    vectors = learned(table, p)
    assert vectors.shape == (*shape, 3)
    assert vectors.dtype == np.float64
    for index in np.ndindex(shape):
        assert vectors[index].tolist() == table[p[index]].tolist()


@pytest.mark.parametrize("dtype", [np.int8, np.uint8, np.int32, np.uint64, ">i4"])
def test_the_type_of_the_positions_does_not_matter(dtype: Any) -> None:
    assert_array_equal(learned(TABLE, np.array([2, 0], dtype)), [[4.0, 7.0], [0.5, 1.0]])


def test_an_empty_list_of_positions_gives_a_table_without_rows() -> None:
    assert learned(TABLE, []).shape == (0, 2)


def test_a_table_counts_its_rows_of_padding() -> None:
    """OPT and RoBERTa: two rows before the first position, and padding takes the second."""
    table = np.arange(6.0)[:, np.newaxis]
    p = padded_positions([False, True, True, True, True], start=2, padding=1)
    assert_array_equal(learned(table, p).ravel(), [1, 2, 3, 4, 5])


@pytest.mark.parametrize(
    ("positions", "held"),
    [
        (3, 3),
        (-1, -1),
        ([0, 1, 7, -2], 7),
        ([[0, 2], [2, -3]], -3),
        (2**62, 2**62),
        (np.array([2**64 - 1], np.uint64), 2**64 - 1),
        (np.array([-128], np.int8), -128),
    ],
)
def test_a_position_without_a_row_is_refused(positions: Any, held: int) -> None:
    """Neither wrapped around, as -1 would be, nor clipped: the end of a table is its end."""
    with pytest.raises(ValueError) as refused:  # noqa: PT011 (the whole message is compared)
        learned(TABLE, positions)
    assert str(refused.value) == (
        f"positions holds {held}; allowed: integers from 0 to 2, since table has length 3"
    )


def test_more_positions_than_int8_can_count() -> None:
    table = np.arange(300.0)[:, np.newaxis]
    assert learned(table, np.int8(127)) == [127.0]
    with pytest.raises(ValueError, match=r"^positions holds -1; .* 0 to 299, .* length 300$"):
        learned(table, np.int8(-1))


# Resizing along one axis


def keys(x: Fraction) -> Fraction:
    """The cubic kernel of the interpolation, for a distance on either side."""
    a, x = Fraction(-3, 4), abs(x)
    if x <= 1:
        return (a + 2) * x**3 - (a + 3) * x**2 + 1
    return a * x**3 - 5 * a * x**2 + 8 * a * x - 4 * a if x < 2 else Fraction(0)


def hat(x: Fraction) -> Fraction:
    return max(1 - abs(x), Fraction(0))


def slowly_resized(column: list[float], new: int, method: str, align_corners: bool) -> list[float]:
    """Each row in turn, from every row near it, with exact fractions for the places."""
    old, kernel = len(column), {"linear": hat, "cubic": keys}[method]
    rows = []
    for p in range(new):
        if align_corners:
            place = Fraction(p * (old - 1), new - 1) if new > 1 else Fraction(0)
        else:
            place = Fraction((2 * p + 1) * old, 2 * new) - Fraction(1, 2)
        total = 0.0
        for k in range(math.floor(place) - 2, math.floor(place) + 4):
            nearest = min(max(k, 0), old - 1)
            total += float(kernel(place - k)) * column[nearest]
        rows.append(total)
    return rows


def test_linear_between_two_rows() -> None:
    assert_array_equal(resize_learned([[0.0], [4.0]], 4).ravel(), [0, 1, 3, 4])
    assert_array_equal(resize_learned([[0.0], [6.0]], 4, align_corners=True).ravel(), [0, 2, 4, 6])
    assert_array_equal(resize_learned([[0.0], [4.0], [8.0], [12.0]], 2).ravel(), [2, 10])
    assert_array_equal(resize_learned([[1.0], [2.0], [6.0]], 1).ravel(), [2])
    assert_array_equal(resize_learned([[1.0], [2.0], [6.0]], 1, align_corners=True).ravel(), [1])
    assert_array_equal(resize_learned([[5.0]], 3).ravel(), [5, 5, 5])


def test_cubic_weights_at_a_quarter_and_a_half() -> None:
    """By hand: half-way between two rows the weights are -3/32, 19/32, 19/32, -3/32."""
    spike = [[0.0], [0.0], [0.0], [1.0], [0.0], [0.0], [0.0]]
    halves = resize_learned(spike, 14 - 1, method="cubic", align_corners=True).ravel()
    assert_array_equal(halves, [0, 0, 0, -3 / 32, 0, 19 / 32, 1, 19 / 32, 0, -3 / 32, 0, 0, 0])
    quarters = resize_learned(spike, 14, method="cubic").ravel()
    near, second = 1.25 / 64 - 2.25 / 16 + 1, 1.25 * 27 / 64 - 2.25 * 9 / 16 + 1
    third, last = 1 - near - second + 9 / 256, -9 / 256
    wanted = [0, 0, 0, last, third, second, near, near, second, third, last, 0, 0, 0]
    assert_allclose(quarters, wanted, rtol=0, atol=1e-15)


@pytest.mark.parametrize("align_corners", [False, True])
@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("new", [1, 2, 3, 4, 7, 12, 31])
@pytest.mark.parametrize("old", [1, 2, 3, 5, 12])
def test_every_row_is_the_weighted_sum_of_its_neighbours(
    old: int, new: int, method: Any, align_corners: bool
) -> None:
    table = random_table(old)
    resized = resize_learned(table, new, method=method, align_corners=align_corners)
    assert resized.shape == (new, 3)
    assert resized.dtype == np.float64
    for column in range(3):
        wanted = slowly_resized(table[:, column].tolist(), new, method, align_corners)
        assert_allclose(resized[:, column], wanted, rtol=0, atol=1e-14)


def sizes() -> Any:
    return st.integers(1, 9)


READINGS = st.tuples(st.sampled_from(METHODS), st.booleans())


@given(st.integers(1, 40), READINGS)
def test_the_same_length_gives_an_equal_copy(length: int, reading: Any) -> None:
    method, align_corners = reading
    table = random_table(length)
    resized = resize_learned(table, length, method=method, align_corners=align_corners)
    assert_array_equal(resized, table)
    assert not np.shares_memory(resized, table)


@given(sizes(), sizes(), READINGS)
def test_the_weights_of_a_row_add_up_to_one(old: int, new: int, reading: Any) -> None:
    method, align_corners = reading
    resized = resize_learned(
        np.full((old, 1), 7.0), new, method=method, align_corners=align_corners
    )
    assert_allclose(resized, 7, rtol=1e-14)


@given(sizes(), sizes(), READINGS)
def test_a_reversed_table_gives_the_reversed_result(old: int, new: int, reading: Any) -> None:
    method, align_corners = reading
    if align_corners and new == 1:
        return  # one row keeps the first corner and has no other
    table = random_table(old)
    forth = resize_learned(table, new, method=method, align_corners=align_corners)
    back = resize_learned(table[::-1], new, method=method, align_corners=align_corners)
    assert_allclose(back[::-1], forth, rtol=0, atol=1e-14)


@given(sizes(), st.integers(2, 9), st.sampled_from(METHODS))
def test_aligned_corners_keep_the_first_and_the_last_row(old: int, new: int, method: Any) -> None:
    table = random_table(old)
    resized = resize_learned(table, new, method=method, align_corners=True)
    assert_array_equal(resized[0], table[0])
    assert_array_equal(resized[-1], table[-1])


def test_cubic_bends_a_straight_line_as_this_kernel_does() -> None:
    """Only with a = -1/2 would a line stay a line: with -3/4 a third is off by 1/27."""
    line = np.arange(10.0)[:, np.newaxis]
    resized = resize_learned(line, 30, method="cubic").ravel()
    places = (np.arange(30) + 0.5) / 3 - 0.5
    wanted = np.tile([0, 1 / 27, -1 / 27], 7)
    assert_allclose((resized - places)[4:25], wanted, rtol=0, atol=1e-14)
    assert resized[0] < 0  # the cubic overshoots at the end, the linear does not
    assert resize_learned(line, 30)[0] == 0


# Resizing a grid


@pytest.mark.parametrize("align_corners", [False, True])
@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("prefix", [0, 1, 2])
@pytest.mark.parametrize(("old", "new"), [((2, 3), (3, 5)), ((4, 3), (2, 7)), ((1, 5), (4, 1))])
def test_each_axis_of_a_grid_is_resized_by_itself(
    old: Any, new: Any, prefix: int, method: Any, align_corners: bool
) -> None:
    (height, width), (new_height, new_width) = old, new
    table = random_table(prefix + height * width, 2)
    resized = resize_learned_grid(
        table, old, new, prefix=prefix, method=method, align_corners=align_corners
    )
    assert resized.shape == (prefix + new_height * new_width, 2)
    assert resized.dtype == np.float64
    assert_array_equal(resized[:prefix], table[:prefix])
    for column in range(2):
        patches = table[prefix:, column].tolist()
        wide = [
            slowly_resized(patches[y * width : (y + 1) * width], new_width, method, align_corners)
            for y in range(height)
        ]
        for x in range(new_width):
            wanted = slowly_resized([row[x] for row in wide], new_height, method, align_corners)
            got = resized[prefix + x :: new_width, column]
            assert_allclose(got[:new_height], wanted, rtol=0, atol=1e-14)


def test_the_axes_of_a_grid_are_not_swapped() -> None:
    """The bug of mae#18, for a learned grid: two rows and three columns, each named."""
    rows_then_columns = np.array([[10 * y, x] for y in range(2) for x in range(3)], float)
    resized = resize_learned_grid(rows_then_columns, (2, 3), (2, 6), method="linear")
    assert_array_equal(resized[:6, 0], [0] * 6)
    assert_array_equal(resized[6:, 0], [10] * 6)
    assert_allclose(resized[:6, 1], [0, 0.25, 0.75, 1.25, 1.75, 2], rtol=0, atol=1e-15)


def test_a_grid_of_one_row_is_a_table() -> None:
    table = random_table(5)
    for method in ("linear", "cubic"):
        grid = resize_learned_grid(table, (1, 5), (1, 8), method=method)
        assert_array_equal(grid, resize_learned(table, 8, method=method))
        grid = resize_learned_grid(table, (5, 1), (8, 1), method=method)
        assert_array_equal(grid, resize_learned(table, 8, method=method))


@given(sizes(), sizes(), st.integers(0, 2), READINGS)
def test_the_same_shape_gives_an_equal_copy(
    height: int, width: int, prefix: int, reading: Any
) -> None:
    method, align_corners = reading
    table = random_table(prefix + height * width)
    resized = resize_learned_grid(
        table,
        (height, width),
        (height, width),
        prefix=prefix,
        method=method,
        align_corners=align_corners,
    )
    assert_array_equal(resized, table)
    assert not np.shares_memory(resized, table)


def test_the_defaults() -> None:
    table = random_table(6)
    assert_array_equal(
        resize_learned(table, 9),
        resize_learned(table, 9, method="linear", align_corners=False, dtype=None),
    )
    assert_array_equal(
        resize_learned_grid(table, (2, 3), (4, 4)),
        resize_learned_grid(
            table, (2, 3), (4, 4), prefix=0, method="cubic", align_corners=False, dtype=None
        ),
    )
    assert not np.allclose(resize_learned(table, 9), resize_learned(table, 9, method="cubic"))
    assert not np.allclose(
        resize_learned_grid(table, (2, 3), (4, 4)),
        resize_learned_grid(table, (2, 3), (4, 4), method="linear"),
    )


# Inputs and outputs

ALL: dict[str, Any] = {
    "learned": lambda **given: learned(**{"table": TABLE, "positions": [2, 0], **given}),
    "resize_learned": lambda **given: resize_learned(**{"table": TABLE, "length": 5, **given}),
    "resize_learned_grid": lambda **given: resize_learned_grid(
        **{"table": TABLE, "old_shape": (1, 2), "new_shape": (2, 2), "prefix": 1, **given}
    ),
}
RESIZERS = ["resize_learned", "resize_learned_grid"]


@pytest.mark.parametrize("name", ALL)
@pytest.mark.parametrize("dtype", [np.float16, np.float32, np.float64, "f2", ">f4"])
def test_another_dtype_is_the_cast_of_the_float64_result(name: str, dtype: Any) -> None:
    exact = ALL[name](table=random_table(3))
    result = ALL[name](table=random_table(3), dtype=dtype)
    assert result.dtype == np.dtype(dtype)
    assert_array_equal(result, exact.astype(dtype))


@pytest.mark.parametrize("name", ALL)
@pytest.mark.parametrize("dtype", [np.float16, np.float32, np.int8, np.uint64, ">f8"])
def test_a_table_of_another_dtype_is_read_exactly(name: str, dtype: Any) -> None:
    table = np.array([[1, 2], [3, 5], [8, 13]], dtype)
    result = ALL[name](table=table)
    assert result.dtype == np.float64
    assert_array_equal(result, ALL[name](table=table.tolist()))


@pytest.mark.parametrize("name", ALL)
def test_results_share_memory_with_nothing(name: str) -> None:
    table = random_table(3)
    kept = table.copy()
    first = ALL[name](table=table)
    wanted = first.copy()
    assert not np.shares_memory(first, table)
    first[...] = 9
    assert_array_equal(table, kept)
    assert_array_equal(ALL[name](table=table), wanted)


def test_a_single_row_is_a_copy() -> None:
    table = random_table(3)
    assert not np.shares_memory(learned(table, 1), table)
    assert not np.shares_memory(learned(table, np.array(1)), table)


@pytest.mark.parametrize("name", ALL)
def test_no_negative_zero_is_shown(name: str) -> None:
    assert not np.signbit(ALL[name](table=np.full((3, 2), -0.0))).any()
    assert not np.signbit(ALL[name](table=np.full((3, 2), -1e-30), dtype="f2")).any()


@pytest.mark.parametrize("name", RESIZERS)
def test_the_smallest_numbers_give_no_warning(name: str) -> None:
    with np.errstate(all="raise"):
        assert np.isfinite(ALL[name](table=np.full((3, 2), 5e-324), method="cubic")).all()


# Refusals

SHAPE = "allowed: (length, d_model), with at least one row and one column"
REAL = "allowed: a real number or an array of real numbers"


@pytest.mark.parametrize("name", ALL)
@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        ({"table": [1.0, 2.0]}, f"table has shape (2,); {SHAPE}"),
        ({"table": 3.0}, f"table has shape (); {SHAPE}"),
        ({"table": np.ones((1, 3, 2))}, f"table has shape (1, 3, 2); {SHAPE}"),
        ({"table": np.ones((0, 2))}, f"table has shape (0, 2); {SHAPE}"),
        ({"table": np.ones((3, 0))}, f"table has shape (3, 0); {SHAPE}"),
        ({"table": [[1.0], [math.nan]]}, "table holds nan; allowed: finite real numbers"),
        ({"table": [[1.0], [math.inf]]}, "table holds inf; allowed: finite real numbers"),
        ({"table": [[True]]}, f"table is [[True]]; {REAL}"),
        ({"table": [[1j]]}, f"table is [[1j]]; {REAL}"),
        ({"table": None}, f"table is None; {REAL}"),
        ({"dtype": int}, f"dtype is {int!r}; allowed: None, float16, float32 or float64"),
        (
            {"table": [[1e5, 1.0]] * 3, "dtype": np.float16},
            "table is too large; allowed: {what} that fit in float16",
        ),
        (
            {"table": [[1e39, 1.0]] * 3, "dtype": "f4"},
            "table is too large; allowed: {what} that fit in float32",
        ),
    ],
    ids=str,
)
def test_a_wrong_argument_is_named(name: str, wrong: Any, message: str) -> None:
    what = "entries" if name == "learned" else "interpolated entries"
    with pytest.raises(ValueError) as refused:  # noqa: PT011
        ALL[name](**wrong)
    assert str(refused.value) == message.replace("{what}", what)


def test_an_interpolation_beyond_float64_is_refused() -> None:
    table = [[1.7e308], [-1.7e308], [1.7e308]]
    message = "table is too large; allowed: interpolated entries that fit in float64"
    with pytest.raises(ValueError) as refused:  # noqa: PT011
        resize_learned([*table, *table], 12, method="cubic")
    assert str(refused.value) == message
    with pytest.raises(ValueError) as refused:  # noqa: PT011
        resize_learned_grid(table, (3, 1), (6, 6))
    assert str(refused.value) == message
    assert resize_learned(table, 6).max() == 1.7e308


NUMBERS = "allowed: an integer or an array of integers"
PAIR = "allowed: a height and a width, both at least 1"
ONE = "allowed: an integer, at least 1"


@pytest.mark.parametrize(
    ("name", "wrong", "message"),
    [
        ("learned", {"positions": 1.0}, f"positions is 1.0; {NUMBERS}"),
        ("learned", {"positions": [0.0, 1.0]}, f"positions is [0.0, 1.0]; {NUMBERS}"),
        ("learned", {"positions": True}, f"positions is True; {NUMBERS}"),
        ("learned", {"positions": None}, f"positions is None; {NUMBERS}"),
        (
            "learned",
            {"positions": np.arange(2.0)},
            f"positions is an array of float64 with shape (2,); {NUMBERS}",
        ),
        ("resize_learned", {"length": 0}, f"length is 0; {ONE}"),
        ("resize_learned", {"length": 2.0}, f"length is 2.0; {ONE}"),
        ("resize_learned", {"length": True}, f"length is True; {ONE}"),
        (
            "resize_learned_grid",
            {"prefix": -1},
            "prefix is -1; allowed: an integer, at least 0",
        ),
        (
            "resize_learned_grid",
            {"prefix": 2},
            "table has shape (3, 2); allowed: 2 + 1 · 2 rows, for prefix and old_shape",
        ),
        (
            "resize_learned_grid",
            {"prefix": 0},
            "table has shape (3, 2); allowed: 0 + 1 · 2 rows, for prefix and old_shape",
        ),
        ("resize_learned_grid", {"old_shape": 2}, f"old_shape is 2; {PAIR}"),
        ("resize_learned_grid", {"old_shape": (2,)}, f"old_shape is (2,); {PAIR}"),
        ("resize_learned_grid", {"new_shape": (1, 2, 3)}, f"new_shape is (1, 2, 3); {PAIR}"),
        ("resize_learned_grid", {"new_shape": None}, f"new_shape is None; {PAIR}"),
        (
            "resize_learned_grid",
            {"old_shape": (0, 2)},
            f"the height of old_shape is 0; {ONE}",
        ),
        (
            "resize_learned_grid",
            {"old_shape": (1, -2)},
            f"the width of old_shape is -2; {ONE}",
        ),
        (
            "resize_learned_grid",
            {"new_shape": (2.0, 2)},
            f"the height of new_shape is 2.0; {ONE}",
        ),
        (
            "resize_learned_grid",
            {"new_shape": (2, True)},
            f"the width of new_shape is True; {ONE}",
        ),
    ],
    ids=str,
)
def test_a_wrong_argument_of_one_function_is_named(name: str, wrong: Any, message: str) -> None:
    with pytest.raises(ValueError) as refused:  # noqa: PT011
        ALL[name](**wrong)
    assert str(refused.value) == message


@pytest.mark.parametrize("name", RESIZERS)
@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        ({"method": "bicubic"}, "method is 'bicubic'; allowed: 'linear' or 'cubic'"),
        ({"method": None}, "method is None; allowed: 'linear' or 'cubic'"),
        ({"align_corners": 1}, "align_corners is 1; allowed: True or False"),
        ({"align_corners": None}, "align_corners is None; allowed: True or False"),
    ],
    ids=str,
)
def test_a_wrong_way_of_resizing_is_named(name: str, wrong: Any, message: str) -> None:
    with pytest.raises(ValueError) as refused:  # noqa: PT011
        ALL[name](**wrong)
    assert str(refused.value) == message


def test_settings_may_be_of_numpy() -> None:
    table = random_table(7)
    wanted = resize_learned_grid(table, (2, 3), (4, 5), prefix=1, align_corners=True)
    shapes: Any = (np.array([2, 3]), [np.int8(4), np.uint8(5)])
    prefix: Any = np.int32(1)
    got = resize_learned_grid(table, *shapes, prefix=prefix, align_corners=bool(np.True_))
    assert_array_equal(got, wanted)


def test_settings_are_given_by_name() -> None:
    with pytest.raises(TypeError):
        learned(TABLE, 0, None)  # type: ignore[call-arg]
    with pytest.raises(TypeError):
        resize_learned(TABLE, 4, "cubic")  # type: ignore[call-arg]
    with pytest.raises(TypeError):
        resize_learned_grid(TABLE, (1, 3), (2, 2), 0)  # type: ignore[call-arg]
