"""A long sinusoidal table, built from a short one by shifting it.

A sine and a cosine for every entry would cost several times what it costs to write the entry
down. The identity PE(p + r) = M_r PE(p), which the book proves, needs far fewer of them. With a
pair as one complex number, z(p) = sin ω p + i cos ω p, the shift is one multiplication:

    z(p + r) = z(p) exp(−i ω r)

So the table is cut into blocks of about √n rows. The first row of each block and the shifts
within a block are computed from their angles, and every other row is a product of two of those.
"""

from typing import Any

import numpy as np
from numpy.typing import NDArray

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


def fill(
    table: NDArray[Any],
    sines: slice,
    cosines: slice,
    positions: NDArray[np.float64],
    frequencies: NDArray[np.float64],
) -> None:
    """Write the encodings of a long run of positions into the sine and cosine columns."""
    n = positions.size
    rows = 2 ** round(np.log2(n) / 2)
    dtype = np.result_type(table.dtype, np.complex64)
    within = np.arange(rows)[:, np.newaxis] * frequencies
    first = positions[::rows, np.newaxis] * frequencies
    shifts = _complex(np.cos(within), -np.sin(within), dtype)
    starts = _complex(np.sin(first), np.cos(first), dtype)

    for start, top in zip(starts, range(0, n, rows), strict=True):
        block = table[top : top + rows]
        # A sine and its cosine side by side are a complex number already.
        if cosines.start == 1 and table.dtype.isnative:
            np.multiply(shifts[: len(block)], start, out=block.view(dtype))
        else:
            pairs = shifts[: len(block)] * start
            block[:, sines], block[:, cosines] = pairs.real, pairs.imag


def _complex(
    real: NDArray[np.float64], imaginary: NDArray[np.float64], dtype: np.dtype[Any]
) -> NDArray[Any]:
    pair = np.empty(real.shape, dtype)
    pair.real, pair.imag = real, imaginary
    return pair
