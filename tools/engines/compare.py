"""Two sites of one book: which pages and files both have, and what is not the same."""

from __future__ import annotations

import filecmp
import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

from tools.engines.content import content

# Files beside the pages that may lack or be others: which, what they are, why.
HOOK = "made by the hook of all pages at once; Zensical runs none"
KINDS = (
    (r".*\.md|llms.*\.txt", "Pages as Markdown, and their list for programs", HOOK),
    (r"notebooks/.*", "Notebooks", HOOK),
    (r"figures/.*", "Figures as files of their own", HOOK),
    (r"embed/.*", "Figures to embed elsewhere", HOOK),
    (r"cite/.*|edition\.json", "How to cite each page, and which edition it is", HOOK),
    (r"values\.json", "The list of all worked values", HOOK),
    (
        r"assets/live/(build\.json|library/.*)|assets/figures/.*\.bin",
        "What live code and figures load",
        "made by the hook; `python -m pedocs.book.bare site` adds it",
    ),
    (
        r"assets/_mkdocstrings\.css",
        "A style sheet of mkdocstrings",
        "written by its plugin for mkdocs; Zensical has the plugin's work done without it",
    ),
    (r"search/.*", "The index of the search", "each generator has one of its own"),
    (
        r"404\.html|objects\.inv|sitemap\.xml(\.gz)?",
        "Lists of pages, objects and addresses",
        "in another order, with other addresses",
    ),
)
# What a theme brings, under names that change with its version.
_THEME = ("assets/javascripts/", "assets/stylesheets/", "assets/images/")


@dataclass
class Comparison:
    """How a site differs from that of mkdocs."""

    # The addresses of mkdocs' pages.
    pages: list[str]
    # What must not be: a page that lacks or says something else, a file that does with no reason.
    faults: list[str] = field(default_factory=list)
    # How many pages are the same to the byte, and how many of the other files.
    same_pages: int = 0
    same_files: int = 0
    # Which of the other files are not the same, and which lack, by kind.
    other: Counter[str] = field(default_factory=Counter)
    lacking: Counter[str] = field(default_factory=Counter)

    def counts(self) -> dict[str, object]:
        """The record of it."""
        kinds = [
            {"what": what, "why": why, "other": self.other[what], "lacking": self.lacking[what]}
            for _, what, why in KINDS
            if self.other[what] or self.lacking[what]
        ]
        return {"same_pages": self.same_pages, "same_files": self.same_files, "kinds": kinds}

    def __str__(self) -> str:
        return (
            f"{len(self.pages)} pages, {self.same_pages} of them the same to the byte; of the "
            f"other files {self.same_files} are the same, {self.other.total()} others, "
            f"{self.lacking.total()} lack; {len(self.faults)} faults"
        )


def compare(mkdocs: Path, site: Path) -> Comparison:
    """Hold a site against that of mkdocs."""
    ours, theirs = _pages(mkdocs), _pages(site)
    found = Comparison(sorted(ours))
    found.faults += [f"/{address} is missing" for address in sorted(ours - theirs)]
    found.faults += [f"/{address} is a page of its own" for address in sorted(theirs - ours)]
    for address in sorted(ours & theirs):
        found.faults += [
            f"/{address}: {name}: {there!r} in place of {here!r}"
            for name, here, there in content(mkdocs, address).differences(content(site, address))
        ]
        found.same_pages += _same(mkdocs, site, f"{address}index.html")
    for name in _files(mkdocs, {f"{address}index.html" for address in ours}):
        if _same(mkdocs, site, name):
            found.same_files += 1
            continue
        kind = next((what for which, what, _ in KINDS if re.fullmatch(which, name)), "")
        if not kind:
            found.faults.append(f"{name} is not the same, and no reason is known")
        (found.other if (site / name).is_file() else found.lacking)[kind] += 1
    return found


def _pages(site: Path) -> set[str]:
    """The addresses of a site's pages: those that have an article, and are no figure alone."""
    addresses = (
        path.relative_to(site).as_posix().removesuffix("index.html")
        for path in site.rglob("index.html")
        if 'class="md-content__inner' in path.read_text("utf-8")
    )
    return {address for address in addresses if not address.startswith("embed/")}


def _files(site: Path, pages: set[str]) -> Iterator[str]:
    """The other files of a site, without those of its theme."""
    for path in sorted(site.rglob("*")):
        name = path.relative_to(site).as_posix()
        if path.is_file() and name not in pages and not name.startswith(_THEME):
            yield name


def _same(mkdocs: Path, site: Path, name: str) -> bool:
    return (site / name).is_file() and filecmp.cmp(mkdocs / name, site / name, shallow=False)
