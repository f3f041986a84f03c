"""The sinusoidal encoding, its frequencies, and the matrix that shifts it."""

import math
from typing import Any

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from pedocs import angular_frequencies, shift_matrix, sinusoidal, wavelengths

SETTINGS: list[dict[str, Any]] = [
    {"layout": layout, "spacing": spacing, "base": base}
    for layout in ("interleaved", "half-split")
    for spacing in ("paper", "tensor2tensor")
    for base in (1, 7.5, 10000, 5e5)
]


# The definition


@pytest.mark.parametrize("base", [10000.0, 100.0])
@pytest.mark.parametrize("d_model", [2, 4, 6, 10, 64])
def test_every_entry_follows_the_formula_of_the_paper(d_model: int, base: float) -> None:
    table = sinusoidal(np.arange(12), d_model, base=base)
    assert table.shape == (12, d_model)
    for p in range(12):
        for m in range(d_model // 2):
            angle = p / math.pow(base, 2 * m / d_model)
            assert table[p, 2 * m] == pytest.approx(math.sin(angle), abs=1e-14)
            assert table[p, 2 * m + 1] == pytest.approx(math.cos(angle), abs=1e-14)


@pytest.mark.parametrize("d_model", [2, 4, 6, 10, 64])
def test_every_entry_follows_the_formula_of_tensor2tensor(d_model: int) -> None:
    table = sinusoidal(np.arange(12), d_model, layout="half-split", spacing="tensor2tensor")
    pairs = d_model // 2
    for p in range(12):
        for m in range(pairs):
            angle = p * math.exp(-m * math.log(10000) / max(pairs - 1, 1))
            assert table[p, m] == pytest.approx(math.sin(angle), abs=1e-14)
            assert table[p, pairs + m] == pytest.approx(math.cos(angle), abs=1e-14)


@pytest.mark.parametrize(
    ("call", "printed"),
    [
        (lambda: sinusoidal(1, 6), [0.841471, 0.540302, 0.046399, 0.998923, 0.002154, 0.999998]),
        (
            lambda: sinusoidal(range(4), 4),
            [
                [0.0, 1.0, 0.0, 1.0],
                [0.841471, 0.540302, 0.010000, 0.999950],
                [0.909297, -0.416147, 0.019999, 0.999800],
                [0.141120, -0.989992, 0.029996, 0.999550],
            ],
        ),
        (lambda: sinusoidal(10, 4), [-0.544021, -0.839072, 0.099833, 0.995004]),
        (lambda: sinusoidal(11, 4), [-0.999990, 0.004426, 0.109778, 0.993956]),
        (
            lambda: sinusoidal(1, 4, layout="half-split", spacing="tensor2tensor"),
            [0.841471, 0.000100, 0.540302, 1.000000],
        ),
        (lambda: 1 / angular_frequencies(512)[-1], 9646.616199),
        (lambda: angular_frequencies(512)[1], 0.964662),
        (lambda: wavelengths(48)[1] / wavelengths(48)[0], 1.467799),
        (lambda: math.degrees(angular_frequencies(4)[0]), 57.295780),
        (lambda: sinusoidal(10, 4) @ sinusoidal(11, 4), 1.540252),
        (lambda: sinusoidal(0, 6) @ sinusoidal(6, 6), 2.921557),
        (lambda: sinusoidal(0, 6) @ sinusoidal(1, 6), 2.539223),
    ],
)
def test_golden_values(call: Any, printed: Any) -> None:
    assert_allclose(call(), printed, rtol=0, atol=5.1e-7)


def test_rates_of_eight_columns_are_powers_of_ten() -> None:
    assert_allclose(angular_frequencies(8), [1, 0.1, 0.01, 0.001], rtol=1e-15)
    assert_allclose(wavelengths(8), 2 * np.pi * np.array([1, 10, 100, 1000]), rtol=1e-15)


@pytest.mark.parametrize("p", [100, 1000, 4095, 65536])
def test_far_positions_lose_no_more_than_the_rounding_of_the_angle(p: int) -> None:
    row = sinusoidal(p, 16)
    for m in range(8):
        angle = p / math.pow(10000, 2 * m / 16)
        assert row[2 * m] == pytest.approx(math.sin(angle), abs=p * 2.0**-52)
        assert row[2 * m + 1] == pytest.approx(math.cos(angle), abs=p * 2.0**-52)


# Laws


@pytest.mark.parametrize("setting", SETTINGS, ids=str)
def test_each_pair_lies_on_the_unit_circle(setting: Any) -> None:
    p = np.random.default_rng(1).integers(-500, 500, size=40)
    table = sinusoidal(p, 12, **setting)
    if setting["layout"] == "interleaved":
        sines, cosines = table[:, 0::2], table[:, 1::2]
    else:
        sines, cosines = table[:, :6], table[:, 6:]
    assert_allclose(sines**2 + cosines**2, 1, rtol=0, atol=1e-15)
    assert_allclose(sines[:, 0], np.sin(p), rtol=0, atol=1e-15)
    assert_allclose(cosines[:, 0], np.cos(p), rtol=0, atol=1e-15)


@pytest.mark.parametrize("setting", SETTINGS, ids=str)
def test_the_product_of_two_encodings_depends_on_their_distance_only(setting: Any) -> None:
    p = np.arange(-50, 50)
    expected = np.cos(np.arange(9)[:, None] * frequencies_of(setting, 12)).sum(axis=1)
    for r in range(9):
        products = (sinusoidal(p, 12, **setting) * sinusoidal(p + r, 12, **setting)).sum(axis=1)
        assert_allclose(products, expected[r], rtol=0, atol=1e-12)


@pytest.mark.parametrize("d_model", [2, 4, 12, 64])
@pytest.mark.parametrize("offset", [0, 1, 3, -4, 100, 0.5, -2.25])
@pytest.mark.parametrize("setting", SETTINGS, ids=str)
def test_one_matrix_shifts_every_position(setting: Any, offset: float, d_model: int) -> None:
    p = np.arange(-20, 20) * 3
    matrix = shift_matrix(offset, d_model, **setting)
    assert matrix.shape == (d_model, d_model)
    assert matrix.dtype == np.float64
    moved = sinusoidal(p, d_model, **setting) @ matrix.T
    assert_allclose(moved, sinusoidal(p + offset, d_model, **setting), rtol=0, atol=1e-12)
    column = matrix @ sinusoidal(p[0], d_model, **setting)
    assert_allclose(column, sinusoidal(p[0] + offset, d_model, **setting), rtol=0, atol=1e-12)


@pytest.mark.parametrize("setting", SETTINGS, ids=str)
def test_shifts_form_a_group_of_rotations(setting: Any) -> None:
    def shift(r: float) -> Any:
        return shift_matrix(r, 8, **setting)

    assert_array_equal(shift(0), np.eye(8))
    assert_allclose(shift(3) @ shift(4), shift(7), rtol=0, atol=1e-14)
    assert_allclose(shift(5).T, shift(-5), rtol=0, atol=0)
    assert_allclose(shift(5) @ shift(5).T, np.eye(8), rtol=0, atol=1e-15)
    assert np.linalg.det(shift(5)) == pytest.approx(1)


def test_a_block_of_the_shift_matrix_is_written_as_documented() -> None:
    c, s = math.cos(3), math.sin(3)
    slow_c, slow_s = math.cos(0.03), math.sin(0.03)
    interleaved = [
        [c, s, 0, 0],
        [-s, c, 0, 0],
        [0, 0, slow_c, slow_s],
        [0, 0, -slow_s, slow_c],
    ]
    half_split = [
        [c, 0, s, 0],
        [0, slow_c, 0, slow_s],
        [-s, 0, c, 0],
        [0, -slow_s, 0, slow_c],
    ]
    assert_allclose(shift_matrix(3, 4), interleaved, rtol=0, atol=1e-15)
    assert_allclose(shift_matrix(3, 4, layout="half-split"), half_split, rtol=0, atol=1e-15)


@pytest.mark.parametrize("nothing", [0, 0.0, -0.0])
def test_a_shift_by_nothing_has_no_negative_zero(nothing: float) -> None:
    assert not np.signbit(shift_matrix(nothing, 4)).any()


@pytest.mark.parametrize("spacing", ["paper", "tensor2tensor"])
@pytest.mark.parametrize("d_model", [2, 4, 16, 30])
def test_the_layouts_hold_the_same_numbers(d_model: int, spacing: Any) -> None:
    p = np.arange(50)
    interleaved = sinusoidal(p, d_model, spacing=spacing)
    half_split = sinusoidal(p, d_model, spacing=spacing, layout="half-split")
    order = [*range(0, d_model, 2), *range(1, d_model, 2)]
    assert_array_equal(interleaved[:, order], half_split)
    matrix = shift_matrix(7, d_model, spacing=spacing)
    assert_array_equal(
        matrix[np.ix_(order, order)],
        shift_matrix(7, d_model, spacing=spacing, layout="half-split"),
    )


@pytest.mark.parametrize("d_model", [4, 6, 8, 512])
@pytest.mark.parametrize("spacing", ["paper", "tensor2tensor"])
def test_rates_fall_by_a_constant_factor(d_model: int, spacing: Any) -> None:
    rates = angular_frequencies(d_model, spacing=spacing)
    assert rates.shape == (d_model // 2,)
    assert rates.dtype == np.float64
    assert rates[0] == 1
    last = {"paper": 10000.0 ** (2 / d_model - 1), "tensor2tensor": 1 / 10000}[spacing]
    assert rates[-1] == pytest.approx(last, rel=1e-14)
    ratios = rates[1:] / rates[:-1]
    assert_allclose(ratios, ratios[0], rtol=1e-13)
    assert (ratios < 1).all()


def test_one_pair_turns_by_one_radian_in_either_spacing() -> None:
    for spacing in ("paper", "tensor2tensor"):
        assert_array_equal(angular_frequencies(2, spacing=spacing), [1.0])


def test_base_one_makes_all_pairs_turn_alike() -> None:
    assert_array_equal(angular_frequencies(6, base=1), [1.0, 1.0, 1.0])


def test_the_base_is_not_ignored() -> None:
    assert angular_frequencies(64, base=5e5)[-1] < angular_frequencies(64)[-1]
    assert not np.allclose(sinusoidal(9, 64, base=5e5), sinusoidal(9, 64))
    assert not np.allclose(shift_matrix(9, 64, base=5e5), shift_matrix(9, 64))


def test_a_full_turn_takes_one_wavelength() -> None:
    turns = wavelengths(8) * angular_frequencies(8)
    assert_allclose(turns, 2 * np.pi, rtol=1e-15)
    for m, wavelength in enumerate(wavelengths(8)):
        pair = slice(2 * m, 2 * m + 2)
        assert_allclose(
            sinusoidal(5 + wavelength, 8)[pair], sinusoidal(5, 8)[pair], rtol=0, atol=1e-12
        )
    # Only the last differs between the spacings at a width of four.
    assert wavelengths(4, spacing="tensor2tensor")[1] == pytest.approx(2e4 * math.pi)
    assert wavelengths(4, base=400)[1] == pytest.approx(40 * math.pi)


def test_no_two_positions_share_a_vector() -> None:
    table = sinusoidal(range(20000), 8).round(9)
    assert len(np.unique(table, axis=0)) == 20000


def test_past_and_future_are_mirror_images() -> None:
    ahead, behind = sinusoidal(range(9), 8), sinusoidal(range(0, -9, -1), 8)
    assert_array_equal(behind[:, 0::2], -ahead[:, 0::2])
    assert_array_equal(behind[:, 1::2], ahead[:, 1::2])


# Inputs and outputs


@pytest.mark.parametrize("shape", [(), (1,), (0,), (5,), (2, 5), (2, 3, 4), (2, 0, 3)])
def test_vectors_stand_in_the_last_axis_whatever_the_shape(shape: tuple[int, ...]) -> None:
    p = np.random.default_rng(2).integers(0, 1000, size=shape)
    table = sinusoidal(p, 6)
    assert table.shape == (*shape, 6)
    for index in np.ndindex(shape):
        assert_array_equal(table[index], sinusoidal(int(p[index]), 6))


def test_a_batch_is_encoded_along_its_own_length() -> None:
    """Batch of 2, length of 5: the first sequence is not the first position."""
    p = np.tile(np.arange(5), (2, 1))
    batch = sinusoidal(p, 4)
    assert batch.shape == (2, 5, 4)
    assert_array_equal(batch[0], sinusoidal(np.arange(5), 4))
    assert_array_equal(batch[1], batch[0])


@pytest.mark.parametrize(
    "positions",
    [
        [0, 1, 7],
        (0, 1, 7),
        [0.0, 1.0, 7.0],
        np.array([0, 1, 7], dtype=np.uint8),
        np.array([0, 1, 7], dtype=np.int64),
        np.array([0, 1, 7], dtype=np.uint64),
        np.array([0, 1, 7], dtype=np.float16),
        np.array([0, 1, 7], dtype=np.longdouble),
        np.array([0, 1, 7], dtype=">i4"),
        np.arange(8)[[0, 1, 7]][::1],
    ],
)
def test_the_type_of_the_positions_does_not_matter(positions: Any) -> None:
    assert_array_equal(sinusoidal(positions, 6), sinusoidal(np.array([0, 1, 7]), 6))


@pytest.mark.parametrize("one", [7, 7.0, np.int32(7), np.float32(7), np.uint8(7), np.array(7)])
def test_numpy_scalars_are_numbers(one: Any) -> None:
    assert_array_equal(sinusoidal(one, 6), sinusoidal([7], 6)[0])
    assert_array_equal(shift_matrix(one, 6), shift_matrix(7, 6))
    assert_array_equal(sinusoidal(1, 6, base=one), sinusoidal(1, 6, base=7))


@pytest.mark.parametrize("width", [np.int64(6), np.uint8(6), np.array(6)])
def test_the_width_may_be_a_numpy_integer(width: Any) -> None:
    assert_array_equal(sinusoidal(3, width), sinusoidal(3, 6))
    assert_array_equal(shift_matrix(3, width), shift_matrix(3, 6))
    assert_array_equal(wavelengths(width), wavelengths(6))


def test_positions_between_tokens_are_encoded() -> None:
    assert_allclose(sinusoidal(0.5, 2), [math.sin(0.5), math.cos(0.5)], rtol=0, atol=1e-15)


def test_the_default_is_float64() -> None:
    assert sinusoidal(np.arange(3, dtype=np.float16), 4).dtype == np.float64
    assert sinusoidal(np.arange(3), 4, dtype=None).dtype == np.float64


@pytest.mark.parametrize(
    "dtype", [np.float16, np.float32, np.float64, "f2", "float32", float, ">f4"]
)
@pytest.mark.parametrize("layout", ["interleaved", "half-split"])
def test_another_dtype_is_the_cast_of_the_float64_table(dtype: Any, layout: Any) -> None:
    """2049 is the first integer that float16 cannot hold: the angle must not be float16."""
    p = [[0, 1, 2049], [4095, 65536, -3]]
    exact = sinusoidal(p, 128, layout=layout)
    table = sinusoidal(p, 128, layout=layout, dtype=dtype)
    assert table.dtype == np.dtype(dtype)
    assert_array_equal(table, exact.astype(dtype))


@pytest.mark.parametrize(
    "call",
    [
        lambda: sinusoidal([1, 2], 4),
        lambda: angular_frequencies(4),
        lambda: wavelengths(4),
        lambda: shift_matrix(1, 4),
    ],
)
def test_editing_a_result_does_not_change_the_next_one(call: Any) -> None:
    first = call()
    kept = first.copy()
    first[...] = 9
    assert_array_equal(call(), kept)


def test_arguments_are_left_as_they_were() -> None:
    p = np.arange(5.0)
    sinusoidal(p, 4)[...] = 9
    assert_array_equal(p, np.arange(5.0))


@pytest.mark.parametrize("call", [sinusoidal, shift_matrix])
def test_the_largest_base_and_far_positions_give_no_warning(call: Any) -> None:
    with np.errstate(all="raise"):
        for spacing in ("paper", "tensor2tensor"):
            assert np.isfinite(call(2**53, 8, base=1e300, spacing=spacing)).all()
            assert np.isfinite(wavelengths(8, base=1e300, spacing=spacing)).all()


def frequencies_of(setting: dict[str, Any], d_model: int) -> Any:
    return angular_frequencies(d_model, base=setting["base"], spacing=setting["spacing"])


# Refusals: every function that takes an argument refuses it in the same words.

ALL: dict[str, Any] = {
    "sinusoidal": lambda **given: sinusoidal(**{"positions": 1, "d_model": 4, **given}),
    "shift_matrix": lambda **given: shift_matrix(**{"offset": 1, "d_model": 4, **given}),
    "angular_frequencies": lambda **given: angular_frequencies(**{"d_model": 4, **given}),
    "wavelengths": lambda **given: wavelengths(**{"d_model": 4, **given}),
}
EVEN = "allowed: an even integer, at least 2"
BASE = "allowed: a real number from 1 to 1e300"


@pytest.mark.parametrize("name", ALL)
@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        ({"d_model": 1}, f"d_model is 1; {EVEN}"),
        ({"d_model": 3}, f"d_model is 3; {EVEN}"),
        ({"d_model": 5}, f"d_model is 5; {EVEN}"),
        ({"d_model": 0}, f"d_model is 0; {EVEN}"),
        ({"d_model": -4}, f"d_model is -4; {EVEN}"),
        ({"d_model": 4.0}, f"d_model is 4.0; {EVEN}"),
        ({"d_model": True}, f"d_model is True; {EVEN}"),
        ({"d_model": np.True_}, f"d_model is np.True_; {EVEN}"),
        ({"d_model": "4"}, f"d_model is '4'; {EVEN}"),
        ({"d_model": None}, f"d_model is None; {EVEN}"),
        ({"d_model": np.array(True)}, f"d_model is array(True); {EVEN}"),
        ({"d_model": [4]}, f"d_model is [4]; {EVEN}"),
        ({"d_model": np.array([4])}, f"d_model is an array of int64 with shape (1,); {EVEN}"),
        ({"d_model": 2**54}, f"d_model is {2**54}; {EVEN}, up to 2^53 in size"),
        ({"base": 0}, f"base is 0; {BASE}"),
        ({"base": 0.5}, f"base is 0.5; {BASE}"),
        ({"base": -10000.0}, f"base is -10000.0; {BASE}"),
        ({"base": 1e301}, f"base is 1e+301; {BASE}"),
        ({"base": math.inf}, f"base is inf; {BASE}"),
        ({"base": math.nan}, f"base is nan; {BASE}"),
        ({"base": True}, f"base is True; {BASE}"),
        ({"base": 1j}, f"base is 1j; {BASE}"),
        ({"base": "10000"}, f"base is '10000'; {BASE}"),
        ({"base": None}, f"base is None; {BASE}"),
        ({"base": [10000.0]}, f"base is [10000.0]; {BASE}"),
        ({"spacing": "t2t"}, "spacing is 't2t'; allowed: 'paper' or 'tensor2tensor'"),
        ({"spacing": None}, "spacing is None; allowed: 'paper' or 'tensor2tensor'"),
        ({"spacing": ["paper"]}, "spacing is ['paper']; allowed: 'paper' or 'tensor2tensor'"),
    ],
    ids=str,
)
def test_a_wrong_argument_is_named(name: str, wrong: Any, message: str) -> None:
    with pytest.raises(ValueError) as refused:  # noqa: PT011 (the whole message is compared)
        ALL[name](**wrong)
    assert str(refused.value) == message


