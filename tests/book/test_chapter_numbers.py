"""Chapters are counted in the navigation's order, and what is numbered in them bears the number."""

import os
import re
from pathlib import Path

import pytest

from pedocs.book.chapters import chapter_of
from pedocs.book.page import Page, prove
from tests.book.conftest import Run
from tests.book.test_exercises import EXERCISE

NAV = """\
nav:
  - index.md
  - First:
      - chapters/b.md
      - Named: chapters/a.md
  - Second:
      - chapters/c.md
      - exercises/index.md
      - exercises/a.md
  - paths.md
extra: !ENV [NOTHING, ""]
slugify: !!python/name:pedocs.book.slugify
"""
CHAPTER = """\
# A

$$
x
$$ {#eq-x unchecked="a letter"}

$$
y
$$ {#eq-y unchecked="a letter"}

See [Equation](#eq-y) and [Exercise](../exercises/a.md#ex-double).

/// table | tab-a

| a |
|---|
| b |

A table.
///
"""


@pytest.fixture
def docs(tmp_path: Path) -> Path:
    """Return the folder of a book whose navigation is not in the order of the alphabet."""
    (tmp_path / "mkdocs.yml").write_text(NAV, "utf-8")
    for name in ("chapters", "exercises"):
        (tmp_path / "docs" / name).mkdir(parents=True)
    return tmp_path / "docs"


def test_chapters_are_counted_through_all_parts(docs: Path) -> None:
    names = ("chapters/b", "chapters/a", "chapters/c", "exercises/a", "exercises/c")
    assert [chapter_of(docs / f"{name}.md") for name in names] == ["1", "2", "3", "2", "3"]


def test_no_other_page_has_a_number(docs: Path, tmp_path: Path) -> None:
    names = ("index", "paths", "exercises/index", "chapters/d", "chapters/more/a", "a", "../a")
    assert {chapter_of(docs / f"{name}.md") for name in names} == {""}
    assert chapter_of(tmp_path / "elsewhere" / "chapters" / "a.md") == ""


def test_a_new_order_is_seen(docs: Path) -> None:
    assert chapter_of(docs / "chapters/a.md") == "2"
    config = docs.parent / "mkdocs.yml"
    config.write_text(NAV.replace("      - chapters/b.md\n", "").replace("- First:", "- First:"))
    os.utime(config, ns=(1, 1))
    assert chapter_of(docs / "chapters/a.md") == "1"


@pytest.mark.parametrize("text", ["", "site_name: A book\n", "nav:\n"])
def test_a_book_without_a_navigation_has_no_numbers(docs: Path, text: str) -> None:
    (docs.parent / "mkdocs.yml").write_text(text, "utf-8")
    assert chapter_of(docs / "chapters/a.md") == ""
    (docs.parent / "mkdocs.yml").unlink()
    assert chapter_of(docs / "chapters/a.md") == ""


def proven(docs: Path, name: str, text: str) -> Page:
    path = docs / name
    path.write_text(text.replace("'''", "```"), "utf-8")
    return prove(path)


def test_what_is_numbered_has_its_chapters_number(docs: Path) -> None:
    more = "$$\nx\n$$ {#eq-x unchecked='a letter'}\n".replace("'", '"')
    exercises = proven(docs, "exercises/a.md", EXERCISE + more)
    assert exercises.failures == []
    # The chapter has an Equation 2.1 already.
    assert exercises.scan.numbers == {"ex-double": ("Exercise", "2.1"), "eq-x": ("Equation", "1")}
    chapter = proven(docs, "chapters/a.md", CHAPTER)
    assert chapter.failures == []
    assert chapter.scan.numbers == {
        "eq-x": ("Equation", "2.1"),
        "eq-y": ("Equation", "2.2"),
        "tab-a": ("Table", "2.1"),
    }
    assert proven(docs, "paths.md", CHAPTER.replace("../", "")).scan.numbers["eq-y"][1] == "2"


def test_readers_see_them_everywhere(run: Run, book: Path) -> None:
    for name in ("chapters", "exercises"):
        (book / "docs" / name).mkdir()
    (book / "docs/chapters/a.md").write_text(CHAPTER, "utf-8")
    (book / "docs/exercises/a.md").write_text(EXERCISE.replace("'''", "```"), "utf-8")
    nav = "nav: [index.md, other.md, chapters/a.md, exercises/a.md]\n"
    with (book / "mkdocs.yml").open("a", encoding="utf-8") as config:
        config.write(nav)
    result = run("mkdocs", "build", "-q")
    assert result.returncode == 0, result.stderr
    chapter, exercises, home = (
        (book / "site" / name / "index.html").read_text("utf-8")
        for name in ("chapters/a", "exercises/a", "")
    )
    assert re.search(r'<p class="pd-chapter"[^>]*>Chapter 1</p>\s*<h1', chapter)
    assert (
        '<a aria-label="Equation 1.2" class="pd-equation-number" href="#eq-y">(1.2)</a>' in chapter
    )
    assert '<a href="#eq-y">Equation\u00a01.2</a>' in chapter
    assert '<a href="../../exercises/a/#ex-double">Exercise\u00a01.1</a>' in chapter
    assert '<a class="pd-number" href="#tab-a">Table 1.1</a>' in chapter
    assert '<span class="pd-exercise-number">1.1.</span> Twice a <em>number</em>' in exercises
    assert "Chapter" not in home
    assert "(1)</a>" in home
    for page in (home, chapter):
        assert re.search(r"<span class=\"md-ellipsis\">\s*1\. A\s", page)
    notebook = (book / "site/notebooks/chapters/a.ipynb").read_text("utf-8")
    assert r"\\tag{1.2}" in notebook
    assert "**Table 1.1.** A table." in notebook
    assert run("pedocs.book", "check").returncode == 0
