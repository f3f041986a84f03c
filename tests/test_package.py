"""What `import pedocs` gives, and what its docstrings promise."""

import ast
import doctest
import importlib.resources
import inspect
import os
import re
import subprocess
import sys
import typing
from pathlib import Path
from typing import Any

import pytest

import pedocs

PUBLIC = sorted(pedocs.__all__)  # held against the pages of the reference in test_api_pages.py


def parameters(name: str) -> list[str]:
    """What a caller can pass, or for a result class what it holds."""
    return list(inspect.signature(getattr(pedocs, name)).parameters)


def test_type_checkers_see_the_names_that_python_finds() -> None:
    """The imports under TYPE_CHECKING and the table of the lazy import are one list."""
    tree = ast.parse(Path(pedocs.__file__).read_text("utf-8"))
    seen = {
        str(alias.asname): node.module.removeprefix("pedocs.")
        for node in ast.walk(tree)
        if isinstance(node, ast.ImportFrom) and node.module and node.module.startswith("pedocs.")
        for alias in node.names
    }
    assert seen == pedocs._MODULES
    for name, module in seen.items():
        assert getattr(pedocs, name).__module__ == f"pedocs.{module}"


def test_the_package_says_that_it_is_typed() -> None:
    assert importlib.resources.files("pedocs").joinpath("py.typed").is_file()


def test_an_import_loads_what_it_needs_and_nothing_else() -> None:
    script = (
        "import sys, numpy, numpy.typing; before = set(sys.modules); import pedocs;"
        "print(*sorted(set(sys.modules) - before)); pedocs.sinusoidal;"
        "print(*sorted(set(sys.modules) - before))"
    )
    source = Path(pedocs.__file__).parents[1]
    run = subprocess.run(
        [sys.executable, "-W", "error", "-c", script],
        env={**os.environ, "PYTHONPATH": str(source)},
        capture_output=True,
        text=True,
        check=True,
    )
    first, second = (line.split() for line in run.stdout.splitlines())
    assert first == ["pedocs"]
    assert second == ["pedocs", "pedocs._blocks", "pedocs._checks", "pedocs._sinusoidal"]


@pytest.mark.parametrize("name", PUBLIC)
def test_the_examples_hold_in_an_empty_namespace(name: str) -> None:
    function = getattr(pedocs, name)
    (example,) = doctest.DocTestFinder(recurse=False).find(function, name, globs={})
    assert example.examples[0].source.startswith(("from pedocs import", "import numpy as np"))
    report: list[str] = []
    results = doctest.DocTestRunner(verbose=False).run(example, out=report.append)
    assert results.attempted > 1
    assert results.failed == 0, "".join(report)


@pytest.mark.parametrize("name", PUBLIC)
def test_a_docstring_has_every_part(name: str) -> None:
    function = getattr(pedocs, name)
    text = inspect.getdoc(function) or ""
    assert re.match(r"[A-Z][^\n]*\.\n\n", text), "a summary in one line"
    assert "```text\n" in text, "the formula"
    is_class = inspect.isclass(function)
    described_in = "Attributes" if is_class else "Args"
    for part in (described_in, "Examples", "Source", *(() if is_class else ("Returns", "Raises"))):
        assert text.count(f"\n{part}:\n") == 1, part
    source = text[text.index("\nSource:\n") :]
    assert re.search(r"\]\(https://arxiv\.org/abs/\d{4}\.\d{4,5}\),\s+§\w", source), (
        "paper, section"
    )
    arguments = text[text.index(f"\n{described_in}:\n") :].split("\n\n")[0]
    described = re.findall(r"^    (\w+): ", arguments, flags=re.MULTILINE)
    assert described == parameters(name)


@pytest.mark.parametrize("name", PUBLIC)
def test_docstring_prose_states_no_number_that_is_not_run(name: str) -> None:
    """The rule of the book: no decimal and no signed integer outside the examples."""
    text = inspect.getdoc(getattr(pedocs, name)) or ""
    prose = re.sub(r"^ *(>>>|\.\.\.).*\n(?: *\S.*\n)*", "", text, flags=re.MULTILINE)
    prose = re.sub(r"§[\d.]+|https?://\S+", "", prose)
    assert re.findall(r"\d\.\d|(?:^|[\s(\[{|,;:=≈])[-+−]\d+(?![\w-])", prose) == []


@pytest.mark.parametrize("name", PUBLIC)
def test_annotations_can_be_read(name: str) -> None:
    public = getattr(pedocs, name)
    if inspect.isclass(public):
        assert {*typing.get_type_hints(public)} >= {*parameters(name)}
    else:
        hints: dict[str, Any] = inspect.get_annotations(public, eval_str=True)
        assert set(hints) == {*parameters(name), "return"}


@pytest.mark.parametrize("name", PUBLIC)
def test_a_page_shows_every_line_of_a_docstring_whole(name: str) -> None:
    text = inspect.getdoc(getattr(pedocs, name)) or ""
    examples = re.findall(r"^    ((?:>>>|\.\.\.) .*)$", text, flags=re.MULTILINE)
    formulas = "".join(re.findall(r"^```text\n(.*?)^```", text, flags=re.MULTILINE | re.DOTALL))
    assert [line for line in [*examples, *formulas.splitlines()] if len(line) > 80] == []
