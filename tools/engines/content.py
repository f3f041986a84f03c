"""What a page of a built site says, however its generator dresses it."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, fields
from pathlib import Path
from posixpath import normpath
from urllib.parse import urljoin, urlsplit
from xml.etree.ElementTree import Element

from tools.paper.tree import classes, drop, parse, text

# What the thin hook adds to pages: files to take away, how to cite, what has moved here, which
# chapters come before.
HOOK = {"pd-cite", "pd-files", "pd-moved-list", "pd-outcomes", "pd-requires", "pd-values"}
# Where it fills lists that are made of all pages: nothing else knows them all.
LISTS = ("data-values", "data-paper", "data-outcomes")
_NOWHERE = "http://site.invalid/"


@dataclass(frozen=True)
class Content:
    """A page: what can be read of it, quoted of it, linked on it."""

    text: tuple[str, ...]
    values: tuple[str, ...]
    headings: tuple[str, ...]
    permalinks: tuple[str, ...]
    links: tuple[str, ...]
    pictures: tuple[str, ...]
    formulas: tuple[str, ...]

    def differences(self, other: Content) -> Iterator[tuple[str, str, str]]:
        """What is not the same: of which kind, and the first place of it here and there."""
        for kind in fields(self):
            here, there = getattr(self, kind.name), getattr(other, kind.name)
            if here != there:
                pairs = zip((*here, "nothing"), (*there, "nothing"), strict=False)
                yield (kind.name, *next((a, b) for a, b in pairs if a != b))


def content(site: Path, address: str) -> Content:
    """The content of the page at an address of a site."""
    html = (site / address / "index.html").read_text("utf-8")
    start, end = html.index("<article"), html.rindex("</article>")
    article = parse(html[start:end] + "</article>")[0]
    drop(article, lambda each: bool(classes(each) & HOOK) or each.tag == "script")
    for each in article.iter():
        if any(name in each.attrib for name in LISTS):
            each[:] = []
    elements = list(article.iter())
    return Content(
        text=tuple(_paragraphs(article)),
        values=tuple(
            " ".join((text(each), each.get("value", ""), each.get("data-expression", "")))
            for each in elements
            if each.tag == "data"
        ),
        headings=tuple(
            f"{each.tag} {text(each)}" for each in elements if re.fullmatch("h[1-6]", each.tag)
        ),
        permalinks=tuple(
            each.attrib["id"] for each in elements if not each.get("id", "__").startswith("__")
        ),
        links=tuple(_leads(address, each) for each in elements if "href" in each.attrib),
        pictures=tuple(_inside(each) for each in elements if each.tag in ("svg", "img")),
        formulas=tuple(_inside(each) for each in elements if each.tag == "math"),
    )


def _paragraphs(article: Element) -> Iterator[str]:
    """The words, cut where blocks end, so that a difference can be told in few."""
    words = text(article).split(" ")
    return (" ".join(words[at : at + 20]) for at in range(0, len(words), 20))


def _leads(address: str, link: Element) -> str:
    """Where a link leads to: below the site from its beginning, else as it is."""
    split = urlsplit(urljoin(urljoin(_NOWHERE, address), link.get("href", "")))
    if split.netloc != urlsplit(_NOWHERE).netloc:
        return split.geturl()
    path = normpath(split.path.removesuffix("index.html"))
    return path + ("#" + split.fragment if split.fragment else "")


def _inside(element: Element) -> str:
    """An element as text: its attributes in a fixed order, then what it holds."""
    given = " ".join(f'{name}="{value}"' for name, value in sorted(element.attrib.items()))
    inner = "".join(f"{_inside(each)}{each.tail or ''}" for each in element)
    return f"<{element.tag} {given}>{element.text or ''}{inner}"
