"""Every figure as a file, and alone on a page for other sites."""

import re
import struct
from pathlib import Path
from xml.etree import ElementTree

import pytest

from pedocs.book.audit import audit
from pedocs.book.figures import words
from pedocs.book.png import described, render, texts

from .conftest import built_book, write_book
from .test_colours import scheme

SVG = "{http://www.w3.org/2000/svg}"
DRAWN = """\
# Drawn

/// figure | fig-wave
    alt: "A wave & more."

```python exec="1"
from pedocs.book import draw
fig, ax = draw.axes(3, 2)
ax.plot([0, 1, 0])
ax.set_xlabel("offset $r$")
draw.show(fig)
```

A wave of $d_k^2$, in [Home](index.md) and [itself](#fig-wave).
///
"""


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A small built book with a drawn figure."""
    book = write_book(tmp_path_factory.mktemp("book"))
    (book / "docs" / "chapters").mkdir()
    page = DRAWN.replace("index.md", "../index.md")
    (book / "docs" / "chapters" / "drawn.md").write_text(page, encoding="utf-8")
    config = book / "mkdocs.yml"
    more = (
        "site_url: https://book.example/\nsite_author: Some authors\n"
        "copyright: Text <a href='https://l.example/'>A licence</a>\n"
    ).replace("'", '"')
    text = config.read_text("utf-8").replace("plugins: [", "plugins: [search, ")
    config.write_text(text + more, encoding="utf-8")
    return built_book(book)


def test_a_figure_stands_alone_as_svg(built: Path) -> None:
    text = (built / "figures" / "drawn" / "fig-wave.svg").read_text("utf-8")
    root = ElementTree.fromstring(text)
    assert "var(" not in text
    assert {*re.findall(r"#[0-9a-f]{6}", text)} <= {*scheme("default").values()}
    title, desc = (root.find(f"{SVG}{tag}") for tag in ("title", "desc"))
    assert title is not None
    assert desc is not None
    assert title.text == "Figure 1 of “Drawn”"
    said = f"{desc.text}"
    assert "A wave of d_k^2, in Home and itself." in said
    assert "A wave & more." in said
    assert "Drawn, Figure 1. In A small book (Version " in said
    assert "https://book.example/chapters/drawn/#fig-wave" in said
    metadata = ElementTree.tostring(root.find(f"{SVG}metadata"), "unicode")  # type: ignore[arg-type]
    assert "https://l.example/" in metadata
    assert "Some authors" in metadata
    assert root.get("aria-label") == "A wave & more."
    [ground] = [each for each in root if each.tag == f"{SVG}rect"]
    assert scheme("default")["paper"] in (ground.get("style") or "")


def test_a_figure_is_a_picture_that_says_the_same(built: Path) -> None:
    file = built / "figures" / "drawn" / "fig-wave.png"
    picture = file.read_bytes()
    width, height = struct.unpack(">II", picture[16:24])
    root = ElementTree.fromstring(file.with_suffix(".svg").read_text("utf-8"))
    assert width == pytest.approx(2 * float(root.attrib["width"]), abs=1)
    assert height == pytest.approx(2 * float(root.attrib["height"]), abs=1)
    said = texts(picture)
    assert said["Title"] == "Figure 1 of “Drawn”"
    assert said["Copyright"] == "Some authors, A licence, https://l.example/"
    assert said["Source"] == "https://book.example/chapters/drawn/#fig-wave"
    assert said["Source"] in said["Citation"]
    from PIL import Image

    with Image.open(file) as image:  # one that checks what it reads
        image.load()
        colours = image.convert("RGB").getcolors(1 << 20)
        assert image.info["Author"] == "Some authors"
    assert colours
    paper = scheme("default")["paper"]
    ground = tuple(int(paper[k : k + 2], 16) for k in (1, 3, 5))
    assert max(colours)[1] == ground
    assert len(colours) > 20  # its letters and lines have edges


def test_pictures_are_drawn_once(tmp_path: Path) -> None:
    drawing = (
        '<svg xmlns="http://www.w3.org/2000/svg" width="9" height="9"><path d="M0 0L9 9"/></svg>'
    )
    [first] = render([drawing], tmp_path)
    [kept] = tmp_path.iterdir()
    kept.write_bytes(b"kept")
    assert render([drawing], tmp_path) == [b"kept"]
    assert texts(described(first, {"Title": "Ä", "Source": ""})) == {"Title": "Ä"}


def test_a_page_links_to_the_files_of_its_figures(built: Path) -> None:
    html = (built / "chapters" / "drawn" / "index.html").read_text("utf-8")
    [caption] = re.findall(r"<figcaption>.*?</figcaption>", html, re.S)
    assert 'href="../../figures/drawn/fig-wave.svg" download="pedocs-fig-wave.svg"' in caption
    assert 'href="../../figures/drawn/fig-wave.png"' in caption
    assert 'href="../../embed/drawn/fig-wave/"' in caption
    assert "to embed" not in (built / "search" / "search_index.json").read_text("utf-8")
    assert ">Embed<" not in (built / "search" / "search_index.json").read_text("utf-8")
    ours = [fault for fault in audit(built) if "_markdown_exec" not in fault]
    assert not ours


def test_a_page_shows_the_figure_alone(built: Path) -> None:
    html = (built / "embed" / "drawn" / "fig-wave" / "index.html").read_text("utf-8")
    assert '<meta name="robots" content="noindex">' in html
    assert '<link rel="canonical" href="https://book.example/chapters/drawn/">' in html
    assert 'href="../../../chapters/drawn/#fig-wave" target="_top"' in html
    assert '<a href="../../../" target="_top">Home</a>' in html
    assert len(re.findall(r"<figure\b", html)) == 1
    assert "pd-files" not in html
    assert not re.search(r' (?:href|src)="/', html)
    assert not re.search(r"<script(?![^>]*\bsrc=)|\son\w+=", html)
    assert "fig-wave/" not in (built / "sitemap.xml").read_text("utf-8")


def test_words_of_html() -> None:
    formula = (
        "<math><msup><mi>x</mi><mrow><mn>2</mn><mi>m</mi><mo>/</mo><mi>d</mi></mrow></msup></math>"
    )
    assert words(f"a &amp; <b>b</b> {formula}") == "a & b x^(2m/d)"
    assert (
        words("<math><mfrac><mi>a</mi><mrow><mi>b</mi><mo>+</mo><mi>c</mi></mrow></mfrac></math>")
        == "a/(b+c)"
    )
