"""Audit a built site: ``python -m pedocs.book.audit site``.

It reads the folder as a browser would: every link, anchor and asset must be in the site, no id
may stand twice on a page, and nothing that loads by itself may come from another host. The links
of notebooks are looked at too. Each page has the site's content security policy, and nothing that
it forbids.
"""

from __future__ import annotations

import json
import re
import sys
from collections.abc import Mapping
from pathlib import Path
from posixpath import normpath
from typing import NamedTuple
from urllib.parse import unquote, urljoin, urlsplit

from pedocs.book import policy
from pedocs.book.shown import shown

# A browser follows these links only when the reader asks for it; it loads all others at once.
_FOLLOWED = {"a", "area", "form"}
_FOLLOWED_RELS = {"alternate", "author", "canonical", "help", "license", "next", "prev", "search"}
_URLS = {"action", "data", "href", "poster", "src", "xlink:href"}
_IDS = {"aria-controls", "aria-describedby", "aria-details", "aria-labelledby", "headers"}
_CSS_COMMENT = re.compile(r"/\*.*?\*/", re.S)
_CSS_URL = re.compile(
    r"""url\(\s*(?:"([^"]*)"|'([^']*)'|([^'")\s]+))\s*\)|@import\s*(?:"([^"]*)"|'([^']*)')""", re.I
)


class Reference(NamedTuple):
    """One place that points somewhere."""

    line: int
    url: str
    loads: bool  # the browser fetches it without being asked


class _Page(policy.Inline):
    """What one HTML or SVG file points to, and the ids that it has."""

    def __init__(self, text: str) -> None:
        self.ids: dict[str, int] = {}
        self.twice: list[tuple[int, str]] = []
        self.references: list[Reference] = []
        self.canonical = ""
        super().__init__(text)
        for line, style in self.styles:
            self.references += [Reference(line, url, True) for url in css_urls(style)]

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        super().handle_starttag(tag, attrs)
        line, values = self.getpos()[0], {name: value or "" for name, value in attrs}
        rels = set(values.get("rel", "").lower().split())
        loads = tag not in _FOLLOWED and not (tag == "link" and rels <= _FOLLOWED_RELS)
        if tag == "link" and "canonical" in rels:
            self.canonical = values.get("href", "")
        if mark := values.get("id"):
            if mark in self.ids:
                self.twice.append((line, mark))
            self.ids.setdefault(mark, line)
        if tag == "a" and "name" in values:
            self.ids.setdefault(values["name"], line)
        for name, value in values.items():
            urls: list[str] = []
            if name in _URLS and (name != "data" or tag == "object"):
                urls = [value]
            elif name in {"srcset", "imagesrcset"}:
                urls = [part.split()[0] for part in re.split(r",\s+", value) if part.strip()]
            elif name in _IDS:
                urls = [f"#{mark}" for mark in value.split()]
            elif tag == "meta" and name == "content" and values.get("http-equiv") == "refresh":
                loads, urls = False, re.findall(r"url=\s*['\"]?([^'\"]+)", value, re.I)
            elif "url(" in value:
                urls = css_urls(value)
            self.references += [Reference(line, url.strip(), loads) for url in urls]


class _Notebook:
    """What a notebook's prose points to, and the ids that it has; lines are those of the file."""

    def __init__(self, text: str) -> None:
        self.ids: dict[str, int] = {}
        self.twice: list[tuple[int, str]] = []
        self.references: list[Reference] = []
        self.canonical = ""
        for cell in json.loads(text)["cells"]:
            if cell["cell_type"] != "markdown":
                continue
            line = text.count("\n", 0, text.find(f'"id": "{cell["id"]}"')) + 1
            prose = shown("".join(cell["source"]))
            for mark in re.findall(r'<a id="([^"]*)"', prose):
                if mark in self.ids:
                    self.twice.append((line, mark))
                self.ids.setdefault(mark, line)
            self.references += [
                Reference(line, url, bool(loads))
                for loads, url in re.findall(r"(!?)\[[^\[\]]*\]\(([^()\s]*)", prose)
            ]


