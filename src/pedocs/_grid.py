"""Positions in an image, and sinusoids of two positions at once."""

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, DTypeLike, NDArray

from pedocs import _checks
from pedocs._sinusoidal import Layout, Spacing, sinusoidal


class GridPositions(NamedTuple):
    """What `grid_positions` returns: two positions for each place of a grid.

    Attributes:
        rows: How far down each place stands, `(height, width)`.
        columns: How far to the right, `(height, width)`.
    """

    rows: NDArray[Any]
    columns: NDArray[Any]


def grid_positions(
    height: int,
    width: int,
    *,
    start: int = 0,
    span: float | None = None,
    epsilon: float = 0.0,
) -> GridPositions:
    """Say for each place of an image in which row and in which column it stands.

    ```text
    rows[y, x]    = start + y
    columns[y, x] = start + x

    with a span:
    rows[y, x]    = (start + y) / (start + height − 1 + epsilon) · span
    columns[y, x] = (start + x) / (start + width − 1 + epsilon) · span
    ```

    A span makes positions a part of the image, whatever its size: the last row
    and the last column get the position `span`.

    Implementations differ. MAE and positional-encodings count from 0. DETR
    counts from 1; in its published models the span is 2π and epsilon, which
    keeps an empty image from a division by zero, is a millionth.

    Args:
        height: Number of rows, at least 1.
        width: Number of columns, at least 1.
        start: Position of the first row and of the first column; at least 0
            where there is a span.
        span: Position of the last row and of the last column, above 0; None
            leaves the counts as they are.
        epsilon: Added to the last count before the division, at least 0; 0
            where there is no span.

    Returns:
        A named tuple of two arrays with the fields `rows` and `columns`, both
            of shape `(height, width)`: int64, with a span float64. Their
            `ravel()` numbers the patches of the image row by row.

    Raises:
        ValueError: An argument is not as described, or there is nothing to
            divide by: a span, one row or column, a start of 0 and no epsilon.

    Examples:
        >>> from pedocs import grid_positions
        >>> rows, columns = grid_positions(2, 3)
        >>> rows
        array([[0, 0, 0],
               [1, 1, 1]])
        >>> columns
        array([[0, 1, 2],
               [0, 1, 2]])
        >>> grid_positions(2, 4, start=1, span=1.0).columns
        array([[0.25, 0.5 , 0.75, 1.  ],
               [0.25, 0.5 , 0.75, 1.  ]])

    Source:
        [Carion et al. 2020](https://arxiv.org/abs/2005.12872), §A.4;
        [transformers](https://github.com/huggingface/transformers/blob/v5.24.0/src/transformers/models/detr/modeling_detr.py),
        class `DetrSinePositionEmbedding`.
    """
    height = _checks.integer("height", height, minimum=1)
    width = _checks.integer("width", width, minimum=1)
    start = _checks.integer("start", start)
    counts: list[NDArray[Any]] = [start + np.arange(size) for size in (height, width)]
    if span is None:
        if _margin(epsilon):
            raise _checks.refusal("epsilon", epsilon, "0 where span is None")
    else:
        counts = [_stretched(count, span, _margin(epsilon)) for count in counts]
    rows, columns = counts
    shape = (height, width)
    return GridPositions(
        np.broadcast_to(rows[:, np.newaxis], shape).copy(), np.broadcast_to(columns, shape).copy()
    )


def sinusoidal_2d(
    rows: ArrayLike,
    columns: ArrayLike,
    d_model: int,
    *,
    base: float = 10000.0,
    layout: Layout = "interleaved",
    spacing: Spacing = "paper",
    dtype: DTypeLike | None = None,
) -> NDArray[np.floating[Any]]:
    """Encode two positions in one vector: half of it the row, half the column.

    ```text
    PE(y, x) = [ PE(y) | PE(x) ]        each half d_model / 2 wide, see `sinusoidal`
    ```

    A step down changes the first half only, a step to the right the second.

    Implementations differ. DETR is "interleaved" with the positions that
    `grid_positions` describes, and so is positional-encodings with counts from
    0. MAE is "half-split" from 0, and its weights hold the column first: swap
    the arguments for them, `sinusoidal_2d(columns, rows, …)`. The names in its
    own code say otherwise ([issue 18](https://github.com/facebookresearch/mae/issues/18)),
    which a square image does not show.

    Args:
        rows: Positions from top to bottom, a number or an array of any shape,
            integers or floats.
        columns: Positions from left to right; broadcasts with `rows`.
        d_model: Width of a vector, a multiple of 4.
        base: Base of the frequencies, at least 1.
        layout: "interleaved" or "half-split", within each half.
        spacing: "paper" or "tensor2tensor", see `angular_frequencies`.
        dtype: float16, float32 or float64; None is float64.

    Returns:
        Array with the broadcast shape of `rows` and `columns`, and `d_model`
            as last axis.

    Raises:
        ValueError: An argument is not as described.

    Examples:
        >>> from pedocs import grid_positions, sinusoidal_2d
        >>> table = sinusoidal_2d(*grid_positions(2, 3), d_model=4)
        >>> table.shape
        (2, 3, 4)
        >>> table[1, 2].round(6)
        array([ 0.841471,  0.540302,  0.909297, -0.416147])

    Source:
        [Carion et al. 2020](https://arxiv.org/abs/2005.12872), §A.4, from
        [Vaswani et al. 2017](https://arxiv.org/abs/1706.03762), §3.5;
        [MAE](https://github.com/facebookresearch/mae/blob/efb2a8062c206524e35e47d04501ed4f544c0ae8/util/pos_embed.py),
        function `get_2d_sincos_pos_embed`.
    """
    y = _checks.position_array("rows", rows)
    x = _checks.position_array("columns", columns)
    try:
        shape = np.broadcast_shapes(y.shape, x.shape)
    except ValueError:
        raise ValueError(
            f"rows has shape {y.shape} and columns has shape {x.shape}; "
            "allowed: shapes that broadcast"
        ) from None
    width = _checks.integer("d_model", d_model, minimum=4, kind="a multiple of 4")
    if width % 4:
        raise _checks.refusal("d_model", d_model, "a multiple of 4, at least 4")
    half = width // 2
    table = np.empty((*shape, width), dtype=_checks.float_dtype(dtype))
    for part, positions in ((slice(0, half), y), (slice(half, None), x)):
        table[..., part] = sinusoidal(
            positions, half, base=base, layout=layout, spacing=spacing, dtype=dtype
        )
    return table


def _margin(epsilon: Any) -> float:
    allowed = "a finite real number, at least 0"
    margin = _checks.real_number("epsilon", epsilon, allowed)
    if margin < 0:
        raise _checks.refusal("epsilon", epsilon, allowed)
    return margin


def _stretched(count: NDArray[np.int64], span: Any, margin: float) -> NDArray[np.float64]:
    """Counts as parts of the last one, times the span."""
    allowed = "None or a finite real number above 0"
    length = _checks.real_number("span", span, allowed)
    if length <= 0:
        raise _checks.refusal("span", span, allowed)
    if count[0] < 0:
        raise _checks.refusal(
            "start", int(count[0]), "an integer, at least 0 where a span is given"
        )
    last = float(count[-1]) + margin
    if last == 0:
        raise ValueError(
            "start is 0 and height or width is 1; allowed: epsilon above 0 where a span is given"
        )
    return count / last * length
