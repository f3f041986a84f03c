"""The angular frequencies of a rotary encoding, as trained or stretched to a longer context."""

from typing import NamedTuple, TypeAlias, get_args

import numpy as np
from numpy.typing import NDArray

from pedocs import _checks
from pedocs._longrope import LongRoPE
from pedocs._rope_bands import Llama3, YaRN
from pedocs._rope_stretch import NTK, DynamicNTK, Linear, Proportional
from pedocs._sinusoidal import angular_frequencies

Scaling: TypeAlias = Linear | NTK | DynamicNTK | YaRN | LongRoPE | Llama3 | Proportional


class RopeFrequencies(NamedTuple):
    """What `rope_frequencies` returns, and `rope` takes.

    ```text
    rotated by the angle ω_m p, then multiplied by the attention factor
    ```

    Attributes:
        frequencies: Angular frequency of each pair, shape `(head_dim // 2,)`,
            float64, radians per token.
        attention_factor: What the rotated queries and the rotated keys are
            multiplied by. Their dot products grow by its square.

    Examples:
        >>> from pedocs import rope_frequencies
        >>> frequencies, attention_factor = rope_frequencies(4)
        >>> frequencies
        array([1.  , 0.01])
        >>> attention_factor
        1.0

    Source:
        [Peng et al. 2023](https://arxiv.org/abs/2309.00071), §3.3, on the
        factor.
    """

    frequencies: NDArray[np.float64]
    attention_factor: float


def rope_frequencies(
    head_dim: int, *, base: float = 10000.0, scaling: Scaling | None = None
) -> RopeFrequencies:
    """How fast rotary encoding turns each pair, and the factor that goes with it.

    ```text
    as trained:  ω_m = base^(−2m / head_dim)        m = 0 … head_dim/2 − 1
    scaled:      ω_m and the factor are those of the scaling
    ```

    A scaling is a value that says how the trained frequencies are changed, so
    that a model can read contexts longer than those it was trained on:
    `Linear`, `NTK`, `DynamicNTK`, `YaRN`, `LongRoPE`, `Llama3`, or
    `Proportional`, which leaves slow pairs unturned. The frequencies follow
    from the arguments alone. Where the length of the running sequence counts,
    it is a field of the scaling, and nothing is remembered between calls.

    Args:
        head_dim: Width of what is rotated, even. Where a model turns only a
            part of each head, the width of that part (`Proportional` is the
            exception: it takes the whole head).
        base: Base of the frequencies, at least 1.
        scaling: How the frequencies are stretched; None leaves them as trained.

    Returns:
        A named tuple with the fields `frequencies`, shape `(head_dim // 2,)`,
            float64, radians per token, and `attention_factor`, which
            multiplies the rotated queries and keys; it is one unless the
            scaling says otherwise.

    Raises:
        ValueError: An argument is not as described, or the scaling does not
            fit the width or the base.

    Examples:
        >>> from pedocs import Linear, rope_frequencies
        >>> rope_frequencies(8).frequencies
        array([1.   , 0.1  , 0.01 , 0.001])
        >>> rope_frequencies(8, scaling=Linear(4)).frequencies
        array([0.25   , 0.025  , 0.0025 , 0.00025])

        YaRN also sharpens the attention:

        >>> from pedocs import YaRN, rope_frequencies
        >>> stretched = rope_frequencies(64, scaling=YaRN(4, 2048))
        >>> round(stretched.attention_factor, 6)
        1.138629

    Source:
        [Su et al. 2021](https://arxiv.org/abs/2104.09864), §3.2.2, for the
        frequencies as trained.
    """
    width = _checks.even_integer("head_dim", head_dim)
    base = _checks.frequency_base(base)
    if scaling is None:
        return RopeFrequencies(angular_frequencies(width, base=base), 1.0)
    if not isinstance(scaling, get_args(Scaling)):
        names = ", ".join(setting.__name__ for setting in get_args(Scaling))
        raise _checks.refusal("scaling", scaling, f"None or one of {names}")
    return RopeFrequencies(*scaling._apply(width, base))
