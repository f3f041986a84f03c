"""All pages as an EPUB 3: a file for each, with formulas as MathML and drawings as SVG."""

from __future__ import annotations

import re
import uuid
from html import escape
from io import BytesIO
from pathlib import Path
from posixpath import normpath
from xml.etree.ElementTree import Element
from zipfile import ZIP_DEFLATED, ZIP_STORED, ZipFile, ZipInfo

from tools.paper.site import Place, Site
from tools.paper.tree import drop, element, text, xhtml

HERE = Path(__file__).parent
_TYPES = {".svg": "image/svg+xml", ".png": "image/png", ".jpg": "image/jpeg"}
# What readers of EPUB do not know, or check against.
_SVG_ATTRIBUTES = {"focusable", "aria-hidden"}
_CONTAINER = """<?xml version="1.0" encoding="utf-8"?>
<container version="1.0" xmlns="urn:oasis:names:tc:opendocument:xmlns:container">
<rootfiles>
<rootfile full-path="book/package.opf" media-type="application/oebps-package+xml"/>
</rootfiles>
</container>
"""


def make(site: Site, places: list[Place] | None = None) -> bytes:
    """The EPUB of these pages, or of all; the same bytes for the same site."""
    places = site.places if places is None else places
    colours = _colours(site)
    ids = {place.address: _ids(site.article(place.address)) for place in places}
    files: dict[str, str | bytes] = {}
    manifest = [
        _item("nav", "nav.xhtml", "application/xhtml+xml", "nav"),
        _item("style", "style.css", "text/css"),
        _item("cover", "cover.xhtml", "application/xhtml+xml"),
    ]
    images: dict[str, Path] = {}
    headings: list[tuple[Place, list[Element]]] = []
    for place in places:
        page = _page(site, place, ids, images)
        headings.append((place, [each for each in page.iter("h2") if each.get("id")]))
        written = _colour(_document(place.title, page), colours)
        files[f"{place.name}.xhtml"] = written
        tags = {each.tag for each in page.iter()}
        properties = " ".join(
            name for tag, name in (("math", "mathml"), ("svg", "svg")) if tag in tags
        )
        manifest.append(
            _item(place.name, f"{place.name}.xhtml", "application/xhtml+xml", properties)
        )
    for name, path in images.items():
        files[name] = path.read_bytes()
        manifest.append(_item(name.replace("/", "-"), name, _TYPES[path.suffix]))
    for face in sorted(site.folder.glob("assets/fonts/stix-math*.woff2")):
        files[f"fonts/{face.name}"] = face.read_bytes()
        manifest.append(_item(face.stem, f"fonts/{face.name}", "font/woff2"))
    files["cover.xhtml"] = _document(site.title, _cover(site))
    files["nav.xhtml"] = _document("Contents", _nav(headings))
    files["style.css"] = (HERE / "epub.css").read_text("utf-8")
    files["package.opf"] = _package(site, places, manifest)
    rights = site.folder / "assets/fonts/OFL-STIX.txt"
    if rights.exists():
        files["../META-INF/OFL-STIX.txt"] = rights.read_bytes()
    return _zipped(files, site.edition.date)


def _page(site: Site, place: Place, ids: dict[str, set[str]], images: dict[str, Path]) -> Element:
    page = site.article(place.address)
    drop(page, lambda each: each.tag == "img" and not site.file(place.address, each.get("src", "")))
    page.tag = "section"
    page.attrib = {}
    for each in page.iter():
        each.attrib.pop("name" if each.tag == "a" else "", None)
        if "href" in each.attrib:
            _link(site, place, each, ids)
        if each.tag == "img":
            path = site.file(place.address, each.get("src", ""))
            assert path
            name = "images/" + path.relative_to(site.folder).as_posix().replace("/", "-")
            images[name] = path
            each.set("src", name)
    _style_formulas(page)
    for svg in page.iter("svg"):
        for name in _SVG_ATTRIBUTES & set(svg.attrib):
            del svg.attrib[name]
    return page


def _style_formulas(page: Element) -> None:
    """Say how large a formula is in an element of its own, as the MathML of EPUB has it."""
    for parent in list(page.iter()):
        for place, child in enumerate(parent):
            names = {"scriptlevel", "displaystyle"} & set(child.attrib)
            if child.tag in ("math", "mstyle") or not names:
                continue
            style = element("mstyle", **{name: child.attrib.pop(name) for name in names})
            style.tail, child.tail = child.tail, None
            parent[place] = style
            style.append(child)


def _link(site: Site, place: Place, link: Element, ids: dict[str, set[str]]) -> None:
    """Lead a link to a file of the book, else to the published site, else nowhere."""
    href = link.attrib.pop("href")
    found = site.target(place.address, href)
    if found and found[0] in ids:
        there = next(each for each in site.places if each.address == found[0])
        known = found[1] in ids[found[0]]
        link.set("href", f"{there.name}.xhtml" + (f"#{found[1]}" if known else ""))
    elif outside := site.absolute(place.address, href):
        link.set("href", outside)
    else:
        link.tag = "span"


