# mypy: disable-error-code="import-not-found"
"""Rotations of rotary-embedding-torch."""

from typing import Any

import torch
from rotary_embedding_torch import (
    RotaryEmbedding,
    apply_rotary_emb,
)

from tools.parity.inputs import X, eighths
from tools.parity.store import record


def records() -> dict[str, Any]:
    """All of them, by name."""
    return _one_axis() | _two_axes() | _xpos() | _half_precision()


def _tensor(values: Any) -> Any:
    return torch.tensor(values, dtype=torch.float32)


def _one_axis() -> dict[str, Any]:
    positions = [0, 1, 7, 1000]
    x = _tensor(X).repeat(1, 1, 1001, 1)

    def call(name: str, argument: dict[str, Any], dim: int = 8, **settings: Any) -> dict[str, Any]:
        module = RotaryEmbedding(dim, **settings)
        return record(
            f"RotaryEmbedding({dim}, {name}).rotate_queries_or_keys",
            {"x": X, "positions": positions} | argument,
            module.rotate_queries_or_keys(x)[0, 0, positions].detach(),
        )

    offset = RotaryEmbedding(8).rotate_queries_or_keys(x[:, :, :3], offset=5)
    return {
        "rotation": call("theta=base", {"base": 10000.0}),
        "rotation, base 500000": call("theta=base", {"base": 500000.0}, theta=500000),
        "rotation of a part": call("", {"rotary_dim": 4}, dim=4),
        "rotation, interpolated": call(
            "interpolate_factor=factor", {"factor": 4.0}, interpolate_factor=4.0
        ),
        "rotation, base rescaled": call(
            "theta_rescale_factor=factor", {"factor": 4.0}, theta_rescale_factor=4.0
        ),
        "rotation from an offset": record(
            "RotaryEmbedding(8).rotate_queries_or_keys(x, offset=5)",
            {"x": X, "positions": [5, 6, 7]},
            offset[0, 0].detach(),
        ),
    }


def _two_axes() -> dict[str, Any]:
    patches = eighths(6, 8, seed=31)
    turns = RotaryEmbedding(4).get_axial_freqs(2, 3)
    turned = apply_rotary_emb(turns, _tensor(patches).reshape(1, 2, 3, 8))
    return {
        "rotation on two axes": record(
            "RotaryEmbedding(4).get_axial_freqs(height, width), apply_rotary_emb",
            {"x": patches, "height": 2, "width": 3},
            turned.reshape(6, 8).detach(),
        )
    }


def _xpos() -> dict[str, Any]:
    q, k = eighths(6, 8, seed=32), eighths(6, 8, seed=33)
    arguments = {"q": q, "k": k, "center": 3, "scale_base": 512.0}

    def module() -> Any:
        return RotaryEmbedding(8, use_xpos=True)

    heads = _tensor(q)[None, None], _tensor(k)[None, None]
    together = module().rotate_queries_and_keys(*heads)
    cached = module().rotate_queries_with_cached_keys(heads[0][:, :, -1:], heads[1])
    scores = cached[0] @ cached[1].transpose(-1, -2)
    return {
        "xPos": record(
            "RotaryEmbedding(8, use_xpos=True).rotate_queries_and_keys(q, k)",
            arguments,
            {"q": together[0][0, 0].detach(), "k": together[1][0, 0].detach()},
        ),
        "xPos scores of the last query with cached keys": record(
            "RotaryEmbedding(8, use_xpos=True).rotate_queries_with_cached_keys(q[-1:], k), q @ k",
            arguments,
            scores[0, 0].detach(),
        ),
    }


def _half_precision() -> dict[str, Any]:
    x = _tensor(X).repeat(1, 1, 301, 1).to(torch.bfloat16)
    turned = RotaryEmbedding(8).rotate_queries_or_keys(x)[0, 0, [257, 300]]
    return {
        "rotation of bfloat16": record(
            "RotaryEmbedding(8).rotate_queries_or_keys(x in bfloat16): positions in bfloat16 too",
            {"x": X, "positions": [257, 300]},
            turned.float().detach(),
        )
    }
