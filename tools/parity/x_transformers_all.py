# mypy: disable-error-code="import-not-found"
"""Biases and rotations of x-transformers."""

from typing import Any

import torch
from x_transformers.x_transformers import (
    AlibiPositionalBias,
    CoPE,
    DataDependentAlibi,
    RelativePositionBias,
    RotaryEmbedding,
    ScaledSinusoidalEmbedding,
    apply_rotary_pos_emb,
)

from tools.parity.inputs import POSITIONS, X, eighths
from tools.parity.store import record

HEADS = [*range(1, 17), 20, 32, 40]
MASKED = -9e9  # far below any logit: its gate is zero


def records() -> dict[str, Any]:
    """All of them, by name."""
    return _tables() | _rotations() | _data_dependent()


def _tensor(values: Any) -> Any:
    return torch.tensor(values, dtype=torch.float32)


def _tables() -> dict[str, Any]:
    widths, table = [4, 8], eighths(8, 2, seed=21)
    bucket = RelativePositionBias._relative_position_bucket

    def buckets(causal: bool) -> dict[str, Any]:
        return record(
            "RelativePositionBias._relative_position_bucket(-farthest … farthest, causal)",
            {"farthest": 140, "num_buckets": 32, "max_distance": 128, "bidirectional": not causal},
            bucket(torch.arange(-140, 141), causal=causal),
        )

    bias = RelativePositionBias(scale=0.5, causal=False, num_buckets=8, max_distance=20, heads=2)
    bias.relative_attention_bias.weight.data = _tensor(table)
    return {
        "scaled sinusoids": record(
            "ScaledSinusoidalEmbedding(width)(zeros(1, length, width))",
            {"length": 9, "widths": widths},
            {
                width: ScaledSinusoidalEmbedding(width)(torch.zeros(1, 9, width)).detach()
                for width in widths
            },
        ),
        "T5 buckets, both directions": buckets(False),
        "T5 buckets, causal": buckets(True),
        "T5 bias": record(
            "RelativePositionBias(scale, heads)(n_query, n_key)",
            {"table": table, "max_distance": 20, "scale": 0.5, "n_query": 3, "n_key": 5},
            bias(3, 5).detach(),
        ),
        "ALiBi slopes": record(
            "AlibiPositionalBias._get_slopes(n_heads)",
            {"n_heads": HEADS},
            {n: AlibiPositionalBias._get_slopes(n) for n in HEADS},
        ),
        "ALiBi bias": record(
            "AlibiPositionalBias(n_heads)(n_query, n_key)",
            {"n_heads": 6, "n_query": 2, "n_key": 5},
            AlibiPositionalBias(6)(2, 5),
        ),
    }


def _rotations() -> dict[str, Any]:
    x = _tensor(X).repeat(1, 1, len(POSITIONS), 1)
    arguments = {"x": X, "positions": POSITIONS}

    def turned(rotary: Any) -> Any:
        turns, scale = rotary(torch.tensor(POSITIONS))
        return apply_rotary_pos_emb(x, turns, scale)[0, 0]

    q, k = eighths(6, 8, seed=22), eighths(6, 8, seed=23)
    turns, scale = RotaryEmbedding(8, use_xpos=True)(torch.arange(6))
    function = "RotaryEmbedding(rotary_dim, base=base), apply_rotary_pos_emb"
    return {
        "rotation": record(function, arguments | {"base": 10000.0}, turned(RotaryEmbedding(8))),
        "rotation, base 500000": record(
            function, arguments | {"base": 500000.0}, turned(RotaryEmbedding(8, base=500000))
        ),
        "rotation of a part": record(
            function, arguments | {"rotary_dim": 4}, turned(RotaryEmbedding(4))
        ),
        "rotation, interpolated": record(
            "RotaryEmbedding(rotary_dim, interpolation_factor=factor), apply_rotary_pos_emb",
            arguments | {"factor": 4.0},
            turned(RotaryEmbedding(8, interpolation_factor=4.0)),
        ),
        "rotation, base rescaled": record(
            "RotaryEmbedding(rotary_dim, base_rescale_factor=factor), apply_rotary_pos_emb",
            arguments | {"factor": 4.0},
            turned(RotaryEmbedding(8, base_rescale_factor=4.0)),
        ),
        "xPos": record(
            "RotaryEmbedding(8, use_xpos=True), apply_rotary_pos_emb: scale for q, 1 / scale for k",
            {"q": q, "k": k, "center": 3, "scale_base": 512.0},
            {
                "q": apply_rotary_pos_emb(_tensor(q)[None, None], turns, scale)[0, 0],
                "k": apply_rotary_pos_emb(_tensor(k)[None, None], turns, scale**-1)[0, 0],
            },
        ),
    }


def _data_dependent() -> dict[str, Any]:
    query, table = eighths(4, 2, seed=24), eighths(4, 2, seed=25)
    logits = eighths(4, 4, seed=26)
    cope = CoPE(dim=2, heads=1, max_pos=4)
    cope.pos_emb.data = _tensor(table)
    causal = torch.ones(4, 4).tril().bool()
    masked = torch.where(causal, _tensor(logits), torch.tensor(MASKED))
    x, weight, bias = eighths(4, 2, seed=27), eighths(2, 2, seed=28), [1.0, -0.5]
    module = DataDependentAlibi(dim=2, heads=2)
    module.to_forget_gates[0].weight.data = _tensor(weight)
    module.to_forget_gates[0].bias.data = _tensor(bias)
    return {
        "CoPE": record(
            "CoPE(dim, heads=1, max_pos)(query, attn_logits), above the diagonal "
            f"{MASKED:.0e} as logit",
            {"q": query, "logits": logits, "table": table},
            cope(_tensor(query)[None, None], masked[None, None])[0, 0].detach(),
        ),
        "forgetting bias": record(
            "DataDependentAlibi(dim, heads, causal=True)(x), zero above the diagonal",
            {"x": x, "weight": weight, "bias": bias},
            module(_tensor(x)[None])[0].tril().detach(),
        ),
    }
