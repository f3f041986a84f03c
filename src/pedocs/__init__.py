"""The numpy library of the executable textbook on positional encoding.

Pure functions on numpy arrays. Vectors stand in the last axis, angles are
float64, and an offset is key minus query: r = j − i.

A name is imported from its module when it is first asked for, so that a
program pays for the schemes that it uses and for no others.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:  # for type checkers and the reference; the table below says the same
    from pedocs._alibi import alibi_bias as alibi_bias, alibi_slopes as alibi_slopes
    from pedocs._attention import (
        AttentionResult as AttentionResult,
        attention as attention,
        softmax as softmax,
    )
    from pedocs._cache import KVCache as KVCache
    from pedocs._cope import cope_bias as cope_bias, cope_positions as cope_positions
    from pedocs._deberta import deberta_bucket as deberta_bucket, deberta_scores as deberta_scores
    from pedocs._fire import fire_bias as fire_bias, fire_distances as fire_distances
    from pedocs._forgetting import forgetting_bias as forgetting_bias
    from pedocs._grid import grid_positions as grid_positions, sinusoidal_2d as sinusoidal_2d
    from pedocs._heads import merge_heads as merge_heads, split_heads as split_heads
    from pedocs._hf_config import from_hf_config as from_hf_config
    from pedocs._hf_scheme import (
        LayerPositions as LayerPositions,
        PositionScheme as PositionScheme,
        PositionStack as PositionStack,
    )
    from pedocs._input import input_stage as input_stage
    from pedocs._kerple import kerple_bias as kerple_bias
    from pedocs._layers import rope_layers as rope_layers
    from pedocs._learned import (
        learned as learned,
        resize_learned as resize_learned,
        resize_learned_grid as resize_learned_grid,
    )
    from pedocs._longrope import LongRoPE as LongRoPE
    from pedocs._masks import (
        causal_mask as causal_mask,
        document_mask as document_mask,
        padding_mask as padding_mask,
        sliding_window_mask as sliding_window_mask,
    )
    from pedocs._mrope_positions import mrope_positions as mrope_positions
    from pedocs._multi_head import (
        MultiHeadResult as MultiHeadResult,
        multi_head_attention as multi_head_attention,
    )
    from pedocs._offsets import relative_offsets as relative_offsets
    from pedocs._positions import (
        packed_positions as packed_positions,
        padded_positions as padded_positions,
    )
    from pedocs._rope import rope as rope
    from pedocs._rope_axes import mrope as mrope, rope_2d as rope_2d
    from pedocs._rope_bands import Llama3 as Llama3, YaRN as YaRN
    from pedocs._rope_layouts import (
        half_split_to_interleaved as half_split_to_interleaved,
        interleaved_to_half_split as interleaved_to_half_split,
    )
    from pedocs._rope_scaling import (
        RopeFrequencies as RopeFrequencies,
        rope_frequencies as rope_frequencies,
    )
    from pedocs._rope_stretch import (
        NTK as NTK,
        DynamicNTK as DynamicNTK,
        Linear as Linear,
        Proportional as Proportional,
    )
    from pedocs._shaw import (
        clipped_offsets as clipped_offsets,
        shaw_bias as shaw_bias,
        shaw_values as shaw_values,
    )
    from pedocs._sinusoidal import (
        angular_frequencies as angular_frequencies,
        shift_matrix as shift_matrix,
        sinusoidal as sinusoidal,
        wavelengths as wavelengths,
    )
    from pedocs._t5 import t5_bias as t5_bias, t5_bucket as t5_bucket
    from pedocs._transformer_xl import (
        relative_shift as relative_shift,
        transformer_xl_scores as transformer_xl_scores,
    )
    from pedocs._tupe import tupe_bias as tupe_bias
    from pedocs._xpos import xpos as xpos

__version__ = "0.1.0"

_NAMES = {
    "_alibi": (
        "alibi_bias",
        "alibi_slopes",
    ),
    "_attention": (
        "AttentionResult",
        "attention",
        "softmax",
    ),
    "_cache": ("KVCache",),
    "_cope": (
        "cope_bias",
        "cope_positions",
    ),
    "_deberta": (
        "deberta_bucket",
        "deberta_scores",
    ),
    "_fire": (
        "fire_bias",
        "fire_distances",
    ),
    "_forgetting": ("forgetting_bias",),
    "_grid": (
        "grid_positions",
        "sinusoidal_2d",
    ),
    "_heads": (
        "merge_heads",
        "split_heads",
    ),
    "_hf_config": ("from_hf_config",),
    "_hf_scheme": (
        "LayerPositions",
        "PositionScheme",
        "PositionStack",
    ),
    "_input": ("input_stage",),
    "_kerple": ("kerple_bias",),
    "_layers": ("rope_layers",),
    "_learned": (
        "learned",
        "resize_learned",
        "resize_learned_grid",
    ),
    "_longrope": ("LongRoPE",),
    "_masks": (
        "causal_mask",
        "document_mask",
        "padding_mask",
        "sliding_window_mask",
    ),
    "_mrope_positions": ("mrope_positions",),
    "_multi_head": (
        "MultiHeadResult",
        "multi_head_attention",
    ),
    "_offsets": ("relative_offsets",),
    "_positions": (
        "packed_positions",
        "padded_positions",
    ),
    "_rope": ("rope",),
    "_rope_axes": (
        "mrope",
        "rope_2d",
    ),
    "_rope_bands": (
        "Llama3",
        "YaRN",
    ),
    "_rope_layouts": (
        "half_split_to_interleaved",
        "interleaved_to_half_split",
    ),
    "_rope_scaling": (
        "RopeFrequencies",
        "rope_frequencies",
    ),
    "_rope_stretch": (
        "DynamicNTK",
        "Linear",
        "NTK",
        "Proportional",
    ),
    "_shaw": (
        "clipped_offsets",
        "shaw_bias",
        "shaw_values",
    ),
    "_sinusoidal": (
        "angular_frequencies",
        "shift_matrix",
        "sinusoidal",
        "wavelengths",
    ),
    "_t5": (
        "t5_bias",
        "t5_bucket",
    ),
    "_transformer_xl": (
        "relative_shift",
        "transformer_xl_scores",
    ),
    "_tupe": ("tupe_bias",),
    "_xpos": ("xpos",),
}
_MODULES = {name: module for module, names in _NAMES.items() for name in names}

__all__ = sorted(_MODULES)


def __getattr__(name: str) -> Any:
    """Import a public name from its module, once."""
    if name not in _MODULES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    value = getattr(import_module(f"{__name__}.{_MODULES[name]}"), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    """Every public name, whether it was asked for or not."""
    return sorted({*globals(), *__all__})
