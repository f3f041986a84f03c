"""Rotary frequencies as trained, and each way to stretch them."""

import dataclasses
import math
from typing import Any

import numpy as np
import pytest
from hypothesis import given, strategies as st
from numpy.testing import assert_allclose, assert_array_equal

from pedocs import (
    NTK,
    DynamicNTK,
    Linear,
    Llama3,
    LongRoPE,
    Proportional,
    RopeFrequencies,
    YaRN,
    angular_frequencies,
    rope_frequencies,
)

WIDTHS = st.integers(2, 64).map(lambda pairs: 2 * pairs)
BASES = st.floats(100, 1e7)
FACTORS = st.floats(1, 64)
LENGTHS = st.integers(64, 200_000)


def trained(width: int, base: float) -> list[float]:
    return [math.pow(base, -2 * m / width) for m in range(width // 2)]


def stretched(width: int, base: float, scaling: Any) -> Any:
    return rope_frequencies(width, base=base, scaling=scaling).frequencies


EVERY: list[Any] = [
    None,
    Linear(4),
    NTK(4),
    DynamicNTK(2, 2048, 4096),
    YaRN(4, 2048),
    Llama3(8, 1, 4, 8192),
    LongRoPE([1.0, 1.5, 2.0, 2.5], [1, 2, 4, 8], 4096, 4097, factor=32),
    Proportional(0.5),
]


# As trained


@given(WIDTHS, BASES)
def test_without_a_scaling_the_frequencies_are_those_of_the_formula(
    width: int, base: float
) -> None:
    result = rope_frequencies(width, base=base)
    assert_allclose(result.frequencies, trained(width, base), rtol=1e-13)
    assert result.attention_factor == 1.0
    assert_array_equal(result.frequencies, angular_frequencies(width, base=base))


def test_the_base_is_read() -> None:
    """A base of 500000 that is ignored gives the frequencies of 10000."""
    assert_array_equal(rope_frequencies(8).frequencies, rope_frequencies(8, base=1e4).frequencies)
    assert_allclose(rope_frequencies(8, base=5e5).frequencies[2], 5e5**-0.5, rtol=1e-14)


@pytest.mark.parametrize("scaling", EVERY, ids=lambda scaling: type(scaling).__name__)
def test_every_result_is_of_one_kind(scaling: Any) -> None:
    result = rope_frequencies(8, scaling=scaling)
    assert type(result) is RopeFrequencies
    assert result._fields == ("frequencies", "attention_factor")
    assert result.frequencies.dtype == np.float64
    assert result.frequencies.shape == (4,)
    assert type(result.attention_factor) is float
    assert not np.signbit(result.frequencies).any()
    kept = result.frequencies.copy()
    result.frequencies[...] = 9
    assert_array_equal(rope_frequencies(8, scaling=scaling).frequencies, kept)


@pytest.mark.parametrize("width", [np.int64(8), np.uint8(8), np.array(8)])
def test_the_width_may_be_a_numpy_integer(width: Any) -> None:
    assert_array_equal(rope_frequencies(width).frequencies, rope_frequencies(8).frequencies)


# Linear


@given(WIDTHS, BASES, FACTORS, LENGTHS)
def test_linear_is_the_default_at_a_position_divided(
    width: int, base: float, factor: float, p: int
) -> None:
    """Scaling applied to the wrong quantity: linear(s) at p is the default at p / s."""
    angles = p * stretched(width, base, Linear(factor))
    assert_allclose(angles, (p / factor) * stretched(width, base, None), rtol=1e-13)


def test_linear_divides_every_pair() -> None:
    assert_allclose(stretched(8, 1e4, Linear(4)), [0.25, 0.025, 0.0025, 0.00025], rtol=1e-14)
    assert rope_frequencies(8, scaling=Linear(4)).attention_factor == 1.0


# NTK and dynamic NTK


@given(WIDTHS.filter(lambda width: width > 2), BASES, FACTORS)
def test_ntk_raises_the_base(width: int, base: float, factor: float) -> None:
    new = base * factor ** (width / (width - 2))
    result = rope_frequencies(width, base=base, scaling=NTK(factor))
    assert_allclose(result.frequencies, trained(width, new), rtol=1e-11)
    assert result.attention_factor == 1.0


def test_ntk_keeps_the_fastest_pair_and_divides_the_slowest_by_the_factor() -> None:
    quotient = stretched(64, 1e4, None) / stretched(64, 1e4, NTK(4))
    assert quotient[0] == 1
    assert_allclose(quotient[-1], 4, rtol=1e-13)
    assert (np.diff(quotient) > 0).all()


@pytest.mark.parametrize(
    ("length", "grown"), [(0, 1), (1, 1), (2047, 1), (2048, 1), (2049, 1 + 2 / 2048), (4096, 3)]
)
def test_dynamic_ntk_begins_beyond_the_trained_length(length: int, grown: float) -> None:
    result = rope_frequencies(64, scaling=DynamicNTK(2, 2048, length))
    assert_allclose(result.frequencies, trained(64, 1e4 * grown ** (64 / 62)), rtol=1e-13)
    assert result.attention_factor == 1.0


@given(FACTORS, LENGTHS, st.floats(0, 1))
def test_dynamic_ntk_up_to_the_trained_length_is_exactly_the_default(
    factor: float, original: int, part: float
) -> None:
    for length in (int(part * original), original):
        scaling = DynamicNTK(factor, original, length)
        assert_array_equal(stretched(64, 1e4, scaling), stretched(64, 1e4, None))


def test_dynamic_ntk_is_exact_where_its_rule_would_round() -> None:
    assert 2.7 * 3 / 3 - (2.7 - 1) != 1
    assert_array_equal(stretched(64, 1e4, DynamicNTK(2.7, 3, 3)), stretched(64, 1e4, None))


def test_dynamic_ntk_has_no_stale_state() -> None:
    """Short, long, short equals fresh."""
    fresh = stretched(64, 1e4, DynamicNTK(2, 2048, 3000))
    stretched(64, 1e4, DynamicNTK(2, 2048, 4096))
    assert_array_equal(stretched(64, 1e4, DynamicNTK(2, 2048, 3000)), fresh)


def test_dynamic_ntk_leaves_the_fastest_pair_alone() -> None:
    """Some code divides every frequency by the growth of the base."""
    assert stretched(64, 1e4, DynamicNTK(2, 2048, 8192))[0] == 1


def test_dynamic_ntk_with_a_factor_of_one_is_the_rule_of_the_paper() -> None:
    assert_allclose(
        stretched(64, 1e4, DynamicNTK(1, 2048, 6144)), stretched(64, 1e4, NTK(3)), rtol=1e-13
    )


# YaRN


def yarn_by_hand(width: int, base: float, setting: YaRN) -> list[float]:
    def pair_with(turns: float) -> float:
        """Solve L ω_m = 2π turns for m."""
        return (
            width * math.log(setting.original_length / (turns * 2 * math.pi)) / 2 / math.log(base)
        )

    low, high = pair_with(setting.beta_fast), pair_with(setting.beta_slow)
    if setting.truncate:
        low, high = math.floor(low), math.ceil(high)
    low, high = max(low, 0), min(high, width - 1)
    if low == high:
        high += 0.001
    result = []
    for m, frequency in enumerate(trained(width, base)):
        if m <= low:
            result.append(frequency)
        elif m >= high:
            result.append(frequency / setting.factor)
        else:
            slowed = (m - low) / (high - low)
            result.append((1 - slowed) * frequency + slowed * frequency / setting.factor)
    return result


@given(WIDTHS, BASES, FACTORS, LENGTHS, st.floats(10, 60), st.floats(0.5, 8), st.booleans())
def test_yarn_follows_its_ramp(
    width: int,
    base: float,
    factor: float,
    length: int,
    beta_fast: float,
    beta_slow: float,
    truncate: bool,
) -> None:
    setting = YaRN(factor, length, beta_fast=beta_fast, beta_slow=beta_slow, truncate=truncate)
    try:
        ours = stretched(width, base, setting)
    except ValueError as refused:  # a base so small that no pair is between the two
        assert "some pair turns between" in str(refused)  # noqa: PT017
        return
    assert_allclose(ours, yarn_by_hand(width, base, setting), rtol=1e-11)


def test_yarn_at_width_16_pair_by_pair() -> None:
    """Ln(2048 / 64π) · 16 / (2 ln 10000) is 2.02, and with one turn 5.03: the ramp is 2 to 6."""
    quotient = stretched(16, 1e4, None) / stretched(16, 1e4, YaRN(4, 2048))
    kept = [1, 1, 1, 3 / 4, 2 / 4, 1 / 4, 0, 0]
    assert_allclose(1 / quotient, [g + (1 - g) / 4 for g in kept], rtol=1e-13)


def test_yarn_without_rounding_uses_the_bounds_themselves() -> None:
    low = 16 * math.log(2048 / (64 * math.pi)) / (2 * math.log(1e4))
    high = 16 * math.log(2048 / (2 * math.pi)) / (2 * math.log(1e4))
    quotient = stretched(16, 1e4, YaRN(4, 2048, truncate=False)) / stretched(16, 1e4, None)
    assert_allclose(quotient[4], 1 - (4 - low) / (high - low) * (3 / 4), rtol=1e-13)


def test_yarn_stops_its_ramp_at_the_width_and_not_at_the_last_pair() -> None:
    """With base 100 one turn within 8192 tokens would be pair 12.46; d − 1 is 15, d/2 − 1 is 7."""
    quotient = stretched(16, 100.0, YaRN(4, 8192)) / stretched(16, 100.0, None)
    assert_allclose(quotient[7], 1 - (7 - 6) / (13 - 6) * (3 / 4), rtol=1e-13)
    quotient = stretched(16, 100.0, YaRN(4, 2**16)) / stretched(16, 100.0, None)
    assert_allclose(quotient, 1, rtol=1e-13)  # a ramp from 10 to 15 reaches no pair
    quotient = stretched(16, 30.0, YaRN(4, 1500)) / stretched(16, 30.0, None)
    assert_allclose(quotient[7], 1 - (7 - 4) / (13 - 4) * (3 / 4), rtol=1e-13)
    quotient = stretched(16, 30.0, YaRN(4, 6000)) / stretched(16, 30.0, None)
    assert_allclose(quotient[7], 1, rtol=1e-13)
    quotient = stretched(8, 10.0, YaRN(4, 600)) / stretched(8, 10.0, None)
    assert_allclose(quotient[3], 1 - (3 - 1) / (7 - 1) * (3 / 4), rtol=1e-13)


def test_yarn_with_a_ramp_of_no_width_is_a_step() -> None:
    """The bounds meet, by rounding at pair 0 or by themselves: nothing lies between them."""
    quotient = stretched(8, 1e4, YaRN(4, 16, beta_fast=2.5, beta_slow=2.49)) / stretched(
        8, 1e4, None
    )
    assert_allclose(quotient, [1, 0.25, 0.25, 0.25], rtol=1e-13)
    same = YaRN(4, 16, beta_fast=100, beta_slow=16 / (2 * math.pi), truncate=False)
    assert_allclose(
        stretched(8, 1e4, same) / stretched(8, 1e4, None), [1, 0.25, 0.25, 0.25], rtol=1e-13
    )


def test_yarn_with_equal_bounds_steps_at_their_pair() -> None:
    """As the published file of Kimi K2 has it: both bounds are one turn within 4096 tokens."""
    setting = YaRN(32, 4096, beta_fast=1, beta_slow=1, mscale=1, mscale_all_dim=1)
    quotient = stretched(64, 5e4, setting) / stretched(64, 5e4, None)
    edge = 64 * math.log(4096 / (2 * math.pi)) / (2 * math.log(5e4))
    pairs = np.arange(32)
    assert (quotient[pairs <= math.floor(edge)] == 1).all()
    assert_allclose(quotient[pairs >= math.ceil(edge)], 1 / 32, rtol=1e-13)


@pytest.mark.parametrize(
    ("setting", "factor"),
    [
        (YaRN(4, 2048), 1.138629436111989),
        (YaRN(16, 4096), 1.2772588722239782),
        (YaRN(1, 2048), 1.0),
        (YaRN(40, 4096, mscale=1, mscale_all_dim=1), 1.0),
        (YaRN(40, 4096, mscale=0.707, mscale_all_dim=0.5), 1.064468903941252),
        (YaRN(64, 2048, attention_factor=1.5), 1.5),
    ],
)
def test_the_attention_factor_of_yarn(setting: YaRN, factor: float) -> None:
    result = rope_frequencies(64, scaling=setting)
    assert result.attention_factor == pytest.approx(factor, abs=1e-15)


def test_the_defaults_of_yarn() -> None:
    explicit = YaRN(
        4,
        2048,
        beta_fast=32,
        beta_slow=1,
        attention_factor=None,
        mscale=None,
        mscale_all_dim=None,
        truncate=True,
    )
    assert YaRN(4, 2048) == explicit


# Llama 3


def llama3_by_hand(width: int, base: float, setting: Llama3) -> list[float]:
    length = setting.original_length
    result = []
    for frequency in trained(width, base):
        wavelength = 2 * math.pi / frequency
        if wavelength < length / setting.high_freq_factor:
            result.append(frequency)
        elif wavelength > length / setting.low_freq_factor:
            result.append(frequency / setting.factor)
        else:
            kept = (length / wavelength - setting.low_freq_factor) / (
                setting.high_freq_factor - setting.low_freq_factor
            )
            result.append((1 - kept) * frequency / setting.factor + kept * frequency)
    return result


@given(WIDTHS, BASES, FACTORS, LENGTHS, st.floats(0.5, 3), st.floats(0.5, 8))
def test_llama3_has_three_zones(
    width: int, base: float, factor: float, length: int, low: float, between: float
) -> None:
    setting = Llama3(factor, low, low + between, length)
    result = rope_frequencies(width, base=base, scaling=setting)
    assert_allclose(result.frequencies, llama3_by_hand(width, base, setting), rtol=1e-10)
    assert result.attention_factor == 1.0


def test_llama3_scaling_is_applied() -> None:
    """The frequencies of Llama 3.1: the first 29 kept, 6 between, 29 divided by 8."""
    before = stretched(128, 5e5, None)
    after = stretched(128, 5e5, Llama3(8, 1, 4, 8192))
    quotient = before / after
    kept, between, divided = quotient == 1, (quotient > 1) & (quotient < 8), quotient == 8
    assert (kept.sum(), between.sum(), divided.sum()) == (29, 6, 29)
    assert_array_equal(np.sort(quotient), quotient)


def test_llama3_with_equal_bounds_is_a_step() -> None:
    """Llama 4 Scout has low and high both 1: a pair that turns once or less is divided."""
    wavelengths = 2 * math.pi / stretched(128, 5e5, None)
    after = stretched(128, 5e5, Llama3(16, 1, 1, 8192))
    expected = [
        w / 16 if turn >= 8192 else w
        for w, turn in zip(trained(128, 5e5), wavelengths, strict=True)
    ]
    assert_allclose(after, expected, rtol=1e-13)
    assert 0 < (after == stretched(128, 5e5, None)).sum() < 64
    near = stretched(128, 5e5, Llama3(16, 1, 1 + 1e-12, 8192))
    assert_allclose(after, near, rtol=1e-9)
    turns = 8192 / (2 * np.pi / 1.0)  # of the fastest pair, to the last bit
    assert stretched(128, 5e5, Llama3(16, turns, turns, 8192))[0] == 1 / 16


# LongRoPE

SHORT, LONG = [1.0, 1.05, 1.1, 1.15], [1.0, 3.0, 5.0, 7.0]


@pytest.mark.parametrize(
    ("length", "divisors"), [(0, SHORT), (4095, SHORT), (4096, SHORT), (4097, LONG), (131072, LONG)]
)
def test_longrope_switches_strictly_beyond_the_trained_length(
    length: int, divisors: list[float]
) -> None:
    scaling = LongRoPE(SHORT, LONG, 4096, length, factor=32)
    result = rope_frequencies(8, base=5e5, scaling=scaling)
    expected = [w / d for w, d in zip(trained(8, 5e5), divisors, strict=True)]
    assert_allclose(result.frequencies, expected, rtol=1e-14)
    assert result.attention_factor == pytest.approx(1.1902380714238083, abs=1e-15)


def test_the_attention_factor_of_longrope() -> None:
    def factor(**given: Any) -> float:
        return rope_frequencies(8, scaling=LongRoPE(SHORT, LONG, **given)).attention_factor

    assert factor(original_length=4096, length=9, factor=1) == 1.0
    assert factor(original_length=16, length=9, factor=16) == pytest.approx(math.sqrt(2))
    assert factor(original_length=16, length=9, attention_factor=1.25) == 1.25
    assert factor(original_length=2, length=9, factor=8) == 2.0


def test_longrope_keeps_its_own_copy_of_the_factors() -> None:
    short, long = np.array(SHORT), list(LONG)
    setting = LongRoPE(short, long, 4096, 1, factor=32)  # type: ignore[arg-type]
    short[0] = long[0] = 9
    assert setting.short_factors == tuple(SHORT)
    assert setting.long_factors == tuple(LONG)
    assert hash(setting) == hash(LongRoPE(SHORT, LONG, 4096, 1, factor=32))


# Proportional


@pytest.mark.parametrize(
    ("width", "fraction", "turning"),
    [(8, 0, 0), (8, 0.24, 0), (8, 0.25, 1), (8, 0.5, 2), (8, 0.99, 3), (8, 1, 4), (64, 0.25, 8)],
)
def test_proportional_turns_the_fastest_pairs(width: int, fraction: float, turning: int) -> None:
    result = rope_frequencies(width, scaling=Proportional(fraction))
    assert_allclose(result.frequencies[:turning], trained(width, 1e4)[:turning], rtol=1e-14)
    assert not result.frequencies[turning:].any()
    assert result.attention_factor == 1.0


def test_partial_rotation_is_another_thing_than_proportional() -> None:
    """Exponent over head_dim or over rotary_dim: the second pair tells them apart."""
    assert stretched(8, 1e4, Proportional(0.5))[1] == pytest.approx(0.1)
    assert stretched(4, 1e4, None)[1] == pytest.approx(0.01)


def test_proportional_may_be_divided_as_well() -> None:
    assert_allclose(stretched(8, 1e4, Proportional(0.5, factor=4)), [0.25, 0.025, 0, 0])
    assert Proportional(0.5) == Proportional(0.5, factor=1)


# Settings


@pytest.mark.parametrize("scaling", EVERY[1:], ids=lambda scaling: type(scaling).__name__)
def test_a_setting_is_frozen_and_comparable(scaling: Any) -> None:
    name = dataclasses.fields(scaling)[0].name
    with pytest.raises(dataclasses.FrozenInstanceError):
        setattr(scaling, name, 2)
    assert dataclasses.replace(scaling) == scaling
    assert hash(dataclasses.replace(scaling)) == hash(scaling)


def test_settings_hold_plain_numbers() -> None:
    """A float16 factor would make the frequencies float16."""
    typed: list[Any] = [np.float16(4), np.uint8(5), np.int64(2048), np.True_]
    four, five, many, yes = typed
    halves: Any = np.ones(4, np.float16)
    ones: Any = np.ones(4, int)
    settings: list[Any] = [
        Linear(four),
        NTK(five),
        DynamicNTK(four, many, five),
        YaRN(four, many, beta_fast=five, truncate=yes),
        Llama3(four, four, five, many),
        LongRoPE(halves, ones, many, five, factor=four),
        Proportional(halves[0], factor=four),
    ]
    for setting in settings:
        for field in dataclasses.fields(setting):
            value = getattr(setting, field.name)
            assert type(value) in (float, int, bool, tuple, type(None)), field.name
        assert rope_frequencies(8, scaling=setting).frequencies.dtype == np.float64
    assert type(settings[2].length) is int
    assert type(settings[3].truncate) is bool
    assert type(settings[1].factor) is float
    assert type(settings[5].long_factors[0]) is float


def test_optional_fields_are_given_by_name() -> None:
    with pytest.raises(TypeError):
        YaRN(4, 2048, 32)  # type: ignore[call-arg]
    with pytest.raises(TypeError):
        LongRoPE(SHORT, LONG, 4096, 1, 32)  # type: ignore[call-arg]
    with pytest.raises(TypeError):
        Proportional(0.5, 4)  # type: ignore[call-arg]
    with pytest.raises(TypeError):
        rope_frequencies(8, 10000.0)  # type: ignore[call-arg]


# Refusals

FACTOR = "allowed: a real number from 1 to 1e300"
POSITIVE = "allowed: a real number from 1e-300 to 1e300"
TOKENS = "allowed: an integer, at least"


def yarn(**given: Any) -> YaRN:
    return YaRN(**{"factor": 4, "original_length": 2048, **given})


def llama3(**given: Any) -> Llama3:
    fields = {"factor": 8, "low_freq_factor": 1, "high_freq_factor": 4, "original_length": 8192}
    return Llama3(**{**fields, **given})


def longrope(**given: Any) -> LongRoPE:
    fields = {"short_factors": SHORT, "long_factors": LONG, "original_length": 4096, "length": 1}
    return LongRoPE(**{**fields, "factor": 32, **given})


@pytest.mark.parametrize(
    "setting",
    [
        Linear,
        NTK,
        lambda factor: DynamicNTK(factor, 8, 8),
        lambda factor: yarn(factor=factor),
        lambda factor: llama3(factor=factor),
        lambda factor: longrope(factor=factor),
        lambda factor: Proportional(0.5, factor=factor),
    ],
)
@pytest.mark.parametrize(
    ("factor", "shown"),
    [
        (0.999, "0.999"),
        (0, "0"),
        (-4, "-4"),
        (2e300, "2e+300"),
        (math.nan, "nan"),
        (math.inf, "inf"),
        (True, "True"),
        ("4", "'4'"),
        ([4], "[4]"),
    ],
)
def test_a_wrong_factor_is_refused(setting: Any, factor: Any, shown: str) -> None:
    with pytest.raises(ValueError) as refused:  # noqa: PT011 (the whole message is compared)
        setting(factor)
    assert str(refused.value) == f"factor is {shown}; {FACTOR}"


@pytest.mark.parametrize("setting", [Linear, NTK, lambda factor: yarn(factor=factor)])
def test_a_factor_is_needed(setting: Any) -> None:
    with pytest.raises(ValueError) as refused:  # noqa: PT011
        setting(None)
    assert str(refused.value) == f"factor is None; {FACTOR}"


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: DynamicNTK(2, 0, 1), f"original_length is 0; {TOKENS} 1"),
        (lambda: DynamicNTK(2, 8.0, 1), f"original_length is 8.0; {TOKENS} 1"),  # type: ignore[arg-type]
        (lambda: DynamicNTK(2, 8, -1), f"length is -1; {TOKENS} 0"),
        (lambda: DynamicNTK(2, 8, True), f"length is True; {TOKENS} 0"),
        (lambda: yarn(original_length=0), f"original_length is 0; {TOKENS} 1"),
        (lambda: yarn(beta_fast=0), f"beta_fast is 0; {POSITIVE}"),
        (lambda: yarn(beta_slow=-1), f"beta_slow is -1; {POSITIVE}"),
        (
            lambda: yarn(beta_fast=0.5),
            "beta_slow is 1.0; allowed: a real number up to beta_fast, which is 0.5",
        ),
        (
            lambda: yarn(beta_slow=33),
            "beta_slow is 33.0; allowed: a real number up to beta_fast, which is 32.0",
        ),
        (lambda: yarn(attention_factor=0), f"attention_factor is 0; {POSITIVE}"),
        (lambda: yarn(mscale=0, mscale_all_dim=1), f"mscale is 0; {POSITIVE}"),
        (lambda: yarn(mscale=1, mscale_all_dim=0), f"mscale_all_dim is 0; {POSITIVE}"),
        (
            lambda: yarn(mscale=0.707),
            "mscale_all_dim is None; allowed: both or neither, and mscale is 0.707",
        ),
        (
            lambda: yarn(mscale_all_dim=0.707),
            "mscale_all_dim is 0.707; allowed: both or neither, and mscale is None",
        ),
        (
            lambda: yarn(attention_factor=1, mscale=1, mscale_all_dim=1),
            "attention_factor is 1.0; allowed: None where mscale and mscale_all_dim are given",
        ),
        (lambda: yarn(truncate=1), "truncate is 1; allowed: True or False"),
        (lambda: yarn(truncate=None), "truncate is None; allowed: True or False"),
        (lambda: llama3(low_freq_factor=0), f"low_freq_factor is 0; {POSITIVE}"),
        (lambda: llama3(high_freq_factor=1e301), f"high_freq_factor is 1e+301; {POSITIVE}"),
        (
            lambda: llama3(low_freq_factor=5),
            "high_freq_factor is 4.0; allowed: a real number from low_freq_factor, which is 5.0, upwards",
        ),
        (lambda: llama3(original_length=0), f"original_length is 0; {TOKENS} 1"),
        (lambda: longrope(original_length=1), f"original_length is 1; {TOKENS} 2"),
        (lambda: longrope(length=-1), f"length is -1; {TOKENS} 0"),
        (lambda: longrope(short_factors=[1, 0, 1, 1]), f"short_factors is 0.0; {POSITIVE}"),
        (lambda: longrope(long_factors=[1, -1, 1, 1]), f"long_factors is -1.0; {POSITIVE}"),
        (
            lambda: longrope(short_factors=[1, math.nan]),
            "short_factors holds nan; allowed: finite real numbers",
        ),
        (
            lambda: longrope(long_factors=[[1.0]]),
            "long_factors has shape (1, 1); allowed: one axis, a number for a pair",
        ),
        (
            lambda: longrope(short_factors=2.0),
            "short_factors has shape (); allowed: one axis, a number for a pair",
        ),
        (
            lambda: longrope(long_factors=[1.0]),
            "long_factors has 1 entries; allowed: as many as short_factors, 4",
        ),
        (
            lambda: longrope(factor=None),
            "factor is None; allowed: exactly one of the two, and attention_factor is None",
        ),
        (
            lambda: longrope(attention_factor=2),
            "factor is 32.0; allowed: exactly one of the two, and attention_factor is 2.0",
        ),
        (
            lambda: longrope(factor=None, attention_factor=0),
            f"attention_factor is 0; {POSITIVE}",
        ),
        (lambda: Proportional(1.01), "fraction is 1.01; allowed: a real number from 0 to 1"),
        (lambda: Proportional(-0.01), "fraction is -0.01; allowed: a real number from 0 to 1"),
        (lambda: Proportional(None), "fraction is None; allowed: a real number from 0 to 1"),  # type: ignore[arg-type]
    ],
)
def test_a_wrong_setting_is_refused(call: Any, message: str) -> None:
    with pytest.raises(ValueError) as refused:  # noqa: PT011
        call()
    assert str(refused.value) == message


