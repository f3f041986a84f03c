"""The pages as the site has them, in the order of its navigation, for what is made of them all."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from html import unescape
from pathlib import Path
from posixpath import relpath
from typing import Any

from pedocs.book.page import Page


@dataclass(frozen=True)
class Published:
    """A proven page and its place in the site."""

    proof: Page
    # Below the book's folder, without its ending: chapters/rope.
    name: str
    # In the site, empty for the home page: chapters/rope/.
    address: str
    title: str
    description: str
    # The part of the navigation that it stands in, empty for the home page.
    section: str
    # The page's text as the site shows it.
    html: str

    @property
    def chapter(self) -> str:
        """The number of the chapter that the page belongs to, which is no part of its title."""
        return self.proof.scan.chapter


def published(pages: Iterable[Any], proven: dict[Path, Page]) -> Iterator[Published]:
    """The generator's pages with their proofs, as the navigation has them."""
    for page in in_order(list(pages)):
        proof = proven.get(Path(page.file.abs_src_path).resolve())
        if proof is not None:
            yield Published(
                proof,
                name=name_of(page),
                address=page.file.url.removeprefix("./"),
                title=title(page),
                description=page.meta.get("description", ""),
                section=page.ancestors[-1].title if page.ancestors else "",
                html=page.content or "",
            )


def name_of(page: Any) -> str:
    """A generator's page below the book's folder, without its ending: chapters/rope."""
    return str(page.file.src_uri.removesuffix(".md"))


def title(page: Any) -> str:
    """A page's title as text: the generator has it as HTML where it is taken from the heading."""
    return unescape(page.title or page.file.src_uri)


def relative(place: str, folder: str) -> str:
    """The link to a place in the site from a file in a folder of it."""
    return relpath(place or ".", folder or ".") + "/" * (place.endswith("/") or not place)


def in_order(pages: list[Any]) -> list[Any]:
    """The pages as the navigation has them, and behind them those that it leaves out."""
    ordered: dict[int, Any] = {}
    page = next((page for page in pages if page.next_page and not page.previous_page), None)
    while page is not None and id(page) not in ordered:
        ordered[id(page)] = page
        page = page.next_page
    return list((ordered | {id(page): page for page in pages}).values())
