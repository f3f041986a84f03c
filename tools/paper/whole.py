"""All pages in one document, and that as a PDF with page numbers in its contents."""

from __future__ import annotations

from collections.abc import Iterable
from io import BytesIO
from pathlib import Path
from xml.etree.ElementTree import Element

import pikepdf
from playwright.sync_api import Browser

from tools.paper.browser import lay, press
from tools.paper.site import Place, Site
from tools.paper.tree import classes, drop, element, html, parse, text

HERE = Path(__file__).parent
_REFERENCES = ("aria-describedby", "aria-labelledby", "for", "headers")
_STYLES = ("assets/stylesheets/main.*.css", "assets/_mkdocstrings.css", "assets/pedocs.css")
# Whatever is wider than the page is made as wide as the page.
FIT = (HERE / "fit.js").read_text("utf-8")


def assemble(site: Site, places: list[Place] | None = None) -> Element:
    """One document of these pages, or of all: cover, contents, the pages with ids of their own."""
    places = site.places if places is None else places
    body = element("main", class_="md-content")
    pages, part, known = [], "", set[str]()
    for place in places:
        page = page_of(site, place)
        if place.part and place.part != part:
            page.insert(0, element("h1", place.part, class_="pd-part"))
        part = place.part
        known |= {each.get("id", "") for each in page.iter()}
        pages.append(page)
    for page in pages:
        _mend(page, known)
    body.extend([_cover(site), _contents(places, pages), *pages])
    return body


def document(site: Site, body: Element, style: str = "paper.css") -> str:
    """The document as the browser reads it, with the site's styles and those of paper."""
    links = [
        f'<link rel="stylesheet" href="/{path.relative_to(site.folder).as_posix()}">'
        for pattern in _STYLES
        for path in sorted(site.folder.glob(pattern))
    ]
    return (
        f'<!doctype html><html lang="en"><head><meta charset="utf-8">'
        f"<title>{site.title} {site.edition.version}: {site.description}</title>"
        f"{''.join(links)}<style>{(HERE / style).read_text('utf-8')}</style></head>"
        f'<body data-md-color-scheme="default" data-md-color-primary="custom">{html(body)}</body>'
        "</html>"
    )


def print_whole(browser: Browser, site: Site, places: list[Place] | None = None) -> bytes:
    """The PDF. It is printed twice: where the pages fell is known once they were printed."""
    body = assemble(site, places)
    with press(browser, site.folder) as page:
        lay(page, document(site, body))
        page.evaluate(FIT)
        first = page.pdf(prefer_css_page_size=True, print_background=True)
        numbers = landed(first)
        page.evaluate(
            "(numbers) => document.querySelectorAll('.pd-toc a').forEach((link) => {"
            " link.lastElementChild.textContent = numbers[link.hash.slice(1)] })",
            numbers,
        )
        final = page.pdf(
            prefer_css_page_size=True, print_background=True, tagged=True, outline=True
        )
    if landed(final) != numbers:
        raise ValueError("the pages of the PDF moved when their numbers were filled in")
    return packed(final, site.edition.date)


def landed(pdf: bytes) -> dict[str, int]:
    """The number of the page that each anchor stands on."""
    with pikepdf.open(BytesIO(pdf)) as read:
        pages = {page.obj.objgen: number for number, page in enumerate(read.pages, 1)}
        return {
            name.lstrip("/"): pages[place[0].objgen]
            for name, place in read.Root.get("/Dests", pikepdf.Dictionary()).items()
        }


def packed(pdf: bytes, date: str) -> bytes:
    """The PDF in a third of the room, and the same bytes for the same pages."""
    with pikepdf.open(BytesIO(pdf)) as read:
        for name in ("/CreationDate", "/ModDate"):
            read.docinfo[name] = f"D:{date.replace('-', '') or '19800101'}000000Z"
        small = BytesIO()
        read.save(
            small, object_stream_mode=pikepdf.ObjectStreamMode.generate, deterministic_id=True
        )
        return small.getvalue()