@pytest.mark.parametrize("name", ["sinusoidal", "shift_matrix"])
@pytest.mark.parametrize("layout", ["halves", "Interleaved", "", None, 0, b"interleaved"])
def test_an_unknown_layout_is_refused(name: str, layout: Any) -> None:
    with pytest.raises(ValueError, match=r"^layout is .*; allowed: 'interleaved' or 'half-split'$"):
        ALL[name](layout=layout)


REAL = "allowed: a real number or an array of real numbers"
EXACT = "allowed: integers up to 2^53 in size, or floats"


@pytest.mark.parametrize(
    ("positions", "message"),
    [
        (math.nan, "positions holds nan; allowed: finite real numbers"),
        ([0, math.inf], "positions holds inf; allowed: finite real numbers"),
        ([[1.0], [-math.inf]], "positions holds -inf; allowed: finite real numbers"),
        (True, f"positions is True; {REAL}"),
        ([True, False], f"positions is [True, False]; {REAL}"),
        (1j, f"positions is 1j; {REAL}"),
        (np.ones(3, complex), f"positions is an array of complex128 with shape (3,); {REAL}"),
        ("7", f"positions is '7'; {REAL}"),
        (None, f"positions is None; {REAL}"),
        ([[1], [2, 3]], f"positions is [[1], [2, 3]]; {REAL}"),
        ({"a": 1}, f"positions is {{'a': 1}}; {REAL}"),
        (["x" * 200], f"positions is ['{'x' * 75}...; {REAL}"),
        (10**30, f"positions is {10**30}; {REAL}"),
        ([0, 2**53 + 1], f"positions holds {2**53 + 1}; {EXACT}"),
        ([0, -(2**53) - 1], f"positions holds {-(2**53) - 1}; {EXACT}"),
        (np.uint64(2**64 - 1), f"positions holds {2**64 - 1}; {EXACT}"),
    ],
    ids=str,
)
def test_wrong_positions_are_refused(positions: Any, message: str) -> None:
    with pytest.raises(ValueError) as refused:  # noqa: PT011
        sinusoidal(positions, 4)
    assert str(refused.value) == message


