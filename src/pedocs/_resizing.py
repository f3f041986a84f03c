"""Interpolation along one axis, as the resizing of learned tables needs it."""

from typing import Literal

import numpy as np
from numpy.typing import NDArray

Method = Literal["linear", "cubic"]


def resize(
    array: NDArray[np.float64], axis: int, length: int, method: Method, align_corners: bool
) -> NDArray[np.float64]:
    """Each new row is a weighted sum of two or four neighbours along the axis."""
    old = array.shape[axis]
    p = np.arange(length)
    cells, corners = (p + 0.5) * old / length - 0.5, p * (old - 1) / max(length - 1, 1)
    t = corners if align_corners else cells
    k = np.floor(t).astype(np.intp)
    f = t - k
    if method == "linear":
        terms = [(0, 1 - f), (1, f)]
    else:
        terms = [(-1, _far(1 + f)), (0, _near(f)), (1, _near(1 - f)), (2, _far(2 - f))]

    resized = np.zeros((*array.shape[:axis], length, *array.shape[axis + 1 :]))
    weight_axes = (slice(None), *[np.newaxis] * (array.ndim - axis - 1))
    term = np.empty_like(resized)
    with np.errstate(all="ignore"):  # what overflows is refused by name
        for step, weights in terms:
            # Clipped, so that a row outside is the row at the end.
            np.take(array, k + step, axis=axis, out=term, mode="clip")
            term *= weights[weight_axes]
            resized += term
    return resized


def _near(x: NDArray[np.float64]) -> NDArray[np.float64]:
    """The weight of a row at a distance up to one."""
    return 1.25 * x**3 - 2.25 * x**2 + 1


def _far(x: NDArray[np.float64]) -> NDArray[np.float64]:
    """The weight of a row at a distance from one to two."""
    return -0.75 * (x**3 - 5 * x**2 + 8 * x - 4)
