"""Rotary scalings that treat every pair by one rule: a divisor, a base, or a place to stop."""

import math
from dataclasses import KW_ONLY, dataclass

import numpy as np
from numpy.typing import NDArray

from pedocs import _checks
from pedocs._sinusoidal import angular_frequencies

Stretched = tuple[NDArray[np.float64], float]

POSITIVE = (1 / _checks.LARGEST_BASE, _checks.LARGEST_BASE)


def checked_factor(factor: float) -> float:
    """By how much a context is to grow."""
    return _checks.number_in_range("factor", factor, 1, _checks.LARGEST_BASE)


def optional_positive(name: str, value: float | None) -> float | None:
    """A number above zero, or nothing."""
    return None if value is None else _checks.number_in_range(name, value, *POSITIVE)


def keep(setting: object, **checked: object) -> None:
    """Store what the checks made of the fields of a frozen dataclass."""
    for name, value in checked.items():
        object.__setattr__(setting, name, value)


@dataclass(frozen=True)
class Linear:
    """Position interpolation: every pair turns more slowly by one factor.

    ```text
    ω'_m = ω_m / s        the angle at p is the one that was trained at p / s
    ```

    Attributes:
        factor: The factor s, at least 1: the longer context over the trained
            one.

    Raises:
        ValueError: The factor is not as described.

    Examples:
        >>> import numpy as np
        >>> from pedocs import Linear, rope_frequencies
        >>> trained = rope_frequencies(8).frequencies
        >>> stretched = rope_frequencies(8, scaling=Linear(4)).frequencies
        >>> np.allclose(stretched * 4096, trained * 1024)
        True

    Source:
        [Chen et al. 2023](https://arxiv.org/abs/2306.15595), §2.3, which
        divides the positions; dividing the frequencies gives the same angles.
    """

    factor: float

    def __post_init__(self) -> None:
        keep(self, factor=checked_factor(self.factor))

    def _apply(self, width: int, base: float) -> Stretched:
        return angular_frequencies(width, base=base) / self.factor, 1.0


@dataclass(frozen=True)
class NTK:
    """NTK-aware scaling: a larger base, so that fast pairs hardly change.

    ```text
    b' = b · s^(d / (d − 2))        ω'_m = b'^(−2m / d)
    ```

    The fastest pair keeps its frequency and the slowest is divided by exactly
    s; between them the divisor grows evenly on a logarithmic scale.

    Attributes:
        factor: The factor s, at least 1.

    Raises:
        ValueError: The factor is not as described. `rope_frequencies` refuses
            it for a width of two, whose only pair is the fastest.

    Examples:
        >>> from pedocs import NTK, rope_frequencies
        >>> trained = rope_frequencies(8).frequencies
        >>> stretched = rope_frequencies(8, scaling=NTK(4)).frequencies
        >>> (trained / stretched).round(6)
        array([1.      , 1.587401, 2.519842, 4.      ])

    Source:
        [Peng et al. 2023](https://arxiv.org/abs/2309.00071), §3.1 and
        §A.2, which credit it to a post by the user bloc97.
    """

    factor: float

    def __post_init__(self) -> None:
        keep(self, factor=checked_factor(self.factor))

    def _apply(self, width: int, base: float) -> Stretched:
        return _with_larger_base(width, base, self.factor), 1.0


