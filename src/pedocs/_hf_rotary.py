"""The decoder of a model that rotates queries and keys, layer by layer."""

from collections.abc import Callable
from typing import Any, NamedTuple

from pedocs import _checks
from pedocs._hf_families import CHUNKED, FULL, SLIDING, Rotary
from pedocs._hf_reader import Reader
from pedocs._hf_rope import RopeSetting, rope_setting
from pedocs._hf_scheme import LayerPositions, PositionStack
from pedocs._layers import rope_layers
from pedocs._rope_bands import YaRN
from pedocs._rope_scaling import rope_frequencies
from pedocs._sinusoidal import Layout


class Plan(NamedTuple):
    """What tells one layer from another."""

    rotates: bool = True
    window: int | None = None
    chunk: int | None = None
    temperature: tuple[int, float] | None = None


def rotary_decoder(config: Reader, family: Rotary, length: int | None) -> PositionStack:
    """Every layer of a rotary model."""
    n_layers = config.integer("num_hidden_layers", default=family.layers)
    n_heads = config.integer("num_attention_heads", default=family.heads)
    max_positions = config.integer("max_position_embeddings", default=family.positions)
    start, rotated, head_dim = _head(config, family, n_heads)
    plans = _PLANS[family.pattern](config, family, n_layers)
    layout = family.layout
    if family.layout_key and not config.flag(family.layout_key, default=True):
        layout = "half-split"
    if config.flag("use_bidirectional_attention", default=False):
        raise config.refusal("use_bidirectional_attention", "False")

    two_bases = family.local_base is not None
    settings = {
        local: rope_setting(config, family, rotated, max_positions, length, local=local)
        for local in ([False, True] if two_bases else [False])
    }
    layers = [
        _layer(plan, settings[two_bases and bool(plan.window)], start, layout) for plan in plans
    ]
    scaling = settings[False].scaling
    score_factor = 1.0
    if family.latent and isinstance(scaling, YaRN) and scaling.mscale_all_dim:
        score_factor = scaling._temperature(scaling.mscale_all_dim) ** 2  # of query and key
    return PositionStack(
        tuple(layers),
        n_heads,
        head_dim,
        bidirectional=False,
        max_positions=max_positions,
        score_factor=score_factor,
    )


def _layer(plan: Plan, setting: RopeSetting, start: int, layout: Layout) -> LayerPositions:
    common: dict[str, Any] = plan._asdict()
    if not common.pop("rotates"):
        return LayerPositions("none", **common)
    width, scaling = setting.rotary_dim, setting.scaling
    return LayerPositions(
        "rope",
        rope_frequencies(width, base=setting.base, scaling=scaling),  # arrays of its own
        width,
        start,
        layout,
        sections=setting.sections,
        **common,
    )


def _head(config: Reader, family: Rotary, n_heads: int) -> tuple[int, int, int]:
    """Where the part of a head that may rotate begins, its width, and that of the head."""
    if family.latent:
        plain = config.integer("qk_nope_head_dim", default=128, minimum=0)
        rotated = config.integer("qk_rope_head_dim", default=64)
        if config.integer("head_dim", default=rotated) != rotated:  # its rotary module reads both
            raise config.refusal("head_dim", f"qk_rope_head_dim, {rotated}")
        return plain, rotated, plain + rotated
    width = config.integer("hidden_size", default=family.width)
    stated = config.integer("head_dim", default=family.head_dim)
    if stated is not None and family.own_head_dim:
        return 0, stated, stated
    if width % n_heads:
        allowed = f"a multiple of num_attention_heads, {n_heads}"
        raise _checks.refusal(config.called("hidden_size"), width, allowed)
    derived = width // n_heads
    if stated not in (None, derived):
        raise config.refusal("head_dim", f"hidden_size / num_attention_heads, {derived}")
    return 0, derived, derived


