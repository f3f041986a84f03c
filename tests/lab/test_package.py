"""The docstrings of the lab, held to what those of the library promise."""

import doctest
import inspect
import re

import pytest

from pedocs import lab

DOCUMENTED = sorted(name for name in lab.__all__ if callable(getattr(lab, name)))


@pytest.mark.parametrize("name", DOCUMENTED)
def test_the_examples_hold_in_an_empty_namespace(name: str) -> None:
    (example, *_) = doctest.DocTestFinder(recurse=False).find(getattr(lab, name), name, globs={})
    report: list[str] = []
    results = doctest.DocTestRunner(verbose=False).run(example, out=report.append)
    assert results.attempted > 1
    assert results.failed == 0, "".join(report)


@pytest.mark.parametrize("name", DOCUMENTED)
def test_a_docstring_has_every_part(name: str) -> None:
    found = getattr(lab, name)
    text = inspect.getdoc(found) or ""
    assert re.match(r"[A-Z][^\n]*[.?]\n\n", text), "a summary in one line"
    assert "```text\n" in text, "the formula"
    described_in = "Attributes" if inspect.isclass(found) else "Args"
    for part in (described_in, "Examples", "Source"):
        assert text.count(f"\n{part}:\n") == 1, part
    arguments = text[text.index(f"\n{described_in}:\n") :].split("\n\n")[0]
    described = re.findall(r"^    (\w+): ", arguments, flags=re.MULTILINE)
    assert described == list(inspect.signature(found).parameters)
