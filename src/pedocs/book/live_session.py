"""What runs a reader's blocks in the browser, as a REPL would; it needs Python and numpy only.

A page's blocks share one namespace. To run one, all before it have to have run, once and in
order: what ran already is used where it is just that, and else everything is run afresh.
"""

from __future__ import annotations

import ast
import builtins
import contextlib
import io
import json
import linecache
import random
import sys
import traceback
import warnings
from collections.abc import Callable, Sequence
from typing import Any, TextIO

import numpy as np

from pedocs.book.copies import copied

LIMIT = 20_000  # characters that one run may print


class _Screen(io.TextIOBase):
    """A stream that hands on what is written, line by line, until it is too much."""

    def __init__(self, write: Callable[[str], object]) -> None:
        self._write = write
        self._left, self._held = LIMIT, ""

    def write(self, text: str) -> int:
        if self._left > 0:
            self._held += text[: self._left]
            self._left -= len(text)
            if self._left <= 0:
                self._held += f"\n… more than {LIMIT:,} characters: the rest is not shown\n"
            if "\n" in self._held or len(self._held) > 1000:
                self.flush()
        return len(text)

    def flush(self) -> None:
        if self._held:
            held, self._held = self._held, ""
            self._write(held)


class Session:
    """The namespace of one page, and the blocks that it has seen."""

    def __init__(self, write: Callable[[str], object]) -> None:
        self._write = write
        _print_as_on_a_computer()
        self._print_options: Any = np.get_printoptions()
        self._errors: Any = np.geterr()
        self._afresh()

    def _afresh(self) -> None:
        """Forget all that ran, with the settings that blocks may change."""
        self.namespace: dict[str, Any] = {"__name__": "__main__"}
        self.done: list[str] = []
        self.faults: list[str | None] = []  # the first exception of each, in words
        np.set_printoptions(**self._print_options)
        np.seterr(**self._errors)
        random.seed()
        np.random.seed()  # noqa: NPY002 - blocks may use it
        vars(builtins).pop("_", None)
        sys.stdin = io.StringIO()  # nobody is asked

    def run(self, earlier: Sequence[str], code: str) -> str:
        """Run a block behind the earlier ones of its page, and write what it prints.

        Returns, as JSON: how many blocks were run before it, the line of the block in which its
        first exception arose, and the first exception of each earlier block, in words.
        """
        replayed = self._prepare(earlier)
        line = self._block(code, self._write)
        found = {"replayed": replayed, "line": line, "faults": self.faults[:-1]}
        return json.dumps(found)

    def check(self, earlier: Sequence[str], code: str, test: str, answer: str) -> str:
        """Run a reader's answer to an exercise, then hold it against the exercise's own test.

        The test sees what the exercise states, not what the answer does to it. Returns, as JSON:
        whether it accepts the answer, and what it says if not.
        """
        self._prepare(earlier)
        stated = copied(self.namespace)  # whatever the answer does to it
        line = self._block(code, self._write)
        self.done.append("")  # what comes next begins afresh
        said = "The answer does not run."
        if line is None:
            said = self._judged(test, answer, stated)
        return json.dumps({"right": not said, "said": said})

    def _judged(self, test: str, answer: str, stated: dict[str, Any]) -> str:
        """What a test says of the answer that stands in the namespace; empty if it takes it."""
        if answer not in self.namespace:
            return f"Nothing is called {answer}."
        try:
            with self._shown(lambda text: None):
                exec(test, stated)
                stated["check"](self.namespace[answer])
        except AssertionError as error:
            return str(error) or "The check refuses it."
        except BaseException as error:
            return f"The check cannot take this answer: {_said(error)}"
        return ""

    def _prepare(self, earlier: Sequence[str]) -> int:
        """Let just these blocks have run. Returns how many had to run now."""
        replayed = [] if list(earlier) == self.done else list(earlier)
        if replayed or not earlier:
            self._afresh()
        for source in replayed:
            self._block(source, lambda text: None)
        return len(replayed)

    def _block(self, code: str, write: Callable[[str], object]) -> int | None:
        """Run a block as if it were typed; the line in which its first exception arose."""
        self.done.append(code)
        self.faults.append(None)
        name = f"<block {len(self.done)}>"
        linecache.cache[name] = (len(code), None, code.splitlines(keepends=True), name)
        line = None
        with self._shown(write):
            try:
                statements = ast.parse(code, name).body
            except (SyntaxError, ValueError) as error:
                print("".join(traceback.format_exception_only(error)), end="")
                self.faults[-1] = _said(error)
                return getattr(error, "lineno", None) or 1
            for statement in statements:
                try:
                    exec(compile(ast.Interactive([statement]), name, "single"), self.namespace)
                except BaseException as error:  # a REPL goes on, whatever it was
                    trace = error.__traceback__ and error.__traceback__.tb_next
                    print("".join(traceback.format_exception(type(error), error, trace)), end="")
                    if line is None:
                        frames = traceback.extract_tb(trace)
                        lines = [frame.lineno for frame in frames if frame.filename == name]
                        line = lines[-1] if lines else statement.lineno
                        self.faults[-1] = _said(error)
        return line

    @contextlib.contextmanager
    def _shown(self, write: Callable[[str], object]) -> Any:
        """Let prints, warnings and errors go the same way."""
        screen = _Screen(write)
        with (
            contextlib.redirect_stdout(screen),
            contextlib.redirect_stderr(screen),
            warnings.catch_warnings(),
        ):
            warnings.simplefilter("always")
            warnings.simplefilter("ignore", PendingDeprecationWarning)
            warnings.showwarning = show_warning
            try:
                yield
            finally:
                screen.flush()


def _print_as_on_a_computer() -> None:
    """Let integers print without their type, which a browser's numpy would add to some.

    There an address has 32 bits, and numpy's own integers are as wide as an address. Those of
    64 bits are the usual ones elsewhere, and some operations give a twin of those of 32 bits.
    """
    if np.dtype(np.intp).itemsize == 4:
        plain: list[Any] = np._core.arrayprint._typelessdata  # type: ignore[attr-defined]
        plain += {np.int64, np.intc} - {*plain}


def _said(error: BaseException) -> str:
    return traceback.format_exception_only(error)[-1].strip()


def show_warning(
    message: Warning | str,
    category: type[Warning],
    filename: str,
    lineno: int,
    file: TextIO | None = None,
    line: str | None = None,
) -> None:
    """Print a warning as the book shows one: its kind and its words."""
    print(f"{category.__name__}: {message}")
