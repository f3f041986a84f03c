"""For readers that are programs: each page in Markdown, `llms.txt`, and all worked values.

The Markdown of a page lies beside it, as `index.md`: its prose in plain Markdown, worked blocks
as the prompt shows them, tables as tables, figures as links to their pictures. `llms.txt` lists
these files as https://llmstxt.org has it, and `llms-full.txt` holds the chapters in one. What is
computed on the pages stands in `values.json`. Nothing is run for this.

Solutions that are kept from readers are in none of them.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator
from pathlib import Path, PurePosixPath
from typing import Any

from pedocs.book.edition import Edition, provenance
from pedocs.book.figures import place_of
from pedocs.book.notebook import Site
from pedocs.book.numbers import machine_text
from pedocs.book.parts import Generated
from pedocs.book.plain import Live, as_text, plain
from pedocs.book.published import Published, relative
from pedocs.book.values import addressed
from pedocs.book.worked import quoted

VALUES = "values.json"
LIST = "llms.txt"
WHOLE = "llms-full.txt"

_CHAPTERS = "chapters"
# An element that only groups what stands in it, and a place that the build fills.
_GROUP = re.compile(r"^[ \t]*</?div\b[^<>]*>[ \t]*\n?", re.M)
_FILLED = re.compile(r'^<div data-values="[^"]*"></div>$', re.M)


def place(source: str) -> str:
    """Where the Markdown of a page lies in the site, by the page's file."""
    path = PurePosixPath(source)
    return (
        (path.parent if path.stem == "index" else path.with_suffix(""))
        .joinpath("index.md")
        .as_posix()
    )


def write(folder: Path, pages: Iterable[Published], site: Site, about: str, of: Edition) -> None:
    """Write all files for programs into a built site; `about` says what the book is."""
    pages = list(pages)
    texts = {page.name: markdown(page, site) for page in pages}
    for page in pages:
        file = folder / place(f"{page.name}.md")
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(texts[page.name], "utf-8")
    (folder / VALUES).write_text(values(pages, site, of), "utf-8")
    (folder / LIST).write_text(listed(pages, site, about), "utf-8")
    chapters = (texts[page.name] for page in pages if page.name.startswith(f"{_CHAPTERS}/"))
    (folder / WHOLE).write_text("\n".join(chapters), "utf-8")


def markdown(page: Published, site: Site) -> str:
    """A page in Markdown."""
    proof, here = page.proof, place(f"{page.name}.md")

    def address(href: str) -> str | None:
        return site.url(proof.path, href) or _beside(site, here, proof.path, href)

    pieces = []
    for piece in plain(proof, address):
        if isinstance(piece, Live):
            part = proof.parts[piece.index]
            figure = isinstance(part, Generated) and part.figure
            file = _to(site, here, place_of(page.name, figure)) if figure else ""
            piece = "\n".join(as_text(proof, piece, address, file)).strip("\n")
        pieces.append(piece)
    title, _, rest = pieces[0].partition("\n")
    about = f"> {page.description}" if page.description else ""
    values = f"The list is in [{VALUES}]({_to(site, here, VALUES)})."
    text = "\n\n".join(filter(None, [title, about, site.origin(proof), rest, *pieces[1:]]))
    text = _GROUP.sub("", _FILLED.sub(values, text))
    return re.sub(r"\n{3,}", "\n\n", text) + "\n"


def _to(site: Site, here: str, target: str) -> str:
    """The link from a file of the site to another one: absolute where the site is published."""
    if site.address:
        return f"{site.address}{target}"
    return relative(target, PurePosixPath(here).parent.as_posix())


def _beside(site: Site, here: str, page: Path, href: str) -> str | None:
    """A link of a page as a file of a site without an address has it."""
    target, hash_, item = href.partition("#")
    found = site.pages.get((page.parent / target).resolve())
    return f"{_to(site, here, found)}{hash_}{item}" if found is not None else None


def listed(pages: Iterable[Published], site: Site, about: str) -> str:
    """The list of the pages in Markdown, by the parts of the navigation."""
    sections: dict[str, list[str]] = {}
    title = "pedocs"
    for page in pages:
        link = _to(site, LIST, place(f"{page.name}.md"))
        line = f"- [{page.title}]({link})" + (f": {page.description}" if page.description else "")
        sections.setdefault(page.section or "Home", []).append(line)
    more = [
        f"- [{VALUES}]({_to(site, LIST, VALUES)}): every worked value with its expression",
        f"- [{WHOLE}]({_to(site, LIST, WHOLE)}): the chapters in one file",
    ]
    parts = [f"# {title}", f"> {about}", site.licence]
    parts += [f"## {name}\n\n" + "\n".join(lines) for name, lines in sections.items()]
    return "\n\n".join([*parts, "## Optional\n\n" + "\n".join(more)]) + "\n"


def values(pages: Iterable[Published], site: Site, of: Edition) -> str:
    """All worked values that the pages show, one a line."""
    head = {
        "book": "pedocs",
        "version": of.version,
        "commit": of.commit,
        "date": of.date,
        "licence": site.licence,
        "computed": provenance(),
    }
    lines = [json.dumps(each, ensure_ascii=False) for page in pages for each in _values(page, site)]
    start = json.dumps(head, ensure_ascii=False, indent=1).removesuffix("\n}")
    return start + ',\n "values": [\n' + ",\n".join(lines) + "\n ]\n}\n"


def _values(page: Published, site: Site) -> Iterator[dict[str, Any]]:
    numbers = {id(value): found for value, found in page.proof.values()}
    for value, item in addressed(page.proof):
        if page.proof.shows(value):
            link = f"{site.address}{page.address}" + (f"#{item}" if item else "")
            yield {
                "id": item,
                "page": page.name,
                "text": value.text.strip("`"),
                "expression": value.expression,
                "value": machine_text(numbers[id(value)]),
                "quoted": quoted(value),
                "link": link,
            }
