"""Which links leave a built site, and where each was written."""

from __future__ import annotations

import re
from collections.abc import Iterator
from html.parser import HTMLParser
from pathlib import Path

from pedocs.book.bibliography import NAME, PAGE, bibliography_of


class _Reader(HTMLParser):
    """The links of a page's article: what its author wrote and the build made of it."""

    def __init__(self) -> None:
        super().__init__()
        self.inside = False
        self.links: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.inside |= tag == "article"
        link = dict(attrs).get("href") or ""
        if self.inside and tag == "a" and link.startswith(("https://", "http://")):
            self.links.append(link.partition("#")[0])

    def handle_endtag(self, tag: str) -> None:
        self.inside &= tag != "article"


def outside(site: Path, docs: Path) -> dict[str, list[str]]:
    """Each link out of a site once, with the places that have it: `docs/chapters/rope.md:40`.

    A link that a page does not have as it is stands in the library's code or the bibliography;
    else the build made it, and its place is the page alone.
    """
    links = dict[str, list[str]]()
    code = dict(_lines(docs.parent, "src/**/*.py"))
    cited = dict(_cited(docs))
    for page in sorted(site.rglob("index.html")):
        source = _source(page.parent.relative_to(site), docs)
        if source is None:  # a page that the build makes of others: of a figure, of what moved
            continue
        reader = _Reader()
        reader.feed(page.read_text("utf-8"))
        written = dict(_lines(docs.parent, f"{docs.name}/{source}"))
        for link in dict.fromkeys(reader.links):
            places = _holding(link, written) or _holding(link, code) or [*written]
            if source == PAGE and link in cited:
                places = [cited[link]]
            links.setdefault(link, []).extend(places)
    return {link: [*dict.fromkeys(links[link])] for link in sorted(links)}


def _holding(link: str, files: dict[str, list[str]]) -> list[str]:
    """The lines that have a link."""
    return [
        f"{name}:{number}"
        for name, lines in files.items()
        for number, line in enumerate(lines, 1)
        if link in line and re.search(rf"{re.escape(link)}(?![\w/-])", line)
    ]


def _source(address: Path, docs: Path) -> str | None:
    """The Markdown file of a page of the site."""
    name = address.as_posix()
    candidates = ["index.md"] if name == "." else [f"{name}.md", f"{name}/index.md"]
    return next((each for each in candidates if (docs / each).is_file()), None)


def _lines(root: Path, files: str) -> Iterator[tuple[str, list[str]]]:
    for path in sorted(root.glob(files)):
        yield path.relative_to(root).as_posix(), path.read_text("utf-8").splitlines()


def _cited(docs: Path) -> Iterator[tuple[str, str]]:
    """The links of the bibliography, with the places of their entries."""
    for entry in bibliography_of(docs / PAGE).entries.values():
        for _, link in entry.links:
            yield link, f"{docs.name}/{NAME}:{entry.line}"
