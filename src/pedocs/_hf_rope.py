"""The rotary part of a configuration: its base, its scaling, and which share of a head it turns."""

import re
from typing import Any, NamedTuple

from pedocs import _checks
from pedocs._hf_families import FULL, SLIDING, Rotary
from pedocs._hf_reader import Reader
from pedocs._longrope import LongRoPE
from pedocs._rope_bands import Llama3, YaRN
from pedocs._rope_scaling import Scaling
from pedocs._rope_stretch import DynamicNTK, Linear, Proportional

EVERY_KEY = re.compile("")


class RopeSetting(NamedTuple):
    """What `rope_frequencies` needs, and the axes of a vision-language model."""

    base: float
    scaling: Scaling | None
    rotary_dim: int
    sections: tuple[int, ...] | None


def rope_setting(
    config: Reader,
    family: Rotary,
    head_dim: int,
    max_positions: int,
    length: int | None,
    *,
    local: bool,
) -> RopeSetting:
    """Read one kind of layers; `local` are those with a window, where they have their own base."""
    inner = _parameters(config, family, local)
    if local and family.local_base is not None:
        base = _one(config, ("rope_local_base_freq",), inner, "rope_theta", family.local_base)
    else:
        base = _one(config, family.base_keys, inner, "rope_theta", family.base)
    kind = _kind(inner, family)
    proportional = kind == "proportional"
    rotary_dim = head_dim if proportional else _rotary_dim(config, family, inner, head_dim)
    original = config.integer("original_max_position_embeddings", default=None)
    scaling = _scaling(kind, inner, original or family.original, max_positions, length)
    sections = _sections(inner, family, rotary_dim)
    inner.finish(EVERY_KEY)
    return RopeSetting(base, scaling, rotary_dim, sections)


def _kind(inner: Reader, family: Rotary) -> str:
    """The name of the scaling; two older names mean what another says today."""
    renamed = {"mrope": "default"} if family.sections else {}
    if "longrope" in family.scalings:
        renamed["su"] = "longrope"
    allowed = ("default", *family.scalings, *renamed)
    if family.fraction is None:
        allowed += ("proportional",)
    words = [inner.word(key, allowed=allowed) for key in ("rope_type", "type")]
    names = [word for word in words if word is not None]
    kinds = [renamed.get(name, name) for name in names]
    if len(set(kinds)) > 1:
        raise inner.refusal("type", f"what rope_type says, {names[0]!r}")
    return kinds[0] if kinds else "default"


def _parameters(config: Reader, family: Rotary, local: bool) -> Reader:
    """Where the settings stand: `rope_parameters` since transformers 5, `rope_scaling` before."""
    new, old = config.level("rope_parameters"), config.level("rope_scaling")
    if new and old and new.values != old.values:
        raise config.refusal("rope_scaling", "nothing beside rope_parameters")
    if family.local_base is None:
        return new or old or Reader({})
    nothing = Reader({})
    if new:
        levels = {kind: new.level(kind) or nothing for kind in (FULL, SLIDING)}
        new.finish(EVERY_KEY)
        return levels[SLIDING if local else FULL]
    if old and old.has("type") and not old.has("rope_type"):  # the class would not scale at all
        raise old.refusal("type", "rope_type in its place, which is what models of two bases read")
    return nothing if local or old is None else old  # the older form scales the others only


def _one(
    config: Reader, keys: tuple[str, ...], inner: Reader, inner_key: str, default: float
) -> float:
    """A number that may stand on either level, but not two numbers.

    Of several keys the class reads the first alone; the others may only repeat it.
    """
    key = config.first(*keys)
    outer = config.number(key, default=None)
    if outer not in (None, default) and key != keys[0]:
        raise config.refusal(key, f"{default}, for {keys[0]} is the key that is read")
    value = inner.number(inner_key, default=None)
    if None not in (outer, value) and outer != value:
        raise inner.refusal(inner_key, f"{outer}, as {config.called(key)} says")
    return next(float(number) for number in (value, outer, default) if number is not None)


