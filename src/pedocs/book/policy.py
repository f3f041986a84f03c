"""The Content Security Policy of a built site: what a browser may load and run, and nothing else.

A static host sends no headers of its own, so each page says it in a ``meta`` element. All pages
of a site have one policy: under instant navigation a page's scripts run in the page before it.
Inline scripts and style sheets are allowed by the SHA-256 of their text; there are a few, and
all are the templates'. The worker that runs a reader's code is made of a blob, so that it has
the policy of its page: it reaches no other host either.
"""

from __future__ import annotations

import base64
import hashlib
import re
from collections.abc import Iterable, Iterator, Mapping
from html.parser import HTMLParser
from pathlib import Path

# Scripts of these types are data, which nothing runs.
_DATA = {"application/json", "application/ld+json"}
# What a site needs besides its own files, and what of it is text.
_MORE = {
    # Blobs: the worker's own script, and Pyodide's once its bytes are held against their digest.
    "script-src": ["blob:", "'wasm-unsafe-eval'"],
    "worker-src": ["blob:"],
    "style-src": ["'unsafe-inline'"],  # for browsers that do not know the two that follow
    # Drawings, formulas, columns of tables. An attribute runs nothing and loads nothing.
    "style-src-attr": ["'unsafe-inline'"],
    "img-src": ["data:", "blob:"],
}
_META = '<meta http-equiv="Content-Security-Policy" content="{}">'
# A policy binds what stands behind it.
_PLACE = re.compile(
    r"(<meta charset=[^<>]*>)(?:<meta http-equiv=.Content-Security-Policy.[^<>]*>)?"
)


class Inline(HTMLParser):
    """What a page runs, and styles itself with, that stands in the page itself."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.scripts: list[tuple[int, str]] = []
        self.styles: list[tuple[int, str]] = []
        self.handlers: list[tuple[int, str]] = []
        self.policies: list[tuple[int, str]] = []
        self.first = 0  # line of what is loaded or run before there is a policy
        self._into: list[tuple[int, str]] | None = None
        self.feed(text)
        self.close()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        line, given = self.getpos()[0], {name: value or "" for name, value in attrs}
        self.handlers += [(line, name) for name in given if name.startswith("on")]
        scripted = ("href", "src", "action", "formaction", "xlink:href")
        self.handlers += [
            (line, f"{name}={given[name][:40]}")
            for name in scripted
            if re.match(r"\s*(javascript|vbscript|data:text/html)", given.get(name, ""), re.I)
        ]
        if tag == "meta" and given.get("http-equiv", "").lower() == "content-security-policy":
            self.policies.append((line, given.get("content", "")))
        if tag in {"script", "style", "link"} and not self.policies:
            self.first = self.first or line
        if tag == "script" and "src" not in given and given.get("type", "") not in _DATA:
            self._into = self.scripts
        elif tag == "style":
            self._into = self.styles
        if self._into is not None:
            self._into.append((line, ""))

    def handle_data(self, data: str) -> None:
        if self._into is not None:
            line, text = self._into.pop()
            self._into.append((line, text + data))

    def handle_endtag(self, tag: str) -> None:
        if tag in {"script", "style"}:
            self._into = None


def digest(text: str) -> str:
    """How a policy names an inline script or style sheet."""
    return f"'sha256-{base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()}'"


def policy(scripts: Iterable[str], styles: Iterable[str]) -> str:
    """The policy of a site whose pages have these inline scripts and style sheets."""
    own: dict[str, list[str]] = {
        "script-src": sorted(set(map(digest, scripts))),
        "worker-src": [],
        "connect-src": [],
        "style-src": [],
        "style-src-elem": sorted(set(map(digest, styles))),
        "style-src-attr": [],
        "img-src": [],
        "font-src": [],
    }
    rules = ["default-src 'none'", "base-uri 'none'", "form-action 'none'"]
    files = {name: [] if name == "style-src-attr" else ["'self'"] for name in own}
    rules += [" ".join([name, *files[name], *_MORE.get(name, []), *own[name]]) for name in own]
    return "; ".join(rules)


_INLINE = re.compile(r"<(script|style)\b([^<>]*)>(.*?)</\1\s*>", re.S | re.I)


def write(site: Path) -> None:
    """Give each page of a built site the policy of the site."""
    pages = {path: path.read_text("utf-8") for path in sorted(site.rglob("*.html"))}
    found: dict[str, set[str]] = {"script": set(), "style": set()}
    for html in pages.values():
        for tag, given, text in _INLINE.findall(html):
            if " src=" not in given and not any(f'"{kind}"' in given for kind in _DATA):
                found[tag.lower()].add(text)
    meta = _META.format(policy(found["script"], found["style"]))
    for path, html in pages.items():
        # At the place itself: to search a whole page again for it costs as much as all the rest.
        if place := _PLACE.search(html):
            given = f"{html[: place.end(1)]}{meta}{html[place.end() :]}"
            if given != html:
                path.write_text(given, "utf-8")


def faults(pages: Mapping[str, Inline]) -> list[str]:
    """One line for each place of a site's pages that their policy forbids, or does not cover."""
    said: list[tuple[str, int, str]] = []
    policies = set()
    for name, page in sorted(pages.items()):
        said += [
            (name, line, f"runs a script from an attribute: {at}") for line, at in page.handlers
        ]
        if name.endswith(".svg"):
            said += [(name, line, "a picture has a script") for line, _ in page.scripts]
            continue
        if len(page.policies) != 1:
            said.append((name, 1, f"has {len(page.policies)} content security policies, not one"))
            continue
        line, text = page.policies[0]
        policies.add(text)
        if page.first:
            said.append((name, page.first, "loads or runs something before there is a policy"))
        said += [(name, line, fault) for fault in lax(text)]
        said += [
            (name, line, f"the policy does not allow: {' '.join(content.split())[:60]}")
            for line, content in [*page.scripts, *page.styles]
            if digest(content) not in text
        ]
    if len(policies) > 1:
        said.append(("index.html", 1, f"the site has {len(policies)} policies, not one"))
    return [f"{name}:{line}: {fault}" for name, line, fault in said]


def lax(text: str) -> Iterator[str]:
    """What a policy allows that it should not: inline scripts, evaluated text, other hosts."""
    rules = {name: allowed for name, *allowed in map(str.split, text.split(";")) if name}
    if rules.get("default-src") != ["'none'"]:
        yield "the policy allows what it does not name"
    for name in ("base-uri", "form-action"):
        if name not in rules:
            yield f"the policy does not name {name}"
    for name, allowed in rules.items():
        for source in allowed:
            known = source.startswith("'sha256-") or source in {"'none'", "'self'"}
            if not known and source not in _MORE.get(name, ()):
                yield f"the policy allows {source} as {name}"
