"""The library that a book documents: its docstrings, proven, and imported afresh on an edit."""

from __future__ import annotations

import doctest
import importlib
import inspect
import sys
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from pedocs.book.claims import claims
from pedocs.book.failures import display_path
from pedocs.book.run import Session, between, fresh_state


def _find(name: str) -> Any:
    """The object of a dotted name; AttributeError or ImportError if there is none."""
    module_name, attributes = name, list[str]()
    while True:
        try:
            found: Any = importlib.import_module(module_name)
            break
        except ModuleNotFoundError:
            module_name, _, attribute = module_name.rpartition(".")
            if not module_name:
                raise
            attributes.insert(0, attribute)
    for attribute in attributes:
        found = getattr(found, attribute)
    return found


def forget(paths: Iterable[Path]) -> None:
    """Let the next import read afresh every package with a module at or below the paths.

    The engine itself stays: it is running.
    """
    places = [path.resolve() for path in paths]
    packages = set()
    for name, module in list(sys.modules.items()):
        file = getattr(module, "__file__", None)
        if file and any(place in (found := Path(file), *found.parents) for place in places):
            packages.add(name.partition(".")[0])
    for name in list(sys.modules):
        engine = (name + ".").startswith("pedocs.book.")
        if name.partition(".")[0] in packages and not engine:
            del sys.modules[name]
    importlib.invalidate_caches()


def docstrings(name: str) -> list[tuple[str, int, doctest.DocTest]]:
    """The docstrings that a page shows for an object: file, first line, and the examples."""
    found = inspect.unwrap(_find(name))
    file = display_path(Path(inspect.getsourcefile(found) or "?"))
    tests = doctest.DocTestFinder(exclude_empty=False).find(found, name)
    shown = [(file, (test.lineno or 0) + 1, test) for test in tests if test.docstring]
    if not shown:
        raise AttributeError(f"{name} has no docstring that Python sees, so nothing proves it")
    return shown


def documentation(name: str) -> str:
    """What a page shows for an object, as plain text: how it is called, and its docstring."""
    found = inspect.unwrap(_find(name))
    try:
        signature = inspect.signature(found)
    except (TypeError, ValueError):
        return inspect.getdoc(found) or ""
    # Without types: those of arrays are written out over many lines.
    bare = [each.replace(annotation=each.empty) for each in signature.parameters.values()]
    called = signature.replace(parameters=bare, return_annotation=signature.empty)
    return f"{name.rpartition('.')[2]}{called}\n\n{inspect.getdoc(found) or ''}"


def prove_docstring(path: str, first: int, test: doctest.DocTest) -> Session:
    """Run the examples of one docstring by themselves; its prose keeps the claim rule."""
    session = Session(path)
    for number, text in between(test.docstring or "", test.examples):
        if "$" in text or ("{" in text and " = " in text):
            session.fail(first + number, "a docstring is plain text: no LaTeX, no worked value")
        for _, claim in claims(text.replace("`", " ")):
            session.fail(first + number, f"the number {claim} in a docstring is not computed")
    with fresh_state():
        session.examples(test.examples, test.docstring or "", first)
    return session
