"""Rotary scalings that treat fast and slow pairs differently."""

import math
from dataclasses import KW_ONLY, dataclass

import numpy as np
from numpy.typing import NDArray

from pedocs import _checks
from pedocs._rope_stretch import POSITIVE, Stretched, checked_factor, keep, optional_positive
from pedocs._sinusoidal import angular_frequencies


@dataclass(frozen=True)
class YaRN:
    """Keep the fast pairs, slow the slow ones down, and sharpen the attention.

    ```text
    ω'_m   = (1 − γ_m) ω_m / s + γ_m ω_m
    γ_m    = 1 − clip((m − low) / (high − low), 0, 1)
    low    = ⌊m(β_fast)⌋, at least 0        high = ⌈m(β_slow)⌉, at most d − 1
    m(β)   = d ln(L / (2π β)) / (2 ln b)    where a pair turns β times within L
    factor = ln(s) / 10 + 1
    ```

    Pairs that turn more than β_fast times within the trained length L keep
    their frequency; pairs that turn less than β_slow times are interpolated
    like `Linear`. The paper lets γ fall evenly with the number of turns; its
    authors' code, and transformers after it, let it fall evenly with the index
    of the pair, and so does this. They also stop the ramp at d − 1 although
    the last pair is d/2 − 1, and this follows them there too.

    Attributes:
        factor: The factor s, at least 1.
        original_length: The trained length L, in tokens.
        beta_fast: Turns within L above which a pair keeps its frequency.
        beta_slow: Turns within L below which it is divided by s. Some
            published files have both bounds alike: the ramp is then one step.
        attention_factor: What the rotated vectors are multiplied by; None
            derives it from s.
        mscale: With `mscale_all_dim`, the factor is the quotient of
            mscale · ln(s) / 10 + 1 and mscale_all_dim · ln(s) / 10 + 1, as in
            DeepSeek's models. One without the other is refused, because
            implementations disagree on its meaning.
        mscale_all_dim: See `mscale`.
        truncate: Whether the bounds of the ramp are rounded to whole pairs.

    Raises:
        ValueError: A field is not as described, or `attention_factor` and
            `mscale` are both given. `rope_frequencies` refuses a width and a
            base for which the ramp would end before it begins.

    Examples:
        >>> from pedocs import YaRN, rope_frequencies
        >>> trained = rope_frequencies(16).frequencies
        >>> stretched = rope_frequencies(16, scaling=YaRN(4, 2048))
        >>> (trained / stretched.frequencies).round(6)
        array([1.      , 1.      , 1.      , 1.230769, 1.6     , 2.285714,
               4.      , 4.      ])
        >>> round(stretched.attention_factor, 6)
        1.138629

    Source:
        [Peng et al. 2023](https://arxiv.org/abs/2309.00071), §3.2 and §3.3;
        [its authors' code](https://github.com/jquesnelle/yarn/blob/995db5b575e75230b3384d658f8b944c9662f775/scaled_rope/LlamaYaRNScaledRotaryEmbedding.py),
        for the ramp.
    """

    factor: float
    original_length: int
    _: KW_ONLY
    beta_fast: float = 32.0
    beta_slow: float = 1.0
    attention_factor: float | None = None
    mscale: float | None = None
    mscale_all_dim: float | None = None
    truncate: bool = True

    def __post_init__(self) -> None:
        keep(
            self,
            factor=checked_factor(self.factor),
            original_length=_checks.integer("original_length", self.original_length, minimum=1),
            beta_fast=_checks.number_in_range("beta_fast", self.beta_fast, *POSITIVE),
            beta_slow=_checks.number_in_range("beta_slow", self.beta_slow, *POSITIVE),
            attention_factor=optional_positive("attention_factor", self.attention_factor),
            mscale=optional_positive("mscale", self.mscale),
            mscale_all_dim=optional_positive("mscale_all_dim", self.mscale_all_dim),
            truncate=_checks.boolean("truncate", self.truncate),
        )
        if self.beta_slow > self.beta_fast:
            below = f"a real number up to beta_fast, which is {self.beta_fast}"
            raise _checks.refusal("beta_slow", self.beta_slow, below)
        if (self.mscale is None) != (self.mscale_all_dim is None):
            both = f"both or neither, and mscale is {self.mscale}"
            raise _checks.refusal("mscale_all_dim", self.mscale_all_dim, both)
        if self.attention_factor is not None and self.mscale is not None:
            without = "None where mscale and mscale_all_dim are given"
            raise _checks.refusal("attention_factor", self.attention_factor, without)

    def _apply(self, width: int, base: float) -> Stretched:
        frequencies = angular_frequencies(width, base=base)
        low, high = self._ramp(width, base)
        slowed = np.clip((np.arange(frequencies.size) - low) / (high - low), 0, 1)
        factor = self.attention_factor
        if factor is None:
            factor = self._temperature(1.0 if self.mscale is None else self.mscale)
            factor /= self._temperature(self.mscale_all_dim or 0.0)
        return _blend(frequencies, self.factor, 1 - slowed), factor

    def _ramp(self, width: int, base: float) -> tuple[float, float]:
        """The pairs between which the frequencies pass from kept to divided."""
        if base == 1:
            raise _checks.refusal("base", base, "a real number above 1 with YaRN")
        turns_to_pair = [
            width * math.log(self.original_length / (turns * 2 * math.pi)) / (2 * math.log(base))
            for turns in (self.beta_fast, self.beta_slow)
        ]
        low, high = max(turns_to_pair[0], 0.0), min(turns_to_pair[1], width - 1.0)
        if self.truncate:
            low, high = math.floor(low), math.ceil(high)
        if low > high:
            raise ValueError(
                f"original_length is {self.original_length}; allowed with head_dim {width} and "
                f"base {base:g}: one within which some pair turns between beta_slow "
                f"and beta_fast times"
            )
        return low, high + 0.001 if low == high else high

    def _temperature(self, scale: float) -> float:
        """The multiplier of §3.3, the square root of 1 / t."""
        return 0.1 * scale * math.log(self.factor) + 1.0


