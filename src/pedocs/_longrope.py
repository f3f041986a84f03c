"""LongRoPE: a divisor of its own for every pair, and two sets of them."""

import math
from collections.abc import Sequence
from dataclasses import KW_ONLY, dataclass

import numpy as np

from pedocs import _checks
from pedocs._rope_stretch import POSITIVE, Stretched, checked_factor, keep, optional_positive
from pedocs._sinusoidal import angular_frequencies


@dataclass(frozen=True)
class LongRoPE:
    """One divisor for each pair, found by search: a short set and a long set.

    ```text
    ω'_m   = ω_m / short_m   where n ≤ L
    ω'_m   = ω_m / long_m    where n > L
    factor = √(1 + ln s / ln L)
    ```

    n is the length of the running sequence, L the trained one. The sets are
    part of a model's configuration. The factor depends on s alone, so short
    sequences are multiplied by it too. Where a sequence grows past L while it
    is being written, the keys that were rotated with the short set no longer
    fit; they have to be rotated anew.

    Attributes:
        short_factors: Divisors of the pairs up to length L, above 0, one for
            each pair; kept as a tuple.
        long_factors: Divisors beyond L, as many.
        original_length: The trained length L, in tokens, at least 2.
        length: The length n of the running sequence, in tokens: one more than
            its largest position.
        factor: The factor s, at least 1: the longest context that the model
            is meant for over L. Only the attention factor depends on it.
        attention_factor: What the rotated vectors are multiplied by, where a
            configuration states it; then there is no `factor`.

    Raises:
        ValueError: A field is not as described; the sets differ in length;
            not exactly one of `factor` and `attention_factor` is given.
            `rope_frequencies` refuses sets that do not fit the width.

    Examples:
        >>> from pedocs import LongRoPE, rope_frequencies
        >>> def stretched(length):
        ...     scaling = LongRoPE([1, 1], [1, 32], 4096, length, factor=32)
        ...     return rope_frequencies(4, scaling=scaling)
        ...
        >>> stretched(4096).frequencies
        array([1.  , 0.01])
        >>> stretched(4097).frequencies
        array([1.000e+00, 3.125e-04])
        >>> round(stretched(4097).attention_factor, 6)
        1.190238

    Source:
        [Ding et al. 2024](https://arxiv.org/abs/2402.13753), §3.1 to §3.3;
        [transformers](https://github.com/huggingface/transformers/blob/v5.24.0/src/transformers/modeling_rope_utils.py),
        function `_compute_longrope_parameters`, for the attention factor.
    """

    short_factors: Sequence[float]
    long_factors: Sequence[float]
    original_length: int
    length: int
    _: KW_ONLY
    factor: float | None = None
    attention_factor: float | None = None

    def __post_init__(self) -> None:
        keep(
            self,
            short_factors=_divisors("short_factors", self.short_factors),
            long_factors=_divisors("long_factors", self.long_factors),
            original_length=_checks.integer("original_length", self.original_length, minimum=2),
            length=_checks.integer("length", self.length, minimum=0),
            factor=None if self.factor is None else checked_factor(self.factor),
            attention_factor=optional_positive("attention_factor", self.attention_factor),
        )
        if len(self.short_factors) != len(self.long_factors):
            raise ValueError(
                f"long_factors has {len(self.long_factors)} entries; "
                f"allowed: as many as short_factors, {len(self.short_factors)}"
            )
        if (self.factor is None) == (self.attention_factor is None):
            one = f"exactly one of the two, and attention_factor is {self.attention_factor}"
            raise _checks.refusal("factor", self.factor, one)

    def _apply(self, width: int, base: float) -> Stretched:
        if len(self.short_factors) != width // 2:
            raise ValueError(
                f"short_factors has {len(self.short_factors)} entries; "
                f"allowed with head_dim {width}: {width // 2}"
            )
        divisors = self.short_factors if self.length <= self.original_length else self.long_factors
        frequencies = angular_frequencies(width, base=base) / np.array(divisors)
        if self.attention_factor is not None:
            return frequencies, self.attention_factor
        grown = math.log(self.factor or 1.0) / math.log(self.original_length)
        return frequencies, math.sqrt(1 + grown)


def _divisors(name: str, value: Sequence[float]) -> tuple[float, ...]:
    array = _checks.float64_array(name, value)
    if array.ndim != 1:
        raise ValueError(f"{name} has shape {array.shape}; allowed: one axis, a number for a pair")
    return tuple(_checks.number_in_range(name, number, *POSITIVE) for number in array.tolist())
