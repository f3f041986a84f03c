"""The book itself, with one fault at a time: each is red, and named with its line."""

import os
import random
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

import pedocs
from pedocs.book.page import Page, pages_below, prove, read
from pedocs.book.parts import Block, Value
from pedocs.book.scan import scan
from tools.tamper import equations

ROOT = Path(__file__).parents[2]
PAGES = pages_below(ROOT / "docs")
SAMPLE = 8  # of each kind, the same ones until the text changes


def places(path: Path, kind: str) -> Iterator[tuple[int, int]]:
    """Where a digit or a sign stands that the page shows as a result: offset and line."""
    _, body, first = read(path)
    for part in scan(body, path.name, first).parts:
        if isinstance(part, Value):
            start, text = part.text_start, part.text
        elif isinstance(part, Block):
            start, text = part.start, body[part.start : part.end]
        else:
            continue
        if isinstance(part, Block):
            # Blank out the code: what is left is output.
            text = re.sub(
                r"^.*(```|>>>|\.\.\.( |$)).*$", lambda m: " " * len(m[0]), text, flags=re.M
            )
        pattern = {"sign": r"(?<![\w.)\]] )(?<![\w.)\]])[-−](?=\d)", "digit": r"(?<![<>≤≥e-])\d"}[
            kind
        ]
        if kind == "digit" and re.match(r"\s*[<>≤≥]", text):
            continue  # a bound may stay true
        for found in re.finditer(pattern, text):
            yield start + found.start(), first + body.count("\n", 0, start + found.start())


def sample(kind: str) -> list[tuple[Path, int, int]]:
    everything = [(path, *place) for path in PAGES for place in places(path, kind)]
    return random.Random(0).sample(everything, SAMPLE)


def changed(path: Path, offset: int, new: str, length: int = 1) -> Page:
    _, body, first = read(path)
    return prove(path, body[:offset] + new + body[offset + length :], first)


def named(page: Page, line: int) -> bool:
    """Whether a failure names the line, or a line of the block that holds it."""
    spans = [(p.line, p.line + page.scan.text[p.start : p.end].count("\n")) for p in page.parts]
    around = [span for span in spans if span[0] <= line <= span[1]] or [(line, line)]
    return any(first <= f.line <= last for f in page.failures for first, last in around)


@pytest.mark.parametrize(
    ("path", "offset", "line"),
    sample("digit"),
    ids=lambda value: getattr(value, "stem", str(value)),
)
def test_a_changed_digit_is_red(path: Path, offset: int, line: int) -> None:
    digit = read(path)[1][offset]
    page = changed(path, offset, str((int(digit) + 1) % 10))
    assert named(page, line), (line, page.failures)


@pytest.mark.parametrize(
    ("path", "offset", "line"), sample("sign"), ids=lambda value: getattr(value, "stem", str(value))
)
def test_a_dropped_sign_is_red(path: Path, offset: int, line: int) -> None:
    page = changed(path, offset, " ")
    assert named(page, line), (line, page.failures)


@pytest.mark.parametrize(
    "path", [p for p in PAGES if ' check="' in read(p)[1]], ids=lambda path: path.stem
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
