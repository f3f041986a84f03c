"""Two sites of one book: which pages and files both have, and what is not the same."""

from __future__ import annotations

import filecmp
from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path

from tools.engines.content import content

# What a theme brings, under names that change with its version.
_THEME = ("assets/javascripts/", "assets/stylesheets/", "assets/images/")


@dataclass
class Comparison:
    """How a site differs from that of mkdocs."""

    # The addresses of mkdocs' pages.
    pages: list[str]
    # What must not be: a page that lacks, or says something else.
    faults: list[str] = field(default_factory=list)
    # Files beside the pages, by kind: which are the same, which are others, which lack.
    same: Counter[str] = field(default_factory=Counter)
    other: Counter[str] = field(default_factory=Counter)
    lacking: Counter[str] = field(default_factory=Counter)
    # Pages that are the same to the byte.
    bytes: int = 0

    def counts(self) -> dict[str, object]:
        """The record of it."""
        return {
            "pages": self.bytes,
            **{
                name: dict(sorted(getattr(self, name).items()))
                for name in ("same", "other", "lacking")
            },
        }

    def __str__(self) -> str:
        return (
            f"{len(self.pages)} pages with {len(self.faults)} differences in what they say, "
            f"{self.bytes} the same to the byte; of the other files {self.same.total()} are "
            f"the same, {self.other.total()} others, {self.lacking.total()} lack"
        )


def kind(name: str) -> str:
    """What a file of a site is, by the folder and the ending that it has."""
    path = Path(name)
    folder = path.parts[0] if len(path.parts) > 1 else ""
    return f"{folder}/*{path.suffix}" if folder else name


def compare(mkdocs: Path, site: Path) -> Comparison:
    """Hold a site against that of mkdocs."""
    addresses = sorted(_pages(mkdocs))
    found = Comparison(addresses)
    ours = set(addresses)
    theirs = _pages(site)
    found.faults += [
        f"{address or 'the home page'} is missing" for address in sorted(ours - theirs)
    ]
    found.faults += [f"{address} is a page of its own" for address in sorted(theirs - ours)]
    for address in sorted(ours & theirs):
        found.faults += [
            f"{address or 'the home page'}: {name}: {there!r} in place of {here!r}"
            for name, here, there in content(mkdocs, address).differences(content(site, address))
        ]
    pages = {f"{address}index.html" for address in addresses}
    for path in sorted(mkdocs.rglob("*")):
        name = path.relative_to(mkdocs).as_posix()
        if not path.is_file() or name.startswith(_THEME):
            continue
        there = site / name
        same = there.is_file() and filecmp.cmp(path, there, shallow=False)
        if name in pages:
            found.bytes += same
        elif same:
            found.same[kind(name)] += 1
        else:
            (found.other if there.is_file() else found.lacking)[kind(name)] += 1
    return found


def _pages(site: Path) -> set[str]:
    """The addresses of a site's pages: those that have an article."""
    return {
        path.relative_to(site).as_posix().removesuffix("index.html")
        for path in site.rglob("index.html")
        if 'class="md-content__inner' in path.read_text("utf-8")
    }
