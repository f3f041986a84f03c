"""Redirects that need no server: where an old permalink leads, from `redirects.toml`.

Each line of the file is `"old link" = "new link"`, links as `permalinks.txt` has them. An old id
on a page that still exists gets an element of its own again, in a list at the page's end that
leads on. An old page gets a small page at its old address; the ids that the new page has too need
no line of their own. Both work without scripts; with them a reader is taken along at once.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from html import escape
from pathlib import Path

from pedocs.book.failures import Failure, display_path
from pedocs.book.items import Item, items
from pedocs.book.published import Published

NAME = "redirects.toml"
# Follows a redirect at once; loaded by no other page.
SCRIPT = "assets/moved.js"
HOME = "./"

_LINK = re.compile(r"(?:\./|(?:\w[\w.-]*/)+)(?:#[^\s#]+)?")
_PAGE = """\
<!doctype html>
<html lang="en">
  <head>
    <meta charset="utf-8">
    <meta name="viewport" content="width=device-width,initial-scale=1">
    <meta name="color-scheme" content="light dark">
    <title>Moved: {title}</title>
    <link rel="canonical" href="{canonical}">
    <link rel="icon" href="data:,">
    <noscript><meta http-equiv="refresh" content="0; url={to}"></noscript>
    <script src="{script}" defer></script>
  </head>
  <body>
    <p>This page is now <a class="pd-moved-to" href="{to}">{title}</a>.</p>
{moved}  </body>
</html>
"""


def place(name: str) -> str:
    """How a permalink names a page, by its file without ending: chapters/rope/, ./ at the top."""
    return f"{name}/".removesuffix("index/") or HOME


@dataclass
class Redirects:
    """Old links, each with the new one and the line that says so."""

    path: Path
    new: dict[str, str] = field(default_factory=dict)
    lines: dict[str, int] = field(default_factory=dict)
    failures: list[Failure] = field(default_factory=list)

    def to(self, link: str, links: Iterable[str]) -> str | None:
        """Where a link leads that is gone; the links that there are tell what a page took along."""
        page, hash_, item = link.partition("#")
        if link in self.new or not hash_:
            return self.new.get(link)
        along = f"{self.new[page].partition('#')[0]}#{item}" if page in self.new else ""
        return along if along in links else None

    def faults(self, links: Iterable[str], pages: set[str]) -> Iterator[Failure]:
        """What is wrong with the redirects of a book that has these links and pages."""
        yield from self.failures
        for old, new in self.new.items():
            for link in (old, new):
                if not _LINK.fullmatch(link):
                    yield self._fault(
                        old, f"{link} is no link: chapters/page/ or chapters/page/#id"
                    )
            if old in links:
                yield self._fault(old, f"{old} still exists, so nothing leads on from it")
            if new not in links:
                yield self._fault(old, f"{new}, the new place of {old}, does not exist")
            page = old.partition("#")[0]
            if page not in pages and page not in self.new:
                yield self._fault(old, f"the page {page} is gone: say where it went, too")

    def _fault(self, old: str, message: str) -> Failure:
        return Failure(display_path(self.path), self.lines.get(old, 1), message)


def read_redirects(docs: Path) -> Redirects:
    """The redirects of a book; none where it has no file of them."""
    redirects = Redirects(docs / NAME)
    if not redirects.path.is_file():
        return redirects
    text = redirects.path.read_text("utf-8")
    name = display_path(redirects.path)
    try:
        given = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        line = re.search(r"at line (\d+)", str(error))
        redirects.failures.append(Failure(name, int(line[1]) if line else 1, str(error)))
        return redirects
    for old, new in given.items():
        at = text.find(f'"{old}"')
        line_number = text.count("\n", 0, max(at, 0)) + 1
        redirects.lines[old] = line_number
        if isinstance(new, str):
            redirects.new[old] = new
        else:
            message = f'{old} is no redirect: write "old link" = "new link"'
            redirects.failures.append(Failure(name, line_number, message))
    return redirects


class Moved:
    """What a site shows of its redirects: lists on its pages, and pages for those that are gone."""

    def __init__(self, redirects: Redirects, pages: Iterable[Published]) -> None:
        self.redirects = redirects
        self.pages = {place(page.name): page for page in pages}
        self._items: dict[str, Mapping[str, Item]] = {}

    def list_of(self, old_page: str, address: str) -> str:
        """The list of what moved from a page that has an address in the site; "" if nothing did."""
        rows = ""
        for old, new in self.redirects.new.items():
            page, _, item = old.partition("#")
            if page == old_page and item:
                href, label = escape(self.href(new, address)), escape(self.label(new, old_page))
                rows += (
                    f'<li id="{escape(item)}"><code>#{escape(item)}</code> is now '
                    f'<a href="{href}">{label}</a></li>\n'
                )
        return rows and f'<p>Moved</p>\n<ul class="pd-moved">\n{rows}</ul>\n'

    def below(self, page: Published) -> str:
        """What stands at the end of a page from which something moved."""
        made = self.list_of(place(page.name), page.address)
        script = f'<script src="{_up(page.address)}{SCRIPT}"></script>\n'
        return made and f'<div class="pd-moved-list" data-search-exclude>\n{made}{script}</div>\n'

    def write(self, site: Path, base: str) -> None:
        """Write a small page for each page that is gone; `base` is the site's address, or ""."""
        for old, new in self.redirects.new.items():
            if "#" in old:
                continue
            to = self.href(new, old)
            target = self.pages[new.partition("#")[0]].address
            canonical = f"{base.rstrip('/')}/{target}" if base else to.partition("#")[0]
            html = _PAGE.format(
                title=escape(self.label(new, old)),
                canonical=escape(canonical),
                to=escape(to),
                script=f"{_up(old)}{SCRIPT}",
                moved=self.list_of(old, old),
            )
            file = site / old / "index.html"
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_text(html, "utf-8")

    def href(self, link: str, address: str) -> str:
        """A permalink as it is written on the page that has an address."""
        page, hash_, item = link.partition("#")
        target = self.pages[page].address
        if target == address:
            return hash_ + item
        return (_up(address) + target or HOME) + hash_ + item

    def label(self, link: str, seen_from: str) -> str:
        """What a permalink leads to, in words."""
        page, _, item = link.partition("#")
        target = self.pages[page]
        if page not in self._items:
            self._items[page] = {each.id: each for each in items(target.proof, target.name)}
        found = self._items[page].get(item)
        here = found.label if found else ""
        return here if here and page == seen_from else ", ".join(filter(None, [here, target.title]))


def _up(address: str) -> str:
    return "../" * address.count("/")