EVEN = "allowed: an even integer, at least 2"
NAMES = "Linear, NTK, DynamicNTK, YaRN, LongRoPE, Llama3, Proportional"


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"head_dim": 7}, f"head_dim is 7; {EVEN}"),
        ({"head_dim": 0}, f"head_dim is 0; {EVEN}"),
        ({"head_dim": 8.0}, f"head_dim is 8.0; {EVEN}"),
        ({"head_dim": True}, f"head_dim is True; {EVEN}"),
        ({"base": 0.5}, "base is 0.5; allowed: a real number from 1 to 1e300"),
        ({"scaling": "yarn"}, f"scaling is 'yarn'; allowed: None or one of {NAMES}"),
        ({"scaling": 4}, f"scaling is 4; allowed: None or one of {NAMES}"),
        ({"scaling": YaRN}, f"scaling is {YaRN!r}; allowed: None or one of {NAMES}"),
        (
            {"head_dim": 2, "scaling": NTK(4)},
            "head_dim is 2; allowed: an even integer, at least 4, with this scaling",
        ),
        (
            {"head_dim": 2, "scaling": DynamicNTK(2, 8, 4)},
            "head_dim is 2; allowed: an even integer, at least 4, with this scaling",
        ),
        (
            {"head_dim": 4, "scaling": NTK(1e150)},
            "factor raises the base from 10000 by 1e150^2; allowed: a base up to 1e300",
        ),
        ({"base": 1, "scaling": yarn()}, "base is 1.0; allowed: a real number above 1 with YaRN"),
        (
            {"base": 10, "scaling": YaRN(4, 3)},
            "original_length is 3; allowed with head_dim 8 and base 10: one within which some "
            "pair turns between beta_slow and beta_fast times",
        ),
        (
            {"base": 2, "scaling": YaRN(4, 131072)},
            "original_length is 131072; allowed with head_dim 8 and base 2: one within which some "
            "pair turns between beta_slow and beta_fast times",
        ),
        (
            {"head_dim": 16, "scaling": longrope()},
            "short_factors has 4 entries; allowed with head_dim 16: 8",
        ),
    ],
)
def test_wrong_arguments_are_refused(given: Any, message: str) -> None:
    with pytest.raises(ValueError) as refused:  # noqa: PT011
        rope_frequencies(**{"head_dim": 8, **given})
    assert str(refused.value) == message


def test_the_largest_numbers_give_no_warning() -> None:
    with np.errstate(all="raise", under="ignore"):
        for scaling in (Linear(1e300), yarn(factor=1e300), llama3(factor=1e300), NTK(1e70)):
            assert np.isfinite(stretched(8, 1e200, scaling)).all()
        tiny = longrope(short_factors=[1e-300] * 4)
        assert np.isfinite(stretched(8, 1e4, tiny)).all()
        extreme = yarn(beta_fast=1e300, beta_slow=1e-300)
        assert np.isfinite(stretched(8, 1e4, extreme)).all()
