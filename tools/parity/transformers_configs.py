# mypy: disable-error-code="import-not-found"
"""What models of transformers make of their configuration: rotary frequencies, kinds of layers.

The configurations have the keys of published config.json files, in small.
"""

import importlib
import inspect
from typing import Any

import torch
from transformers import CONFIG_MAPPING

from tools.parity.inputs import LLAMA3
from tools.parity.store import record

SMALL = {"hidden_size": 128, "num_attention_heads": 4, "num_hidden_layers": 8}
YARN = {"factor": 4.0, "original_max_position_embeddings": 1024}
DEEPSEEK = YARN | {"beta_fast": 32, "beta_slow": 1, "mscale": 1.0, "mscale_all_dim": 0.5}
SHORT = [1.0 + m / 16 for m in range(16)]
LONG = [1.0 + m for m in range(16)]
LONGROPE = {"type": "longrope", "short_factor": SHORT, "long_factor": LONG}
PHI3 = {"max_position_embeddings": 131072, "original_max_position_embeddings": 4096}

# What is configured, the configuration beside SMALL, and the length of the running sequence.
ROTARY: dict[str, tuple[dict[str, Any], int | None]] = {
    "llama": ({"model_type": "llama"}, None),
    "llama, llama3": (
        {
            "model_type": "llama",
            "max_position_embeddings": 131072,
            "rope_theta": 500000.0,
            "rope_scaling": LLAMA3,
        },
        None,
    ),
    "llama, llama3 in the newer form": (
        {
            "model_type": "llama",
            "max_position_embeddings": 131072,
            "rope_parameters": LLAMA3 | {"rope_theta": 500000.0},
        },
        None,
    ),
    "llama, linear": (
        {"model_type": "llama", "rope_scaling": {"type": "linear", "factor": 4.0}},
        None,
    ),
    "llama, dynamic": (
        {
            "model_type": "llama",
            "max_position_embeddings": 2048,
            "rope_scaling": {"type": "dynamic", "factor": 2.0},
        },
        5000,
    ),
    "qwen2, yarn": (
        {
            "model_type": "qwen2",
            "max_position_embeddings": 1024,
            "rope_theta": 1000000.0,
            "rope_scaling": YARN | {"type": "yarn"},
        },
        None,
    ),
    "qwen3, yarn": (
        {
            "model_type": "qwen3",
            "head_dim": 64,
            "max_position_embeddings": 1024,
            "rope_theta": 1000000,
            "rope_scaling": YARN | {"rope_type": "yarn"},
        },
        None,
    ),
    "mistral": ({"model_type": "mistral", "rope_theta": 1000000.0, "sliding_window": None}, None),
    "gemma": ({"model_type": "gemma", "head_dim": 64}, None),
    "gemma3_text, linear where all is read": (
        {
            "model_type": "gemma3_text",
            "head_dim": 64,
            "rope_scaling": {"rope_type": "linear", "factor": 8.0},
            "sliding_window": 512,
        },
        None,
    ),
    "deepseek_v3, yarn": (
        {
            "model_type": "deepseek_v3",
            "max_position_embeddings": 4096,
            "qk_rope_head_dim": 32,
            "qk_nope_head_dim": 16,
            "v_head_dim": 16,
            "rope_scaling": DEEPSEEK | {"type": "yarn"},
        },
        None,
    ),
    "phi": ({"model_type": "phi", "partial_rotary_factor": 0.4}, None),
    "phi3, longrope at the trained length": (
        {"model_type": "phi3", "rope_scaling": LONGROPE} | PHI3,
        4096,
    ),
    "phi3, longrope one beyond": ({"model_type": "phi3", "rope_scaling": LONGROPE} | PHI3, 4097),
    "gpt_neox": ({"model_type": "gpt_neox", "rotary_emb_base": 20000, "rotary_pct": 0.25}, None),
    "glm": ({"model_type": "glm", "head_dim": 32, "partial_rotary_factor": 0.5}, None),
    "stablelm": ({"model_type": "stablelm", "partial_rotary_factor": 0.25}, None),
    "cohere2": ({"model_type": "cohere2", "rope_theta": 50000}, None),
    "smollm3": ({"model_type": "smollm3", "rope_theta": 5000000.0}, None),
    "llama4_text, llama3": (
        {
            "model_type": "llama4_text",
            "head_dim": 32,
            "rope_theta": 500000.0,
            "rope_scaling": LLAMA3 | {"factor": 16.0},
        },
        None,
    ),
}
LAYERS: dict[str, dict[str, Any]] = {
    "cohere2": {"model_type": "cohere2", "sliding_window_pattern": 4},
    "gemma2": {"model_type": "gemma2", "sliding_window": 4096},
    "gemma3_text": {"model_type": "gemma3_text", "sliding_window_pattern": 6},
    "qwen2": {"model_type": "qwen2", "use_sliding_window": True, "max_window_layers": 5},
}


def records() -> dict[str, Any]:
    """All of them, by name."""
    return _frequencies() | _layers()


def _config(settings: dict[str, Any]) -> Any:
    settings = dict(settings)
    return CONFIG_MAPPING[settings.pop("model_type")](**settings)


def _frequencies() -> dict[str, Any]:
    found = {}
    for name, (settings, length) in ROTARY.items():
        given = SMALL | settings
        model_type = given["model_type"]
        folder = model_type.removesuffix("_text")
        module = importlib.import_module(f"transformers.models.{folder}.modeling_{folder}")
        rotary_class: Any
        (rotary_class,) = (
            member
            for class_name, member in inspect.getmembers(module, inspect.isclass)
            if class_name.endswith("RotaryEmbedding")
            and "Vision" not in class_name
            and member.__module__ == module.__name__
        )
        rotary = rotary_class(_config(given))
        kinds = [""] if model_type != "gemma3_text" else ["full_attention_", "sliding_attention_"]
        values = {}
        for kind in kinds:
            if length is not None:
                rotary(torch.zeros(1, 1, 4), torch.tensor([[length - 1]]))
            factor = float(getattr(rotary, f"{kind}attention_scaling"))
            values[kind.removesuffix("_attention_") or "all"] = {
                "frequencies": getattr(rotary, f"{kind}inv_freq"),
                "attention_factor": torch.tensor(factor),
            }
        found[f"config of {name}"] = record(
            f"models.{folder} {rotary_class.__name__}(config)",
            {"config": given, "length": length},
            values,
        )
    return found


def _layers() -> dict[str, Any]:
    found = {}
    for name, settings in LAYERS.items():
        given = SMALL | settings
        kinds = _config(given).layer_types
        found[f"windows of {name}"] = record(
            'config.layer_types: whether each is "sliding_attention"',
            {"config": given},
            [kind == "sliding_attention" for kind in kinds],
        )
    return found
