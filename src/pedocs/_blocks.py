"""Sines and cosines of a long run of positions, few of them computed from their angle.

A sine and a cosine for every entry would cost several times what it costs to write the entry
down. The identity PE(p + r) = M_r PE(p), which the book proves, needs far fewer of them. With a
pair as one complex number the shift is one multiplication:

    exp(i ω (p + r)) = exp(i ω p) exp(i ω r)

So the run is cut into blocks of about √n positions. The first of each block and the shifts
within a block are computed from their angles, and all others are products of two of those.
"""

from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

# Below this length there is little to gain, and each entry is computed by itself.
LONG = 1024
FARTHEST = 2.0**32


def is_long_run(positions: NDArray[np.float64]) -> bool:
    """Whether the positions are many and rise by one: only then does one shift fit all blocks.

    Far out, a position and its neighbour are no longer one apart in float64, or not by much.
    """
    if positions.ndim != 1 or positions.size < LONG or not abs(positions[0]) <= FARTHEST:
        return False
    return bool((np.diff(positions) == 1).all())


def starts_and_shifts(
    positions: NDArray[np.float64], frequencies: NDArray[np.float64], dtype: np.dtype[Any]
) -> tuple[NDArray[Any], NDArray[Any]]:
    """The first row of each block, and the shifts to the rows of one: complex numbers."""
    rows = 2 ** round(np.log2(positions.size) / 2)
    starts = polar(1.0, positions[::rows, np.newaxis] * frequencies)
    shifts = polar(1.0, np.arange(rows)[:, np.newaxis] * frequencies)
    return starts.astype(dtype), shifts.astype(dtype)


def fill(
    table: NDArray[Any],
    sines: slice,
    cosines: slice,
    positions: NDArray[np.float64],
    frequencies: NDArray[np.float64],
) -> None:
    """Write the encodings of a long run of positions into the sine and cosine columns."""
    dtype = np.result_type(table.dtype, np.complex64)
    starts, shifts = starts_and_shifts(positions, frequencies, dtype)
    # The sine comes first here: sin + i cos is i times the conjugate of cos + i sin.
    starts, shifts = 1j * starts.conj(), shifts.conj()
    rows = len(shifts)
    for number, start in enumerate(starts):
        block = table[number * rows : (number + 1) * rows]
        # A sine and its cosine side by side are a complex number already.
        if cosines.start == 1 and table.dtype.isnative:
            np.multiply(shifts[: len(block)], start, out=block.view(dtype))
        else:
            pairs = shifts[: len(block)] * start
            block[:, sines], block[:, cosines] = pairs.real, pairs.imag


def polar(magnitude: ArrayLike, angles: NDArray[np.float64]) -> NDArray[np.complex128]:
    """The complex numbers of these magnitudes and angles."""
    number = np.empty(angles.shape, np.complex128)
    np.multiply(magnitude, np.cos(angles), out=number.real)
    np.multiply(magnitude, np.sin(angles), out=number.imag)
    return number
