"""What the experiments found, trained once and remembered in the project's cache."""

import ast
import functools
import hashlib
import json
import os
import platform
import tempfile
from pathlib import Path
from typing import Any

import numpy as np

from pedocs import _checks
from pedocs.lab._experiments import EXPERIMENTS


def results(name: str) -> dict[str, Any]:
    """What an experiment of the lab found, in plain lists and numbers.

    ```text
    order:    which team is ahead? An encoder, with each scheme
    lengths:  train short, test long. A decoder, two tasks, with each scheme
    count:    where am I? No encoding, with a mask and without
    ```

    The first call trains, which takes a minute or two for the three together.
    In a folder of the book what came out is kept in `.cache/lab`, under a name
    that changes with the code of the library and the lab, though not with its
    comments and docstrings, with numpy, Python and the kind of machine. Two processes that ask at once both train, and
    neither reads half a file.

    Args:
        name: "order", "lengths" or "count".

    Returns:
        Dictionaries, lists, strings and numbers, as JSON has them; a new copy
            for each call. `["runs"]` holds a run for each scheme, in "lengths"
            for each task and scheme. Lists go by seed.

    Raises:
        ValueError: There is no such experiment.

    Examples:
        >>> from pedocs.lab import results
        >>> try:
        ...     results("ordre")
        ... except ValueError as refusal:
        ...     print(refusal)
        ...
        name is 'ordre'; allowed: 'order' or 'lengths' or 'count'

    Source:
        The experiments of this book; what they are held against is in
        [Press et al. 2021](https://arxiv.org/abs/2108.12409), §4,
        [Haviv et al. 2022](https://arxiv.org/abs/2203.16634), §5, and
        [Kazemnejad et al. 2023](https://arxiv.org/abs/2305.19466), §4.
    """
    _checks.choice("name", name, tuple(EXPERIMENTS))
    found: dict[str, Any] = json.loads(_text(name))
    return found


@functools.cache
def _text(name: str) -> str:
    """The results as JSON: from the cache, or trained and put there."""
    folder = cache_folder(Path.cwd())
    file = None if folder is None else folder / f"{name}-{_KEY}.json"
    # The wheel that the book's site serves to its readers brings them along.
    text = _read(Path(__file__).with_name(f"{name}.json") if file is None else file)
    if text is None:
        text = json.dumps(EXPERIMENTS[name]())
        if file is not None:
            _write(file, text)
    return text


def cache_folder(start: Path) -> Path | None:
    """The cache of the project that a folder is in; None outside of a project."""
    for folder in (start, *start.parents):
        if (folder / "mkdocs.yml").is_file() and (folder / "pyproject.toml").is_file():
            return folder / ".cache" / "lab"
    return None


def kept(start: Path) -> dict[str, str]:
    """The results, as JSON, that are in the cache of the project that a folder is in."""
    folder = cache_folder(start)
    found = (
        {}
        if folder is None
        else {name: _read(folder / f"{name}-{_KEY}.json") for name in EXPERIMENTS}
    )
    return {name: text for name, text in found.items() if text is not None}


def key(package: Path = Path(__file__).parents[1]) -> str:
    """A name for all that results depend on: library and lab, numpy, Python, machine."""
    made_with = (np.__version__, platform.python_version(), platform.machine())
    digest = hashlib.sha256(repr(made_with).encode())
    for file in sorted(package.rglob("*.py")):
        place = file.relative_to(package)
        if place.parts[0] != "book":
            content = _code(file.read_bytes())
            digest.update(f"{place.as_posix()} {len(content)}\n".encode() + content)
    return digest.hexdigest()[:16]


def _code(source: bytes) -> bytes:
    """What a module does: its code without comments, docstrings and layout."""
    try:
        tree = ast.parse(source)
    except SyntaxError:  # an edit under way
        return source
    documented = (ast.Module, ast.ClassDef, ast.FunctionDef, ast.AsyncFunctionDef)
    for node in ast.walk(tree):
        if isinstance(node, documented) and ast.get_docstring(node, clean=False) is not None:
            del node.body[0]
    return ast.dump(tree).encode()


def _read(file: Path) -> str | None:
    """A file of the cache, if it is there and whole."""
    try:
        text = file.read_text("utf-8")
        whole = isinstance(json.loads(text), dict)
    except (OSError, ValueError):
        return None
    return text if whole else None


def _write(file: Path, text: str) -> None:
    """Write beside the file and put it in place at once. Without a cache nothing is lost."""
    try:
        file.parent.mkdir(parents=True, exist_ok=True)
        handle, beside = tempfile.mkstemp(dir=file.parent, suffix=".new")
        with os.fdopen(handle, "w", encoding="utf-8") as new:
            new.write(text)
        Path(beside).replace(file)
    except OSError:
        return


_KEY = key()  # of what is imported now, not of what an editor saves while it trains
