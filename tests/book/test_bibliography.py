"""The bibliography: what a citation reads, what an entry must have, and what nobody cites."""

from pathlib import Path

import pytest

from pedocs.book.bibliography import BibliographyError, bibliography_of, href, listing
from pedocs.book.page import prove
from pedocs.book.sources import _read as read_sources
from tests.book.test_extension import render

ONE = """\
@article{{{key}, author = {{{author}}}, title = {{A {{T}}itle}}, year = {{{year}}}, {more}}}
"""
DOCS = Path(__file__).parents[2] / "docs"


def entry(
    key: str = "ey2019",
    author: str = "Ey, Bea",
    year: str = "2019",
    more: str = "eprint = {1901.00001}",
) -> str:
    return ONE.format(key=key, author=author, year=year, more=more)


def page(folder: Path, *entries: str, text: str = "See [@ey2019].") -> Path:
    (folder / "bibliography.bib").write_text("\n".join(entries))
    chapters = folder / "chapters"
    chapters.mkdir()
    path = chapters / "page.md"
    path.write_text(f'---\ntitle: "A: page"\n---\n\n{text}\n')
    return path


@pytest.mark.parametrize(
    ("author", "label"),
    [
        ("Ey, Bea", "Ey 2019"),
        ("van den Ey, Bea and Oh, Cy", "van den Ey and Oh 2019"),
        ("Ey, Bea and Oh, Cy and Uh, Di", "Ey et al. 2019"),
        ("Ey, Bea and others", "Ey et al. 2019"),
        ('E{\\"y}, Bea', "Eÿ 2019"),
    ],
)
def test_a_citation_reads_names_and_year(tmp_path: Path, author: str, label: str) -> None:
    assert bibliography_of(page(tmp_path, entry(author=author))).label("ey2019") == label


def test_works_that_would_read_alike_get_letters(tmp_path: Path) -> None:
    found = bibliography_of(page(tmp_path, entry(), entry(key="ey2019two")))
    assert [found.label(key) for key in found.entries] == ["Ey 2019a", "Ey 2019b"]


def test_the_link_leads_to_the_entry(tmp_path: Path) -> None:
    path = page(tmp_path, entry())
    assert href("ey2019", path) == "../bibliography.md#ey2019"


@pytest.mark.parametrize(
    ("given", "said"),
    [
        (entry(author=""), "bibliography.bib:1: ey2019 has no author"),
        (entry(year=""), "has no year"),
        (entry(more=""), "has no identifier: give eprint (arXiv), doi or url"),
        (entry(year="2018"), "says year 2018, its arXiv number says 2019"),
        (entry(key="Ey:2019"), "Ey:2019 is no key"),
        (entry() + entry(), "repeated"),
        ("@article{ey2019, author = {", "bibliography.bib"),
        ("", r"[@ey2019]: bibliography.bib has no such entry"),
        (entry(key="ey2020", year="2019"), "has no such entry"),
    ],
)
def test_a_fault_of_the_file_is_a_fault_of_the_page_that_cites(
    tmp_path: Path, given: str, said: str
) -> None:
    failures = prove(page(tmp_path, given)).failures
    assert len(failures) == 1
    assert said in str(failures[0])
    assert failures[0].line == 5


