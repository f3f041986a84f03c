"""The record of permalinks: every item is in it, and nothing that was released goes unseen."""

from collections.abc import Callable
from pathlib import Path

import pytest

from pedocs.book import permalinks
from pedocs.book.items import in_solutions
from pedocs.book.permalinks import check, lines, recorded, released, rewrite
from pedocs.book.published import Published
from pedocs.book.redirects import place
from tests.book.conftest import Run
from tests.book.test_commands import pages as html_of, spoil
from tests.book.test_exercises import EXERCISE
from tests.book.test_extension import render

DOCS = Path(__file__).parents[2] / "docs"
TEXT = """\
# A page {#top}

'''pycon
>>> half = 0.5
'''

It is {0.25 = half**2} indeed.

$$
x = {0.5 = half}
$$ {#eq-x unchecked="a number alone"}

## A part {#part}
"""

Site = Callable[..., list[Published]]


@pytest.fixture
def site(tmp_path: Path) -> Site:
    """Return a function that renders pages, given by their texts, into a site."""

    def made(**texts: str) -> list[Published]:
        found = []
        for name, text in texts.items():
            (folder := tmp_path / name).mkdir(exist_ok=True)
            page = render(folder, text).page
            assert page.failures == []
            found.append(Published(page, f"chapters/{name}", f"chapters/{name}/", name, "", "", ""))
        return found

    return made


