"""What `import pedocs` gives, and what its docstrings promise."""

import doctest
import importlib.resources
import inspect
import os
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

import pedocs

PUBLIC = [
    "angular_frequencies",
    "attention",
    "causal_mask",
    "relative_offsets",
    "shift_matrix",
    "sinusoidal",
    "softmax",
    "wavelengths",
]


def test_the_public_names() -> None:
    assert sorted(pedocs.__all__) == PUBLIC
    assert re.fullmatch(r"\d+\.\d+\.\d+(\.dev\d+|(a|b|rc)\d+)?", pedocs.__version__)
    public = [name for name in vars(pedocs) if not name.startswith("_") and name != "book"]
    assert sorted(public) == PUBLIC


def test_the_package_says_that_it_is_typed() -> None:
    assert importlib.resources.files("pedocs").joinpath("py.typed").is_file()


def test_import_loads_numpy_and_nothing_else() -> None:
    script = (
        "import sys, numpy, numpy.typing; before = set(sys.modules); import pedocs;"
        "print(*sorted(name for name in set(sys.modules) - before))"
    )
    source = Path(pedocs.__file__).parents[1]
    run = subprocess.run(
        [sys.executable, "-W", "error", "-c", script],
        env={**os.environ, "PYTHONPATH": str(source)},
        capture_output=True,
        text=True,
        check=True,
    )
    assert run.stdout.split() == [
        "pedocs",
        "pedocs._attention",
        "pedocs._checks",
        "pedocs._offsets",
        "pedocs._sinusoidal",
    ]


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
    for part in ("Args", "Returns", "Raises", "Examples", "Source"):
        assert text.count(f"\n{part}:\n") == 1, part
    source = text[text.index("\nSource:\n") :]
    assert re.search(r"\]\(https://arxiv\.org/abs/\d{4}\.\d{5}\),\s+§\d", source), "paper, section"
    arguments = text[text.index("\nArgs:\n") : text.index("\nReturns:\n")]
    described = re.findall(r"^    (\w+): ", arguments, flags=re.MULTILINE)
    assert described == list(inspect.signature(function).parameters)


@pytest.mark.parametrize("name", PUBLIC)
def test_docstring_prose_states_no_number_that_is_not_run(name: str) -> None:
    """The rule of the book: no decimal and no signed integer outside the examples."""
    text = inspect.getdoc(getattr(pedocs, name)) or ""
    prose = re.sub(r"^ *(>>>|\.\.\.).*\n(?: *\S.*\n)*", "", text, flags=re.MULTILINE)
    prose = re.sub(r"§[\d.]+|https?://\S+", "", prose)
    assert re.findall(r"\d\.\d|(?:^|[\s(\[{|,;:=≈])[-+−]\d+(?![\w-])", prose) == []


def test_annotations_can_be_read() -> None:
    for name in PUBLIC:
        hints: dict[str, Any] = inspect.get_annotations(getattr(pedocs, name), eval_str=True)
        assert set(hints) == {*inspect.signature(getattr(pedocs, name)).parameters, "return"}
