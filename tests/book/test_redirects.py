"""Redirects: old ids and old pages lead on, and no redirect is wrong."""

import re
from collections.abc import Callable
from pathlib import Path

import pytest

from pedocs.book.failures import report
from pedocs.book.redirects import NAME, read_redirects
from tests.book.conftest import Run

DOCS = Path(__file__).parents[2] / "docs"
LINKS = {"./", "./#eq-sine", "other/", "other/#part", "other/#fig-one"}
PAGES = {"./", "other/"}
GREEN = """\
# A comment.
"./#sine" = "./#eq-sine"
"other/#figure" = "./#home"
"old/page/" = "other/"
"old/page/#section" = "other/#part"
"""

Faults = Callable[[str], list[str]]


@pytest.fixture
def faults(tmp_path: Path) -> Faults:
    """Return a function that tells what is wrong with a text of redirects."""

    def found(text: str) -> list[str]:
        (tmp_path / NAME).write_text(text, "utf-8")
        said = report(read_redirects(tmp_path).faults(LINKS, PAGES))
        return [line.rpartition("/" + NAME + ":")[2] for line in said.splitlines()]

    return found


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ('\n"./#a" = "./#b"\n', "2: ./#b, the new place of ./#a, does not exist"),
        ('\n\n"other/#part" = "./"\n', "3: other/#part still exists, so nothing leads on from it"),
        ('"other/" = "./"\n', "1: other/ still exists, so nothing leads on from it"),
        ('"gone/#a" = "./"\n', "1: the page gone/ is gone: say where it went, too"),
        ('"./#a" = "https://other.example/"\n', "1: https://other.example/ is no link"),
        ('"#a" = "./"\n', "1: #a is no link: chapters/page/ or chapters/page/#id"),
        ('"../up/" = "./"\n', "1: ../up/ is no link"),
        ('"./#a" = "./"\n"./#a" = "other/"\n', "2: Cannot overwrite a value"),
        ('[here]\n"./#a" = "./"\n', "1: here is no redirect"),
        ("./ = ./\n", "1: "),
    ],
)
def test_a_wrong_redirect_is_named_with_its_line(faults: Faults, text: str, expected: str) -> None:
    found = faults(text)
    assert found
    assert any(each.startswith(expected) for each in found), found


def test_right_redirects_are_silent(faults: Faults) -> None:
    assert faults('# None.\n"./#a" = "./#eq-sine"\n"gone/" = "other/"\n"gone/#b" = "./"\n') == []
    assert faults("") == []


def test_a_page_takes_along_the_ids_that_the_new_one_has(faults: Faults, tmp_path: Path) -> None:
    assert faults('"gone/" = "other/"\n"gone/#b" = "./"\n') == []
    redirects = read_redirects(tmp_path)
    links = ("gone/", "gone/#b", "gone/#part", "gone/#nothing", "other/#nothing")
    assert [redirects.to(link, LINKS) for link in links] == [
        "other/",
        "./",
        "other/#part",
        None,
        None,
    ]


def test_old_links_lead_on(run: Run, book: Path) -> None:
    (book / "docs" / NAME).write_text(GREEN, "utf-8")
    result = run("mkdocs", "build", "-q")
    assert result.returncode == 0, result.stderr
    site = book / "site"
    home, other = ((site / each / "index.html").read_text("utf-8") for each in ("", "other"))
    assert re.search(
        r'<li id="sine"><code>#sine</code> is now <a href="#eq-sine">Equation 1<', home
    )
    assert re.search(r'<li id="figure">.*<a href="../#home">Section “Home”, Home</a>', other)
    assert '<script src="assets/moved.js"></script>' in home
    assert '<script src="../assets/moved.js"></script>' in other

    old = (site / "old/page/index.html").read_text("utf-8")
    assert '<link rel="canonical" href="../../other/">' in old
    assert '<meta http-equiv="refresh" content="0; url=../../other/">' in old
    assert '<a class="pd-moved-to" href="../../other/">Other</a>' in old
    assert re.search(
        r'<li id="section">.*href="../../other/#part">Section “A part”, Other</a>', old
    )
    assert '<script src="../../assets/moved.js" defer></script>' in old

    with (book / "mkdocs.yml").open("a") as config:
        config.write("site_url: https://x.example/b\n")
    assert run("mkdocs", "build", "-q").returncode == 0
    old = (site / "old/page/index.html").read_text("utf-8")
    assert '<link rel="canonical" href="https://x.example/b/other/">' in old


def test_nothing_moved_leaves_no_trace(run: Run, book: Path) -> None:
    assert run("mkdocs", "build", "-q").returncode == 0
    for page in (book / "site").rglob("*.html"):
        assert "moved" not in page.read_text("utf-8")


def test_a_wrong_redirect_is_red(run: Run, book: Path) -> None:
    (book / "docs" / NAME).write_text('\n"./#eq-sine" = "./#nowhere"\n', "utf-8")
    result = run("mkdocs", "build", "-q")
    assert result.returncode == 1
    assert "docs/redirects.toml:2: ./#eq-sine still exists" in result.stderr
    assert "docs/redirects.toml:2: ./#nowhere, the new place" in result.stderr


def test_the_redirects_of_the_book_can_be_read() -> None:
    assert (DOCS / NAME).is_file()
    assert read_redirects(DOCS).failures == []