@dataclass(frozen=True)
class Llama3:
    """The scaling of the later Llama models: three bands by wavelength.

    ```text
    ω'_m = ω_m          where λ_m < L / high
    ω'_m = ω_m / s      where λ_m > L / low
    ω'_m = (1 − γ_m) ω_m / s + γ_m ω_m     between them,
           with γ_m = (L / λ_m − low) / (high − low)
    ```

    λ_m = 2π / ω_m is the wavelength and L / λ_m the number of turns within the
    trained length. This is the interpolation by parts of YaRN's paper, ramp by
    turns included, without YaRN's attention factor.

    Attributes:
        factor: The factor s, at least 1.
        low_freq_factor: Turns within L below which a pair is divided by s.
        high_freq_factor: Turns within L above which it keeps its frequency. It
            may equal the other, as in Llama 4 Scout: then nothing is between.
        original_length: The trained length L, in tokens.

    Raises:
        ValueError: A field is not as described.

    Examples:
        >>> from pedocs import Llama3, rope_frequencies
        >>> trained = rope_frequencies(16, base=500000.0).frequencies
        >>> scaling = Llama3(8, 1, 4, original_length=8192)
        >>> stretched = rope_frequencies(16, base=500000.0, scaling=scaling)
        >>> (trained / stretched.frequencies).round(6)
        array([1.     , 1.     , 1.     , 1.     , 2.69453, 8.     , 8.     ,
               8.     ])

    Source:
        [Peng et al. 2023](https://arxiv.org/abs/2309.00071), §3.2;
        [Meta's code](https://github.com/meta-llama/llama-models/blob/a9c89c471f793423afd4cc3ca8671d6e56fe64cb/models/llama3/model.py),
        function `apply_scaling`.
    """

    factor: float
    low_freq_factor: float
    high_freq_factor: float
    original_length: int

    def __post_init__(self) -> None:
        low = _checks.number_in_range("low_freq_factor", self.low_freq_factor, *POSITIVE)
        high = _checks.number_in_range("high_freq_factor", self.high_freq_factor, *POSITIVE)
        keep(
            self,
            factor=checked_factor(self.factor),
            low_freq_factor=low,
            high_freq_factor=high,
            original_length=_checks.integer("original_length", self.original_length, minimum=1),
        )
        if low > high:
            above = f"a real number from low_freq_factor, which is {low}, upwards"
            raise _checks.refusal("high_freq_factor", high, above)

    def _apply(self, width: int, base: float) -> Stretched:
        frequencies = angular_frequencies(width, base=base)
        turns = self.original_length / (2 * np.pi / frequencies)
        kept = (turns > self.low_freq_factor).astype(np.float64)
        between = self.high_freq_factor - self.low_freq_factor
        if between:
            kept = np.clip((turns - self.low_freq_factor) / between, 0, 1)
        return _blend(frequencies, self.factor, kept), 1.0


def _blend(
    frequencies: NDArray[np.float64], factor: float, kept: NDArray[np.float64]
) -> NDArray[np.float64]:
    """Between divided by the factor, where nothing is kept, and as trained."""
    return (1 - kept) * frequencies / factor + kept * frequencies
