"""Sinusoidal encodings, their frequencies and the shift that rotates them."""

from typing import Any, Literal, get_args

import numpy as np
from numpy.typing import ArrayLike, DTypeLike, NDArray

from pedocs import _blocks, _checks

Layout = Literal["interleaved", "half-split"]
Spacing = Literal["paper", "tensor2tensor"]


def sinusoidal(
    positions: ArrayLike,
    d_model: int,
    *,
    base: float = 10000.0,
    layout: Layout = "interleaved",
    spacing: Spacing = "paper",
    dtype: DTypeLike | None = None,
) -> NDArray[np.floating[Any]]:
    """Encode positions as the sines and cosines of angles that grow with them.

    A vector is made of pairs. Pair m holds the sine and the cosine of the
    angle ω_m p, where p is the position and ω_m the angular frequency of the
    pair:

    ```text
    interleaved:  (sin ω_0 p, cos ω_0 p, sin ω_1 p, cos ω_1 p, …)
    half-split:   (sin ω_0 p, sin ω_1 p, …, cos ω_0 p, cos ω_1 p, …)
    ```

    The layout moves the numbers and changes none of them; the spacing chooses
    the frequencies (see `angular_frequencies`).

    A list of 1024 or more positions that rise by one is encoded by shifting
    blocks of rows, as `shift_matrix` does. In float64 that moves an entry by no
    more than the rounding of its angle, in float32 by less than two steps of
    float32 at one. In all other cases an entry is computed by itself in float64
    and rounded once.

    Args:
        positions: Positions in tokens, a number or an array of any shape.
            Integers or floats, negative ones too.
        d_model: Width of a vector, even.
        base: Base of the frequencies, at least 1.
        layout: "interleaved" puts the sine and the cosine of a pair side by
            side; "half-split" puts all sines before all cosines.
        spacing: "paper" or "tensor2tensor".
        dtype: float16, float32 or float64; None is float64. The angles are
            float64 whatever the choice.

    Returns:
        Array of shape `positions.shape + (d_model,)`: one vector for a number,
            a table with a row for each position for a list of them.

    Raises:
        ValueError: An argument is not as described, for instance an odd
            `d_model` or a position that is not finite. An integer position
            beyond 2^53 in size is refused, because float64 would move it.

    Examples:
        One position is one vector:

        >>> from pedocs import sinusoidal
        >>> sinusoidal(1, d_model=4).round(6)
        array([0.841471, 0.540302, 0.01    , 0.99995 ])

        Several positions are a table:

        >>> import numpy as np
        >>> from pedocs import sinusoidal
        >>> sinusoidal(np.arange(3), d_model=4, layout="half-split").round(6)
        array([[ 0.      ,  0.      ,  1.      ,  1.      ],
               [ 0.841471,  0.01    ,  0.540302,  0.99995 ],
               [ 0.909297,  0.019999, -0.416147,  0.9998  ]])

    Source:
        [Vaswani et al. 2017](https://arxiv.org/abs/1706.03762), §3.5, where
        the index of the pair is called i.
    """
    p = _checks.position_array("positions", positions)
    frequencies = angular_frequencies(d_model, base=base, spacing=spacing)
    sines, cosines = _columns(2 * frequencies.size, layout)
    result_dtype = _checks.float_dtype(dtype)

    table = np.empty((*p.shape, 2 * frequencies.size), dtype=result_dtype)
    if result_dtype.itemsize >= 4 and _blocks.is_long_run(p):
        _blocks.fill(table, sines, cosines, p, frequencies)
        return table
    angles = p[..., np.newaxis] * frequencies
    # Each value is computed in float64 and rounded as it is stored.
    np.sin(angles, out=table[..., sines], casting="same_kind")
    np.cos(angles, out=table[..., cosines], casting="same_kind")
    return table


