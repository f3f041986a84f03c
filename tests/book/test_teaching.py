"""What a teacher is told: prerequisites held against the navigation, outcomes, lectures, paper."""

import json
import re
from html import unescape
from pathlib import Path
from urllib.parse import parse_qsl, urlsplit

import pytest
from mkdocs.utils.yaml import get_yaml_loader, yaml_load

from pedocs.book.chapters import chapters
from pedocs.book.lectures import PLANNED, Lecture, timetable
from pedocs.book.paper import HANDOUT, WHOLE
from pedocs.book.reading import minutes, sections, words_of
from pedocs.book.teaching import before, faults, front
from tests.book.conftest import Run

DOCS = Path(__file__).parents[2] / "docs"
BOX = (
    '!!! tip "What you will be able to do"\n\n    - count to {2 = len("ab")}, [as here](#first);\n'
)
PLACES = "\n<div data-outcomes>\n</div>\n\n<div data-paper>\n</div>\n"


@pytest.fixture
def taught(book: Path) -> Path:
    """The small book with two chapters, the second on the first, and a page for teachers."""
    folder = book / "docs" / "chapters"
    folder.mkdir()
    (folder / "first.md").write_text(f"# First {{#first}}\n\n{BOX}", "utf-8")
    (folder / "second.md").write_text(
        "---\nrequires: [first]\n---\n# A & B {#b}\n\nText.\n", "utf-8"
    )
    (book / "docs" / "teach.md").write_text(f"# Teach {{#teach}}\n{PLACES}", "utf-8")
    return book


def built(book: Path, run: Run) -> dict[str, str]:
    """The pages of the built book."""
    result = run("mkdocs", "build", "-q")
    assert not result.returncode, result.stderr
    site = book / "site"
    return {
        path.parent.relative_to(site).as_posix(): path.read_text("utf-8")
        for path in site.rglob("index.html")
    }


# Prerequisites ------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("own", "fault"),
    [
        ([], None),
        (["b"], None),
        (["a"], None),
        (["d"], "there is no chapter d"),
        (["c"], "c comes later than this chapter"),
        (["a", "b"], "a comes with b already"),
        ("b", "b is no list of chapters"),
        (None, "None is no list of chapters"),
    ],
)
def test_what_a_chapter_requires_is_held_against_the_order(own: object, fault: str | None) -> None:
    requires = {"a": [], "b": ["a"], "c": own}
    found = list(faults("c", requires))
    assert found == ([f"requires: {fault}"] if fault else [])


def test_a_chapter_requires_what_its_own_require() -> None:
    requires = {"a": [], "b": ["a"], "c": ["b"], "d": ["c"], "e": ["d", "x"]}
    assert before("d", requires) == {"a", "b", "c"}
    assert before("e", requires) == {"a", "b", "c", "d", "x"}
    assert before("c", {"c": ["c"]}) == {"c"}  # it ends


def test_each_chapter_of_the_book_says_what_it_requires() -> None:
    names = chapters(DOCS)
    assert {path.stem for path in (DOCS / "chapters").glob("*.md")} == {*names}
    requires = {name: front(DOCS / f"chapters/{name}.md")["requires"] for name in names}
    assert requires.pop(names[0]) == []
    assert all(requires.values())


def test_a_chapter_names_what_comes_before_it_and_a_page_gathers_outcomes(
    taught: Path, run: Run
) -> None:
    pages = built(taught, run)
    assert 'Read first: <a href="../first/">First</a>.' in pages["chapters/second"]
    assert "Read first" not in pages["chapters/first"]
    teach = pages["teach"]
    (fold,) = re.findall(r"<details><summary>.*?</details>", teach, re.S)
    assert fold.startswith("<details><summary>First</summary>")
    assert re.search(r"<li>\s*count to 2, as here;\s*</li>", fold)
    assert '<a href="../chapters/first/">' in fold
    assert "data-outcomes" not in teach
    assert "data-paper" not in teach
    assert "paper/" not in teach