def test_a_long_double_beyond_float64_is_refused() -> None:
    huge = np.longdouble("1e4000")  # infinity where a long double is no longer
    with pytest.raises(ValueError, match=r"^positions holds inf; allowed: finite real numbers$"):
        sinusoidal([huge], 4)


ONE = "allowed: one finite real number"


@pytest.mark.parametrize(
    ("offset", "message"),
    [
        (math.nan, "offset holds nan; allowed: finite real numbers"),
        (math.inf, "offset holds inf; allowed: finite real numbers"),
        ([1], f"offset is [1]; {ONE}"),
        (np.arange(3.0), f"offset is an array of float64 with shape (3,); {ONE}"),
        (True, f"offset is True; {ONE}"),
        (1j, f"offset is 1j; {ONE}"),
        ("1", f"offset is '1'; {ONE}"),
        (None, f"offset is None; {ONE}"),
        (2**53 + 1, f"offset holds {2**53 + 1}; {EXACT}"),
    ],
    ids=str,
)
def test_a_wrong_offset_is_refused(offset: Any, message: str) -> None:
    with pytest.raises(ValueError) as refused:  # noqa: PT011
        shift_matrix(offset, 4)
    assert str(refused.value) == message


@pytest.mark.parametrize(
    "dtype",
    ["int32", int, bool, complex, "c8", str, object, "datetime64[s]", "no such", 7, "f4,f4", [4]],
)
def test_a_dtype_that_is_not_a_float_is_refused(dtype: Any) -> None:
    allowed = "allowed: None, float16, float32 or float64"
    with pytest.raises(ValueError) as refused:  # noqa: PT011
        sinusoidal(1, 4, dtype=dtype)
    assert str(refused.value) == f"dtype is {dtype!r}; {allowed}"


