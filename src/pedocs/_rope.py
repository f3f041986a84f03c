"""Rotary encoding: pairs of a query or key, turned by angles that the position sets."""

import math
from typing import Any, get_args

import numpy as np
from numpy.typing import ArrayLike, NDArray

from pedocs import _checks
from pedocs._blocks import is_long_run, polar, starts_and_shifts
from pedocs._rope_scaling import RopeFrequencies
from pedocs._rotation import (
    as_vectors,
    check_angles,
    pair_dtype,
    rotary_width,
    rotate,
    token_positions,
)
from pedocs._sinusoidal import Layout, angular_frequencies

DEFAULT_BASE = 10000.0


def rope(
    x: ArrayLike,
    positions: ArrayLike,
    *,
    base: float = 10000.0,
    layout: Layout = "interleaved",
    frequencies: ArrayLike | RopeFrequencies | None = None,
    rotary_dim: int | None = None,
) -> NDArray[np.floating[Any]]:
    """Turn each pair of a query or a key by an angle that grows with its position.

    Pair m of the token at position p turns by the angle ω_m p, so that the dot
    product of a rotated query and a rotated key depends on where they stand only
    through their offset:

    ```text
    (a′)   (cos ω_m p   −sin ω_m p) (a)
    (b′) = (sin ω_m p    cos ω_m p) (b)        ω_m = base^(−2m / rotary_dim)

    interleaved:  a = x[2m],  b = x[2m + 1]
    half-split:   a = x[m],   b = x[m + rotary_dim/2]
    ```

    The layouts are a convention of the weights that made `x`; the wrong one
    gives other scores without an error (see `half_split_to_interleaved`). GPT-J
    and Meta's Llama code are interleaved; GPT-NeoX and the Llama of
    transformers are half-split.

    Args:
        x: Queries or keys, shape `(…, n, head_dim)`, heads and batch before the
            tokens; or one vector, shape `(head_dim,)`.
        positions: Position of each token, in tokens; integers or floats. Shape
            `(n,)`, or as many axes as `x` has before its last, such as
            `(batch, 1, n)` for `x` of shape `(batch, heads, n, head_dim)`. One
            number for one vector.
        base: Base of the frequencies, at least 1. It must stay at its default
            where `frequencies` replace it.
        layout: "interleaved" pairs neighbours; "half-split" pairs each
            dimension of the first half with one of the second.
        frequencies: Radians per token, shape `(rotary_dim // 2,)`, in place of
            those that `base` gives; or what `rope_frequencies` returns, whose
            attention factor then multiplies the rotated dimensions. A pair of
            frequency 0 is left alone.
        rotary_dim: How many dimensions rotate, the first ones, an even number;
            None is all of them. The exponent of the frequencies is counted
            within `rotary_dim`; the dimensions after it pass unchanged.

    Returns:
        Array of the shape of `x`. float16, float32 and float64 keep their
            dtype, everything else becomes float64. Angles, sines and cosines
            are float64 whatever the dtype; sines and cosines are rounded to
            that of `x`, except for float16, which is rotated in float64 and
            rounded once. In a run of 1024 or more positions that rise by one,
            most sines and cosines come from the product of two rotations, right
            to a few roundings of that dtype.

    Raises:
        ValueError: An argument is not as described, or a rotated number does
            not fit in the dtype of `x`.

    Examples:
        A quarter turn moves the first number of a pair into the second:

        >>> import numpy as np
        >>> from pedocs import rope
        >>> rope([1.0, 0.0], np.pi / 2).round(6)
        array([0., 1.])

        The score of two tokens that stand three apart is the same anywhere:

        >>> q, k = np.array([[1.0, 2.0, 3.0, 4.0]]), np.array([[2.0, 0.0, 1.0, 1.0]])
        >>> (rope(q, [10]) @ rope(k, [7]).T).round(6)
        array([[4.42239]])
        >>> (rope(q, [1003]) @ rope(k, [1000]).T).round(6)
        array([[4.42239]])

    Source:
        [Su et al. 2021](https://arxiv.org/abs/2104.09864), §3.2.2, and
        §3.4.2 for the computation without matrices. Rotating some of the
        dimensions comes from
        [GPT-J](https://github.com/kingoflolz/mesh-transformer-jax/blob/9d15698694a2a54ff0a32ec5ae4ec05e7a388bee/mesh_transformer/layers.py);
        frequencies of 0 from [Barbero et al. 2024](https://arxiv.org/abs/2410.06205),
        §6.1.
    """
    vectors = as_vectors(x)
    width = rotary_width(rotary_dim, vectors.shape)
    rates, factor = pair_frequencies(frequencies, base, width)
    p = token_positions("positions", positions, vectors.shape)
    _checks.choice("layout", layout, get_args(Layout))
    check_angles("positions", p, rates)

    def phases(tokens: slice) -> NDArray[np.complex128]:
        return polar(factor, p[..., tokens, np.newaxis] * rates)

    def phases_of_run(tokens: slice) -> NDArray[Any]:
        """The same from few sines and cosines."""
        starts, shifts = starts_and_shifts(p[tokens], rates, pair_dtype(vectors))
        run: NDArray[Any] = (factor * starts)[:, np.newaxis] * shifts
        return run.reshape(-1, rates.size)[: p[tokens].size]

    if is_long_run(p):
        return rotate(vectors, phases_of_run, 1, width, layout)
    return rotate(vectors, phases, math.prod(p.shape[:-1]), width, layout)


def pair_frequencies(
    frequencies: ArrayLike | RopeFrequencies | None, base: float, width: int
) -> tuple[NDArray[np.float64], float]:
    """The frequency of each pair, and the factor of what is rotated."""
    base = _checks.frequency_base(base)
    if frequencies is None:
        return angular_frequencies(width, base=base), 1.0
    if base != DEFAULT_BASE:
        raise _checks.refusal(
            "base", base, f"{DEFAULT_BASE}, the default, where frequencies are given"
        )
    factor = 1.0
    if isinstance(frequencies, RopeFrequencies):
        factor = _checks.real_number("attention_factor", frequencies.attention_factor)
        frequencies = frequencies.frequencies
    rates = _checks.float64_array("frequencies", frequencies)
    if rates.shape != (width // 2,):
        raise ValueError(
            f"frequencies has shape {rates.shape}; "
            f"allowed: ({width // 2},), one for each pair of the {width} dimensions that rotate"
        )
    return rates, factor