@pytest.fixture
def write(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[[list[Published]], str]:
    """Return a function that writes the record and returns it."""

    def record(pages: list[Published]) -> str:
        with monkeypatch.context() as asked:
            asked.setenv(permalinks.ASKED, "write")
            rewrite(tmp_path, pages)
        return (tmp_path / permalinks.NAME).read_text("utf-8")

    return record


Write = Callable[[list[Published]], str]


def said(tmp_path: Path, pages: list[Published], *, committed: bool = True) -> list[str]:
    return [
        f"{Path(each.path).name}:{each.line}: {each.message}"
        for each in sorted(check(tmp_path, pages, committed=committed))
    ]


def release(tmp_path: Path) -> None:
    path = tmp_path / permalinks.NAME
    path.write_text(released(path.read_text("utf-8"), "1.0"), "utf-8")


def test_a_page_and_its_items_are_lines(site: Site) -> None:
    found = [str(line).split("\t") for page in site(a=TEXT) for line in lines(page)]
    assert found[0] == ["chapters/a/", "Page", "a", "-"]
    links = {link: (kind, text) for link, kind, text, _ in found}
    assert links["chapters/a/#top"] == ("Section", "A page")
    assert links["chapters/a/#part"] == ("Section", "A part")
    assert ("Worked value", "0.25") in links.values()
    assert ("Example", "") in links.values()
    kind, digest = links["chapters/a/#eq-x"]
    assert kind == "Equation" and len(digest) == 8
    other = site(b=TEXT.replace("x =", "y ="))
    assert digest not in {line.text for line in lines(other[0])}
    assert len(found) == len(links) == 6


def test_pages_are_named_as_the_site_has_them() -> None:
    names = ("index", "paths", "exercises/index", "chapters/rope")
    assert [place(name) for name in names] == ["./", "paths/", "exercises/", "chapters/rope/"]


def test_the_record_is_held_against_the_pages(site: Site, write: Write, tmp_path: Path) -> None:
    pages = site(a=TEXT, b=TEXT)
    assert said(tmp_path, pages) == []  # a book that keeps no record
    text = write(pages)
    assert said(tmp_path, pages) == []
    number = {line.link: n for n, line in recorded(text).items()}
    part = number["chapters/a/#part"]

    more = site(a=TEXT + "\n## More {#more}\n", b=TEXT)
    assert said(tmp_path, more) == [
        f"permalinks.txt:{part}: chapters/a/#more is missing: run make permalinks"
    ]
    less = site(a=TEXT.replace("{#part}", "{#parts}"), b=TEXT)
    assert f"permalinks.txt:{part}: chapters/a/#part is too much: run make permalinks" in said(
        tmp_path, less
    )
    other = site(a=TEXT.replace("A part", "One part"), b=TEXT)
    assert said(tmp_path, other) == [
        f"permalinks.txt:{part}: chapters/a/#part is now Section One part: run make permalinks"
    ]
    formula = site(a=TEXT.replace("x =", "y ="), b=TEXT)
    assert "is now Equation" in said(tmp_path, formula)[0]
    assert "stands out of order" in said(tmp_path, pages[::-1])[0]


def test_of_many_faults_that_one_command_mends_some_are_named(
    site: Site, write: Write, tmp_path: Path
) -> None:
    write(site(a=TEXT))
    many = "".join(f"\n## More {{#more-{chr(97 + k)}}}\n" for k in range(14))
    found = said(tmp_path, site(a=TEXT + many))
    assert len(found) == 11
    assert any("and 4 more: run make permalinks" in each for each in found)


def test_what_was_never_released_may_go(site: Site, write: Write, tmp_path: Path) -> None:
    write(site(a=TEXT))
    less = site(a=TEXT.replace("\n## A part {#part}", ""))
    assert "#part" not in write(less)
    assert said(tmp_path, less) == []


def test_what_was_released_stays_until_it_is_redirected(
    site: Site, write: Write, tmp_path: Path
) -> None:
    write(site(a=TEXT, b=TEXT))
    release(tmp_path)
    assert said(tmp_path, site(a=TEXT, b=TEXT)) == []
    pages = site(a=TEXT.replace("{#part}", "{#new-part}"), b=TEXT)
    lost = "chapters/a/#part was released in 1.0 and is gone: write where it went into"
    text = write(pages)
    assert "chapters/a/#part\tSection\tA part\t1.0" in text
    assert "chapters/a/#new-part\tSection\tA part\t-" in text
    assert [each.partition(": ")[2][: len(lost)] for each in said(tmp_path, pages)] == [lost]

    redirects = tmp_path / "redirects.toml"
    redirects.write_text('"chapters/a/#part" = "chapters/a/#new-part"\n')
    assert "chapters/a/#part\tMoved\tchapters/a/#new-part\t1.0" in write(pages)
    assert said(tmp_path, pages) == []
    redirects.unlink()  # the record has not forgotten
    assert lost in said(tmp_path, pages)[0]


def test_a_page_takes_its_ids_along(site: Site, write: Write, tmp_path: Path) -> None:
    write(site(a=TEXT))
    release(tmp_path)
    redirects = tmp_path / "redirects.toml"
    redirects.write_text('"chapters/a/" = "chapters/b/"\n')
    pages = site(b=TEXT.replace("{#part}", "{#new-part}"))
    found = said(tmp_path, pages)
    assert sum("was released" in each for each in found) == 1
    assert any("chapters/a/#part was released" in each for each in found)
    redirects.write_text(
        '"chapters/a/" = "chapters/b/"\n"chapters/a/#part" = "chapters/b/#new-part"\n'
    )
    assert "chapters/a/#eq-x\tMoved\tchapters/b/#eq-x\t1.0" in write(pages)
    assert said(tmp_path, pages) == []


def test_a_build_for_a_course_keeps_what_was_released(
    site: Site, write: Write, tmp_path: Path
) -> None:
    texts = {"a": TEXT, "b": EXERCISE}
    write(site(**texts))
    release(tmp_path)
    pages = site(**texts)
    page = pages[1].proof
    page.solutions = False
    inside = in_solutions(page)
    assert inside
    page.rendered.ids = [each for each in page.rendered.ids if each not in inside]
    assert said(tmp_path, pages, committed=False) == []
    assert said(tmp_path, pages) != []
    page.rendered.ids.remove("ex-double")
    assert "chapters/b/#ex-double was released" in said(tmp_path, pages, committed=False)[0]


def test_a_failing_page_is_not_compared(site: Site, write: Write, tmp_path: Path) -> None:
    write(site(a=TEXT, b=TEXT))
    release(tmp_path)
    pages = site(a=TEXT.replace("{#part}", "{#parts}"), b=TEXT)
    pages[0].proof.fail(1, "wrong")
    assert said(tmp_path, pages) == []


def test_builds_hold_the_record_and_the_command_writes_it(run: Run, book: Path) -> None:
    result = run("pedocs.book", "permalinks")
    assert result.returncode == 0, result.stderr
    text = (book / "docs" / permalinks.NAME).read_text("utf-8")
    assert "./#eq-sine\tEquation\t" in text
    assert "other/#fig-one\tFigure\t\t-" in text
    assert f"{len(recorded(text))} permalinks" in result.stdout
    assert run("mkdocs", "build", "-q").returncode == 0
    assert len(html_of(book)) == 2

    assert run("pedocs.book", "permalinks", "--release", "1.0").returncode == 0
    spoil(book, "other.md", "A part {#part}", "Part one {#part}\n\n## More {#more}")
    result = run("mkdocs", "build", "-q")
    assert result.returncode == 1
    assert "is now Section Part one: run make permalinks" in result.stderr
    assert "other/#more is missing: run make permalinks" in result.stderr
    assert run("pedocs.book", "permalinks").returncode == 0

    spoil(book, "other.md", "{#more}", "{#less}")
    spoil(book, "other.md", "/// table | tab-two", "/// table | tab-one")
    result = run("pedocs.book", "permalinks")
    assert result.returncode == 1
    assert "other/#tab-two was released in 1.0 and is gone" in result.stderr
    assert "#more" not in result.stderr


def test_the_book_has_a_record() -> None:
    found = recorded((DOCS / permalinks.NAME).read_text("utf-8")).values()
    links = [line.link for line in found]
    assert len(links) == len(set(links)) > 5000
    kinds = {line.kind for line in found}
    assert {"Page", "Section", "Definition", "Equation", "Figure", "Table", "Worked value"} < kinds
    assert {"Example", "Exercise", "Question", "Erratum", "Reference", "Function"} < kinds
    named = {path.relative_to(DOCS).with_suffix("").as_posix() for path in DOCS.rglob("*.md")}
    assert {place(name) for name in named} == {line.link for line in found if line.kind == "Page"}