@dataclass(frozen=True)
class DynamicNTK:
    """NTK-aware scaling that begins beyond the trained length and grows with it.

    ```text
    s' = s · n / L − (s − 1)   where n > L,   else 1
    b' = b · s'^(d / (d − 2))        ω'_m = b'^(−2m / d)
    ```

    n is the length of the running sequence and L the trained one. Up to L the
    frequencies are exactly those of training. With a factor of one, s' is
    n / L, the rule of the paper; the slope s is an addition of the
    implementations. In transformers the frequencies of a module depend on the
    sequences that it has seen before; here they depend on `length` alone.
    Keys that were rotated and cached at a shorter length are out of step: the
    cache has to hold them unrotated.

    Attributes:
        factor: The slope s, at least 1.
        original_length: The trained length L, in tokens.
        length: The length n of the running sequence, in tokens: one more than
            its largest position.

    Raises:
        ValueError: A field is not as described. `rope_frequencies` refuses it
            for a width of two.

    Examples:
        >>> from pedocs import DynamicNTK, rope_frequencies
        >>> def slowest(length):
        ...     scaling = DynamicNTK(2, original_length=2048, length=length)
        ...     return rope_frequencies(8, scaling=scaling).frequencies[-1]
        ...
        >>> [round(1 / slowest(length)) for length in (1024, 2048, 4096)]
        [1000, 1000, 3000]

    Source:
        [Peng et al. 2023](https://arxiv.org/abs/2309.00071), §3.4;
        [transformers](https://github.com/huggingface/transformers/blob/v5.24.0/src/transformers/modeling_rope_utils.py),
        function `_compute_dynamic_ntk_parameters`, for the slope.
    """

    factor: float
    original_length: int
    length: int

    def __post_init__(self) -> None:
        keep(
            self,
            factor=checked_factor(self.factor),
            original_length=_checks.integer("original_length", self.original_length, minimum=1),
            length=_checks.integer("length", self.length, minimum=0),
        )

    def _apply(self, width: int, base: float) -> Stretched:
        grown = 1.0
        if self.length > self.original_length:
            grown = self.factor * self.length / self.original_length - (self.factor - 1)
        return _with_larger_base(width, base, grown), 1.0


@dataclass(frozen=True)
class Proportional:
    """Rotary encoding of the fastest pairs only; the others do not turn.

    ```text
    ω'_m = ω_m / s   for m < ⌊fraction · head_dim / 2⌋,   else 0
    ```

    The exponents run over the whole head, so the pairs that turn keep their
    frequencies. Partial rotation, as in GPT-NeoX, is something else: it
    spreads all frequencies over the smaller width that it rotates.

    Attributes:
        fraction: Which part of the pairs turns, from 0 to 1.
        factor: Divisor s of their frequencies, at least 1, as in `Linear`.

    Raises:
        ValueError: A field is not as described.

    Examples:
        >>> from pedocs import Proportional, rope_frequencies
        >>> rope_frequencies(8, scaling=Proportional(0.5)).frequencies
        array([1. , 0.1, 0. , 0. ])

    Source:
        [Barbero et al. 2024](https://arxiv.org/abs/2410.06205), §6.1, under the
        name p-RoPE;
        [transformers](https://github.com/huggingface/transformers/blob/v5.24.0/src/transformers/modeling_rope_utils.py),
        function `_compute_proportional_rope_parameters`, for the rounding.
    """

    fraction: float
    _: KW_ONLY
    factor: float = 1.0

    def __post_init__(self) -> None:
        keep(
            self,
            fraction=_checks.number_in_range("fraction", self.fraction, 0, 1),
            factor=checked_factor(self.factor),
        )

    def _apply(self, width: int, base: float) -> Stretched:
        frequencies = angular_frequencies(width, base=base) / self.factor
        frequencies[int(self.fraction * width // 2) :] = 0.0
        return frequencies, 1.0


def _with_larger_base(width: int, base: float, factor: float) -> NDArray[np.float64]:
    """The base that divides the slowest frequency by the factor."""
    if width == 2:
        raise _checks.refusal("head_dim", width, "an even integer, at least 4, with this scaling")
    exponent = width / (width - 2)
    if math.log(base) + exponent * math.log(factor) > math.log(_checks.LARGEST_BASE):
        raise ValueError(
            f"factor raises the base from {base:g} by {factor:g}^{exponent:g}; "
            f"allowed: a base up to {_checks.LARGEST_BASE:g}".replace("e+", "e")
        )
    return angular_frequencies(width, base=base * factor**exponent)
