"""The book itself, with one fault at a time: each is red, and named with its line."""

import os
import random
import re
import shutil
import subprocess
import sys
from collections.abc import Iterable
from pathlib import Path

import pytest

import pedocs
from pedocs.book.page import Page, pages_below, prove, read
from pedocs.book.scan import scan
from tools.tamper import equations
from tools.tamper.pages import Tried, compared, of_code, proven, unworked

ROOT = Path(__file__).parents[2]
PAGES = pages_below(ROOT / "docs")
CHECKED = re.compile(r'\{#eq-[\w-]+ check="')  # not the check of an exercise
SAMPLE = random.Random(0).sample(PAGES, 5)  # `make tamper` takes all


def missed(tried: Iterable[Tried]) -> list[Tried]:
    return [each for each in tried if each.outcome == "missed"]


@pytest.mark.parametrize("path", SAMPLE, ids=lambda path: path.stem)
def test_a_changed_digit_or_sign_is_red_and_its_line_is_named(path: Path) -> None:
    """One in each value and each output of a page at once."""
    page = prove(path)
    assert missed(proven(page, 1, 0)) == []
    assert missed(compared(page)) == []


@pytest.mark.parametrize("path", SAMPLE, ids=lambda path: path.stem)
def test_a_number_that_nothing_works_is_red_behind_every_word(path: Path) -> None:
    _, body, first = read(path)
    assert missed(unworked(Page(path, scan(body, path.name, first)))) == []


def test_a_fault_in_code_is_red_or_leaves_the_page_true() -> None:
    """In examples, in the test of an exercise, in its mistakes and its solution."""
    page = prove(ROOT / "docs" / "exercises" / "attention.md")
    tried = list(of_code(page, 6, 0))
    assert missed(tried) == []
    assert sum(each.outcome == "found" for each in tried) >= len(tried) / 2


@pytest.mark.parametrize(
    "path", [p for p in PAGES if CHECKED.search(read(p)[1])], ids=lambda path: path.stem
)
def test_a_changed_equation_is_red(path: Path) -> None:
    """Every one, where the page checks it: with the names that its blocks give."""
    tried = equations.tried(prove(path))
    assert tried
    assert [each for each in tried if not each.found and not each.still_true] == []


@pytest.mark.parametrize("path", PAGES, ids=lambda path: path.stem)
def test_an_unproven_decimal_in_a_sentence_is_red(path: Path) -> None:
    _, body, first = read(path)
    page = prove(path, body + "\n\nIt is 0.5 here.\n", first)
    line = first + body.count("\n") + 2
    assert [f.line for f in page.failures] == [line]


def test_sine_and_cosine_swapped_in_the_library_make_its_chapters_red(tmp_path: Path) -> None:
    shutil.copytree(Path(pedocs.__file__).parent, tmp_path / "pedocs")
    module = tmp_path / "pedocs" / "_sinusoidal.py"
    text = module.read_text(encoding="utf-8")
    swapped = re.sub(r"np\.(sin|cos)\(", lambda m: {"sin": "np.cos(", "cos": "np.sin("}[m[1]], text)
    assert swapped != text
    module.write_text(swapped, encoding="utf-8")
    of_sines = ("why-position", "sinusoid", "absolute-and-relative", "two-scores")
    chapters = [ROOT / "docs" / "chapters" / f"{name}.md" for name in of_sines]
    result = subprocess.run(
        [sys.executable, "-m", "pedocs.book", "check", *map(str, chapters)],
        cwd=ROOT,
        env=os.environ | {"PYTHONPATH": str(tmp_path), "PYTHONUTF8": "1"},
        capture_output=True,
        text=True,
        encoding="utf-8",
    )
    assert result.returncode == 1, result.stderr
    for path in chapters:
        assert re.search(rf"^docs/chapters/{path.name}:\d+: ", result.stdout, re.M)
