"""pytest: every part of every page is a test, named by page and line.

`docs/chapters/two-scores.md:57` is the part in line 57, `….md:57.2` the second one there.
What belongs to no part (claims, alt texts, front matter) is the test `….md` itself. A page
is scanned when it is collected and run once, when its first test runs.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from functools import cached_property
from pathlib import Path
from typing import Any

import pytest

import pedocs
from pedocs.book.failures import Failure, display_path, report
from pedocs.book.page import Page, prove, read
from pedocs.book.parts import Shown
from pedocs.book.scan import scan


class PartFailedError(Exception):
    """What failed, to be shown without a traceback."""


class PageFile(pytest.File):
    """A page of the book."""

    def collect(self) -> Iterator[pytest.Item]:
        """One test for the page, and one for each part."""
        name = display_path(self.path)
        _, body, first = read(self.path)
        found = scan(body, name, first)
        yield PartItem.from_parent(self, name=name, nodeid=name, index=None, line=1)
        seen: Counter[int] = Counter()
        for index, part in enumerate(found.parts):
            if isinstance(part, Shown):
                continue
            seen[part.line] += 1
            again = f".{seen[part.line]}" if seen[part.line] > 1 else ""
            nodeid = f"{name}:{part.line}{again}"
            yield PartItem.from_parent(
                self, name=nodeid, nodeid=nodeid, index=index, line=part.line
            )

    @cached_property
    def proven(self) -> Page:
        """The page, run when it is first asked for."""
        return prove(self.path)


class PartItem(pytest.Item):
    """One part of a page; without an index, what belongs to no part."""

    parent: PageFile

    def __init__(self, *, index: int | None, line: int, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self.index, self.line = index, line

    def runtest(self) -> None:
        """Fail with everything that the proof found here."""
        page = self.parent.proven
        failures: list[Failure] = page.failures_of(self.index)
        if failures:
            raise PartFailedError(report(failures))

    def repr_failure(self, excinfo: Any, style: Any = None) -> Any:
        """The failures as the build prints them."""
        if isinstance(excinfo.value, PartFailedError):
            return str(excinfo.value)
        return super().repr_failure(excinfo)

    def reportinfo(self) -> tuple[Path, int, str]:
        """Where the part stands."""
        return self.path, self.line - 1, self.name


def pytest_configure(config: pytest.Config) -> None:
    """Refuse to prove a book with the library of another folder."""
    own = config.rootpath / "src" / "pedocs"
    used = Path(pedocs.__file__).resolve().parent
    if own.is_dir() and used != own.resolve():
        raise pytest.UsageError(f"{used} would be used for {own}: set up .venv in this folder")


def pytest_collect_file(file_path: Path, parent: pytest.Collector) -> PageFile | None:
    """Take the Markdown files of a book: below a docs/ that lies beside an mkdocs.yml."""
    in_book = any(
        folder.name == "docs" and (folder.parent / "mkdocs.yml").is_file()
        for folder in file_path.parents
    )
    if file_path.suffix == ".md" and in_book:
        page: PageFile = PageFile.from_parent(parent, path=file_path)
        return page
    return None
