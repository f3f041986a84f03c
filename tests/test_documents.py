"""What is written for those who work on the book: short, said once, and true of what it names."""

import re
from importlib.util import find_spec
from itertools import combinations
from math import ceil
from pathlib import Path

import pytest
import yaml

ROOT = Path(__file__).parents[1]
NAMES = ("README.md", "CONTRIBUTING.md", "STYLE.md", "MAINTAINING.md", "SECURITY.md")
TEXTS = {name: (ROOT / name).read_text("utf-8") for name in NAMES}
# What is named and is there only once something has run, or is to be written.
MADE = re.compile(r"(?:site|dist|\.venv|\.cache|docs/assets/pyodide|latest|dev)\b|.*\bNAME\b")
COLUMNS, LINES = 100, 40


@pytest.mark.parametrize("name", ["CONTRIBUTING.md", "STYLE.md"])
def test_it_is_one_screen(name: str) -> None:
    lines = TEXTS[name].splitlines()
    assert sum(max(1, ceil(len(line) / COLUMNS)) for line in lines) <= LINES


@pytest.mark.parametrize("name", NAMES)
def test_the_targets_it_names_are_there(name: str) -> None:
    makefile = (ROOT / "Makefile").read_text("utf-8")
    targets = set(re.findall(r"^([a-z]+):", makefile, re.M))
    named = re.findall(r"^(?:PEDOCS_\w+=\w+ )*make ([a-z]+)|`make ([a-z]+)", TEXTS[name], re.M)
    assert {first or second for first, second in named} <= targets


@pytest.mark.parametrize("name", NAMES)
def test_the_files_it_names_are_there(name: str) -> None:
    text = re.sub(r"```.*?```", "", TEXTS[name], flags=re.S)
    text = re.sub(r"\[`[\w.]+`\](?=\()", "[a link]", text)
    links = re.findall(r"\]\((?!https?://)([^)#]+)", text)
    codes = [word for code in re.findall(r"`([^`\n]+)`", text) for word in code.split()]
    paths = [
        code
        for code in codes
        if re.fullmatch(r"[\w.-]+/[\w./-]*|[\w-]+\.(?:cff|md|lock|py|toml|yml)", code)
    ]
    missing = [path for path in [*links, *paths] if not MADE.match(path) and not there(path)]
    assert not missing


def there(path: str) -> bool:
    return (ROOT / path).exists()


@pytest.mark.parametrize("name", NAMES)
def test_the_modules_it_names_are_there(name: str) -> None:
    for module in re.findall(r"-m (\w+(?:\.\w+)*)|from (pedocs[\w.]*) import", TEXTS[name]):
        assert find_spec(module[0] or module[1]), module


@pytest.mark.parametrize("name", NAMES)
def test_the_workflows_it_names_are_there(name: str) -> None:
    files = (ROOT / ".github/workflows").glob("*.yml")
    known = {yaml.safe_load(path.read_text("utf-8"))["name"] for path in files}
    assert set(re.findall(r"[Ww]orkflow \*(\w+)\*", TEXTS[name])) <= known


@pytest.mark.parametrize(("one", "other"), [*combinations(NAMES, 2)])
def test_nothing_is_said_twice(one: str, other: str) -> None:
    """No nine words in a row stand in two of them."""

    def runs(name: str) -> set[tuple[str, ...]]:
        prose = re.sub(r"```.*?```", "", TEXTS[name], flags=re.S)
        words = re.findall(r"[\w'’]+", prose.lower())
        return {tuple(words[at : at + 9]) for at in range(len(words) - 8)}

    assert not runs(one) & runs(other)
