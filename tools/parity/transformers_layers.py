# mypy: disable-error-code="import-not-found"
"""Whole attention layers of transformers, with their positions, on small weights."""

from typing import Any

import torch
from transformers import DynamicCache, LlamaConfig, T5Config
from transformers.models.llama.modeling_llama import LlamaAttention, LlamaRotaryEmbedding
from transformers.models.t5.modeling_t5 import T5Attention

from tools.parity.inputs import eighths
from tools.parity.store import record


def records() -> dict[str, Any]:
    """All of them, by name."""
    return _llama() | _t5()


def _tensor(values: Any) -> Any:
    return torch.tensor(values, dtype=torch.float32)


def _load(linear: Any, weight: Any) -> None:
    """Put a matrix that is applied from the right into a linear layer."""
    linear.weight.data = _tensor(weight).T.contiguous()


def _llama() -> dict[str, Any]:
    """Four heads share two key heads; rotated, causal, in one pass and with a cache."""
    config = LlamaConfig(
        hidden_size=8,
        num_attention_heads=4,
        num_key_value_heads=2,
        head_dim=4,
        rope_parameters={"rope_type": "default", "rope_theta": 10000.0},
        attn_implementation="eager",
    )
    weights = {
        "W_Q": eighths(8, 16, seed=41) / 4,
        "W_K": eighths(8, 8, seed=42) / 4,
        "W_V": eighths(8, 8, seed=43) / 4,
        "W_O": eighths(16, 8, seed=44) / 4,
    }
    x = eighths(5, 8, seed=45)
    module, rotary = LlamaAttention(config, layer_idx=0), LlamaRotaryEmbedding(config)
    for name, linear in zip(
        weights, (module.q_proj, module.k_proj, module.v_proj, module.o_proj), strict=True
    ):
        _load(linear, weights[name])

    def run(first: int, last: int, cache: Any = None) -> Any:
        tokens = _tensor(x)[None, first:last]
        turns = rotary(tokens, torch.arange(first, last)[None])
        ahead = torch.full((last, last), -torch.inf).triu(1)[None, None, first:last]
        output, _ = module(tokens, turns, ahead, past_key_values=cache)
        return output[0].detach()

    cache = DynamicCache(config=config)
    run(0, 3, cache)
    arguments = {"x": x, "n_heads": 4, "n_key_heads": 2, **weights}
    function = "models.llama LlamaAttention(x), causal"
    return {
        "Llama attention, grouped keys": record(function, arguments, run(0, 5)),
        "Llama attention, two tokens after a cache of three": record(
            f"{function}, DynamicCache", arguments, run(3, 5, cache)
        ),
    }


def _t5() -> dict[str, Any]:
    """An encoder: scores are not scaled, and have the bias of their buckets."""
    config = T5Config(
        d_model=8,
        d_kv=4,
        num_heads=2,
        relative_attention_num_buckets=8,
        relative_attention_max_distance=20,
        dropout_rate=0.0,
        attn_implementation="eager",
    )
    module = T5Attention(config, has_relative_attention_bias=True, layer_idx=0).eval()
    x, table = eighths(5, 8, seed=46) / 2, eighths(8, 2, seed=47)
    weights = {
        name: eighths(8, 8, seed=seed) / 2
        for name, seed in (("W_Q", 48), ("W_K", 49), ("W_V", 50), ("W_O", 51))
    }
    for name, linear in zip(weights, (module.q, module.k, module.v, module.o), strict=True):
        _load(linear, weights[name])
    module.relative_attention_bias.weight.data = _tensor(table)
    return {
        "T5 attention of an encoder": record(
            "models.t5 T5Attention(encoder)(x)",
            {"x": x, "table": table, "max_distance": 20, "n_heads": 2, **weights},
            module(_tensor(x)[None])[0][0].detach(),
        )
    }
