"""One build of the book: the pages proven so far, and what to do when one fails.

A generator calls the extension page by page. If a hook has said that it gathers the
failures, they are only recorded here. If not, the first page that fails stops the build,
after the pages that were not reached yet are proven too, so that one run tells everything.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from pathlib import Path

from pedocs.book.ahead import Ahead, prove_all
from pedocs.book.failures import Failure, build_error, report
from pedocs.book.page import Page, pages_below


@dataclass
class Build:
    """The pages of a build by their file, and whether a hook gathers the failures."""

    pages: dict[Path, Page] = field(default_factory=dict)
    gathering: bool = False
    ahead: Ahead = field(default_factory=Ahead)

    def failures(self) -> list[Failure]:
        """What fails on the pages proven so far."""
        return [failure for page in self.pages.values() for failure in page.failures]


current = Build()


def begin(*, gathering: bool) -> Build:
    """Start a new build, in which nothing is proven yet."""
    global current
    current.ahead.close()
    current = Build(gathering=gathering)
    return current


def prove_ahead(paths: Iterable[Path], seed: int | None = None) -> None:
    """Start to prove the pages of this build, in the order in which they will be rendered."""
    current.ahead.close()
    current.ahead = Ahead(paths, seed)


def _docs_folder(page: Path) -> Path:
    """The folder of all pages: the highest one named docs above a page, else its own."""
    named = [folder for folder in page.resolve().parents if folder.name == "docs"]
    return named[0] if named else page.parent


def record(page: Page) -> None:
    """Take up a rendered page. Raises if it fails and no hook gathers the failures."""
    current.pages[page.path.resolve()] = page
    if not page.failures or current.gathering:
        return
    paths = pages_below(_docs_folder(page.path))
    rest = prove_all(path for path in paths if path.resolve() not in current.pages)
    current.pages |= {page.path.resolve(): page for page in rest}
    failures = current.failures()
    raise build_error(f"{len(failures)} failures\n{report(failures)}")
