"""xPos: rotary encoding whose scores also fade as the key falls behind the query."""

import math
from typing import Any, Literal, get_args

import numpy as np
from numpy.typing import ArrayLike, NDArray

from pedocs import _checks
from pedocs._blocks import polar
from pedocs._rotation import (
    as_vectors,
    rotary_width,
    rotate,
    token_positions,
)
from pedocs._sinusoidal import Layout, angular_frequencies

Role = Literal["query", "key"]

# The paper's γ: the fastest pair has the scale γ / (1 + γ), the slowest nearly one.
GAMMA = 0.4


def xpos(
    x: ArrayLike,
    positions: ArrayLike,
    *,
    role: Role,
    base: float = 10000.0,
    scale_base: float = 512.0,
    center: float = 0.0,
    layout: Layout = "interleaved",
) -> NDArray[np.floating[Any]]:
    """Rotate as `rope` does, and scale queries and keys in opposite directions.

    Pair m at position p turns by ω_m p and is multiplied by a power of ζ_m,
    below one and nearer to it the slower the pair:

    ```text
    query:  ζ_m^( (p − center) / scale_base)
    key:    ζ_m^(−(p − center) / scale_base)

    ζ_m = (2m / head_dim + γ) / (1 + γ),    γ two fifths
    ω_m = base^(−2m / head_dim)
    ```

    In a dot product the two powers leave ζ_m to the distance from key to query
    over `scale_base`: it fades for keys behind the query, and grows for keys
    ahead of it, so that xPos is for causal attention. What `center` is does not
    matter to a score as long as queries and keys have the same; it keeps the
    scales near one. Implementations count it from the length of what they are
    given: torchscale and x-transformers from half the keys, while
    rotary-embedding-torch, with cached keys, centres queries and keys
    differently and changes the scores. Here it is an argument, and never
    guessed.

    Args:
        x: Queries or keys, shape `(…, n, head_dim)`, head_dim even; or one
            vector, shape `(head_dim,)`.
        positions: Position of each token, in tokens, shape `(n,)` or another as
            in `rope`; one number for one vector.
        role: "query" or "key": keys are scaled by the inverse.
        base: Base of the frequencies, at least 1.
        scale_base: Distance, in tokens, over which a pair's score fades by its
            ζ; above zero.
        center: Position where nothing is scaled, in tokens; one number, the same
            for queries and keys.
        layout: "interleaved" or "half-split", as in `rope`.

    Returns:
        Array of the shape of `x`; dtype and rounding as in `rope`.

    Raises:
        ValueError: An argument is not as described, or a position is so far from
            `center` that its scale does not fit in the dtype.

    Examples:
        The score depends on the offset alone, and fades with it:

        >>> import numpy as np
        >>> from pedocs import xpos
        >>> one = np.array([1.0, 0.0, 1.0, 0.0])
        >>> q, k = xpos(one, 600, role="query"), xpos(one, 88, role="key")
        >>> later = xpos(one, 9600, role="query") @ xpos(one, 9088, role="key")
        >>> np.allclose(q @ k, later)
        True
        >>> (xpos(one, 512, role="query") / xpos(one, 512, role="key")).round(6)[[0, 2]]
        array([0.081633, 0.413265])

    Source:
        [Sun et al. 2022](https://arxiv.org/abs/2212.10554), §3.2;
        [torchscale](https://github.com/microsoft/torchscale/blob/4d1e0e82e5adf86dd424f1463192635b73fc8efc/torchscale/component/xpos_relative_position.py),
        class `XPOS`, for γ, `scale_base` and the centre.
    """
    vectors = as_vectors(x)
    width = rotary_width(None, vectors.shape)
    p = token_positions("positions", positions, vectors.shape)
    _checks.choice("role", role, get_args(Role))
    rates = angular_frequencies(width, base=base)
    fade = _checks.real_number("scale_base", scale_base, "a real number above 0")
    if fade <= 0:
        raise _checks.refusal("scale_base", scale_base, "a real number above 0")
    middle = _checks.one_position("center", center)
    _checks.choice("layout", layout, get_args(Layout))

    zeta = (np.arange(0, width, 2) / width + GAMMA) / (1 + GAMMA)
    sign = 1 if role == "query" else -1
    with np.errstate(over="ignore"):
        exponents = sign * ((p - middle) / fade)
    # Beyond this a scale is no longer an ordinary number: its score would be lost or infinite.
    largest = -np.log(np.finfo(np.result_type(vectors.dtype, np.float32)).tiny)
    if np.abs(exponents).max(initial=0) * -np.log(zeta[0]) > largest:
        raise ValueError(
            "positions are too far from center; allowed: scales that fit in "
            f"{np.result_type(vectors.dtype, np.float32)}"
        )

    def phases(tokens: slice) -> NDArray[np.complex128]:
        scales = zeta ** exponents[..., tokens, np.newaxis]
        return polar(scales, p[..., tokens, np.newaxis] * rates)

    return rotate(vectors, phases, math.prod(p.shape[:-1]), width, layout)
