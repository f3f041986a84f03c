"""Rotary encoding by several coordinates: time, height and width, or row and column."""

import math
from collections.abc import Sequence
from typing import Any, Literal, get_args

import numpy as np
from numpy.typing import ArrayLike, NDArray

from pedocs import _checks
from pedocs._blocks import polar
from pedocs._rope import pair_frequencies
from pedocs._rope_scaling import RopeFrequencies
from pedocs._rotation import (
    as_vectors,
    check_angles,
    fits_tokens,
    rotary_width,
    rotate,
    token_positions,
    token_shapes,
)
from pedocs._sinusoidal import Layout, angular_frequencies

Arrangement = Literal["contiguous", "interleaved"]
Axis = Literal["rows", "columns"]
Ladder = Literal["repeated", "alternating"]


def mrope(
    x: ArrayLike,
    positions: ArrayLike,
    *,
    sections: Sequence[int],
    arrangement: Arrangement = "contiguous",
    base: float = 10000.0,
    layout: Layout = "half-split",
    frequencies: ArrayLike | RopeFrequencies | None = None,
    rotary_dim: int | None = None,
) -> NDArray[np.floating[Any]]:
    """Rotate by time, height and width: each pair by one of the three.

    Pair m turns by ω_m times one coordinate of the token, with the frequencies
    of `rope`. The sections say how many pairs each coordinate has, the
    arrangement says which:

    ```text
    sections (t, h, w) = (4, 2, 2)

    contiguous:   pairs  t t t t h h w w
    interleaved:  pairs  t h w t h w t t
    ```

    Interleaved, height has the pairs 1, 4, 7 …, width 2, 5, 8 …, each as many
    as its section says, and time has all others; so all three have fast pairs
    and slow ones. A token of text has three equal coordinates and is rotated as
    by `rope` in the same layout, whatever the sections. `mrope_positions` makes the coordinates.

    Args:
        x: Queries or keys, shape `(…, n, head_dim)`, or one vector.
        positions: Time, height and width of each token, shape `(3, n)`, or
            `(3, …, n)` where the rest is as in `rope`; `(3,)` for one vector.
        sections: How many pairs turn by time, height and width: three integers
            that add up to `rotary_dim // 2`.
        arrangement: "contiguous" (Qwen2-VL) or "interleaved" (Qwen3-VL).
        base: Base of the frequencies, as in `rope`.
        layout: "half-split" or "interleaved", as in `rope`. It says which two
            dimensions make a pair; the arrangement says what turns it.
        frequencies: In place of those that `base` gives, as in `rope`.
        rotary_dim: How many dimensions rotate, as in `rope`.

    Returns:
        Array of the shape of `x`; dtype and rounding as in `rope`.

    Raises:
        ValueError: An argument is not as described, or a rotated number does
            not fit in the dtype of `x`.

    Examples:
        Three pairs, of which a quarter turn in width turns the last:

        >>> import numpy as np
        >>> from pedocs import mrope
        >>> x = np.array([1.0, 1.0, 1.0, 0.0, 0.0, 0.0])
        >>> mrope(x, [0, 0, np.pi / 2], sections=(1, 1, 1), base=1.0).round(6)
        array([1., 1., 0., 0., 0., 1.])

    Source:
        [Wang et al. 2024](https://arxiv.org/abs/2409.12191), §2.1, contiguous;
        [Huang et al. 2025](https://arxiv.org/abs/2510.23095), interleaved;
        both as in transformers,
        [Qwen2-VL](https://github.com/huggingface/transformers/blob/v5.24.0/src/transformers/models/qwen2_vl/modeling_qwen2_vl.py)
        and
        [Qwen3-VL](https://github.com/huggingface/transformers/blob/v5.24.0/src/transformers/models/qwen3_vl/modeling_qwen3_vl.py).
    """
    vectors = as_vectors(x)
    width = rotary_width(rotary_dim, vectors.shape)
    rates, factor = pair_frequencies(frequencies, base, width)
    p = _checks.position_array("positions", positions)
    one = len(vectors.shape) == 1
    if p.shape[:1] != (3,) or not fits_tokens(p.shape[1:], vectors.shape):
        after = "(), for x is one vector" if one else token_shapes(vectors.shape)
        allowed = f"3 along its first axis, and after it {after}"
        raise ValueError(f"positions has shape {p.shape}; allowed: {allowed}")
    axes = _section_axes(sections, arrangement, width // 2)
    _checks.choice("layout", layout, get_args(Layout))
    check_angles("positions", p, rates)
    return _rotate_by_axes(vectors, p.reshape(3, 1) if one else p, axes, rates, factor, layout)


def rope_2d(
    x: ArrayLike,
    rows: ArrayLike,
    columns: ArrayLike,
    *,
    base: float = 10000.0,
    layout: Layout = "interleaved",
    first: Axis = "rows",
    ladder: Ladder = "repeated",
) -> NDArray[np.floating[Any]]:
    """Rotate by row and column: half of the pairs by each.

    The pairs of the first axis come before those of the second. With D for
    head_dim and m = 0 … D/4 − 1, the frequencies are

    ```text
    repeated:     ω_m = base^(−4m / D)         for both axes
    alternating:  ω_m = base^(−4m / D)         for the first axis
                  ω_m = base^(−(4m + 2) / D)   for the second
    ```

    Alternating, the axes take turns in the frequencies that `rope` has for the
    whole head. Either way a score depends on where two patches stand only
    through the offsets of their rows and of their columns.

    Implementations differ in all three settings. Rows first, half-split: the
    encoder of Qwen2-VL with repeated frequencies, Pixtral in transformers with
    alternating ones. Rows first, interleaved, repeated: EVA-02. Columns first,
    interleaved, repeated: RoPE-ViT, with base 100, and Llama 4, whose positions
    count from 1.

    Args:
        x: Queries or keys, shape `(…, n, head_dim)`, head_dim a multiple of 4;
            or one vector.
        rows: Row of each patch, shape `(n,)` or another as in `rope`; integers
            or floats, so that a larger image may be squeezed into the rows of a
            smaller one.
        columns: Column of each patch, likewise.
        base: Base of the frequencies, at least 1.
        layout: "interleaved" or "half-split", as in `rope`.
        first: Whose pairs come first, "rows" or "columns".
        ladder: "repeated" or "alternating" frequencies.

    Returns:
        Array of the shape of `x`; dtype and rounding as in `rope`.

    Raises:
        ValueError: An argument is not as described, or a rotated number does
            not fit in the dtype of `x`.

    Examples:
        A patch in row 1 and column 0 turns its first pair only:

        >>> import numpy as np
        >>> from pedocs import rope_2d
        >>> rope_2d([1.0, 0.0, 1.0, 0.0], np.pi / 2, 0).round(6)
        array([0., 1., 1., 0.])

    Source:
        [Heo et al. 2024](https://arxiv.org/abs/2403.13298), §3.2, axial
        frequencies, and its
        [code](https://github.com/naver-ai/rope-vit/blob/2e801b6a5cdb4a7a8d95ed555aef5645b58044df/models/vit_rope.py);
        [EVA-02](https://github.com/baaivision/EVA/blob/006ca794a1446194bf9cc78fd1b68e84cc47a221/EVA-02/asuka/rope.py);
        transformers,
        [Qwen2-VL](https://github.com/huggingface/transformers/blob/v5.24.0/src/transformers/models/qwen2_vl/modeling_qwen2_vl.py),
        [Pixtral](https://github.com/huggingface/transformers/blob/v5.24.0/src/transformers/models/pixtral/modeling_pixtral.py)
        and
        [Llama 4](https://github.com/huggingface/transformers/blob/v5.24.0/src/transformers/models/llama4/modeling_llama4.py).
    """
    vectors = as_vectors(x)
    if vectors.shape[-1] % 4:
        raise ValueError(
            f"x has shape {vectors.shape}; allowed: a head_dim that is a multiple of 4"
        )
    r = token_positions("rows", rows, vectors.shape)
    c = token_positions("columns", columns, vectors.shape)
    width = vectors.shape[-1]
    pairs = angular_frequencies(width, base=base)
    _checks.choice("layout", layout, get_args(Layout))
    _checks.choice("first", first, get_args(Axis))
    _checks.choice("ladder", ladder, get_args(Ladder))

    halves = np.broadcast_arrays(*((r, c) if first == "rows" else (c, r)))
    second = pairs[0::2] if ladder == "repeated" else pairs[1::2]
    rates = np.concatenate([pairs[0::2], second])
    axes = np.repeat([0, 1], width // 4)
    return _rotate_by_axes(vectors, np.stack(halves), axes, rates, 1.0, layout)


def _section_axes(
    sections: Sequence[int], arrangement: Arrangement, pairs: int
) -> NDArray[np.intp]:
    """Which coordinate turns each pair: 0 time, 1 height, 2 width."""
    _checks.choice("arrangement", arrangement, get_args(Arrangement))
    allowed = f"three integers that add up to {pairs}, the pairs that rotate"
    try:
        numbered = list(enumerate(sections))
    except TypeError:
        raise _checks.refusal("sections", sections, allowed) from None
    counts = [_checks.integer(f"sections[{i}]", count, minimum=0) for i, count in numbered]
    if len(counts) != 3 or sum(counts) != pairs:
        raise _checks.refusal("sections", sections, allowed)
    if arrangement == "contiguous":
        return np.repeat([0, 1, 2], counts)
    axes = np.zeros(pairs, np.intp)
    for axis in (1, 2):
        places = axes[axis : 3 * counts[axis] : 3]
        if places.size < counts[axis]:
            allowed = f"height at the pairs 1, 4, 7 … and width at 2, 5, 8 … of {pairs}"
            raise _checks.refusal("sections", sections, allowed)
        places[:] = axis
    return axes


def _rotate_by_axes(
    x: NDArray[Any],
    positions: NDArray[np.float64],
    axes: NDArray[np.intp],
    rates: NDArray[np.float64],
    factor: float,
    layout: Layout,
) -> NDArray[Any]:
    """Turn each pair by its frequency times the coordinate that `axes` names for it."""
    coordinates = np.moveaxis(positions, 0, -1)

    def phases(tokens: slice) -> NDArray[np.complex128]:
        return polar(factor, coordinates[..., tokens, :][..., axes] * rates)

    return rotate(x, phases, math.prod(coordinates.shape[:-2]), 2 * rates.size, layout)