def _ids(page: Element) -> set[str]:
    return {each.get("id", "") for each in page.iter()} - {""}


def _document(title: str, content: Element) -> str:
    head = element(
        "head",
        element("title", title),
        element("link", rel="stylesheet", type="text/css", href="style.css"),
    )
    whole = element("html", head, element("body", content), lang="en")
    whole.set("xml:lang", "en")
    return f'<?xml version="1.0" encoding="utf-8"?>\n<!DOCTYPE html>\n{xhtml(whole)}\n'


def _colours(site: Site) -> dict[str, str]:
    """The colours of the light scheme: readers of EPUB know no variables."""
    style = (site.folder / "assets/pedocs.css").read_text("utf-8")
    light = re.search(r'\[data-md-color-scheme="default"\] \{(.*?)\}', style, re.S)
    return dict(re.findall(r"(--[\w-]+): (#\w+);", light[1] if light else ""))


def _colour(written: str, colours: dict[str, str]) -> str:
    return re.sub(
        r"var\((--[\w-]+)\)", lambda found: colours.get(found[1], "currentColor"), written
    )


def _cover(site: Site) -> Element:
    edition = site.edition
    lines = [f"Version {edition.name}", edition.date, site.licence, edition.address]
    return element(
        "section",
        element("h1", site.title),
        element("p", site.description),
        *(element("p", line) for line in lines if line),
        class_="cover",
    )


def _nav(headings: list[tuple[Place, list[Element]]]) -> Element:
    top = element("ol")
    part, inner = "", top
    for place, found in headings:
        if place.part != part:
            inner = element("ol") if place.part else top
            if place.part:
                top.append(element("li", element("span", place.part), inner))
            part = place.part
        entry = element("li", element("a", place.listed, href=f"{place.name}.xhtml"))
        sections = [] if place.address.startswith("exercises/") else found
        if sections:
            link = f"{place.name}.xhtml#"
            entry.append(
                element(
                    "ol",
                    *(
                        element("li", element("a", text(each), href=link + each.get("id", "")))
                        for each in sections
                    ),
                )
            )
        inner.append(entry)
    nav = element("nav", element("h1", "Contents"), top, id="toc")
    nav.set("epub:type", "toc")
    return nav


def _item(name: str, href: str, kind: str, properties: str = "") -> str:
    said = f' properties="{properties}"' if properties else ""
    return f'<item id="{name}" href="{href}" media-type="{kind}"{said}/>'


def _package(site: Site, places: list[Place], manifest: list[str]) -> str:
    edition = site.edition
    name = uuid.uuid5(uuid.NAMESPACE_URL, f"{edition.address or 'pedocs'}{edition.name}")
    spine = "".join(f'<itemref idref="{name}"/>' for name in ("cover", "nav"))
    spine += "".join(f'<itemref idref="{place.name}"/>' for place in places)
    date = edition.date or "1980-01-01"
    creators = "\n".join(f"<dc:creator>{escape(name)}</dc:creator>" for name in site.authors)
    source = f"<dc:source>{escape(edition.address)}</dc:source>" if edition.address else ""
    return f"""<?xml version="1.0" encoding="utf-8"?>
<package version="3.0" unique-identifier="id" xmlns="http://www.idpf.org/2007/opf" xml:lang="en">
<metadata xmlns:dc="http://purl.org/dc/elements/1.1/">
<dc:identifier id="id">urn:uuid:{name}</dc:identifier>
<dc:title>{escape(f"{site.title}: {site.description}")}</dc:title>
<dc:language>en</dc:language>
{creators}
<dc:date>{date}</dc:date>
<dc:description>Version {escape(edition.name)}</dc:description>
<dc:rights>{escape(site.licence)}</dc:rights>
{source}<meta property="dcterms:modified">{date}T00:00:00Z</meta>
</metadata>
<manifest>{"".join(manifest)}</manifest>
<spine>{spine}</spine>
</package>
"""


def _zipped(files: dict[str, str | bytes], date: str) -> bytes:
    packed = BytesIO()
    day = tuple(map(int, (date or "1980-01-01").split("-")))
    with ZipFile(packed, "w") as book:

        def put(name: str, content: str | bytes, how: int) -> None:
            info = ZipInfo(name, (day[0], day[1], day[2], 0, 0, 0))
            info.compress_type, info.external_attr = how, 0o644 << 16
            book.writestr(info, content)

        put("mimetype", "application/epub+zip", ZIP_STORED)
        put("META-INF/container.xml", _CONTAINER, ZIP_DEFLATED)
        for name, content in files.items():
            put(normpath(f"book/{name}"), content, ZIP_DEFLATED)
    return packed.getvalue()
