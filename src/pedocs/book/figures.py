"""Every figure as a file: an SVG and a PNG for slides, with what it shows and whose it is.

The SVG is the drawing of the page in the light scheme, able to stand alone. Its caption, licence
and citation are in it for programs: in its title, description and metadata, and in the texts of
the PNG. Below the caption of a figure the page has links to both.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from html import escape, unescape
from pathlib import Path

from pedocs.book import png
from pedocs.book.cite import Cited, apa
from pedocs.book.citing import Book
from pedocs.book.draw import alone
from pedocs.book.formulas import in_one_line
from pedocs.book.items import Item
from pedocs.book.parts import Generated
from pedocs.book.published import Published, relative

FOLDER = "figures"
EMBEDDED = "embed"

# The room around a drawing, in its points.
_MARGIN = 9
_FIGURE = re.compile(r'<figure class="pd-figure" id="(?P<id>[^"]+)">.*?</figure>', re.S)
_CAPTION = re.compile(r"<figcaption>(?P<inner>.*?)</figcaption>", re.S)
_MATH = re.compile(r"<math\b.*?</math>", re.S)
_SIZE = re.compile(r'viewBox="0 0 ([\d.]+) ([\d.]+)" width="([\d.]+)" height="([\d.]+)"')


@dataclass(frozen=True)
class Figure:
    """A figure of a page of the site."""

    page: Published
    id: str
    number: str
    # Its text alternative and its caption, as plain text.
    alt: str
    caption: str
    # What was drawn, and the whole element that the page has for it.
    drawing: str
    element: str

    @property
    def name(self) -> str:
        """How it is cited: Figure 1 of “Rotary position embedding”."""
        return f"Figure {self.number} of “{self.page.title}”"


def figures(page: Published) -> Iterator[Figure]:
    """The figures of a page, in order."""
    drawn = {
        part.figure: page.proof.outputs.get(index, "").partition("<template")[0].strip()
        for index, part in enumerate(page.proof.parts)
        if isinstance(part, Generated) and part.figure
    }
    for found in _FIGURE.finditer(page.html):
        caption, label = _CAPTION.search(found[0]), re.search(r' aria-label="([^"]*)"', found[0])
        if found["id"] in drawn and caption:
            text = words(re.sub(r'<a class="pd-number".*?</a>', "", caption["inner"], flags=re.S))
            yield Figure(
                page,
                found["id"],
                str(page.proof.scan.numbers[found["id"]][1]),
                alt=unescape(label[1]) if label else "",
                caption=text,
                drawing=drawn[found["id"]],
                element=found[0],
            )


def place_of(page: str, figure: str, kind: str = "svg") -> str:
    """Where the file of a figure lies in the site, by the name of its page."""
    return f"{FOLDER}/{page.removeprefix('chapters/')}/{figure}.{kind}"


def embedded(page: str, figure: str) -> str:
    """Where the page for other sites lies that shows a figure alone."""
    return f"{EMBEDDED}/{page.removeprefix('chapters/')}/{figure}/"


def with_links(page: Published) -> str:
    """The HTML of a page with links to the files of its figures below their captions."""

    def linked(found: re.Match[str]) -> str:
        if found["id"] not in page.proof.scan.numbers:
            return found[0]
        name = f"Figure {page.proof.scan.numbers[found['id']][1]}"
        links = [
            f'<a href="{relative(place_of(page.name, found["id"], kind), page.address)}"'
            f' download="pedocs-{found["id"]}.{kind}" aria-label="{name} as {kind.upper()}">'
            f"{kind.upper()}</a>"
            for kind in ("svg", "png")
        ]
        place = relative(embedded(page.name, found["id"]), page.address)
        links.append(f'<a href="{place}" aria-label="{name} alone, to embed">Embed</a>')
        items = "".join(links)
        row = f'<div class="pd-files" data-search-exclude>{items}</div>'
        return found[0].replace("</figcaption>", f"{row}</figcaption>")

    return _FIGURE.sub(linked, page.html)


def write(folder: Path, pages: Iterable[Published], book: Book, cache: Path) -> None:
    """Write the pictures of all figures into a built site; those in `cache` are not made anew."""
    every = [(figure, _stands(figure)) for page in pages for figure in figures(page)]
    pictures = png.render([svg for _, svg in every], cache)
    for (figure, svg), picture in zip(every, pictures, strict=True):
        said = said_of(figure, book)
        file = folder / place_of(figure.page.name, figure.id)
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(_described(svg, said, book.work.licence), "utf-8")
        file.with_suffix(".png").write_bytes(png.described(picture, said))


def cited(figure: Figure, book: Book) -> Cited:
    """The figure as an entry in a list of references."""
    page = book.page(figure.page.title, figure.page.address, figure.page.name)
    return page.of(Item("Figure", figure.id, figure.number))


def said_of(figure: Figure, book: Book) -> dict[str, str]:
    """What a picture says of itself, by the names that PNG has for it."""
    work, entry = book.work, cited(figure, book)
    return {
        "Title": figure.name,
        "Author": work.by,
        "Description": f"{figure.caption} {figure.alt}".strip(),
        "Copyright": f"{work.by}, {work.licence_name}, {work.licence}",
        "Source": entry.link,
        "Citation": apa(entry),
    }


def _stands(figure: Figure) -> str:
    """The drawing by itself, on its own ground, with room around it."""
    svg = alone(figure.drawing, figure.alt)
    ground = ""
    if size := _SIZE.search(svg):
        width, height = float(size[1]) + 2 * _MARGIN, float(size[2]) + 2 * _MARGIN
        scale = float(size[3]) / float(size[1])
        box = f"{-_MARGIN:g} {-_MARGIN:g} {width:g} {height:g}"
        new = f'viewBox="{box}" width="{width * scale:g}" height="{height * scale:g}"'
        svg = svg.replace(size[0], new, 1)
        # A style has no effect on the ground where the reader is no browser.
        paper = re.search(r"background:([^;\"]+)", svg)
        fill = paper[1] if paper else "#ffffff"
        x, y, *_ = box.split()
        ground = (
            f'<rect x="{x}" y="{y}" width="{width:g}" height="{height:g}" style="fill:{fill}"/>'
        )
    head, body = svg.split(">", 1)
    return f"{head}>{ground}{body}"


def _described(svg: str, said: dict[str, str], licence: str) -> str:
    head, body = svg.split(">", 1)
    text = {name: escape(words, quote=False) for name, words in said.items()}
    source = f"<dc:source>{text['Source']}</dc:source>" if text["Source"] else ""
    about = (
        f"<title>{text['Title']}</title><desc>{text['Description']} {text['Citation']}</desc>"
        '<metadata><rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#"'
        ' xmlns:dc="http://purl.org/dc/elements/1.1/" xmlns:dcterms="http://purl.org/dc/terms/"'
        ' xmlns:cc="http://creativecommons.org/ns#"><cc:Work rdf:about="">'
        f"<dc:title>{text['Title']}</dc:title><dc:creator>{text['Author']}</dc:creator>"
        f"<dc:description>{text['Description']}</dc:description>"
        f"<dc:rights>{text['Copyright']}</dc:rights>{source}"
        f"<dcterms:bibliographicCitation>{text['Citation']}</dcterms:bibliographicCitation>"
        f'<cc:license rdf:resource="{escape(licence)}"/>'
        "</cc:Work></rdf:RDF></metadata>"
    )
    return f"{head}>{about}{body}\n"


def words(html: str) -> str:
    """A piece of HTML as plain text, its formulas in one line."""
    text = re.sub(r"<[^<>]*>", "", _MATH.sub(lambda found: in_one_line(found[0]), html))
    return " ".join(unescape(text).split())
