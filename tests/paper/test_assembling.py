"""The one document of all pages, the sheets and the EPUB, without a browser."""

import os
import re
import shutil
import subprocess
from collections import Counter
from io import BytesIO
from pathlib import Path
from xml.etree import ElementTree
from zipfile import ZIP_STORED, ZipFile

import pytest

from tools.paper import epub, handout, whole
from tools.paper.site import Site
from tools.paper.tree import html, parse, text, with_class, xhtml


def links(root: ElementTree.Element) -> list[str]:
    return [each.get("href", "") for each in root.iter("a")]


def test_pieces_of_html_go_in_and_out() -> None:
    written = '<p class="a">1 &lt; 2<br>then <svg viewBox="0 0 1 1"><path d="M0"/></svg> end</p>'
    assert html(parse(written)[0]) == written.replace('<path d="M0"/>', '<path d="M0"></path>')
    assert text(parse("<p>a</i> b<p>")) == "a b"
    again = ElementTree.fromstring(xhtml(parse(written)[0]))
    assert again.find("{http://www.w3.org/2000/svg}svg") is not None


def test_pages_come_in_the_order_of_the_navigation(small: Site) -> None:
    assert [(place.address, place.part) for place in small.places] == [
        ("", ""),
        ("chapters/one/", "I"),
        ("chapters/two/", "I"),
        ("exercises/one/", "Exercises"),
    ]


def test_the_document_has_each_id_once_and_no_dead_link(small: Site) -> None:
    body = whole.assemble(small)
    ids = Counter(each.get("id") for each in body.iter() if each.get("id"))
    assert {"chapters-one", "chapters-one--start", "chapters-two--start"} <= set(ids)
    assert not [name for name, count in ids.items() if count > 1]
    inner = [link[1:] for link in links(body) if link.startswith("#")]
    assert set(inner) <= set(ids)
    assert {"chapters-two--start", "chapters-one--start", "chapters-two"} <= set(inner)
    written = html(body)
    assert "url(#chapters-one--c)" in written
    assert 'xlink:href="#chapters-one--p"' in written


def test_links_out_of_the_document_are_absolute_or_words(small: Site) -> None:
    out = {link for link in links(whole.assemble(small)) if not link.startswith("#")}
    own = {"https://book.example/", "https://book.example/one.ipynb"}
    assert out - {""} == {"https://example.org/"} | (own if small.edition.address else set())


def test_paper_has_no_buttons_and_no_closed_folds(small: Site) -> None:
    written = html(whole.assemble(small))
    assert not re.search("<button|headerlink|pd-proof|values", written)
    assert written.count("<details") == written.count("open=") == 2
    assert "hidden" in written
    assert "Secret" in written


def test_contents_name_parts_pages_and_sections(small: Site) -> None:
    contents = next(with_class(whole.assemble(small), "pd-toc"))
    assert [text(each).removesuffix("000") for each in contents][1:] == [
        *("Home", "I", "One", "The start", "What to remember", "Two", "Start"),
        *("Exercises", "Exercises on One"),
    ]


def test_a_sheet_has_goals_equations_and_exercises_but_no_solution(small: Site) -> None:
    sheet = handout.sheet(small, small.places[1])
    said = text(sheet)
    order = ["What you will be able to do", "do it", "What to remember", "this", "Drawn"]
    order += ["Key equations", "(1)", "Exercises", "1. Try"]
    assert sorted(order, key=said.index) == order
    assert "Secret" not in said
    assert all(link.startswith("https://") for link in links(sheet))
    where = small.edition.link("chapters/one/") or "This copy has no address."
    assert where in said
    assert "A & B, C (2026). One. In book, version 1.2+abc" in said


def unpacked(book: bytes) -> dict[str, str]:
    with ZipFile(BytesIO(book)) as packed:
        return {
            name: packed.read(name).decode()
            for name in packed.namelist()
            if not name.endswith(".woff2")
        }


def test_the_epub_is_whole(small: Site) -> None:
    book = epub.make(small)
    assert book == epub.make(Site(small.folder))
    with ZipFile(BytesIO(book)) as packed:
        first = packed.infolist()[0]
        assert (first.filename, first.compress_type) == ("mimetype", ZIP_STORED)
    files = unpacked(book)
    chapter = files["book/chapters-one.xhtml"]
    assert 'href="chapters-two.xhtml#start"' in chapter
    assert 'href="chapters-two.xhtml"' in chapter
    assert "#gone" not in chapter
    assert "fill:#111111" in chapter
    assert "var(" not in chapter
    manifest = files["book/package.opf"]
    assert "<dc:creator>A &amp; B</dc:creator>\n<dc:creator>C</dc:creator>" in manifest
    assert (
        'href="chapters-one.xhtml" media-type="application/xhtml+xml" properties="mathml svg"'
        in (manifest)
    )
    assert 'href="chapters-two.xhtml" media-type="application/xhtml+xml"/>' in manifest
    for name, written in files.items():
        if name.endswith(".xhtml"):
            ElementTree.fromstring(written)


def epubcheck() -> list[str]:
    """Return how to call the checker, whose file may be a jar."""
    found = shutil.which("epubcheck")
    if not found:
        if os.environ.get("PEDOCS_EPUBCHECK"):
            pytest.fail("PEDOCS_EPUBCHECK is set, and epubcheck is not on the path", pytrace=False)
        pytest.skip("epubcheck is not on the path: nothing has checked the EPUB")
    jar = Path(found).read_bytes()[:2] == b"PK"
    return ["java", "-jar", found] if jar else [found]


def check(book: bytes, folder: Path) -> str:
    (folder / "book.epub").write_bytes(book)
    done = subprocess.run(
        [*epubcheck(), str(folder / "book.epub")], capture_output=True, text=True, check=False
    )
    return "" if done.returncode == 0 else done.stdout + done.stderr


def test_the_checker_can_fail(small: Site, tmp_path: Path) -> None:
    if not small.edition.address:
        return
    broken = epub.make(small).replace(b"application/epub+zip", b"application/epub+zap")
    assert "ERROR" in check(broken, tmp_path)


def test_the_checker_accepts_the_epub_of_the_book(site: Path, tmp_path: Path) -> None:
    assert check(epub.make(Site(site)), tmp_path) == ""