@pytest.mark.skipif(np.dtype(np.longdouble).itemsize == 8, reason="a long double is a float64")
def test_a_long_double_table_is_refused() -> None:
    with pytest.raises(ValueError, match=r"^dtype is .*longdouble.*; allowed: None, float16"):
        sinusoidal(1, 4, dtype=np.longdouble)


@pytest.mark.parametrize("name", ALL)
def test_settings_are_given_by_name(name: str) -> None:
    functions: dict[str, Any] = {
        "sinusoidal": lambda: sinusoidal(1, 4, 10000.0),  # type: ignore[call-arg]
        "shift_matrix": lambda: shift_matrix(1, 4, 10000.0),  # type: ignore[call-arg]
        "angular_frequencies": lambda: angular_frequencies(4, 10000.0),  # type: ignore[call-arg]
        "wavelengths": lambda: wavelengths(4, 10000.0),  # type: ignore[call-arg]
    }
    with pytest.raises(TypeError):
        functions[name]()


@pytest.mark.parametrize("dtype", ["a", "O,(", np.float32(1), [("x", "f4")], {"names": []}])
def test_what_numpy_would_take_for_a_dtype_is_refused(dtype: Any) -> None:
    with pytest.raises(
        ValueError, match=r"dtype is .*; allowed: None, float16, float32 or float64"
    ):
        sinusoidal(1, 2, dtype=dtype)


@pytest.mark.parametrize("base", [np.longdouble("1e4000"), 10**5000], ids=["long", "digits"])
def test_numbers_beyond_float64_are_refused_by_name(base: Any) -> None:
    with pytest.raises(ValueError, match=r"base is .*; allowed: a real number from 1 to 1e300"):
        sinusoidal(1, 2, base=base)
