# mypy: disable-error-code="import-not-found"
"""Rotations in transformers: pairings, partial ones, two and three axes, which layers rotate."""

import importlib
from collections.abc import Callable
from types import SimpleNamespace
from typing import Any

import torch
from transformers import (
    Llama4TextConfig,
    LlamaConfig,
    PixtralVisionConfig,
    SmolLM3Config,
)
from transformers.models.gptj import modeling_gptj
from transformers.models.llama.modeling_llama import LlamaRotaryEmbedding
from transformers.models.llama4 import modeling_llama4
from transformers.models.pixtral import modeling_pixtral
from transformers.models.qwen2_vl import modeling_qwen2_vl
from transformers.models.qwen2_vl.configuration_qwen2_vl import (
    Qwen2VLTextConfig,
    Qwen2VLVisionConfig,
)
from transformers.models.qwen3_vl import modeling_qwen3_vl
from transformers.models.qwen3_vl.configuration_qwen3_vl import (
    Qwen3VLTextConfig,
)
from transformers.models.roformer import modeling_roformer

from tools.parity.inputs import POSITIONS, X, eighths
from tools.parity.store import record

# Each model: its folder, its configuration, its rotary module.
ROTARY = {
    "Llama": ("llama", "LlamaConfig", "LlamaRotaryEmbedding"),
    "GPT-NeoX": ("gpt_neox", "GPTNeoXConfig", "GPTNeoXRotaryEmbedding"),
    "Cohere": ("cohere", "CohereConfig", "CohereRotaryEmbedding"),
    "GLM": ("glm", "GlmConfig", "GlmRotaryEmbedding"),
    "Phi": ("phi", "PhiConfig", "PhiRotaryEmbedding"),
    "DeepSeek-V3": ("deepseek_v3", "DeepseekV3Config", "DeepseekV3RotaryEmbedding"),
}


def records() -> dict[str, Any]:
    """All of them, by name."""
    return _one_axis() | _more_axes() | _layers() | _drifts()


def _x(count: int) -> Any:
    """The same vector at each of some positions: batch, heads, tokens, head."""
    return torch.tensor(X)[None, None, None].repeat(1, 1, count, 1)


def rotate(model: str, x: Any, positions: Any, rope_parameters: dict[str, Any]) -> Any:
    """What a model of transformers makes of `x` (tokens, head_dim) at `positions`."""
    folder, config_name, rotary_name = ROTARY[model]
    module = importlib.import_module(f"transformers.models.{folder}.modeling_{folder}")
    config = getattr(importlib.import_module("transformers"), config_name)(
        hidden_size=2 * x.shape[-1],
        num_attention_heads=2,
        head_dim=x.shape[-1],
        max_position_embeddings=4096,
        rope_parameters=rope_parameters,
    )
    if model == "DeepSeek-V3":
        config.head_dim = x.shape[-1]
        apply = module.apply_rotary_pos_emb_interleave
    else:
        apply = module.apply_rotary_pos_emb
    rotary = getattr(module, rotary_name)(config)
    cos, sin = rotary(x, torch.as_tensor(positions)[None])
    heads = x[None, None]
    if model == "Phi":  # its attention takes the rotated part out itself
        width = cos.shape[-1]
        turned, _ = apply(heads[..., :width], heads[..., :width], cos, sin)
        return torch.cat((turned, heads[..., width:]), dim=-1)[0, 0]
    return apply(heads, heads, cos, sin)[0][0, 0]


def _one_axis() -> dict[str, Any]:
    x = _x(len(POSITIONS))
    found = {}

    def add(model: str, note: str, function: str, **rope_parameters: Any) -> None:
        values = rotate(model, x[0, 0], POSITIONS, {"rope_type": "default"} | rope_parameters)
        found[f"{model} rotation{note}"] = record(
            f"models.{ROTARY[model][0]} {ROTARY[model][2]}, {function}",
            {"x": X, "positions": POSITIONS} | rope_parameters,
            values,
        )

    plain = "apply_rotary_pos_emb"
    add("Llama", "", plain, rope_theta=10000.0)
    add("Llama", ", base 500000", plain, rope_theta=500000.0)
    add("GPT-NeoX", "", plain, rope_theta=10000.0, partial_rotary_factor=0.5)
    add("Cohere", "", plain, rope_theta=10000.0)
    add("GLM", "", plain, rope_theta=10000.0, partial_rotary_factor=0.5)
    add("Phi", "", plain, rope_theta=10000.0, partial_rotary_factor=0.5)
    add("DeepSeek-V3", "", "apply_rotary_pos_emb_interleave", rope_theta=10000.0)
    return found | _gptj(x) | _roformer(x) | _llama4(x)