def css_urls(text: str) -> list[str]:
    """Return every address that a style sheet loads."""
    return ["".join(groups) for groups in _CSS_URL.findall(_CSS_COMMENT.sub("", text))]


_KINDS: dict[str, type[_Page | _Notebook]] = {
    ".html": _Page,
    ".svg": _Page,
    ".ipynb": _Notebook,
}


def read(site: Path) -> dict[str, _Page | _Notebook]:
    """Read what points somewhere in the built site in the folder `site`."""
    return {
        path.relative_to(site).as_posix(): kind(path.read_text("utf-8"))
        for path in sorted(site.rglob("*"))
        if (kind := _KINDS.get(path.suffix)) and path.is_file()
    }


def audit(site: Path, pages: Mapping[str, _Page | _Notebook] | None = None) -> list[str]:
    """Return one line per fault of the links of a built site, in order of place.

    The address that the site was built for is read from the canonical link of its home page, so
    absolute links resolve whatever folder of whatever host it is; without one it is ``/``.
    """
    files = {path.relative_to(site).as_posix() for path in site.rglob("*") if path.is_file()}
    pages = read(site) if pages is None else pages
    if "index.html" not in pages:
        return [f"{site}: no index.html here; is this a built site?"]
    base = pages["index.html"].canonical or "http://site.invalid/"
    faults: list[tuple[str, int, str]] = []

    def check(name: str, reference: Reference) -> None:
        if not reference.url or reference.url == "#":
            return
        try:
            url = urlsplit(urljoin(urljoin(base, name), reference.url))
        except ValueError:
            faults.append((name, reference.line, f"not an address: {reference.url}"))
            return
        if url.scheme not in {"http", "https"}:
            return
        if url.netloc != urlsplit(base).netloc:
            if reference.loads:
                faults.append((name, reference.line, f"loads from another host: {reference.url}"))
            return
        if name == "404.html" and not reference.url.startswith(("/", "#", "http:", "https:")):
            faults.append((name, reference.line, f"shown at any address, links to {reference.url}"))
        root = urlsplit(base).path
        if not f"{url.path}/".startswith(root):
            # Where versions stand side by side, each one leads to the latest.
            if url.path.startswith(urljoin(root, "../latest/")) and not reference.loads:
                return
            faults.append((name, reference.line, f"outside the site: {reference.url}"))
            return
        path = unquote(url.path[len(root) :])
        target = normpath(path) if path else "."
        if target not in files:
            target = normpath(f"{target}/index.html")
        fragment = unquote(url.fragment).partition(":~:")[0]
        if target not in files:
            faults.append((name, reference.line, f"no such file: {reference.url}"))
        elif fragment not in {"", "top"} and target in pages and fragment not in pages[target].ids:
            faults.append((name, reference.line, f"no such anchor: {reference.url}"))

    for name, page in pages.items():
        faults += [(name, line, f"id stands twice: {mark}") for line, mark in page.twice]
        for reference in page.references:
            check(name, reference)
    for name in sorted(files):
        if name.endswith(".css"):
            for url in css_urls((site / name).read_text("utf-8")):
                check(name, Reference(1, url, True))
        elif name == "search/search_index.json":
            index = json.loads((site / name).read_text("utf-8"))
            for entry in index["docs"]:
                check(name, Reference(1, f"../{entry['location']}", False))
    return [f"{name}:{line}: {fault}" for name, line, fault in sorted(set(faults))]


def main(arguments: list[str] | None = None) -> int:
    """Audit the site in the folder named on the command line; exit status 1 on any fault."""
    folders = sys.argv[1:] if arguments is None else arguments
    if len(folders) != 1:
        print("usage: python -m pedocs.book.audit SITE", file=sys.stderr)
        return 2
    site = Path(folders[0])
    pages = read(site)
    faults = audit(site, pages)
    faults += policy.faults({name: page for name, page in pages.items() if isinstance(page, _Page)})
    clean = "no broken link or anchor, nothing from another host, nothing that the policy forbids"
    print("\n".join(faults) or f"{site}: {clean}")
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