def angular_frequencies(
    d_model: int, *, base: float = 10000.0, spacing: Spacing = "paper"
) -> NDArray[np.float64]:
    """How fast each sine-cosine pair turns, in radians per token.

    ```text
    paper:          ω_m = base^(−2m / d_model)
    tensor2tensor:  ω_m = base^(−m / max(d_model/2 − 1, 1))

    m = 0 … d_model/2 − 1
    ```

    Both begin at one radian per token and fall by a constant factor from pair
    to pair. The paper's spacing would reach 1 / base one pair after the last;
    the spacing of the tensor2tensor code reaches it at the last.

    Args:
        d_model: Width of the model, even.
        base: Base of the frequencies, at least 1.
        spacing: "paper" or "tensor2tensor".

    Returns:
        Array of shape `(d_model // 2,)`, float64, radians per token.

    Raises:
        ValueError: An argument is not as described.

    Examples:
        >>> from pedocs import angular_frequencies
        >>> angular_frequencies(8)
        array([1.   , 0.1  , 0.01 , 0.001])
        >>> angular_frequencies(4, spacing="tensor2tensor")
        array([1.e+00, 1.e-04])

    Source:
        [Vaswani et al. 2017](https://arxiv.org/abs/1706.03762), §3.5;
        [tensor2tensor](https://github.com/tensorflow/tensor2tensor/blob/bafdc1b67730430d38d6ab802cbd51f9d053ba2e/tensor2tensor/layers/common_attention.py),
        function `get_timing_signal_1d`.
    """
    width = _checks.even_width(d_model)
    base = _checks.frequency_base(base)
    _checks.choice("spacing", spacing, get_args(Spacing))
    pairs = width // 2
    steps = pairs if spacing == "paper" else max(pairs - 1, 1)  # from 1 to 1 / base
    return np.float64(base) ** (-np.arange(pairs) / steps)


def wavelengths(
    d_model: int, *, base: float = 10000.0, spacing: Spacing = "paper"
) -> NDArray[np.float64]:
    """After how many tokens each sine-cosine pair has made a full turn.

    ```text
    λ_m = 2π / ω_m
    ```

    Args:
        d_model: Width of the model, even.
        base: Base of the frequencies, at least 1.
        spacing: "paper" or "tensor2tensor", see `angular_frequencies`.

    Returns:
        Array of shape `(d_model // 2,)`, float64, tokens per turn.

    Raises:
        ValueError: An argument is not as described.

    Examples:
        >>> from pedocs import wavelengths
        >>> wavelengths(8).round(1)
        array([   6.3,   62.8,  628.3, 6283.2])

    Source:
        [Vaswani et al. 2017](https://arxiv.org/abs/1706.03762), §3.5.
    """
    return 2 * np.pi / angular_frequencies(d_model, base=base, spacing=spacing)


def shift_matrix(
    offset: float,
    d_model: int,
    *,
    base: float = 10000.0,
    layout: Layout = "interleaved",
    spacing: Spacing = "paper",
) -> NDArray[np.float64]:
    """The matrix that moves the encoding of any position by one offset.

    It rotates each sine-cosine pair by its own angle and knows nothing of the
    position that it moves. For a column vector:

    ```text
    PE(p + r) = M_r PE(p)

    (sin ω_m (p + r))   ( cos ω_m r   sin ω_m r) (sin ω_m p)
    (cos ω_m (p + r)) = (−sin ω_m r   cos ω_m r) (cos ω_m p)
    ```

    A table holds its vectors as rows, so the whole table moves by
    `table @ shift_matrix(offset, d_model).T`.

    Args:
        offset: How far to move, in tokens: one number, integer or float,
            above zero towards later positions.
        d_model: Width of a vector, even.
        base: Base of the frequencies, at least 1.
        layout: "interleaved" or "half-split", as in `sinusoidal`.
        spacing: "paper" or "tensor2tensor", see `angular_frequencies`.

    Returns:
        Array of shape `(d_model, d_model)`, float64. It is orthogonal: its
            transpose moves back.

    Raises:
        ValueError: An argument is not as described.

    Examples:
        >>> import numpy as np
        >>> from pedocs import shift_matrix, sinusoidal
        >>> shift_matrix(3, d_model=2).round(6)
        array([[-0.989992,  0.14112 ],
               [-0.14112 , -0.989992]])
        >>> moved = shift_matrix(3, d_model=8) @ sinusoidal(10, d_model=8)
        >>> np.allclose(moved, sinusoidal(13, d_model=8))
        True

    Source:
        [Vaswani et al. 2017](https://arxiv.org/abs/1706.03762), §3.5, which
        states that the shift is linear and leaves the matrix to the reader.
    """
    distance = _checks.one_position("offset", offset)
    frequencies = angular_frequencies(d_model, base=base, spacing=spacing)
    width = 2 * frequencies.size
    columns = np.arange(width)
    sines, cosines = (columns[part] for part in _columns(width, layout))

    angles = distance * frequencies
    matrix = np.zeros((width, width))
    matrix[sines, sines] = np.cos(angles)
    matrix[sines, cosines] = np.sin(angles)
    matrix[cosines, sines] = -np.sin(angles)
    matrix[cosines, cosines] = np.cos(angles)
    return matrix + 0.0  # a shift by nothing shows 0, not -0


def _columns(width: int, layout: Layout) -> tuple[slice, slice]:
    """Where the sines stand in a vector, and where the cosines."""
    _checks.choice("layout", layout, get_args(Layout))
    if layout == "interleaved":
        return slice(0, None, 2), slice(1, None, 2)
    return slice(0, width // 2), slice(width // 2, None)
