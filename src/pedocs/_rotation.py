"""How the rotary encodings turn pairs: by blocks, each pair as one complex number."""

import itertools
import math
from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from pedocs import _checks
from pedocs._sinusoidal import Layout


def rotate(
    x: NDArray[Any],
    phases: Callable[[slice], NDArray[Any]],
    sets: int,
    width: int,
    layout: Layout,
) -> NDArray[Any]:
    """Multiply the pairs of the first `width` dimensions by complex phases, the rest by nothing.

    `phases` gives those of a slice of tokens, shape `(…, tokens, width // 2)`, where axes that
    share their positions may be missing or 1: it is asked once for all heads. `sets` is the
    number of rows that each token has in it. A block of x fits the processor's cache, and its
    work is small beside the result.
    """
    rows = np.atleast_2d(x if x.strides[-1] == x.itemsize else x.copy())
    pair = pair_dtype(x)
    real = pair.type(0).real.dtype
    result = np.empty(rows.shape, x.dtype)
    *leading, all_tokens = (
        [slice(start, start + step) for start in range(0, length, step)]
        for length, step in zip(rows.shape[:-1], block_steps(rows.shape, sets), strict=True)
    )
    with np.errstate(all="ignore"):  # what overflows is refused by name
        for tokens in all_tokens:
            turn = phases(tokens).astype(pair, copy=False)
            factors = [
                np.broadcast_to(table, rows.shape[:-2] + table.shape[turn.ndim - 2 :])
                for table in _tables(turn, layout)
            ]
            for heads in itertools.product(*leading):
                block, out = rows[*heads, tokens, :], result[*heads, tokens, :]
                pairs = block[..., :width].astype(real, copy=False)
                _multiply(pairs, [table[heads] for table in factors], out[..., :width])
                if width < x.shape[-1]:
                    out[..., width:] = block[..., width:]
                if not np.isfinite(out).all():
                    _checks.float64_array("x", x)
                    allowed = f"rotated numbers that fit in {x.dtype}"
                    raise ValueError(f"x is too large; allowed: {allowed}")
    return result.reshape(x.shape)


def pair_dtype(x: NDArray[Any]) -> np.dtype[Any]:
    """In what a pair of x is turned: float16 would round its products, so it counts as float64."""
    return np.dtype(np.complex64 if x.dtype == np.float32 else np.complex128)


def block_steps(shape: tuple[int, ...], sets: int) -> tuple[int, ...]:
    """How far a block reaches along each axis but the last: first tokens, then heads, then batch.

    It has fewer tokens where each of them has several positions, whose phases count as well.
    """
    size = math.prod(shape)
    left = min(max(size // 32, 2**13), 2**18) // shape[-1]
    steps = [max(1, min(shape[-2], left // max(1, sets)))]
    for length in reversed(shape[:-2]):
        left //= steps[-1]
        steps.append(max(1, min(length, left)))
    return tuple(reversed(steps))


def _tables(turn: NDArray[Any], layout: Layout) -> list[NDArray[Any]]:
    """The phases in the order in which the pairs are multiplied by them."""
    if layout == "interleaved":
        return [turn]
    c, s = turn.real, turn.imag
    return [np.stack([c, c], axis=-2), np.stack([-s, s], axis=-2)]


def _multiply(pairs: NDArray[Any], factors: list[NDArray[Any]], out: NDArray[Any]) -> None:
    """Write the products into `out`, whose dtype may be narrower than that of the pairs."""
    product = out if out.dtype == pairs.dtype else np.empty_like(pairs)
    if len(factors) == 1:  # two neighbours are a complex number already
        (turn,) = factors
        np.multiply(pairs.view(turn.dtype), turn, out=product.view(turn.dtype))
    else:
        cosines, sines = factors
        halves = pairs.reshape(cosines.shape)
        turned = product.reshape(cosines.shape)
        np.multiply(halves, cosines, out=turned)
        turned += halves[..., ::-1, :] * sines
    if product is not out:
        out[...] = product


def as_vectors(x: ArrayLike) -> NDArray[Any]:
    """Queries or keys in the float dtype that they keep."""
    array = _checks.real_array("x", x)
    if array.dtype.kind != "f" or array.dtype.itemsize > 8:
        array = _checks.float64_array("x", array)
    if array.ndim == 0 or array.shape[-1] < 2:
        raise ValueError(
            f"x has shape {array.shape}; allowed: (…, n, head_dim), head_dim at least 2"
        )
    return array.astype(array.dtype.newbyteorder("="), copy=False)


def rotary_width(rotary_dim: int | None, shape: tuple[int, ...]) -> int:
    """How many dimensions of an x of this shape rotate."""
    if rotary_dim is None:
        if shape[-1] % 2:
            allowed = "an even head_dim, or an even rotary_dim within it"
            raise ValueError(f"x has shape {shape}; allowed: {allowed}")
        return shape[-1]
    width = _checks.even_integer("rotary_dim", rotary_dim)
    if width > shape[-1]:
        allowed = f"an even integer from 2 to {shape[-1]}, the width of x"
        raise _checks.refusal("rotary_dim", rotary_dim, allowed)
    return width


def token_positions(name: str, positions: ArrayLike, shape: tuple[int, ...]) -> NDArray[np.float64]:
    """Positions of the tokens of an x of this shape; one number becomes one token."""
    array = _checks.position_array(name, positions)
    if len(shape) == 1:
        if array.ndim:
            allowed = "one number, for x is one vector"
            raise ValueError(f"{name} has shape {array.shape}; allowed: {allowed}")
        return array.reshape(1)
    if not fits_tokens(array.shape, shape):
        raise ValueError(f"{name} has shape {array.shape}; allowed: {token_shapes(shape)}")
    return array


def fits_tokens(own: tuple[int, ...], shape: tuple[int, ...]) -> bool:
    """Whether positions of this shape are one for each token, stretched along other axes only.

    Between one axis and all of them there is nothing: as many texts as heads would pass for heads.
    """
    axes = len(shape) - 1
    if len(own) not in (min(1, axes), axes) or own[-1:] != shape[-2:-1]:
        return False
    try:
        return np.broadcast_shapes(own, shape[:-1]) == shape[:-1]
    except ValueError:
        return False


def token_shapes(shape: tuple[int, ...]) -> str:
    """The shapes that `fits_tokens` allows, in words."""
    *before, n = shape[:-1]
    if not before:
        return f"({n},)"
    return f"({n},), or {len(before) + 1} axes that end in {n} and broadcast to {shape[:-1]}"


def check_angles(name: str, positions: NDArray[np.float64], rates: NDArray[np.float64]) -> None:
    """Refuse positions whose angles overflow: the fastest pair at the farthest is the largest."""
    with np.errstate(over="ignore"):
        largest = np.abs(positions).max(initial=0) * np.abs(rates).max()
    if not np.isfinite(largest):
        raise ValueError(f"{name} are too large; allowed: angles that fit in float64")
