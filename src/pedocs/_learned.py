"""Learned tables: one vector for each position, looked up, and resized for other lengths."""

from typing import Any, get_args

import numpy as np
from numpy.typing import ArrayLike, DTypeLike, NDArray

from pedocs import _checks
from pedocs._resizing import Method, resize


def learned(
    table: ArrayLike, positions: ArrayLike, *, dtype: DTypeLike | None = None
) -> NDArray[np.floating[Any]]:
    """Look positions up in a table that training has filled, a row for each.

    ```text
    PE(p) = table[p]        p = 0 … length − 1
    ```

    Outside the table there is no vector, so a position there is refused. Plain
    indexing would take a negative position from the far end of the table.

    Args:
        table: Learned vectors, shape `(length, d_model)`.
        positions: Positions in tokens, an integer or an array of any shape. A
            table with rows for padding counts them too, see `padded_positions`.
        dtype: float16, float32 or float64; None is float64.

    Returns:
        Array of shape `positions.shape + (d_model,)`.

    Raises:
        ValueError: An argument is not as described, for instance a position
            that is a float or has no row in the table.

    Examples:
        >>> from pedocs import learned
        >>> table = [[0.5, 1.0], [2.0, 3.0], [4.0, 7.0]]
        >>> learned(table, [2, 0])
        array([[4. , 7. ],
               [0.5, 1. ]])

        The last position of a table is one less than its length:

        >>> try:
        ...     learned(table, 3)
        ... except ValueError as refusal:
        ...     print(refusal)
        ...
        positions holds 3; allowed: integers from 0 to 2, since table has length 3

    Source:
        [Gehring et al. 2017](https://arxiv.org/abs/1705.03122), §3.1;
        [Vaswani et al. 2017](https://arxiv.org/abs/1706.03762), §3.5, who
        found such a table and the sinusoids about equally good.
    """
    rows = _table(table)
    p = _checks.integer_array("positions", positions)
    result_dtype = _checks.float_dtype(dtype)
    outside = (p < 0) | (p >= len(rows))
    if outside.any():
        raise ValueError(
            f"positions holds {p[outside][0]}; allowed: integers from 0 to {len(rows) - 1}, "
            f"since table has length {len(rows)}"
        )
    taken = np.take(rows, p.astype(np.intp), axis=0)
    return _checks.in_dtype(taken, result_dtype, "table is", "entries")


def resize_learned(
    table: ArrayLike,
    length: int,
    *,
    method: Method = "linear",
    align_corners: bool = False,
    dtype: DTypeLike | None = None,
) -> NDArray[np.floating[Any]]:
    """Stretch or shrink a learned table, so that it serves another length.

    ```text
    t_p = (p + ½) · old / new − ½    row p of the new table reads the old one at t_p
    t_p = p · (old − 1) / (new − 1)  with align_corners

    linear:  (1 − f) table[k] + f table[k + 1]                        t_p = k + f
    cubic:   far(1 + f) table[k − 1] + near(f) table[k]
             + near(1 − f) table[k + 1] + far(2 − f) table[k + 2]

    near(x) = (a + 2) x³ − (a + 3) x² + 1
    far(x)  = a (x³ − 5 x² + 8 x − 4)
    ```

    Here a is minus three quarters, and a row outside the old table is the row
    at its end. The first reading takes a row for a cell and keeps the borders
    of the outer cells in place; the second keeps the first and the last row.
    Shrinking skips rows, with no smoothing before.

    The new vectors are a guess: training goes on with them.

    Args:
        table: Learned vectors, shape `(old, d_model)`.
        length: Number of rows of the new table, at least 1.
        method: "linear" or "cubic".
        align_corners: False for cells, True to keep the first and last row.
        dtype: float16, float32 or float64; None is float64.

    Returns:
        Array of shape `(length, d_model)`. With the length of the old table it
            is equal to it.

    Raises:
        ValueError: An argument is not as described, or the result does not fit
            in the dtype.

    Examples:
        >>> from pedocs import resize_learned
        >>> resize_learned([[0.0], [4.0]], 4).ravel()
        array([0., 1., 3., 4.])
        >>> resize_learned([[0.0], [6.0]], 4, align_corners=True).ravel()
        array([0., 2., 4., 6.])

    Source:
        [Dosovitskiy et al. 2020](https://arxiv.org/abs/2010.11929), §3.2, for
        grids; [PyTorch](https://docs.pytorch.org/docs/stable/generated/torch.nn.functional.interpolate.html),
        function `torch.nn.functional.interpolate`, whose modes "linear" and
        "bicubic" read at these places with these weights.
    """
    rows = _table(table)
    length = _checks.integer("length", length, minimum=1)
    align_corners = _check_reading(method, align_corners)
    result_dtype = _checks.float_dtype(dtype)
    resized = resize(rows, 0, length, method, align_corners)
    return _checks.in_dtype(resized, result_dtype, "table is", "interpolated entries")


