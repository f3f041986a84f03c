# mypy: disable-error-code="import-not-found"
"""Attention in torch itself."""

from typing import Any

import torch
from torch.nn.functional import scaled_dot_product_attention

from tools.parity.inputs import eighths
from tools.parity.store import record


def records() -> dict[str, Any]:
    """All of them, by name."""
    q, k, v = eighths(2, 4, 8, seed=61), eighths(2, 6, 8, seed=62), eighths(2, 6, 3, seed=63)
    bias = eighths(2, 4, 6, seed=64)
    mask = eighths(4, 6, seed=65) > -1
    heads = [torch.tensor(each, dtype=torch.float32) for each in (q, k, v)]

    def call(attn_mask: Any = None, **settings: Any) -> Any:
        return scaled_dot_product_attention(*heads, attn_mask=attn_mask, **settings)

    arguments = {"q": q, "k": k, "v": v}
    function = "nn.functional.scaled_dot_product_attention"
    return {
        "attention": record(f"{function}(q, k, v)", arguments, call()),
        "attention with a bias": record(
            f"{function}(q, k, v, attn_mask=bias)",
            arguments | {"bias": bias},
            call(torch.tensor(bias, dtype=torch.float32)),
        ),
        "attention with a mask and a scale": record(
            f"{function}(q, k, v, attn_mask=mask, scale=scale)",
            arguments | {"mask": mask, "scale": 0.5},
            call(torch.tensor(mask), scale=0.5),
        ),
        "causal attention of fewer queries": record(
            f"{function}(q, k, v, is_causal=True): the first query stands at the first key",
            arguments,
            call(is_causal=True),
        ),
    }