def _gptj(x: Any) -> dict[str, Any]:
    def turned(width: int) -> Any:
        sincos = modeling_gptj.create_sinusoidal_positions(1001, width)[POSITIONS][None]
        sin, cos = torch.split(sincos, width // 2, dim=-1)
        tokens = x.transpose(1, 2)
        part = modeling_gptj.apply_rotary_pos_emb(tokens[..., :width], sin, cos)
        return torch.cat((part, tokens[..., width:]), dim=-1)[0, :, 0]

    arguments = {"x": X, "positions": POSITIONS}
    function = "models.gptj create_sinusoidal_positions, apply_rotary_pos_emb"
    return {
        "GPT-J rotation": record(function, arguments | {"rotary_dim": 8}, turned(8)),
        "GPT-J rotation of a part": record(function, arguments | {"rotary_dim": 4}, turned(4)),
    }


def _roformer(x: Any) -> dict[str, Any]:
    table = modeling_roformer.RoFormerSinusoidalPositionalEmbedding(1001, 8).create_weight()[
        POSITIONS
    ]
    turned, _ = modeling_roformer.RoFormerSelfAttention.apply_rotary_position_embeddings(
        table[None, None], x, x
    )
    return {
        "RoFormer rotation": record(
            "models.roformer RoFormerSelfAttention.apply_rotary_position_embeddings",
            {"x": X, "positions": POSITIONS},
            turned[0, 0],
        )
    }


def _llama4(x: Any) -> dict[str, Any]:
    config = Llama4TextConfig(
        hidden_size=16,
        num_attention_heads=2,
        num_key_value_heads=2,
        head_dim=8,
        rope_parameters={"rope_type": "default", "rope_theta": 500000.0},
    )
    tokens = x.transpose(1, 2)
    turns = modeling_llama4.Llama4TextRotaryEmbedding(config)(tokens, torch.tensor([POSITIONS]))
    turned, _ = modeling_llama4.apply_rotary_emb(tokens, tokens, turns)
    return {
        "Llama 4 rotation": record(
            "models.llama4 Llama4TextRotaryEmbedding, apply_rotary_emb",
            {"x": X, "positions": POSITIONS, "rope_theta": 500000.0},
            turned[0, :, 0],
        )
    }


def _more_axes() -> dict[str, Any]:
    positions = [[0, 1, 2, 2, 2, 2, 4], [0, 1, 2, 2, 3, 3, 4], [0, 1, 2, 3, 2, 3, 4]]
    x = eighths(7, 16, seed=15)

    def mrope(
        module: Any, rotary: Callable[..., Any], config: Callable[..., Any], sections: Any
    ) -> Any:
        rope_parameters = {
            "rope_type": "default",
            "rope_theta": 10000.0,
            "mrope_section": sections,
        }
        settings = config(
            hidden_size=32,
            num_attention_heads=2,
            num_key_value_heads=2,
            head_dim=16,
            rope_parameters=rope_parameters,
        )
        heads = torch.tensor(x, dtype=torch.float32)[None, None]
        cos, sin = rotary(settings)(heads, torch.tensor(positions)[:, None])
        turned, _ = module.apply_rotary_pos_emb(heads, heads, cos, sin)
        return turned[0, 0]

    two, three = [2, 3, 3], [4, 2, 2]
    grid = torch.tensor([[row, column] for row in range(2) for column in range(3)])
    patches = eighths(6, 8, seed=16)
    heads = torch.tensor(patches, dtype=torch.float32)[:, None]

    def axial(module: Any, rotary: Any, config: Any) -> Any:
        cos, sin = rotary(config)(heads, grid)
        if module is modeling_pixtral:
            turned, _ = module.apply_rotary_pos_emb(
                heads[:, 0], heads[:, 0], cos, sin, unsqueeze_dim=0
            )
            return turned[0]
        turned, _ = module.apply_rotary_pos_emb_vision(heads, heads, cos, sin)
        return turned[:, 0]

    pixtral = PixtralVisionConfig(hidden_size=16, num_attention_heads=2, head_dim=8)
    qwen = Qwen2VLVisionConfig(embed_dim=16, num_heads=2, num_attention_heads=2)
    arguments = {"x": patches, "rows": grid[:, 0], "columns": grid[:, 1], "rope_theta": 10000.0}
    return {
        "Qwen2-VL rotation": record(
            "models.qwen2_vl Qwen2VLRotaryEmbedding, apply_rotary_pos_emb",
            {"x": x, "positions": positions, "mrope_section": two, "rope_theta": 10000.0},
            mrope(
                modeling_qwen2_vl,
                modeling_qwen2_vl.Qwen2VLRotaryEmbedding,
                Qwen2VLTextConfig,
                two,
            ),
        ),
        "Qwen3-VL rotation": record(
            "models.qwen3_vl Qwen3VLTextRotaryEmbedding, apply_rotary_pos_emb",
            {"x": x, "positions": positions, "mrope_section": three, "rope_theta": 10000.0},
            mrope(
                modeling_qwen3_vl,
                modeling_qwen3_vl.Qwen3VLTextRotaryEmbedding,
                Qwen3VLTextConfig,
                three,
            ),
        ),
        "Qwen2-VL position ids": _rope_index(),
        "Pixtral rotation": record(
            "models.pixtral PixtralVisionRotaryEmbedding, apply_rotary_pos_emb",
            arguments,
            axial(modeling_pixtral, modeling_pixtral.PixtralVisionRotaryEmbedding, pixtral),
        ),
        "Qwen2-VL vision rotation": record(
            "models.qwen2_vl Qwen2VLVisionRotaryEmbedding, apply_rotary_pos_emb_vision",
            arguments,
            axial(modeling_qwen2_vl, modeling_qwen2_vl.Qwen2VLVisionRotaryEmbedding, qwen),
        ),
    }


def _rope_index() -> dict[str, Any]:
    """Two words, an image of 2 × 3 merged patches, three words, a film of 5 × 2 × 2, a word."""
    kinds = [0] * 2 + [1] * 6 + [0] * 3 + [2] * 20 + [0]
    module = modeling_qwen2_vl.Qwen2VLModel
    model = SimpleNamespace(
        config=SimpleNamespace(vision_config=SimpleNamespace(spatial_merge_size=2))
    )
    model.get_vision_position_ids = module.get_vision_position_ids.__get__(model)
    positions, _ = module.get_rope_index(
        model,
        torch.zeros(1, len(kinds), dtype=torch.long),
        torch.tensor([kinds]),
        image_grid_thw=torch.tensor([[1, 4, 6]]),
        video_grid_thw=torch.tensor([[5, 4, 4]]),
    )
    return record(
        "models.qwen2_vl Qwen2VLModel.get_rope_index, spatial_merge_size=2, grids before merging "
        "(1, 4, 6) and (5, 4, 4)",
        {"segments": [2, [1, 2, 3], 3, [5, 2, 2], 1]},
        positions[:, 0],
    )


def _layers() -> dict[str, Any]:
    llama = Llama4TextConfig(num_hidden_layers=10)
    smol = SmolLM3Config(num_hidden_layers=9, no_rope_layer_interval=3)
    return {
        "Llama 4 layers that rotate": record(
            "Llama4TextConfig(num_hidden_layers).no_rope_layers, in which 1 means that it rotates",
            {"n_layers": 10, "nope_every": 4},
            [bool(flag) for flag in llama.no_rope_layers],
        ),
        "SmolLM3 layers that rotate": record(
            "SmolLM3Config(num_hidden_layers, no_rope_layer_interval).no_rope_layers, in which 1 "
            "means that it rotates",
            {"n_layers": 9, "nope_every": 3},
            [bool(flag) for flag in smol.no_rope_layers],
        ),
    }


def _drifts() -> dict[str, Any]:
    """What the library refuses to do: state left by another call, frequencies in half precision."""

    def llama(head_dim: int, rope_parameters: dict[str, Any]) -> Any:
        return LlamaRotaryEmbedding(
            LlamaConfig(
                hidden_size=2 * head_dim,
                num_attention_heads=2,
                head_dim=head_dim,
                max_position_embeddings=2048,
                rope_parameters=rope_parameters,
            )
        )

    dynamic = {"rope_type": "dynamic", "rope_theta": 10000.0, "factor": 2.0}
    stale, x = llama(16, dynamic), torch.zeros(1)
    stale(x, torch.tensor([[4095]]))
    after, _ = stale(x, torch.tensor([[2999]]))
    rounded = llama(16, {"rope_type": "default", "rope_theta": 10000.0}).to(torch.bfloat16)
    cosines, _ = rounded(x, torch.tensor([[100, 1000, 4095]]))
    return {
        "Llama cosines, dynamic, after a longer call": record(
            "models.llama LlamaRotaryEmbedding(dynamic): cosines of position 2999 after position "
            "4095 was asked for",
            {"head_dim": 16, "position": 2999, "length": 3000, "original_length": 2048} | dynamic,
            after[0, 0, :8],
        ),
        "Llama cosines, module cast to bfloat16": record(
            "models.llama LlamaRotaryEmbedding.to(bfloat16): cosines of positions in float32",
            {"head_dim": 16, "positions": [100, 1000, 4095], "rope_theta": 10000.0},
            cosines[0, :, :8],
        ),
    }