def resize_learned_grid(
    table: ArrayLike,
    old_shape: tuple[int, int],
    new_shape: tuple[int, int],
    *,
    prefix: int = 0,
    method: Method = "cubic",
    align_corners: bool = False,
    dtype: DTypeLike | None = None,
) -> NDArray[np.floating[Any]]:
    """Resize a learned table whose rows are the patches of an image.

    ```text
    table     = [ prefix | patch (0, 0), patch (0, 1), …, the last patch ]
    new table = [ prefix | the grid, resized along its columns and along its rows ]
    ```

    Each axis is resized as in `resize_learned`. The prefix is copied: rows such
    as that of the class token, which stands nowhere in the image.

    Implementations differ. ViT in transformers, DeiT and MAE resize with
    "cubic" and cells, and take the old grid to be square; ViT's own code
    resizes with "linear" and keeps the corners (`align_corners=True`). Some
    later models smooth before they shrink, which this function does not.

    Args:
        table: Learned vectors, shape `(prefix + height · width, d_model)`,
            patches row by row.
        old_shape: Height and width of the grid in the table, in patches.
        new_shape: Height and width of the new grid, in patches.
        prefix: Number of rows before the grid.
        method: "linear" or "cubic".
        align_corners: False for cells, True to keep the patches at the corners.
        dtype: float16, float32 or float64; None is float64.

    Returns:
        Array of shape `(prefix + new height · new width, d_model)`. With the
            old shape it is equal to the table.

    Raises:
        ValueError: An argument is not as described, or the result does not fit
            in the dtype.

    Examples:
        A class token, then a grid of one row and two columns:

        >>> from pedocs import resize_learned_grid
        >>> table = [[9.0], [0.0], [4.0]]
        >>> new = resize_learned_grid(table, (1, 2), (2, 4), prefix=1, method="linear")
        >>> new.ravel()
        array([9., 0., 1., 3., 4., 0., 1., 3., 4.])

    Source:
        [Dosovitskiy et al. 2020](https://arxiv.org/abs/2010.11929), §3.2;
        [transformers](https://github.com/huggingface/transformers/blob/v5.24.0/src/transformers/models/vit/modeling_vit.py),
        method `interpolate_pos_encoding`;
        [vision_transformer](https://github.com/google-research/vision_transformer/blob/c6de1e5378c9831a8477feb30994971bdc409e46/vit_jax/checkpoint.py),
        function `interpolate_posembed`.
    """
    rows = _table(table)
    height, width = _grid_shape("old_shape", old_shape)
    new_height, new_width = _grid_shape("new_shape", new_shape)
    prefix = _checks.integer("prefix", prefix, minimum=0)
    if len(rows) != prefix + height * width:
        raise ValueError(
            f"table has shape {rows.shape}; allowed: {prefix} + {height} · {width} rows, "
            "for prefix and old_shape"
        )
    align_corners = _check_reading(method, align_corners)
    result_dtype = _checks.float_dtype(dtype)

    grid = rows[prefix:].reshape(height, width, -1)
    grid = resize(grid, 1, new_width, method, align_corners)
    grid = resize(grid, 0, new_height, method, align_corners)
    grid = np.concatenate((rows[:prefix], grid.reshape(new_height * new_width, -1)))
    return _checks.in_dtype(grid, result_dtype, "table is", "interpolated entries")


def _table(value: ArrayLike) -> NDArray[np.float64]:
    array = _checks.float64_array("table", value)
    if array.ndim != 2 or 0 in array.shape:
        raise ValueError(
            f"table has shape {array.shape}; "
            "allowed: (length, d_model), with at least one row and one column"
        )
    return array


def _grid_shape(name: str, value: Any) -> tuple[int, int]:
    allowed = "a height and a width, both at least 1"
    try:
        height, width = value
    except (TypeError, ValueError):
        raise _checks.refusal(name, value, allowed) from None
    return (
        _checks.integer(f"the height of {name}", height, minimum=1),
        _checks.integer(f"the width of {name}", width, minimum=1),
    )


def _check_reading(method: Any, align_corners: Any) -> bool:
    _checks.choice("method", method, get_args(Method))
    return _checks.boolean("align_corners", align_corners)
