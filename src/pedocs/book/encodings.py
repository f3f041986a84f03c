"""The encodings that the interactive matrix shows: too many numbers to stand in its page.

A site has one file for each width and spacing, and the figure asks for it when a reader chooses
that size. The page itself holds the first rows of one of them, in the same form.
"""

from __future__ import annotations

import base64
from pathlib import Path
from typing import Any, Literal

import numpy as np

from pedocs import sinusoidal

WIDTHS = (4, 6, 8, 16, 32, 64, 128, 256, 512)
ROWS = 128
_ORDERS: tuple[Literal["interleaved", "half-split"], ...] = ("interleaved", "half-split")
# What readers choose: a spacing, and the order of the columns.
LAYOUTS = {
    "paper": ("paper", "interleaved"),
    "halves": ("paper", "half-split"),
    "tensor2tensor": ("tensor2tensor", "half-split"),
}


def packed(width: int, spacing: Any, rows: int) -> bytes:
    """One table, as integers of 32 bits.

    First come, for each order of the columns, the entries that stand in them; then, for each
    position and each pair, the sine and the cosine, in millionths: figures show six decimals.
    """
    pairs = sinusoidal(np.arange(rows), width, spacing=spacing)
    entries = sinusoidal(1, width, spacing=spacing)  # no two are alike
    orders = [
        (sinusoidal(1, width, layout=order, spacing=spacing)[:, np.newaxis] == entries).argmax(1)
        for order in _ORDERS
    ]
    return np.concatenate([*orders, *np.rint(pairs * 1e6)]).astype("<i4").tobytes()


def offered(width: int, rows: int) -> dict[str, Any]:
    """What the page holds: the layouts, and so many rows of the paper's table."""
    return {
        "layouts": {
            name: {"spacing": spacing, "order": _ORDERS.index(order)}
            for name, (spacing, order) in LAYOUTS.items()
        },
        "held": {
            "file": _name(width, "paper"),
            "rows": rows,
            "table": base64.b64encode(packed(width, "paper", rows)).decode(),
        },
    }


def write(site: Path) -> None:
    """Write the tables into a built site, beside the scripts of the figures."""
    folder = site / "assets" / "figures"
    folder.mkdir(parents=True, exist_ok=True)
    for spacing in {spacing for spacing, _ in LAYOUTS.values()}:
        for width in WIDTHS:
            (folder / _name(width, spacing)).write_bytes(packed(width, spacing, ROWS))


def _name(width: int, spacing: str) -> str:
    return f"matrix-{spacing}-d{width}.bin"