def test_no_file(tmp_path: Path) -> None:
    (tmp_path / "page.md").write_text("[@ey2019]")
    assert "there is no bibliography.bib" in str(prove(tmp_path / "page.md").failures[0])


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("[@ey2019; @oh2020]", "[@ cites one work by its key"),
        ("[Ey 2019](https://arxiv.org/abs/1901.00001)", "a paper is cited by its key"),
        ("[Ey 2019](https://doi.org/10.1/x)", "a paper is cited by its key"),
        ("[@ey2019](#section)", "[@ey2019] touches '('"),
        ("[@ey2019][@ey2019]", "[@ey2019] touches '['"),
        ("$x [@ey2019]$", "@ hides what follows"),
    ],
)
def test_other_ways_to_cite_are_refused(tmp_path: Path, text: str, said: str) -> None:
    assert said in str(prove(page(tmp_path, entry(), text=text)).failures)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("[see @ey2019]", "@ey2019 is shown as it is written"),
        ("@ey2019 says", "@ey2019 is shown as it is written"),
        ('<img src="x.png" alt="[@ey2019]">', "[@ey2019] is shown as it is written"),
        ('*x*{ title="[@ey2019]" }', "[@ey2019] is shown as it is written"),
        ("[see [@ey2019]](page.md)", "a link, or a citation, stands in a link"),
        ("'''python exec=\"1\"\nprint('[@ey2019]')\n'''", "prints [@ey2019], which cites"),
        ("<https://arxiv.org/abs/1901.00001>", "a paper is cited by its key"),
        ('<a href="http://www.doi.org/10.1/x">x</a>', "a paper is cited by its key"),
        ("[a][b]\n\n[b]: https://arxiv.org/abs/1901.00001", "a paper is cited by its key"),
    ],
)
def test_what_only_looks_like_a_citation_is_seen_in_what_comes_out(
    tmp_path: Path, text: str, said: str
) -> None:
    (tmp_path / "bibliography.bib").write_text(entry())
    assert said in str(render(tmp_path, text).page.failures)


def test_front_matter_cites_nothing(tmp_path: Path) -> None:
    path = page(tmp_path, entry())
    path.write_text("---\ntitle: See [@ey2019]\n---\n\n# X\n")
    assert "[@ey2019] in the front matter is shown" in str(prove(path).failures)


def test_an_address_holds_no_citation(tmp_path: Path) -> None:
    (tmp_path / "bibliography.bib").write_text(entry())
    assert '<h2 id="about-it">' in render(tmp_path, "## About [@ey2019] it").html


@pytest.mark.parametrize(
    "text",
    ["<!-- [@idle2019] -->", "Write `[@idle2019]`.", "```text\n[@idle2019]\n```",
     "<!--\n\n[@idle2019]\n\n-->", "> ~~~text\n> [@idle2019]\n> ~~~"],
)  # fmt: skip
def test_what_is_not_shown_cites_nothing(tmp_path: Path, text: str) -> None:
    page(tmp_path, entry(), entry(key="idle2019"), text=f"[@ey2019]\n\n{text}\n")
    with pytest.raises(BibliographyError, match="idle2019"):
        listing(tmp_path / "bibliography.md")


def test_code_cites_nothing(tmp_path: Path) -> None:
    assert prove(page(tmp_path, entry(), text="Write `[@key]`.")).failures == []


def test_the_listing_names_the_pages_that_cite(tmp_path: Path) -> None:
    more = "eprint = {1901.00001}, doi = {10.1/x}, journal = {J}"
    page(tmp_path, entry(author="Ey, Bea and Oh, Cy", more=more))
    assert listing(tmp_path / "bibliography.md") == (
        "Bea Ey and Cy Oh (2019). <cite>A Title</cite>. J, "
        '<a href="https://arxiv.org/abs/1901.00001">arXiv:1901.00001</a>, '
        '<a href="https://doi.org/10.1/x">doi:10.1/x</a>. '
        "Cited in [A: page](chapters/page.md).\n{ #ey2019 .pd-entry }"
    )


def test_an_entry_that_nobody_cites_is_refused(tmp_path: Path) -> None:
    page(tmp_path, entry(), entry(key="idle2019"))
    with pytest.raises(BibliographyError, match=r"no page cites bibliography.bib:3: idle2019"):
        listing(tmp_path / "bibliography.md")


def test_what_is_quoted_stands_in_one_of_the_two_files() -> None:
    """A paper has its title in the bibliography alone; anything else says its own."""
    entries = bibliography_of(DOCS / "index.md").entries
    file = DOCS / "sources.toml"
    for key, section in read_sources(file, 0, 0).items():
        described = {"title", "url"} & set(section)
        assert bool(described) != (key in entries), f"{key}: {described}"
