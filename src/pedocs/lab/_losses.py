"""What training makes small: one loss for each seed, and its gradient."""

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pedocs import softmax
from pedocs.lab._pieces import Array


def loss(outputs: Array, targets: NDArray[Any]) -> tuple[Array, Callable[[], Array]]:
    """Measure outputs against targets: integers are classes, floats are numbers to be met."""
    if targets.dtype.kind == "i":
        return cross_entropy(outputs, targets)
    return squared_error(outputs, targets)


def cross_entropy(outputs: Array, targets: NDArray[Any]) -> tuple[Array, Callable[[], Array]]:
    """The mean of −ln p(target) over the targets of a seed, p = softmax(outputs).

    The derivative by the outputs is p, less one at the target, divided by the
    number of targets. A negative target does not count.

    Shapes: outputs `(s, …, classes)`, targets `(s, …)`, loss `(s,)`.
    """
    counted = targets >= 0
    at_target = np.where(counted, targets, 0)[..., np.newaxis]
    p = softmax(outputs)
    p_target = np.take_along_axis(p, at_target, axis=-1)
    axes = tuple(range(1, targets.ndim))
    share: Array = counted / counted.sum(axis=axes, keepdims=True)

    def back() -> Array:
        doutputs = p.copy()
        np.put_along_axis(doutputs, at_target, p_target - 1, axis=-1)
        return doutputs * share[..., np.newaxis]

    smallest = np.finfo(np.float64).tiny  # the logarithm of zero would be no number
    terms: Array = -np.log(np.maximum(p_target[..., 0], smallest)) * share
    losses: Array = terms.sum(axis=axes)
    return losses, back


def squared_error(outputs: Array, targets: NDArray[Any]) -> tuple[Array, Callable[[], Array]]:
    """The mean of (output − target)² over the targets of a seed.

    Shapes: outputs `(s, …, 1)`, targets `(s, …)`, loss `(s,)`.
    """
    difference = outputs - targets[..., np.newaxis]
    axes = tuple(range(1, difference.ndim))
    count = difference[0].size
    losses: Array = (difference * difference).sum(axis=axes) / count
    return losses, lambda: 2 * difference / count
