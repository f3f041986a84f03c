"""Which chapter a page belongs to: its number, from the order of the navigation.

The navigation is read from the `mkdocs.yml` beside the book's folder, so that every command counts
alike, also where no generator runs. The pages below `chapters/` are counted through all parts; the
page of exercises of the same name has the number of its chapter. All other pages have none, and
neither has a book without a navigation.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import lru_cache
from pathlib import Path, PurePosixPath
from typing import Any

import yaml

CONFIG = "mkdocs.yml"
_CHAPTERS, _EXERCISES = "chapters", "exercises"


class _Loader(yaml.SafeLoader):
    """Reads a configuration without what its own tags stand for: they name objects."""


_Loader.add_multi_constructor("", lambda loader, tag, node: None)


def chapter_of(page: Path) -> str:
    """The number of the chapter that a page belongs to; empty if it belongs to none."""
    page = page.resolve()
    config = next((found for up in page.parents if (found := up / CONFIG).is_file()), None)
    if config is None:
        return ""
    docs, numbers = _numbers(config, config.stat().st_mtime_ns)
    if not page.is_relative_to(docs):
        return ""
    folder, _, name = page.relative_to(docs).as_posix().rpartition("/")
    return numbers.get(name, "") if folder in (_CHAPTERS, _EXERCISES) else ""


def chapters(docs: Path) -> list[str]:
    """The names of a book's chapters, as the navigation has them."""
    config = docs.resolve().parent / CONFIG
    return [Path(name).stem for name in _numbers(config, config.stat().st_mtime_ns)[1]]


@lru_cache(maxsize=8)
def _numbers(config: Path, changed: int) -> tuple[Path, dict[str, str]]:
    """The book's folder, and the numbers of its chapters by the names of their files."""
    given: dict[str, Any] = yaml.load(config.read_text("utf-8"), _Loader) or {}
    pages = (PurePosixPath(page) for page in _pages(given.get("nav")))
    names = (page.name for page in pages if str(page.parent) == _CHAPTERS)
    numbers = {name: str(number) for number, name in enumerate(names, start=1)}
    return config.parent / (given.get("docs_dir") or "docs"), numbers


def _pages(nav: Any) -> Iterator[str]:
    if isinstance(nav, str):
        yield nav
    elif isinstance(nav, (list, dict)):
        for each in nav.values() if isinstance(nav, dict) else nav:
            yield from _pages(each)