def _all(config: Reader, family: Rotary, n_layers: int) -> list[Plan]:
    return [Plan()] * n_layers


def _window(config: Reader, family: Rotary, n_layers: int) -> list[Plan]:
    return [
        Plan(window=config.nullable_integer("sliding_window", default=family.window))
    ] * n_layers


def _upper(config: Reader, family: Rotary, n_layers: int) -> list[Plan]:
    """A window in the layers above some number, and only where a switch is on."""
    window = config.nullable_integer("sliding_window", default=family.window)
    if not config.flag("use_sliding_window", default=False):
        window = None
    first = config.integer("max_window_layers", default=family.period, minimum=0)
    slides = [window is not None and layer >= first for layer in range(n_layers)]
    return [Plan(window=w) for w in _windows(config, slides, window)]


def _period(config: Reader, family: Rotary, n_layers: int) -> list[Plan]:
    """A window in all layers but every so many."""
    window = config.nullable_integer("sliding_window", "sliding_window_size", default=family.window)
    if window is None and family.local_base is not None:
        allowed = "a window, by which the layers of the other base are told apart"
        raise _checks.refusal(config.called("sliding_window"), None, allowed)
    period = family.period
    if family.period_keys:
        period = config.integer(*family.period_keys, default=family.period)
    slides = rope_layers(n_layers, nope_every=period).tolist()
    windows = _windows(config, slides, window)
    return [
        Plan(window is not None or not family.only_windows_rotate, window) for window in windows
    ]


def _windows(config: Reader, slides: list[bool], window: int | None) -> list[int | None]:
    """The window of each layer, by the list of layer types where there is one."""
    types = config.entries("layer_types", len(slides), (FULL, SLIDING))
    if types is not None:
        slides = [kind == SLIDING for kind in types]
        if window is None and any(slides):
            raise config.refusal("layer_types", f"{FULL!r} alone, where no window is in use")
    return [window if slide else None for slide in slides]


def _no_rope(config: Reader, family: Rotary, n_layers: int) -> list[Plan]:
    """Every so many layers do not rotate; those that do may read in chunks, the others far."""
    interval = config.integer("no_rope_layer_interval", default=family.period)
    rotates = rope_layers(n_layers, nope_every=interval).tolist()
    if config.has("no_rope_layers") and config.values["no_rope_layers"] != []:
        listed = config.entries("no_rope_layers", n_layers, (0, 1)) or []
        rotates = [bool(entry) for entry in listed]  # against the name, a 1 rotates
    if family.chunk is None:
        window = config.nullable_integer("sliding_window", default=None)
        if not config.flag("use_sliding_window", default=False):
            window = None
        windows = _windows(config, [window is not None and not turn for turn in rotates], window)
        return [Plan(turn, w) for turn, w in zip(rotates, windows, strict=True)]
    chunk = config.nullable_integer("attention_chunk_size", default=family.chunk)
    types = config.entries("layer_types", n_layers, (FULL, CHUNKED))
    chunked = rotates if types is None else [kind == CHUNKED for kind in types]
    if chunk is None and types is not None and any(chunked):
        raise config.refusal("layer_types", f"{FULL!r} alone, where no chunk size is in use")
    floor = config.integer("floor_scale", default=8192)
    growth = config.number("attn_scale", default=0.1)
    grows = (
        config.values["attn_temperature_tuning"] if config.has("attn_temperature_tuning") else True
    )
    if not isinstance(grows, int):  # a published file holds 4 for true
        raise config.refusal("attn_temperature_tuning", "True, False or an integer")
    return [
        Plan(turn, None, chunk if part else None, None if turn or not grows else (floor, growth))
        for turn, part in zip(rotates, chunked, strict=True)
    ]


_PLANS: dict[str, Callable[[Reader, Rotary, int], list[Plan]]] = {
    "all": _all,
    "window": _window,
    "upper": _upper,
    "period": _period,
    "no-rope": _no_rope,
}