def page_of(site: Site, place: Place) -> Element:
    """A page's article, whose ids and links are those of the one document."""
    article = site.article(place.address)
    article.tag = "section"
    article.set("class", "md-content__inner md-typeset pd-page")
    article.set("id", place.name)
    for each in article.iter():
        if each.tag in ("h1", "h2", "h3", "h4", "h5"):
            each.set("class", f"{each.get('class', '')} pd-{each.tag}".strip())
            each.tag = f"h{int(each.tag[1]) + 1}" if place.part else each.tag
        if each is not article and "id" in each.attrib:
            each.set("id", anchor(place, each.attrib["id"]))
        for name in _REFERENCES:
            if name in each.attrib:
                words = each.attrib[name].split()
                each.set(name, " ".join(anchor(place, word) for word in words))
        for name, value in each.attrib.items():
            if "url(#" in value:
                each.set(name, value.replace("url(#", f"url(#{anchor(place, '')}"))
        if (used := each.get("xlink:href", "")).startswith("#"):
            each.set("xlink:href", "#" + anchor(place, used[1:]))
        if "href" in each.attrib:
            _link(site, place, each)
        if "src" in each.attrib and (file := site.file(place.address, each.attrib["src"])):
            each.set("src", "/" + file.relative_to(site.folder).as_posix())
    return article


def anchor(place: Place, name: str) -> str:
    """The id in the document of an id of a page."""
    return f"{place.name}--{name}"


def _link(site: Site, place: Place, link: Element) -> None:
    """Lead a link into the document, else to the published site, else nowhere."""
    href = link.attrib.pop("href")
    found = site.target(place.address, href)
    if found:
        there = next(each for each in site.places if each.address == found[0])
        link.set("href", "#" + (anchor(there, found[1]) if found[1] else there.name))
    elif outside := site.absolute(place.address, href):
        link.set("href", outside)
    else:
        link.tag = "span"


def _mend(page: Element, known: set[str]) -> None:
    """A link to what paper does not have leads to its page or, without that, nowhere."""
    for link in page.iter("a"):
        href = link.get("href", "")
        if href.startswith("#") and href[1:] not in known:
            name = href[1:].partition("--")[0]
            del link.attrib["href"]
            if name in known:
                link.set("href", f"#{name}")


def _cover(site: Site) -> Element:
    edition = site.edition
    where = edition.address or "This copy has no public address."
    lines = [f"Version {edition.name}"]
    lines += [edition.date] if edition.date else []
    lines += [f"Commit {edition.commit}"] if edition.commit else []
    return element(
        "section",
        element("p", site.title, class_="pd-cover__title"),
        element("p", site.description, class_="pd-cover__about"),
        element("p", *_lines(lines), class_="pd-cover__edition"),
        element(
            "p",
            *_lines([site.licence]),
            element("br"),
            element("a", where, href=where) if edition.address else where,
            class_="pd-cover__edition",
        ),
        class_="md-typeset pd-cover",
    )


def _lines(lines: Iterable[str]) -> list[str | Element]:
    made: list[str | Element] = []
    for line in lines:
        made += [element("br"), line] if made else [line]
    return made


def _contents(places: list[Place], pages: list[Element]) -> Element:
    toc = element("nav", element("h1", "Contents", class_="pd-part"), class_="md-typeset pd-toc")
    part = ""
    for place, page in zip(places, pages, strict=True):
        if place.part and place.part != part:
            toc.append(element("p", place.part, class_="pd-toc__part"))
        part = place.part
        toc.append(_line(place.listed, place.name, "pd-toc__page"))
        # Elsewhere they are letters, names of functions, or exercises: many, and seldom looked for.
        for heading in page.iter() if place.address.startswith("chapters/") else []:
            if "pd-h2" in classes(heading):
                toc.append(_line(heading, heading.get("id", ""), "pd-toc__section"))
    return toc


def _line(title: str | Element, target: str, kind: str) -> Element:
    words: list[str | Element] = [title] if isinstance(title, str) else _words(title)
    return element(
        "p",
        element("a", element("span", *words), element("span", "000"), href=f"#{target}"),
        class_=kind,
    )


def _words(heading: Element) -> list[str | Element]:
    """What a heading says, formulas included, without its links and ids."""
    copy = parse(html(heading))[0]
    for each in copy.iter():
        each.attrib.pop("id", None)
        each.attrib.pop("href", None)
        each.tag = "span" if each.tag == "a" else each.tag
    drop(copy, lambda each: not text(each))
    return [copy.text or "", *copy]
