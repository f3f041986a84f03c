# mypy: disable-error-code="import-not-found"
"""Frequencies of the rotation in transformers: every kind of scaling."""

from typing import Any

import torch
from transformers import LlamaConfig
from transformers.modeling_rope_utils import (
    ROPE_INIT_FUNCTIONS,
)
from transformers.models.llama.modeling_llama import (
    LlamaRotaryEmbedding,
)

from tools.parity.inputs import LLAMA3
from tools.parity.store import record

YARN = {"rope_type": "yarn", "rope_theta": 10000.0}
LONGROPE = {
    "rope_type": "longrope",
    "rope_theta": 10000.0,
    "short_factor": [1.0, 1.05, 1.1, 1.15, 1.2, 1.25, 1.3, 1.35],
    "long_factor": [1.0, 3.0, 5.0, 7.0, 9.0, 11.0, 13.0, 15.0],
    "original_max_position_embeddings": 4096,
    "factor": 32.0,
}


def records() -> dict[str, Any]:
    """All of them, by name."""
    dynamic = {"rope_type": "dynamic", "rope_theta": 10000.0, "factor": 2.0}
    found = {
        "default": _call(64, 2048, {"rope_type": "default", "rope_theta": 10000.0}),
        "default, base 500000": _call(128, 8192, {"rope_type": "default", "rope_theta": 500000.0}),
        "linear": _call(64, 8192, {"rope_type": "linear", "rope_theta": 10000.0, "factor": 4.0}),
        "llama3, d 128": _call(128, 131072, LLAMA3 | {"rope_theta": 500000.0}),
        "llama3, d 64": _call(64, 131072, LLAMA3 | {"rope_theta": 10000.0}),
        "longrope at the trained length": _call(16, 131072, LONGROPE, length=4096),
        "longrope one beyond": _call(16, 131072, LONGROPE, length=4097),
        "proportional": _call(
            64,
            131072,
            {"rope_type": "proportional", "rope_theta": 1e6, "partial_rotary_factor": 0.25},
        ),
    }
    for length in (1024, 2048, 2049, 4096, 16384):
        found[f"dynamic at {length}"] = _call(64, 2048, dynamic, length=length)
    for name, head_dim, trained, settings in (
        ("4", 64, 2048, {}),
        ("16, d 128", 128, 4096, {}),
        ("4, not truncated", 64, 2048, {"truncate": False}),
        ("40, mscale 1 and 1", 64, 4096, {"mscale": 1.0, "mscale_all_dim": 1.0}),
        ("40, mscale 0.707 and 0.5", 64, 4096, {"mscale": 0.707, "mscale_all_dim": 0.5}),
        ("64, attention factor 1", 64, 2048, {"attention_factor": 1.0}),
        ("8, other betas", 32, 1024, {"beta_fast": 16.0, "beta_slow": 2.0}),
    ):
        factor = float(name.partition(",")[0])
        rope_parameters = (
            YARN | {"factor": factor, "original_max_position_embeddings": trained} | settings
        )
        found[f"yarn by {name}"] = _call(head_dim, int(factor * trained), rope_parameters)
    return {f"frequencies, {name}": value for name, value in found.items()}


def _call(
    head_dim: int, longest: int, rope_parameters: dict[str, Any], length: int | None = None
) -> dict[str, Any]:
    config = LlamaConfig(
        hidden_size=2 * head_dim,
        num_attention_heads=2,
        head_dim=head_dim,
        max_position_embeddings=longest,
        rope_parameters=dict(rope_parameters),
    )
    kind = rope_parameters["rope_type"]
    if kind == "default":
        frequencies, factor = LlamaRotaryEmbedding.compute_default_rope_parameters(config)
        function = "models.llama LlamaRotaryEmbedding.compute_default_rope_parameters"
    else:
        frequencies, factor = ROPE_INIT_FUNCTIONS[kind](config, torch.device("cpu"), seq_len=length)
        function = f'modeling_rope_utils.ROPE_INIT_FUNCTIONS["{kind}"]'
    return record(
        function,
        {
            "head_dim": head_dim,
            "max_position_embeddings": longest,
            "length": length,
            "rope_parameters": rope_parameters,
        },
        {
            "frequencies": frequencies.to(torch.float32),
            "attention_factor": torch.tensor(float(factor), dtype=torch.float32),
        },
    )
