"""A copy of the book's folder, to build or to edit without touching the one that it is made of."""

from __future__ import annotations

import shutil
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
# What is no part of the book: environments, and what was built before.
_LEFT_OUT = (
    ".venv",
    ".parity",
    ".engines",
    ".sphinx",
    "site",
    ".site-*",
    "dist",
    "mutants",
    "node_modules",
    ".*_cache",
    "__pycache__",
)


def copy_book(place: Path) -> Path:
    """Copy the book into a new folder and return it. What a build has kept goes along."""
    return shutil.copytree(ROOT, place, ignore=shutil.ignore_patterns(*_LEFT_OUT))
