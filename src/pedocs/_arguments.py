"""The arguments of `multi_head_attention` that need more than a glance."""

from collections.abc import Callable
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import ArrayLike, NDArray

from pedocs import _checks
from pedocs._cache import KVCache

Rotation: TypeAlias = Callable[[NDArray[np.float64], NDArray[Any]], ArrayLike]


def key_heads_of(n_key_heads: int | None, heads: int) -> int:
    if n_key_heads is None:
        return heads
    key_heads = _checks.integer("n_key_heads", n_key_heads, minimum=1)
    if heads % key_heads:
        raise _checks.refusal("n_key_heads", n_key_heads, f"a divisor of n_heads, {heads}")
    return key_heads


def projection(
    name: str,
    value: ArrayLike,
    rows: int,
    *,
    columns: int | None = None,
    multiple_of: int | None = None,
) -> NDArray[np.float64]:
    """A matrix that is applied from the right, with the rows and columns that fit."""
    matrix = _checks.float64_array(name, value)
    fits = matrix.ndim == 2 and matrix.shape[0] == rows
    described: int | str = "d_out"
    if columns is not None:
        fits = fits and matrix.shape[1] == columns
        described = columns
    elif multiple_of is not None:
        fits = fits and matrix.shape[1] > 0 and matrix.shape[1] % multiple_of == 0
        described = f"a multiple of {multiple_of}"
    if not fits:
        raise ValueError(f"{name} has shape {matrix.shape}; allowed: ({rows}, {described})")
    return matrix


def check_not_both(name: str, value: object, **others: object) -> None:
    for other, given in others.items():
        if value is not None and given is not None:
            raise ValueError(f"{other} is given together with {name}; allowed: one of the two")


def rotations(rotate: object) -> tuple[Rotation, Rotation] | None:
    if rotate is None:
        return None
    pair = rotate if isinstance(rotate, tuple) else (rotate, rotate)
    if len(pair) != 2 or not all(map(callable, pair)):
        allowed = "a function of vectors and positions, or two, for queries and for keys"
        raise _checks.refusal("rotate", rotate, allowed)
    return pair


def places_of(
    positions: ArrayLike | None,
    tokens: NDArray[np.float64],
    cache: KVCache | None,
    *,
    rotated: bool,
) -> NDArray[Any]:
    """Positions that broadcast to vectors with an axis of heads."""
    n = tokens.shape[-2]
    if positions is None:
        start = 0 if cache is None else cache.next_position
        if start is None and rotated:
            allowed = "positions, because those of the tokens in the cache were given"
            raise _checks.refusal("positions", positions, allowed)
        return (start or 0) + np.arange(n)
    if not rotated:
        raise _checks.refusal("positions", positions, "None without rotate")
    _checks.position_array("positions", positions)
    array = np.asarray(positions)  # integers stay integers for functions that look up
    if array.shape[-1:] != (n,):
        raise ValueError(
            f"positions has shape {array.shape}; allowed: (…, {n}), "
            f"one for each token of x with shape {tokens.shape}"
        )
    return array if array.ndim == 1 else array[..., np.newaxis, :]


def sum_that_fits(
    names: str, a: NDArray[np.float64], b: NDArray[np.float64]
) -> NDArray[np.float64]:
    with np.errstate(over="ignore"):  # what overflows is refused by name
        total: NDArray[np.float64] = a + b
    if (np.isinf(total) & np.isfinite(a) & np.isfinite(b)).any():
        raise ValueError(f"{names} are too large; allowed: sums that fit in float64")
    return total


def returned(
    name: str, value: ArrayLike, shape: tuple[int, ...], *, minus_infinity: bool = False
) -> NDArray[np.float64]:
    """What a function of the caller gave, in the one shape that fits."""
    array = _checks.float64_array(name, value, minus_infinity=minus_infinity)
    if array.shape != shape:
        raise ValueError(f"{name} has shape {array.shape}; allowed: {shape}")
    return array


def check_function(name: str, value: object, of: str) -> None:
    if value is not None and not callable(value):
        raise _checks.refusal(name, value, f"None or a function of {of}")
