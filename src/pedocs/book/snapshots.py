"""Archived copies of what the book links to, as `make links` has found and recorded them."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

NAME = "snapshots.json"


@dataclass(frozen=True)
class Snapshot:
    """A copy of a page in a web archive."""

    address: str
    date: str  # the day on which it was taken, YYYY-MM-DD


def read_snapshots(docs: Path) -> dict[str, Snapshot]:
    """The copies that are recorded for a book, by the addresses that they are of."""
    path = docs / NAME
    if not path.exists():
        return {}
    return {link: Snapshot(**said) for link, said in json.loads(path.read_text("utf-8")).items()}


def write_snapshots(docs: Path, found: Mapping[str, Snapshot]) -> None:
    """Record copies, in the order of the addresses."""
    record = {link: vars(found[link]) for link in sorted(found)}
    text = json.dumps(record, indent=1, ensure_ascii=False) + "\n"
    (docs / NAME).write_text(text, "utf-8", newline="\n")
