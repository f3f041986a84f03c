"""The docstrings of the whole library, shown on a page or not; and reading it afresh."""

import doctest
import importlib
import pkgutil
import sys
from pathlib import Path

import pytest

import pedocs
from pedocs.book.library import docstrings, forget, prove_docstring

MODULES = ["pedocs"] + [
    f"pedocs.{module.name}" for module in pkgutil.iter_modules(pedocs.__path__) if not module.ispkg
]


@pytest.mark.parametrize("name", MODULES)
def test_every_docstring_holds(name: str) -> None:
    module = importlib.import_module(name)
    for test in doctest.DocTestFinder(exclude_empty=False).find(module, name):
        if test.docstring:
            session = prove_docstring(str(module.__file__), (test.lineno or 0) + 1, test)
            assert session.failures == []


def write(folder: Path, docstring: str) -> None:
    text = f'def one() -> int:\n    """{docstring}\n    """\n    return 1\n'
    (folder / "documented_module.py").write_text(text)


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.syspath_prepend(str(tmp_path))
    monkeypatch.setattr(sys, "dont_write_bytecode", True)
    forget([tmp_path])
    return tmp_path


@pytest.mark.parametrize(
    ("docstring", "expected"),
    [
        (
            "One.\n\n    >>> from documented_module import one\n    >>> one()\n    2",
            (6, "the text says 2"),
        ),
        ("About 0.5 of it.", (2, "the number 0.5 in a docstring is not computed")),
        ("As $x$ says.", (2, "a docstring is plain text")),
        ("As {5 = x} says.", (2, "a docstring is plain text")),
        ("One.\n\n    >>> one()\n    1", (4, "the example raises NameError")),
    ],
)
def test_a_fault_is_named_with_its_line(
    folder: Path, docstring: str, expected: tuple[int, str]
) -> None:
    write(folder, docstring)
    sys.modules.pop("documented_module", None)
    [(path, first, test)] = docstrings("documented_module.one")
    [failure] = prove_docstring(path, first, test).failures
    assert failure.line == expected[0]
    assert failure.message.startswith(expected[1])


def test_an_edited_module_is_read_afresh_and_the_engine_stays(folder: Path) -> None:
    write(folder, "Before.")
    sys.modules.pop("documented_module", None)
    assert (docstrings("documented_module.one")[0][2].docstring or "").startswith("Before.")
    write(folder, "Behind.")
    forget([folder])
    assert (docstrings("documented_module.one")[0][2].docstring or "").startswith("Behind.")
    engine = sys.modules["pedocs.book.library"]
    library = {name: module for name, module in sys.modules.items() if name.startswith("pedocs")}
    try:
        forget([Path(pedocs.__file__).parent])
        assert "pedocs" not in sys.modules
        assert sys.modules["pedocs.book.library"] is engine
    finally:
        sys.modules.update(library)
