# mypy: disable-error-code="import-not-found"
"""Sinusoids of positional-encodings."""

from typing import Any

import torch
from positional_encodings.torch_encodings import (
    PositionalEncoding1D,
    PositionalEncoding2D,
)

from tools.parity.store import record


def records() -> dict[str, Any]:
    """All of them, by name."""
    widths = [4, 6, 8, 16]
    module = PositionalEncoding1D(16)
    module(torch.zeros(1, 1001, 16))
    cached = module(torch.zeros(1, 1001, 16, dtype=torch.float64))
    return {
        "1-D sinusoids": record(
            "torch_encodings.PositionalEncoding1D(width)(zeros(1, length, width))",
            {"length": 9, "widths": widths},
            {width: PositionalEncoding1D(width)(torch.zeros(1, 9, width))[0] for width in widths},
        ),
        "2-D sinusoids": record(
            "torch_encodings.PositionalEncoding2D(d_model)(zeros(1, height, width, d_model))",
            {"height": 2, "width": 3, "d_model": 8},
            PositionalEncoding2D(8)(torch.zeros(1, 2, 3, 8))[0],
        ),
        "1-D sinusoids asked for in float64 after float32": record(
            "torch_encodings.PositionalEncoding1D(16): float32 first, then float64 of that shape; "
            "row 1000",
            {"position": 1000, "d_model": 16},
            cached[0, 1000],
        ),
    }