def test_a_line_stands_in_the_box_of_a_chapter_that_has_one(taught: Path, run: Run) -> None:
    second = taught / "docs" / "chapters" / "second.md"
    second.write_text(f"{second.read_text('utf-8')}\n{BOX.replace('#first', '#b')}", "utf-8")
    page = built(taught, run)["chapters/second"]
    (box,) = re.findall(r'<div class="admonition tip">.*?</div>', page, re.S)
    assert re.search(r'</ul>\s*<p class="pd-requires"[^>]*>Read first: ', box)


def test_a_wrong_prerequisite_stops_the_build(taught: Path, run: Run) -> None:
    second = taught / "docs" / "chapters" / "second.md"
    second.write_text(second.read_text("utf-8").replace("[first]", "[third]"), "utf-8")
    result = run("mkdocs", "build", "-q")
    assert result.returncode
    assert "docs/chapters/second.md:2: requires: there is no chapter third" in result.stderr


def test_paper_is_linked_where_it_will_be(taught: Path, run: Run) -> None:
    config = taught / "mkdocs.yml"
    config.write_text(f"{config.read_text('utf-8')}extra: {{paper: true}}\n", "utf-8")
    teach = built(taught, run)["teach"]
    places = [*WHOLE.values(), HANDOUT.format("first"), HANDOUT.format("second")]
    assert re.findall(r'href="\.\./(paper/[^"]*)"', teach) == places
    assert ">A &amp; B</a>" in teach


# Lectures -----------------------------------------------------------------------------

CHAPTER = """\
---
title: A chapter
---
# A chapter {#chapter}

## One {#one}

Two words.

### Inside {#inside}

Three more words.

## Two {#two}

"""
EXERCISE = '//// exercise | ex-sum\n    title: "A sum"\n    level: by hand\n\n////\n'


def lecture(title: str = "An hour", **at: int) -> Lecture:
    return Lecture(
        title,
        at={"x": at or {"one": 20, "two": PLANNED - 20}},
        show={"it moves": "x?start:16#fig-it", "it stands": "x#fig-it"},
        set={"x": ["ex-sum"]},
    )


@pytest.fixture
def course(tmp_path: Path) -> Path:
    """A book with one chapter and its exercises."""
    for folder, text in (("chapters", CHAPTER), ("exercises", EXERCISE)):
        (tmp_path / folder).mkdir()
        (tmp_path / folder / "x.md").write_text(text, "utf-8")
    return tmp_path


def test_a_section_has_the_words_down_to_the_next_heading(course: Path) -> None:
    page = course / "chapters" / "x.md"
    assert sections(page) == {
        "chapter": ("A chapter", 0),
        "one": ("One", 2),
        "inside": ("Inside", 3),
        "two": ("Two", 0),
    }


def test_the_sections_of_a_chapter_have_all_its_words(tmp_path: Path) -> None:
    for name in chapters(DOCS):
        page = DOCS / f"chapters/{name}.md"
        found = sections(page).values()
        titles = sum(len(re.findall(r"[^\W\d_][\w’'-]*", title)) for title, _ in found)
        text = page.read_text("utf-8")
        start = re.search(r"^## ", text, re.M)
        assert start
        (tmp_path / "start.md").write_text(text[: start.start()], "utf-8")
        whole = words_of(page) - words_of(tmp_path / "start.md")
        assert abs(sum(count for _, count in found) + titles - whole) <= 0.01 * whole, name


def test_a_lecture_takes_its_hour() -> None:
    assert lecture().minutes == PLANNED
    with pytest.raises(ValueError, match=f"“An hour” takes {PLANNED - 1} minutes, not {PLANNED}"):
        lecture(one=PLANNED - 1)


