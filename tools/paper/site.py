"""What the makers of paper read of a built site: its pages in order, and each page's article."""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from posixpath import normpath
from urllib.parse import unquote, urljoin, urlsplit
from xml.etree.ElementTree import Element

from pedocs.book.edition import Edition
from tools.paper.tree import classes, drop, parse, text

# What a page has for the screen alone: buttons, folds of values, things to take away.
SCREEN = {
    "headerlink",
    "md-button",
    "md-clipboard",
    "pd-actions",
    "pd-cite",
    "pd-citing",
    "pd-controls",
    "pd-embed-code",
    "pd-files",
    "pd-live",
    "pd-moved-list",
    "pd-offer",
    "pd-proof",
    "pd-run",
    "pd-tools",
}
_SCREEN_TAGS = {"button", "iframe", "input", "noscript", "script", "style", "template"}
_SCREEN_ATTRIBUTES = {"data-copy", "data-expression", "download", "tabindex", "value"}
_NO_BOOK = "http://site.invalid/"


@dataclass(frozen=True)
class Place:
    """A page of the book."""

    # As the navigation has it, a chapter with its number: 13. Rotary position embedding.
    listed: str
    # In the site, with a slash at its end; empty for the home page.
    address: str
    # The heading of the navigation that it stands under.
    part: str

    @property
    def title(self) -> str:
        """What the page is called."""
        chapter = self.address.startswith("chapters/")
        return re.sub(r"^\d+\. ", "", self.listed) if chapter else self.listed

    @property
    def name(self) -> str:
        """A word for files and anchors: chapters-rope."""
        return self.address.strip("/").replace("/", "-") or "home"


@dataclass
class Site:
    """A built site in a folder."""

    folder: Path
    # What is left out: pages that are for the screen.
    without: frozenset[str] = frozenset({"values/"})

    @cached_property
    def edition(self) -> Edition:
        """The edition that the site says it is."""
        return Edition(**json.loads((self.folder / "edition.json").read_text("utf-8")))

    @cached_property
    def _home(self) -> str:
        return (self.folder / "index.html").read_text("utf-8")

    @cached_property
    def title(self) -> str:
        """The name of the site."""
        found = re.search(r'class="md-header__topic">\s*<span[^>]*>(.*?)</span>', self._home, re.S)
        return text(parse(found[1])) if found else "pedocs"

    @cached_property
    def description(self) -> str:
        """What the home page says it is about."""
        return self.description_of("")

    def description_of(self, address: str) -> str:
        """What the head of a page says it is about."""
        page = (self.folder / address / "index.html").read_text("utf-8")
        found = re.search(r'<meta name="description" content="([^"]*)"', page)
        return text(parse(found[1])) if found else ""

    @cached_property
    def authors(self) -> list[str]:
        """The authors, as the head of the home page names them to reference managers."""
        found = re.search(r"<script type=\"application/ld\+json\">(.*?)</script>", self._home, re.S)
        return [each["name"] for each in json.loads(found[1])["author"]] if found else []

    @cached_property
    def licence(self) -> str:
        """The line on rights at the foot of each page."""
        found = re.search(r'md-copyright__highlight">(.*?)</div>', self._home, re.S)
        return text(parse(found[1])) if found else ""

    @cached_property
    def places(self) -> list[Place]:
        """The pages in the order of the navigation, as the page for wrong addresses lists them."""
        listing = (self.folder / "404.html").read_text("utf-8")
        found = re.search(r'<nav aria-label="All pages">(.*?)</nav>', listing, re.S)
        assert found, "404.html lists no pages"
        places: list[Place] = []

        def read(items: Element, part: str) -> None:
            for item in items.iter("li") if items.tag == "nav" else items.findall("li"):
                inner, link = item.find("ul"), item.find("a")
                if inner is not None:
                    read(inner, part or " ".join((item.text or "").split()))
                elif link is not None:
                    places.append(Place(text(link), link.get("data-page", "").lstrip("./"), part))

        for top in parse(found[1]).findall("ul"):
            read(top, "")
        return [place for place in places if place.address not in self.without]

    def article(self, address: str) -> Element:
        """The article of a page, as paper has it: all folds open, nothing to press."""
        page = (self.folder / address / "index.html").read_text("utf-8")
        start, end = page.index("<article"), page.rindex("</article>")
        article = parse(page[start:end] + "</article>")[0]
        drop(article, lambda each: each.tag in _SCREEN_TAGS or bool(classes(each) & SCREEN))
        for each in article.iter():
            for name in _SCREEN_ATTRIBUTES & set(each.attrib):
                del each.attrib[name]
            if each.tag == "data":
                each.tag = "span"
            if each.tag == "details":
                each.set("open", "open")
        return article

    def target(self, here: str, link: str) -> tuple[str, str] | None:
        """The page of the book and the anchor that a link of the page `here` leads to, if any."""
        split = urlsplit(urljoin(urljoin(_NO_BOOK, here), self._within(link)))
        if f"{split.scheme}://{split.netloc}/" != _NO_BOOK:
            return None
        path = unquote(split.path).lstrip("/").removesuffix("index.html")
        addresses = {place.address for place in self.places}
        return (path, unquote(split.fragment)) if path in addresses else None

    def absolute(self, here: str, link: str) -> str:
        """A link out of the book as others can follow it; empty if it has no public address."""
        if urlsplit(link).scheme:
            return link if self._within(link) == link else self.edition.link(self._within(link)[1:])
        path = urlsplit(urljoin(urljoin(_NO_BOOK, here), link))
        place = path.path.lstrip("/") + (f"#{path.fragment}" if path.fragment else "")
        return self.edition.link(place)

    def _within(self, link: str) -> str:
        """A link to the site's own address, as a link within it."""
        own = self.edition.address
        return "/" + link.removeprefix(own) if own and link.startswith(own) else link

    def file(self, here: str, link: str) -> Path | None:
        """The file of the site that a page shows, a picture for one."""
        path = urlsplit(urljoin(urljoin(_NO_BOOK, here), self._within(link)))
        found = self.folder / normpath(unquote(path.path)).lstrip("/")
        return found if f"{path.scheme}://{path.netloc}/" == _NO_BOOK and found.is_file() else None