def _rotary_dim(config: Reader, family: Rotary, inner: Reader, head_dim: int) -> int:
    whole = 1.0 if family.fraction is None else family.fraction
    keys = (family.fraction_key, "partial_rotary_factor")
    fraction = _one(config, keys, inner, "partial_rotary_factor", whole)
    if family.fraction is None:
        if fraction != 1:
            raise ValueError(
                f"partial_rotary_factor is {fraction}; allowed: 1, for models of this type "
                f"rotate whole heads"
            )
        return head_dim
    rotary_dim = int(head_dim * fraction)  # rounded down, as transformers does
    if fraction > 1 or rotary_dim < 2 or rotary_dim % 2:
        raise ValueError(
            f"{family.fraction_key} is {fraction}; allowed: a share of the head, {head_dim} wide, "
            f"that is even and at least 2"
        )
    return rotary_dim


def _sections(inner: Reader, family: Rotary, rotary_dim: int) -> tuple[int, ...] | None:
    """How many pairs each axis turns: time, height, width."""
    if family.sections is None:
        return None
    sections: Any = inner.values["mrope_section"] if inner.has("mrope_section") else None
    sections = family.sections if sections is None else sections
    good = isinstance(sections, (list, tuple)) and len(sections) == 3
    if good:
        sections = tuple(_checks.integer("mrope_section", n, minimum=0) for n in sections)
    if not good or sum(sections) != rotary_dim // 2:
        allowed = f"three counts of pairs that make {rotary_dim // 2} together"
        raise _checks.refusal("mrope_section", sections, allowed)
    return tuple(sections)


def _scaling(
    kind: str, inner: Reader, original: int | None, max_positions: int, length: int | None
) -> Scaling | None:
    """The scaling of one name, with the lengths that a configuration may leave out."""
    if kind == "default":
        return None
    if kind == "proportional":
        fraction = inner.number("partial_rotary_factor", default=1.0)
        return Proportional(fraction, factor=inner.number("factor", default=1.0))
    if kind == "linear":
        return Linear(inner.number("factor"))
    trained = _trained_length(inner, original, max_positions)
    if kind == "dynamic":
        if trained != max_positions:
            here = f"{max_positions}, where dynamic scaling begins"
            raise _checks.refusal("original_max_position_embeddings", trained, here)
        running = trained if length is None else length
        return DynamicNTK(inner.number("factor"), trained, running)
    if kind == "llama3":
        low, high = inner.number("low_freq_factor"), inner.number("high_freq_factor")
        return Llama3(inner.number("factor"), low, high, trained)
    if kind == "yarn":
        return _yarn(inner, trained, max_positions)
    return _longrope(inner, trained, max_positions, trained if length is None else length)


def _trained_length(inner: Reader, original: int | None, max_positions: int) -> int:
    key = "original_max_position_embeddings"
    trained: int = inner.integer(key, default=original or max_positions)
    if original is not None and original != trained:
        raise inner.refusal(key, f"{original}, as the level above has it")
    if trained > max_positions:
        raise _checks.refusal(key, trained, f"at most max_position_embeddings, {max_positions}")
    return trained


def _yarn(inner: Reader, trained: int, max_positions: int) -> YaRN:
    names = ("beta_fast", "beta_slow", "attention_factor", "mscale", "mscale_all_dim")
    given = {name: inner.number(name) for name in names if inner.has(name)}
    factor = inner.number("factor")
    if max_positions > factor * trained:
        reach = f"at least {max_positions / trained:g}, to reach max_position_embeddings"
        raise inner.refusal("factor", reach)
    return YaRN(factor, trained, truncate=inner.flag("truncate", default=True), **given)


def _longrope(inner: Reader, trained: int, max_positions: int, length: int) -> LongRoPE:
    ratio = max_positions / trained
    factor = inner.number("factor", default=ratio)
    if ratio not in (1, factor):
        raise inner.refusal("factor", f"{ratio:g}, max_position_embeddings over the trained length")
    attention_factor = inner.number("attention_factor", default=None)
    for name in ("short_factor", "long_factor"):
        if not inner.has(name):
            raise inner.missing(name)
    return LongRoPE(
        inner.values["short_factor"],
        inner.values["long_factor"],
        trained,
        length,
        factor=factor if attention_factor is None else None,
        attention_factor=attention_factor,
    )
