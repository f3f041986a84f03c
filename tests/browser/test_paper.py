"""What is printed: the whole book from a few of its pages, and the sheet of every chapter."""

from collections.abc import Iterator
from functools import cache
from io import BytesIO
from pathlib import Path
from unicodedata import normalize

import pikepdf
import pytest
from playwright.sync_api import Browser
from pypdf import PdfReader

from tools.paper import handout, whole
from tools.paper.browser import lay, press
from tools.paper.site import Place, Site
from tools.paper.tree import text, with_class

from .conftest import Visit

pytestmark = pytest.mark.browser

FEW = ("", "chapters/alibi/", "exercises/alibi/", "glossary/")
WIDE = ("chapters/rope/", "chapters/models/", "chapters/choosing/", "library/parity/", "notation/")


@pytest.fixture(scope="module")
def site(address: str, folder: Path) -> Site:
    return Site(folder)


def places(site: Site, *addresses: str) -> list[Place]:
    return [place for place in site.places if place.address in addresses]


@pytest.fixture(scope="module")
def pdf(chromium: Browser, site: Site) -> bytes:
    return whole.print_whole(chromium, site, places(site, *FEW))


def plain(said: str) -> str:
    """Words without the ligatures that are printed."""
    return " ".join(normalize("NFKC", said).split())


@cache
def words(pdf: bytes) -> list[str]:
    """Return what is read of each page; reading takes longer than printing."""
    return [plain(page.extract_text()) for page in PdfReader(BytesIO(pdf)).pages]


def fonts(pdf: pikepdf.Pdf) -> Iterator[pikepdf.Object]:
    for page in pdf.pages:
        for font in page.resources.get("/Font", {}).values():
            yield from font.get("/DescendantFonts", [font])


def test_all_faces_are_in_the_pdf(pdf: bytes) -> None:
    with pikepdf.open(BytesIO(pdf)) as read:
        found = list(fonts(read))
        assert found
        for font in found:
            inside = {"/FontFile", "/FontFile2", "/FontFile3"} & set(
                font.get("/FontDescriptor", {})
            )
            assert inside or font["/Subtype"] == "/Type3"


def test_links_of_the_pdf_lead_somewhere(pdf: bytes, address: str) -> None:
    with pikepdf.open(BytesIO(pdf)) as read:
        names = set(read.Root["/Dests"].keys())
        inner, outer = set[str](), set[str]()
        for page in read.pages:
            for note in page.get("/Annots", []):
                if "/A" in note:
                    outer.add(str(note["/A"]["/URI"]))
                else:
                    inner.add(str(note["/Dest"]))
        assert len(inner) > 30
        assert inner <= names
        assert all(link.startswith("http") and "press.invalid" not in link for link in outer)


def test_the_pdf_has_an_outline_and_says_its_edition(pdf: bytes, site: Site) -> None:
    reader = PdfReader(BytesIO(pdf))

    def titles(items: list[object], level: int = 0) -> Iterator[tuple[int, str]]:
        for item in items:
            if isinstance(item, list):
                yield from titles(item, level + 1)
            else:
                yield level, " ".join(str(getattr(item, "title", "")).split())

    outline = list(titles(list(reader.outline)))
    assert (0, "Contents") in outline
    assert (0, "II · Schemes") in outline
    assert (1, "ALiBi") in outline
    assert (2, "The formula") in outline
    first = words(pdf)[0]
    assert site.title in first
    assert f"Version {site.edition.name}" in first
    with pikepdf.open(BytesIO(pdf)) as read:
        assert "/StructTreeRoot" in read.Root


def test_the_contents_give_the_true_pages(pdf: bytes, site: Site) -> None:
    pages, numbers = words(pdf), whole.landed(pdf)
    body = whole.assemble(site, places(site, *FEW))
    contents = next(with_class(body, "pd-toc"))
    lines = [(plain(text(link[0])), link.get("href", "")[1:]) for link in contents.iter("a")]
    assert len(lines) > 12
    said = " ".join(pages[1:3])
    for title, target in lines:
        assert f"{title} {numbers[target]}" in said
        named = title.lstrip("0123456789. ")  # the page has a chapter's number in a line of its own
        assert named in pages[numbers[target] - 1] or title == "Home"
        # A page's number is the first or the last that is read of it.
        read = pages[numbers[target] - 1].split()
        assert str(numbers[target]) in (read[0], read[-1])


def test_code_is_there_to_its_last_line(pdf: bytes, site: Site) -> None:
    said = "".join("".join(words(pdf)).split())
    for address in ("chapters/alibi/", "exercises/alibi/"):
        blocks = ["".join(block.itertext()) for block in site.article(address).iter("pre")]
        longest = max(blocks, key=len)
        assert longest.count("\n") > 10
        for line in longest.splitlines():
            assert "".join(plain(line).split()) in said


def test_nothing_is_wider_than_the_page(chromium: Browser, site: Site) -> None:
    with press(chromium, site.folder) as page:
        lay(page, whole.document(site, whole.assemble(site, places(site, *FEW, *WIDE))))
        assert page.evaluate(whole.FIT) > 0
        outside = page.evaluate(
            "() => [...document.querySelectorAll('.pd-page :is(math, table, svg, pre, p, td)')]"
            ".filter((each) => each.getBoundingClientRect().right > innerWidth + 1)"
            ".map((each) => each.closest('[id]').id + ' ' + each.textContent.slice(0, 60))"
        )
    assert outside == []


def test_every_chapter_has_a_sheet_of_one_page(chromium: Browser, site: Site) -> None:
    sheets = handout.print_handouts(chromium, site)
    assert len(sheets) == len(list(Path("docs/chapters").glob("*.md")))
    for place in handout.chapters(site):
        pages = words(sheets[place.address.split("/")[1]])
        assert len(pages) == 1
        assert plain(place.title) in pages[0]
        assert f"version {site.edition.name}" in pages[0]
        assert "Exercises" in pages[0]
        assert "Solution" not in pages[0]


def test_a_page_prints_the_folds_that_are_open(visit: Visit) -> None:
    """Material would open them all."""
    page = visit.open("exercises/alibi/")
    page.locator("details.pd-hint > summary").first.click()
    said = " ".join(words(page.pdf()))
    assert said.count("Hint") == 1
    assert "largest power of two" in said
    assert "Solution" not in said
    assert "All worked values" not in said
    assert not page.locator("details.pd-solution[open]").count()
