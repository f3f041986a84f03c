"""From one layout of rotary pairs to the other, for the weights that make queries and keys."""

from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from pedocs import _checks


def interleaved_to_half_split(
    w: ArrayLike, *, head_dim: int, axis: int, rotary_dim: int | None = None
) -> NDArray[Any]:
    """Reorder the weights of queries or keys from interleaved pairs to half-split ones.

    Within each head, the first members of all pairs come before the second
    members:

    ```text
    new[m]                  = old[2m]
    new[m + rotary_dim/2]   = old[2m + 1]        m = 0 … rotary_dim/2 − 1
    new[rotary_dim …]       = old[rotary_dim …]
    ```

    Do it to the weights of queries *and* keys (and to their biases and the
    weights of a normalisation over `head_dim`), never to values. The scores
    under the half-split `rope` are then those that the old weights gave under
    the interleaved one; a model that is converted without it still runs, and its
    scores are wrong.

    Args:
        w: Weights, biases, or the queries or keys themselves, of any shape.
        head_dim: Width of a head.
        axis: The axis whose entries are the heads' dimensions, head after head.
            It is the first for a weight of PyTorch, `(out, in)`, and the last
            for `x @ w`.
        rotary_dim: How many dimensions of each head rotate, an even number;
            None is all of them.

    Returns:
        A reordered copy, of the shape and the dtype of `w`.

    Raises:
        ValueError: An argument is not as described, or the length of the axis is
            no multiple of `head_dim`.

    Examples:
        >>> import numpy as np
        >>> from pedocs import interleaved_to_half_split
        >>> interleaved_to_half_split(np.arange(8), head_dim=8, axis=0)
        array([0, 2, 4, 6, 1, 3, 5, 7])
        >>> interleaved_to_half_split(np.arange(8), head_dim=4, axis=0)
        array([0, 2, 1, 3, 4, 6, 5, 7])

    Source:
        [Su et al. 2021](https://arxiv.org/abs/2104.09864), §3.4.2, pairs
        neighbours. The conversion is the `permute` of
        [transformers](https://github.com/huggingface/transformers/blob/01cc9cd9d804d368d553c093c4eb0646320545bb/src/transformers/models/llama/convert_llama_weights_to_hf.py),
        which knows whole heads only.
    """
    weights, axis, width, head_dim = _arguments(w, head_dim, axis, rotary_dim)
    order = np.arange(head_dim)
    order[:width] = np.concatenate([np.arange(0, width, 2), np.arange(1, width, 2)])
    return _reordered(weights, order, axis)


def half_split_to_interleaved(
    w: ArrayLike, *, head_dim: int, axis: int, rotary_dim: int | None = None
) -> NDArray[Any]:
    """Reorder the weights of queries or keys from half-split pairs to interleaved ones.

    It undoes `interleaved_to_half_split`, which says what to convert:

    ```text
    new[2m]             = old[m]
    new[2m + 1]         = old[m + rotary_dim/2]        m = 0 … rotary_dim/2 − 1
    new[rotary_dim …]   = old[rotary_dim …]
    ```

    Args:
        w: Weights, biases, or the queries or keys themselves, of any shape.
        head_dim: Width of a head.
        axis: The axis whose entries are the heads' dimensions, head after head.
        rotary_dim: How many dimensions of each head rotate, an even number;
            None is all of them.

    Returns:
        A reordered copy, of the shape and the dtype of `w`.

    Raises:
        ValueError: An argument is not as described, or the length of the axis is
            no multiple of `head_dim`.

    Examples:
        >>> import numpy as np
        >>> from pedocs import half_split_to_interleaved
        >>> half_split_to_interleaved(np.arange(8), head_dim=8, axis=0)
        array([0, 4, 1, 5, 2, 6, 3, 7])
        >>> half_split_to_interleaved(np.arange(8), head_dim=8, axis=0, rotary_dim=4)
        array([0, 2, 1, 3, 4, 5, 6, 7])

    Source:
        [Su et al. 2021](https://arxiv.org/abs/2104.09864), §3.4.2, as for
        `interleaved_to_half_split`.
    """
    weights, axis, width, head_dim = _arguments(w, head_dim, axis, rotary_dim)
    order = np.arange(head_dim)
    order[:width] = np.arange(width).reshape(2, width // 2).T.ravel()
    return _reordered(weights, order, axis)


def _arguments(
    w: ArrayLike, head_dim: int, axis: int, rotary_dim: int | None
) -> tuple[NDArray[Any], int, int, int]:
    """The checked arguments: weights, axis, how many dimensions rotate, width of a head."""
    weights = _checks.real_array("w", w)
    if not np.isfinite(weights).all():
        _checks.float64_array("w", weights)  # says which number it is
    head_dim = _checks.integer("head_dim", head_dim, minimum=2)
    if rotary_dim is None:
        width = _checks.even_integer("head_dim", head_dim)
    else:
        width = _checks.even_integer("rotary_dim", rotary_dim)
        if width > head_dim:
            allowed = f"an even integer from 2 to {head_dim}, the head_dim"
            raise _checks.refusal("rotary_dim", rotary_dim, allowed)
    axis = _checks.integer("axis", axis)
    if not -weights.ndim <= axis < weights.ndim:
        raise _checks.refusal("axis", axis, f"an axis of w, whose shape is {weights.shape}")
    if weights.shape[axis] % head_dim:
        raise ValueError(
            f"w has shape {weights.shape}; allowed: a multiple of head_dim, {head_dim}, "
            f"along axis {axis}"
        )
    return weights, axis, width, head_dim


def _reordered(weights: NDArray[Any], order: NDArray[np.intp], axis: int) -> NDArray[Any]:
    """Each head of the axis in this order of its dimensions."""
    first = np.arange(0, weights.shape[axis], order.size)
    return np.take(weights, (first[:, np.newaxis] + order).ravel(), axis=axis)
