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
        np.set_printoptions(**self._print_options)
        np.seterr(**self._errors)
        random.seed()
        np.random.seed()  # noqa: NPY002 - blocks may use it
        vars(builtins).pop("_", None)
        sys.stdin = io.StringIO()  # nobody is asked

    def run(self, earlier: Sequence[str], code: str) -> str:
        """Run a block behind the earlier ones of its page, and write what it prints.

        Returns, as JSON: how many blocks were run before it, the line of the block in which its
        last exception arose, and the exception of each earlier block that was run, in words.
        """
        replayed = [] if list(earlier) == self.done else list(earlier)
        if replayed or not earlier:
            self._afresh()
        faults: list[str | None] = []
        for source in replayed:
            fault, _ = self._block(source, lambda text: None)
            faults.append(fault)
        _, line = self._block(code, self._write)
        return json.dumps({"replayed": len(replayed), "line": line, "faults": faults})

    def check(self, earlier: Sequence[str], code: str, test: str, answer: str) -> str:
        """Run a reader's answer to an exercise, then hold it against the exercise's own test.

        Returns, as JSON: whether the test accepts it, and what the test says if not.
        """
        result = json.loads(self.run(earlier, code))
        self.done.append("")  # what comes next begins afresh
        if result["line"] is not None:
            return json.dumps({**result, "right": False, "said": "The answer does not run."})
        if answer not in self.namespace:
            return json.dumps({**result, "right": False, "said": f"Nothing is called {answer}."})
        try:
            exec(test, self.namespace)
            with self._shown(lambda text: None):
                self.namespace["check"](self.namespace[answer])
        except AssertionError as error:
            return json.dumps({**result, "right": False, "said": str(error)})
        except BaseException as error:
            said = f"The check cannot take this answer: {_said(error)}"
            return json.dumps({**result, "right": False, "said": said})
        return json.dumps({**result, "right": True, "said": ""})

    def _block(self, code: str, write: Callable[[str], object]) -> tuple[str | None, int | None]:
        """Run a block as if it were typed; its last exception in words, and the line of it."""
        self.done.append(code)
        name = f"<block {len(self.done)}>"
        linecache.cache[name] = (len(code), None, code.splitlines(keepends=True), name)
        fault, line = None, None
        with self._shown(write):
            try:
                statements = ast.parse(code, name).body
            except (SyntaxError, ValueError) as error:
                print("".join(traceback.format_exception_only(error)), end="")
                return _said(error), getattr(error, "lineno", None) or 1
            for statement in statements:
                try:
                    exec(compile(ast.Interactive([statement]), name, "single"), self.namespace)
                except BaseException as error:  # a REPL goes on, whatever it was
                    trace = error.__traceback__ and error.__traceback__.tb_next
                    print("".join(traceback.format_exception(type(error), error, trace)), end="")
                    frames = traceback.extract_tb(trace)
                    lines = [frame.lineno for frame in frames if frame.filename == name]
                    fault, line = _said(error), lines[-1] if lines else statement.lineno
        return fault, line

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
            warnings.showwarning = _show_warning
            try:
                yield
            finally:
                screen.flush()


def _print_as_on_a_computer() -> None:
    """Let integers of 64 bits and indices print without their type, which a browser's numpy adds.

    There an address has 32 bits, and numpy's own integers are as wide as an address.
    """
    plain: list[Any] = np._core.arrayprint._typelessdata  # type: ignore[attr-defined]
    plain += {np.int64, np.intp} - {*plain}


def _said(error: BaseException) -> str:
    return traceback.format_exception_only(error)[-1].strip()


def _show_warning(
    message: Warning | str,
    category: type[Warning],
    filename: str,
    lineno: int,
    file: TextIO | None = None,
    line: str | None = None,
) -> None:
    print(f"{category.__name__}: {message}")