def test_a_table_of_lectures(course: Path) -> None:
    (page,) = (course / "chapters").iterdir()
    page.write_text(CHAPTER + "word " * 1000, "utf-8")
    head, _, first, second, whole = timetable(course, lecture(), lecture("B")).split("\n")
    assert head.count("|") == first.count("|") == whole.count("|") == 4
    assert "**1. An hour**" in first
    assert f"{PLANNED}\xa0min<br>reading:\xa0{minutes(1002)}\xa0min" in first
    assert "*A chapter:* [One](chapters/x.md#one)\xa020, [Two](chapters/x.md#two)\xa0" in first
    assert "[it moves](chapters/x.md?fig-it=start:16#fig-it); [it stands](chapters/x.md#f" in first
    assert "*Set:* [A sum](exercises/x.md#ex-sum), by hand" in first
    assert "**2. B**" in second
    assert f"{2 * PLANNED}\xa0min; reading: {2 * minutes(1002)}\xa0min" in whole
    alone = timetable(course, lecture()).split("\n")
    assert len(alone) == 3
    assert "**An hour**" in alone[-1]


def test_what_is_not_there_is_no_lecture(course: Path) -> None:
    with pytest.raises(KeyError, match="three"):
        timetable(course, lecture(three=PLANNED))
    (course / "exercises" / "x.md").write_text("", "utf-8")
    with pytest.raises(KeyError, match="ex-sum"):
        timetable(course, lecture())


# The page of the book -----------------------------------------------------------------


def allowed(site: Path, chapter: str, figure: str) -> dict[str, object]:
    """What each control of a figure can be set to."""
    text = (site / chapter / "index.html").read_text("utf-8")
    drawn = text[text.index(f'id="{figure}"') :]
    (offer,) = re.findall(
        r"<template[^>]*>(.*?)</template>", drawn[: drawn.index("</figure>")], re.S
    )
    found: dict[str, object] = {}
    for control in json.loads(unescape(offer))["controls"]:
        steps = range(int(control.get("low", 0)), int(control.get("high", 0)) + 1)
        known = {"switch": ["true", "false"], "range": [str(step) for step in steps]}
        found[control["name"]] = known.get(control["type"]) or [*control["options"]]
    return found


def test_each_figure_opens_in_the_state_that_a_lecture_asks_for(site: Path) -> None:
    teach = (site / "teach" / "index.html").read_text("utf-8")
    asked = {unescape(link) for link in re.findall(r'href="\.\./(chapters/[^"]*\?[^"]*)"', teach)}
    assert len(asked) > 10
    for link in asked:
        chapter, figure = urlsplit(link).path, urlsplit(link).fragment
        (state,) = [value for name, value in parse_qsl(urlsplit(link).query) if name == figure]
        known = allowed(site, chapter, figure)
        for each in state.split(","):
            name, _, value = each.partition(":")
            assert value in known[name], link  # type: ignore[operator]


@pytest.mark.parametrize(
    ("given", "seed", "solutions"),
    [({}, "", True), ({"SEED": "7", "SOLUTIONS": "false"}, 7, False), ({"SEED": "0"}, 0, True)],
)
def test_a_course_is_set_by_the_environment(
    monkeypatch: pytest.MonkeyPatch, given: dict[str, str], seed: object, solutions: bool
) -> None:
    for name in ("SEED", "SOLUTIONS"):
        monkeypatch.delenv(f"PEDOCS_{name}", raising=False)
    for name, value in given.items():
        monkeypatch.setenv(f"PEDOCS_{name}", value)
    text = (DOCS.parent / "mkdocs.yml").read_text("utf-8")
    loaded = yaml_load(text, get_yaml_loader())
    (options,) = [
        each["pedocs.book"]
        for each in loaded["markdown_extensions"]
        if isinstance(each, dict) and "pedocs.book" in each
    ]
    assert options == {"seed": seed, "solutions": solutions}


def test_the_page_for_teachers_has_the_outcomes_of_all_chapters(site: Path) -> None:
    teach = (site / "teach" / "index.html").read_text("utf-8")
    outcomes = teach[teach.index('class="pd-outcomes"') :]
    boxes = sum(
        "What you will be able to do" in (DOCS / f"chapters/{name}.md").read_text("utf-8")
        for name in chapters(DOCS)
    )
    assert outcomes.count("<details>") == boxes
    assert boxes >= len(chapters(DOCS)) - 1
