"""What a check reports: one fault, at one place."""

from __future__ import annotations

import sys
from collections.abc import Iterable
from dataclasses import dataclass
from io import TextIOWrapper
from pathlib import Path


@dataclass(frozen=True, order=True)
class Failure:
    """One fault: the file, the line in it (from 1), and what is wrong."""

    path: str
    line: int
    message: str

    def __str__(self) -> str:
        return f"{self.path}:{self.line}: {self.message}"


def report(failures: Iterable[Failure]) -> str:
    """One line per failure, in the order of the files and lines."""
    return "\n".join(str(failure) for failure in sorted(set(failures)))


def display_path(path: Path) -> str:
    """The path as a reader would type it: from the current folder where it lies below it."""
    try:
        return path.resolve().relative_to(Path.cwd().resolve()).as_posix()
    except ValueError:
        return path.as_posix()


def speak_plainly() -> None:
    """Let a terminal that lacks a character show its number, in place of failing (Windows)."""
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, TextIOWrapper):
            stream.reconfigure(errors="backslashreplace")


def build_error(message: str) -> Exception:
    """An error that the running site generator prints without a traceback.

    mkdocs and ProperDocs each have a `BuildError` of their own; any other generator
    gets a plain exception, which stops it as well.
    """
    for generator in ("mkdocs", "properdocs"):
        module = sys.modules.get(f"{generator}.exceptions")
        if module is not None:
            error = module.BuildError(message)
            assert isinstance(error, Exception)
            return error
    return RuntimeError(message)
