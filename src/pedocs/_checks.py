"""Argument checks that the public functions share.

A wrong argument gets a ValueError that says its name, what it was and what
is allowed: ``d_model is 7; allowed: an even integer, at least 2``.
"""

import math
import operator
import warnings
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, DTypeLike, NDArray

# Beyond this size float64 no longer holds every integer, and two positions
# would silently become one.
LARGEST_INTEGER = 2**53

# With it the lowest frequency and the longest wavelength are still ordinary
# numbers of float64.
LARGEST_BASE = 1e300


def refusal(name: str, value: object, allowed: str) -> ValueError:
    """The error for an argument that is refused."""
    if isinstance(value, np.ndarray) and value.ndim > 0:
        shown = f"an array of {value.dtype} with shape {value.shape}"
    else:
        try:
            shown = repr(value)
        except ValueError:  # an integer of more digits than Python writes out
            shown = "an integer of more than 4300 digits"
        if len(shown) > 80:
            shown = shown[:77] + "..."
    return ValueError(f"{name} is {shown}; allowed: {allowed}")


def integer(name: str, value: Any, *, minimum: int | None = None, kind: str = "an integer") -> int:
    """An integer of Python or numpy (not a bool, not a whole float)."""
    allowed = kind if minimum is None else f"{kind}, at least {minimum}"
    if isinstance(value, (bool, np.bool_)):
        raise refusal(name, value, allowed)
    try:
        number = operator.index(value)
    except TypeError:
        raise refusal(name, value, allowed) from None
    if minimum is not None and number < minimum:
        raise refusal(name, value, allowed)
    if abs(number) > LARGEST_INTEGER:
        raise refusal(name, value, f"{allowed}, up to 2^53 in size")
    return number


def even_width(d_model: Any) -> int:
    """The width of the model, which must hold whole sine-cosine pairs."""
    return even_integer("d_model", d_model)


def _array(name: str, value: ArrayLike, kinds: str, allowed: str) -> NDArray[Any]:
    """What numpy makes of a value, if its dtype is of one of these kinds."""
    try:
        array = np.asarray(value)
    except (TypeError, ValueError):
        raise refusal(name, value, allowed) from None
    if array.dtype.kind not in kinds:
        raise refusal(name, value, allowed)
    return array


def real_array(
    name: str, value: ArrayLike, allowed: str = "a real number or an array of real numbers"
) -> NDArray[Any]:
    """Integers or floats, in the dtype in which they came."""
    return _array(name, value, "iuf", allowed)


def float64_array(
    name: str, value: ArrayLike, *, minus_infinity: bool = False
) -> NDArray[np.float64]:
    """Finite numbers in float64; with ``minus_infinity``, −inf as well."""
    with np.errstate(over="ignore"):  # a long double may not fit
        array = np.asarray(real_array(name, value), dtype=np.float64)
    good = np.isfinite(array)
    allowed = "finite real numbers"
    if minus_infinity:
        good |= array == -np.inf
        allowed += " or -inf"
    if not good.all():
        raise ValueError(f"{name} holds {array[~good][0]}; allowed: {allowed}")
    return array


def position_array(name: str, value: ArrayLike) -> NDArray[np.float64]:
    """Positions in float64, none of which the conversion has moved."""
    array = real_array(name, value)
    if array.dtype.kind in "iu" and array.size:
        for extreme in (int(array.min()), int(array.max())):
            if abs(extreme) > LARGEST_INTEGER:
                allowed = "integers up to 2^53 in size, or floats"
                raise ValueError(f"{name} holds {extreme}; allowed: {allowed}")
    return float64_array(name, array)


def one_position(name: str, value: Any) -> float:
    """A single position or offset."""
    array = real_array(name, value, "one finite real number")
    if array.ndim:
        raise refusal(name, value, "one finite real number")
    return float(position_array(name, array))


def real_number(name: str, value: Any, allowed: str = "one finite real number") -> float:
    """One finite real number."""
    array = real_array(name, value, allowed)
    if array.ndim or not math.isfinite(array):
        raise refusal(name, value, allowed)
    return float(array)


def frequency_base(base: Any) -> float:
    """The base of the frequencies; below one the later pairs would be the faster ones."""
    return number_in_range("base", base, 1, LARGEST_BASE)


