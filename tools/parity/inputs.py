"""Small inputs of the recorded calls: multiples of an eighth, so that every float holds them."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

# Eight entries of a head, and positions from the first to far.
X = [1.0, -0.5, 0.25, 2.0, -1.5, 0.75, 3.0, -0.125]
POSITIONS = [0, 1, 7, 1000]

# The scaling that Meta published with Llama 3.1.
LLAMA3 = {
    "rope_type": "llama3",
    "factor": 8.0,
    "low_freq_factor": 1.0,
    "high_freq_factor": 4.0,
    "original_max_position_embeddings": 8192,
}


def eighths(*shape: int, seed: int) -> NDArray[np.float64]:
    """An array of multiples of 1/8 from −2 to 2, the same on every machine."""
    count = int(np.prod(shape))
    steps: Any = (np.arange(1, count + 1, dtype=np.int64) * 7919 + seed * 104729) ** 2 % 1009 % 33
    return np.asarray((steps - 16) / 8).reshape(shape)
