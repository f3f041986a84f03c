"""What the configuration classes of transformers 5.24 take for granted, model type by model type.

A configuration file may leave out what its class knows. The defaults below are those of the
classes, and the rest of an entry is what no file says: how a family pairs its dimensions, which
of its layers rotate, and which of its keys touch positions in name only.
"""

from dataclasses import dataclass, field
from typing import Any, Literal

from pedocs._sinusoidal import Layout

ANY: tuple[Any, ...] = ()  # a harmless key may hold anything
FULL = "full_attention"
SLIDING = "sliding_attention"
CHUNKED = "chunked_attention"


@dataclass(frozen=True)
class Rotary:
    """A decoder that rotates its queries and keys."""

    layers: int
    heads: int
    width: int
    positions: int
    base: float = 10000.0
    layout: Layout = "half-split"
    layout_key: str | None = None  # of a choice that turns "interleaved" into "half-split"
    head_dim: int | None = None  # None is width / heads
    own_head_dim: bool = True  # whether the attention reads the key head_dim at all
    fraction: float | None = None  # of the head that rotates; None where there is no such key
    fraction_key: str = "partial_rotary_factor"
    base_keys: tuple[str, ...] = ("rope_theta",)  # the class reads the first
    original: int | None = None  # trained length; None is the number of positions
    window: int | None = None
    pattern: Literal["all", "window", "upper", "period", "no-rope"] = "all"
    period: int = 0  # of the layers without window or rotation; for "upper", how many come first
    period_keys: tuple[str, ...] = ("sliding_window_pattern", "_sliding_window_pattern")
    local_base: float | None = None  # where layers with a window have a base of their own
    only_windows_rotate: bool = False
    sections: tuple[int, ...] | None = None
    latent: bool = False  # queries and keys carry a rotated part of its own width
    chunk: int | None = None
    scalings: tuple[str, ...] = ("linear", "dynamic", "yarn", "longrope", "llama3")
    harmless: dict[str, tuple[Any, ...]] = field(default_factory=dict)


ROTARY: dict[str, Rotary] = {
    "llama": Rotary(32, 32, 4096, 2048, harmless={"rope_interleaved": (False,)}),
    "qwen2": Rotary(32, 32, 4096, 32768, window=4096, pattern="upper", period=28),
    "qwen3": Rotary(32, 32, 4096, 32768, head_dim=128, window=4096, pattern="upper", period=28),
    "qwen2_vl_text": Rotary(
        80,
        64,
        8192,
        32768,
        base=1e6,
        own_head_dim=False,
        window=4096,
        pattern="upper",
        period=80,
        sections=(16, 24, 24),
    ),
    "mistral": Rotary(32, 32, 4096, 131072, window=4096, pattern="window"),
    "gemma": Rotary(28, 16, 3072, 8192, head_dim=256),
    "gemma2": Rotary(
        26, 8, 2304, 8192, head_dim=256, window=4096, pattern="period", period=2, period_keys=()
    ),
    "gemma3_text": Rotary(
        26,
        8,
        2304,
        131072,
        base=1e6,
        head_dim=256,
        window=4096,
        pattern="period",
        period=6,
        local_base=10000.0,
    ),
    "deepseek_v2": Rotary(32, 32, 4096, 2048, layout="interleaved", latent=True),
    "deepseek_v3": Rotary(
        61, 128, 7168, 4096, layout="interleaved", layout_key="rope_interleave", latent=True
    ),
    "phi": Rotary(24, 32, 2048, 2048, fraction=0.5),
    "phi3": Rotary(
        32, 32, 3072, 4096, fraction=1.0, original=4096, pattern="window", scalings=("longrope",)
    ),
    "gpt_neox": Rotary(
        44,
        64,
        6144,
        2048,
        own_head_dim=False,
        fraction=0.25,
        fraction_key="rotary_pct",
        base_keys=("rotary_emb_base", "rope_theta"),
    ),
    "glm": Rotary(40, 32, 4096, 131072, layout="interleaved", head_dim=128, fraction=0.5),
    "stablelm": Rotary(32, 32, 2560, 4096, own_head_dim=False, fraction=0.25),
    "cohere2": Rotary(
        40,
        64,
        8192,
        8192,
        layout="interleaved",
        window=4096,
        pattern="period",
        period=4,
        only_windows_rotate=True,
        harmless={
            "order_of_interleaved_layers": ("local_attn_first",),
            "position_embedding_type": ("rope_gptj",),
            "rotary_pct": (1.0,),
        },
    ),
    "smollm3": Rotary(
        36,
        16,
        2048,
        32768,
        base=2e6,
        pattern="no-rope",
        period=4,
        harmless={"max_window_layers": ANY},
    ),
    "llama4_text": Rotary(
        48,
        40,
        5120,
        131072,
        base=5e5,
        layout="interleaved",
        head_dim=128,
        pattern="no-rope",
        period=4,
        chunk=8192,
    ),
}

# A model of several parts, and the type of the part that reads text.
COMPOSITE = {"gemma3": "gemma3_text", "llama4": "llama4_text", "qwen2_vl": "qwen2_vl_text"}

DECODES: dict[str, tuple[Any, ...]] = {"is_causal": (True,)}  # of every model that only decodes

HARMLESS: dict[str, dict[str, tuple[Any, ...]]] = {
    "gptj": {**DECODES, "n_ctx": ANY, "rotary": (True,)},
    "gpt2": {**DECODES, "n_ctx": ANY},
    "t5": {"n_positions": ANY},
    "bloom": {**DECODES, "offset_alibi": ANY},
    "mpt": {**DECODES, "learned_pos_emb": ANY},
    "bert": {"position_embedding_type": ("absolute",)},
    "roberta": {"position_embedding_type": ("absolute",)},
    "opt": {**DECODES},
    "whisper": {},
    "marian": {"static_position_embeddings": (True,)},
    "vit": {},
}
