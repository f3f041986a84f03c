"""What sources, papers and models print: one data file, and how a page compares with it."""

from __future__ import annotations

import tomllib
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any

import numpy as np

from pedocs.book.numbers import elements, written_numbers
from pedocs.book.reads import note

NAME = "sources.toml"
# The wheel that the book's site serves to its readers brings the file along.
_SERVED = Path(__file__).with_name(NAME)
_DEFAULT = _SERVED if _SERVED.is_file() else Path("docs") / NAME
_file: ContextVar[Path] = ContextVar("sources", default=_DEFAULT)


@contextmanager
def sources_of(page: Path) -> Iterator[None]:
    """Let `source` read the data file that lies beside a page, or nearest above it."""
    nearest = (folder / NAME for folder in page.resolve().parents)
    token = _file.set(next((file for file in nearest if file.exists()), _file.get()))
    try:
        yield
    finally:
        _file.reset(token)


@lru_cache(maxsize=8)
def _read(path: Path, stamp: int, size: int) -> dict[str, Any]:
    return tomllib.loads(path.read_text(encoding="utf-8"))


def _section(key: str) -> dict[str, Any]:
    path = _file.get()
    try:
        stat = path.stat()
    except FileNotFoundError:
        raise LookupError(f"there is no {path}") from None
    note(path)
    data = _read(path, stat.st_mtime_ns, stat.st_size)
    if key not in data:
        raise LookupError(f"{NAME} has no source {key!r}; it has {', '.join(map(repr, data))}")
    section: dict[str, Any] = data[key]
    return section


def _item(key: str, item: str) -> dict[str, str]:
    items = _section(key).get("items", {})
    if item not in items:
        raise LookupError(
            f"{NAME}: source {key!r} has no item {item!r}; it has {', '.join(map(repr, items))}"
        )
    entry: dict[str, str] = items[item]
    for field in ("printed", "where"):
        if not str(entry.get(field, "")).strip():
            raise LookupError(f"{NAME}: {key!r}, {item!r} does not say {field!r}")
    return entry


def source(key: str, item: str) -> float | np.ndarray[Any, Any]:
    """The number, or the array of numbers, that a source prints.

    Raises LookupError where the data file has no such source or item.
    """
    printed = _item(key, item)["printed"]
    numbers = [float(written.value) for written in written_numbers(printed)]
    if not numbers:
        raise LookupError(f"{NAME}: {key!r}, {item!r} prints no number: {printed!r}")
    return numbers[0] if len(numbers) == 1 else np.array(numbers)


@dataclass(frozen=True)
class Comparison:
    """Every item of a source beside its recomputed value; prints as a Markdown table."""

    rows: tuple[tuple[str, str, str, str, bool], ...]

    @property
    def misses(self) -> int:
        """How many printed items do not hold at the precision in which they are printed."""
        return sum(not holds for *_, holds in self.rows)

    def __len__(self) -> int:
        return len(self.rows)

    def __str__(self) -> str:
        lines = [
            "| What | Holds | As printed | Recomputed | Where it stands |",
            "|---|---|---|---|---|",
        ]
        for item, where, printed, computed, holds in self.rows:
            lines.append(
                f"| {item} | {'yes' if holds else '**no**'} | {printed} | {computed} | {where} |"
            )
        return "\n".join(lines)


def _six(number: Any) -> str:
    if isinstance(number, int):
        return str(number).replace("-", "−")
    text = f"{number:.6f}"
    return text.replace("-", "−") if float(text) else text.lstrip("-")


def comparison(key: str, recomputed: dict[str, Any]) -> Comparison:
    """Hold every item of a source against what was recomputed.

    Raises LookupError where an item of the source is missing, or one too many is given.
    """
    items = _section(key).get("items", {})
    if missing := [item for item in items if item not in recomputed]:
        raise LookupError(f"source {key!r}: not recomputed: {', '.join(map(repr, missing))}")
    rows: list[tuple[str, str, str, str, bool]] = []
    for item, value in recomputed.items():
        entry = _item(key, item)
        written, numbers = written_numbers(entry["printed"]), elements(value)
        if len(written) != len(numbers):
            raise LookupError(
                f"source {key!r}, {item!r}: {len(written)} numbers are printed, "
                f"{len(numbers)} were recomputed"
            )
        holds = all(w.agrees(n) for w, n in zip(written, numbers, strict=True))
        printed = entry["printed"].replace("-", "−").replace("|", "\\|")
        where = entry["where"].replace("|", "\\|")
        rows.append((item, where, printed, ", ".join(map(_six, numbers)), holds))
    return Comparison(tuple(rows))
