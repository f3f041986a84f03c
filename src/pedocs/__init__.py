"""The numpy library of the executable textbook on positional encoding.

Pure functions on numpy arrays. Vectors stand in the last axis, the
arithmetic is float64, and an offset is key minus query: r = j − i.
"""

from pedocs._attention import attention, softmax
from pedocs._offsets import causal_mask, relative_offsets
from pedocs._sinusoidal import (
    angular_frequencies,
    shift_matrix,
    sinusoidal,
    wavelengths,
)

__version__ = "0.1.0"

__all__ = [
    "angular_frequencies",
    "attention",
    "causal_mask",
    "relative_offsets",
    "shift_matrix",
    "sinusoidal",
    "softmax",
    "wavelengths",
]