def choice(name: str, value: Any, allowed: tuple[str, ...]) -> None:
    """One of a few words."""
    if not isinstance(value, str) or value not in allowed:
        raise refusal(name, value, " or ".join(map(repr, allowed)))


def float_dtype(dtype: DTypeLike | None) -> np.dtype[Any]:
    """The dtype of a result: float64 unless the caller chose another."""
    allowed = "None, float16, float32 or float64"
    if dtype is None:
        return np.dtype(np.float64)
    if not isinstance(dtype, (str, type, np.dtype)):  # numpy would look for a dtype in it
        raise refusal("dtype", dtype, allowed)
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            result = np.dtype(dtype)
    except (TypeError, ValueError, SyntaxError, DeprecationWarning):
        raise refusal("dtype", dtype, allowed) from None
    if result.kind != "f" or result.itemsize > 8:  # a long double would hold no more
        raise refusal("dtype", dtype, allowed)
    return result


def boolean_array(name: str, value: ArrayLike) -> NDArray[np.bool_]:
    """A mask of True and False: no zeros and ones, no −inf."""
    return _array(name, value, "b", "booleans, True where an entry may be read")


def integer_array(
    name: str, value: ArrayLike, allowed: str = "an integer or an array of integers"
) -> NDArray[Any]:
    """Integers, in the dtype in which they came: no bools, no whole floats."""
    array = _array(name, value, "iuf", allowed)
    if array.size == 0 and not isinstance(value, np.ndarray):
        return array.astype(np.int64)  # an empty list has no type of its own
    if array.dtype.kind == "f":
        raise refusal(name, value, allowed)
    return array


def even_integer(name: str, value: Any) -> int:
    """A width that must hold whole pairs."""
    number = integer(name, value, minimum=2, kind="an even integer")
    if number % 2:
        raise refusal(name, value, "an even integer, at least 2")
    return number


def number_in_range(name: str, value: Any, minimum: float, maximum: float) -> float:
    """One real number between two bounds, which are allowed themselves."""
    allowed = f"a real number from {minimum:g} to {maximum:g}".replace("e+", "e")
    number = real_number(name, value, allowed)
    if not minimum <= number <= maximum:
        raise refusal(name, value, allowed)
    return number


def boolean(name: str, value: Any) -> bool:
    """True or False, and nothing that merely counts as one of them."""
    if not isinstance(value, (bool, np.bool_)):
        raise refusal(name, value, "True or False")
    return bool(value)


def in_dtype(
    values: NDArray[np.float64], dtype: np.dtype[Any], cause: str, what: str
) -> NDArray[np.floating[Any]]:
    """Values as a new array of the dtype asked for, none of them infinite or a negative zero.

    `cause` says which argument is (or are) to blame: "table is", "r1 and r2 are".
    """
    with np.errstate(all="ignore"):  # what does not fit is refused by name
        result = values.astype(dtype)
    if not np.isfinite(result).all():
        raise ValueError(f"{cause} too large; allowed: {what} that fit in {dtype}")
    result += 0.0  # rounding may leave -0
    return result


def leading_axes(**arrays: NDArray[Any]) -> tuple[int, ...]:
    """The shape that the axes before the last two broadcast to."""
    try:
        return np.broadcast_shapes(*(array.shape[:-2] for array in arrays.values()))
    except ValueError:
        listed = ", ".join(f"{name} {array.shape}" for name, array in arrays.items())
        raise ValueError(
            f"the shapes are {listed}; allowed: axes before the last two that broadcast"
        ) from None


def products_that_fit(names: str, products: NDArray[np.float64]) -> NDArray[np.float64]:
    """Products of finite arguments, none of which overflowed."""
    if not np.isfinite(products).all():
        raise ValueError(f"{names} are too large; allowed: dot products that fit in float64")
    return products


def token_vectors(name: str, value: ArrayLike) -> NDArray[np.float64]:
    """Finite vectors in float64, a row for each token."""
    array = float64_array(name, value)
    if array.ndim < 2:
        raise ValueError(
            f"{name} has shape {array.shape}; allowed: at least two axes, a row for each token"
        )
    return array
