"""Running the parts of a page, in document order, in one namespace of the page's own."""

from __future__ import annotations

import ast
import builtins
import contextlib
import decimal
import doctest
import importlib
import inspect
import io
import os
import random
import re
import sys
import traceback
import warnings
from collections.abc import Callable, Iterator
from pathlib import Path
from types import TracebackType
from typing import Any

import numpy as np

from pedocs.book.claims import claims, claims_in_code
from pedocs.book.equations import check
from pedocs.book.failures import Failure
from pedocs.book.latex import EquationError
from pedocs.book.live_session import show_warning
from pedocs.book.numbers import disagreement, elements
from pedocs.book.parts import Block, Formula, Generated, Value
from pedocs.book.sources import source
from pedocs.book.unseen import PYTHONS, changes

FLAGS = (
    doctest.NORMALIZE_WHITESPACE | doctest.DONT_ACCEPT_BLANKLINE | doctest.DONT_ACCEPT_TRUE_FOR_1
)


@contextlib.contextmanager
def fresh_state() -> Iterator[None]:
    """Settings that code on a page may change, as new, and put back afterwards."""
    underscore = getattr(builtins, "_", None)
    hook, state = sys.displayhook, random.getstate()
    environ, folder = dict(os.environ), Path.cwd()
    importlib.import_module("pedocs")
    modules = _contents()
    legacy = np.random.get_state()  # noqa: NPY002 - pages may use it
    # Fresh entropy: an example that forgets its seed must not pass by luck.
    random.seed()
    np.random.seed()  # noqa: NPY002
    matplotlib = sys.modules.get("matplotlib")
    try:
        with (
            np.printoptions(),
            np.errstate(),
            warnings.catch_warnings(),
            decimal.localcontext(),
            matplotlib.rc_context() if matplotlib else contextlib.nullcontext(),
            _no_way_out(),
        ):
            yield
    finally:
        if matplotlib is None and "matplotlib" in sys.modules:  # the page brought it in
            sys.modules["matplotlib"].rc_file_defaults()
        if "matplotlib.pyplot" in sys.modules:
            sys.modules["matplotlib.pyplot"].close("all")
        if dict(os.environ) != environ:
            os.environ.clear()
            os.environ.update(environ)
        os.chdir(folder)
        _put_back(modules)
        sys.displayhook = hook
        random.setstate(state)
        np.random.set_state(legacy)  # noqa: NPY002
        if underscore is None:
            builtins.__dict__.pop("_", None)
        else:
            builtins.__dict__["_"] = underscore


# What a page may reach into and another page computes with.
_SHARED = {"builtins", "cmath", "doctest", "fractions", "itertools", "math", "numpy", "operator", "pedocs",
           "statistics"}  # fmt: skip


def _contents() -> list[tuple[Any, dict[str, Any]]]:
    """What the shared modules hold, and the classes of those that check a page."""
    found = [module for name, module in [*sys.modules.items()] if name.partition(".")[0] in _SHARED]
    checking = [each for each in found if each.__name__.startswith(("doctest", "pedocs.book"))]
    classes = [
        content
        for module in checking
        for content in vars(module).values()
        if inspect.isclass(content) and content.__module__ == module.__name__
    ]
    return [(each, dict(vars(each))) for each in [*found, *classes] if hasattr(each, "__dict__")]


def _put_back(contents: list[tuple[Any, dict[str, Any]]]) -> None:
    """Undo what a page changed in a shared module, or put into the library."""
    for holder, names in contents:
        now = vars(holder)
        for name, content in names.items():
            if now.get(name, contents) is not content and name != "_":
                setattr(holder, name, content)
        if holder.__name__ == "pedocs":
            for name in now.keys() - names.keys():
                if not inspect.ismodule(now[name]):
                    delattr(holder, name)


@contextlib.contextmanager
def _no_way_out() -> Iterator[None]:
    """Let an exit that Python does not hear of be an exception: it would end the proof green."""
    process = os.getpid()
    ways = {name: getattr(os, name) for name in ("_exit", "execv", "execve") if hasattr(os, name)}

    def refusing(name: str, way: Callable[..., Any]) -> Callable[..., Any]:
        def refuse(*arguments: Any) -> Any:
            if os.getpid() == process:
                raise SystemExit(f"os.{name} ends the process that proves the page")
            return way(*arguments)  # in a process that the page forked

        return refuse

    for name, way in ways.items():
        setattr(os, name, refusing(name, way))
    try:
        yield
    finally:
        for name, way in ways.items():
            setattr(os, name, way)


class _Follow:
    """A stream that writes to whatever sys.stdout is at the time."""

    def write(self, text: str) -> int:
        return sys.stdout.write(text)

    def flush(self) -> None:
        sys.stdout.flush()


@contextlib.contextmanager
def loud() -> Iterator[None]:
    """Warnings and writes to stderr become part of what the code prints."""
    with warnings.catch_warnings(), contextlib.redirect_stderr(_Follow()):
        warnings.simplefilter("always")
        warnings.simplefilter("ignore", PendingDeprecationWarning)  # as Python does
        warnings.showwarning = show_warning
        yield


class _Examples(doctest.DocTestRunner):
    """doctest's runner, which keeps what differs instead of printing it."""

    def __init__(self) -> None:
        super().__init__(verbose=False, optionflags=FLAGS)
        self.differing: list[tuple[doctest.Example, str]] = []
        self.raised: list[tuple[doctest.Example, BaseException]] = []

    def report_start(self, *args: Any) -> None:
        pass

    def report_success(self, out: Any, test: Any, example: doctest.Example, got: str) -> None:
        # doctest forgets what was printed before an expected exception.
        if example.exc_msg is not None and not got.startswith("Traceback (most recent"):
            self.differing.append((example, got))

    def report_failure(self, out: Any, test: Any, example: doctest.Example, got: str) -> None:
        self.differing.append((example, got))

    def report_unexpected_exception(
        self,
        out: Any,
        test: Any,
        example: doctest.Example,
        exc_info: tuple[type[BaseException], BaseException, TracebackType],
    ) -> None:
        self.raised.append((example, exc_info[1]))


def _bound_names(code: str) -> set[str]:
    """The names that a piece of code would have bound."""
    names: set[str] = set()
    with contextlib.suppress(SyntaxError):
        for node in ast.walk(ast.parse(code)):
            if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
                names.add(node.id)
            elif isinstance(node, (ast.FunctionDef, ast.ClassDef)):
                names.add(node.name)
            elif isinstance(node, ast.alias):
                names.add((node.asname or node.name).partition(".")[0])
    return names


def _first_difference(want: str, got: str) -> tuple[int, str]:
    """The line (from 0) where outputs part, and both sides of it in words."""
    wanted, gotten = want.splitlines(), got.splitlines()
    if len(wanted) == len(gotten):
        for k, (w, g) in enumerate(zip(wanted, gotten, strict=True)):
            if w.split() != g.split():
                return k, f"the text says {w.strip()}, the code gives {g.strip()}"
    shown = " ⏎ ".join(line.strip() for line in gotten) or "nothing"
    expected = " ⏎ ".join(line.strip() for line in wanted) or "nothing"
    return 0, f"the text says {expected}, the code gives {shown}"


def said(error: BaseException) -> str:
    """An exception in words."""
    return f"{type(error).__name__}: {error}" if str(error) else type(error).__name__


class Session:
    """One page's namespace, and what its parts did in it.

    `failures` holds what went wrong; `edits` what a worked block printed in place of
    what is written, as (first line, last line, new lines) for `make fix`.
    """

    def __init__(self, path: str) -> None:
        self.path = path
        self.namespace: dict[str, Any] = {"__name__": "__main__"}
        self.failures: list[Failure] = []
        self.edits: list[tuple[int, int, list[str]]] = []
        # Names that an exception kept from being bound: what follows from it is not news.
        self.lost: set[str] = set()

    def fail(self, line: int, message: str) -> None:
        """Record a fault."""
        self.failures.append(Failure(self.path, line, message))

    def raised(self, line: int, error: BaseException, code: str, what: str) -> None:
        """Record an exception, unless it only follows from one that is recorded already."""
        follows = isinstance(error, NameError) and error.name in self.lost
        self.lost |= _bound_names(code)
        if not follows:
            self.fail(line, f"{what} raises {said(error)}")

    def block(self, block: Block) -> None:
        """Run a worked block; its first code line is the one behind the fence."""
        first = block.line + 1
        try:
            pieces = doctest.DocTestParser().parse(block.code, self.path)
        except ValueError as error:
            self.fail(first, f"the worked block cannot be read: {error}")
            return
        examples = [piece for piece in pieces if isinstance(piece, doctest.Example)]
        if not examples:
            self.fail(first, "a worked block without a >>> prompt")
        for number, text in between(block.code, examples):
            self.fail(first + number, f"neither prompt nor output, so nothing checks it: {text}")
        for number, text in enumerate(block.code.split("\n")):
            if found := re.match(r"\s*(?:>>>|\.\.\.)\s*(#.*)", text):
                for _, claim in claims(found[1]):
                    self.fail(first + number, f"the number {claim} in a comment is not computed")
        self.examples(examples, block.code, first)

    def examples(self, examples: list[doctest.Example], text: str, first: int) -> None:
        """Run examples of a text in the session's namespace and compare what they print."""
        lines = text.split("\n")
        for example in examples:
            length = _source_length(lines, example)
            last = lines[example.lineno + length - 1].strip()
            if example.source.rstrip("\n").rpartition("\n")[2].startswith(" ") and last != "...":
                at = first + example.lineno + length - 1
                if _is_suite(example.source):
                    self.fail(at, "a REPL ends a suite at an empty line: write ... below it")
            for number, claim in claims_in_code(example.source, comments=True):
                message = f"the number {claim} in a string or comment is not computed"
                self.fail(first + example.lineno + number, message)
            if example.options or "doctest:" in example.source:
                self.fail(first + example.lineno, "a doctest directive weakens the check")
            if example.exc_msg and len(example.want.splitlines()) != 1 + example.exc_msg.count(
                "\n"
            ):
                at = first + example.lineno + _source_length(lines, example)
                self.fail(
                    at, "a traceback is written as its first and its last line: no more is compared"
                )
            if not example.exc_msg and _is_literal(example.source):
                self.fail(first + example.lineno, "the example only repeats a literal")
        # doctest finds the source of a traceback by the test's name: one for each block.
        test = doctest.DocTest(examples, {}, f"{self.path}:{first}", self.path, 0, "")
        test.globs = self.namespace  # doctest copies what it is given; the page shares it
        runner = _Examples()
        with loud():
            runner.run(test, out=lambda text: None, clear_globs=False)
        for example, error in runner.raised:
            self.raised(first + example.lineno, error, example.source, "the example")
        for example, got in runner.differing:
            output = first + example.lineno + _source_length(lines, example)
            shift, message = _first_difference(example.want, got)
            length = example.want.count("\n")
            self.fail(output + min(shift, length - 1) if length else output - 1, message)
            self.edits.append((output, output + length - 1, got.splitlines()))

    def value(self, value: Value) -> list[Any] | None:
        """The numbers of a worked value's expression; None if it has none."""
        scope = {"source": source, **self.namespace}
        if value.expression.startswith("source(") and scope["source"] is not source:
            self.fail(value.line, "source is bound to something else: no source is looked up")
            return None
        try:
            code = compile(value.expression, f"<{self.path}:{value.line}>", "eval")
            with warnings.catch_warnings(), contextlib.redirect_stdout(io.StringIO()):
                warnings.simplefilter("error")
                numbers = elements(eval(code, scope))
            wrong = disagreement(value.text, value.expression, numbers)
        except KeyboardInterrupt:
            raise
        except BaseException as error:
            self.raised(value.line, error, "", value.expression)
            return None
        if wrong:
            self.fail(value.line, wrong)
        return numbers

    def equation(self, formula: Formula) -> None:
        """Hold a display equation against the code, with numpy and the library at hand."""
        if self.lost:
            return  # what an exception left unbound is reported already
        pedocs = importlib.import_module("pedocs")  # afresh, after an edit under serve
        library = {name: getattr(pedocs, name) for name in pedocs.__all__}
        names = {"np": np, "source": source} | library | self.namespace
        try:
            wrong = check(formula.latex, formula.check or "", names)
        except EquationError as error:
            line = formula.line + formula.latex.count("\n", 0, error.offset)
            self.fail(line, f"the equation cannot be checked: {error}")
        else:
            for message in wrong:
                self.fail(formula.line, f"the equation does not hold: {message}")

    def generated(self, part: Generated) -> str:
        """What a generated part prints."""
        name = f"<{self.path}:{part.line}>"
        out, err = io.StringIO(), io.StringIO()
        for number, claim in claims_in_code(part.code, comments=False):
            message = f"the number {claim} in a string of a generated part is not computed"
            self.fail(part.line + 1 + number, message)
        known = self.namespace.keys() & PYTHONS
        helpers = {"source": source, "here": Path(self.path)}
        lent = helpers.keys() - self.namespace.keys()
        self.namespace |= {helper: helpers[helper] for helper in lent}
        try:
            code = compile(part.code, name, "exec")
            with (
                contextlib.redirect_stdout(out),
                contextlib.redirect_stderr(err),
                warnings.catch_warnings(),
            ):
                warnings.simplefilter("error")
                warnings.simplefilter("ignore", PendingDeprecationWarning)
                exec(code, self.namespace)
        except KeyboardInterrupt:
            raise
        except BaseException as error:
            inside = [
                f.lineno for f in traceback.extract_tb(error.__traceback__) if f.filename == name
            ]
            within = error.lineno if isinstance(error, SyntaxError) else (inside or [0])[-1]
            self.raised(part.line + (within or 0), error, part.code, "the generated part")
            return ""
        finally:
            for helper in lent:
                self.namespace.pop(helper, None)
        for number, change in changes(part.code, self.namespace, known):
            self.fail(part.line + number, f"a generated part, which no reader sees, {change}")
        if err.getvalue():
            self.fail(part.line, f"the generated part writes to stderr: {err.getvalue().strip()}")
        if not out.getvalue().strip():
            self.fail(
                part.line, "the generated part prints nothing, so the page would show nothing"
            )
        if "<svg" in out.getvalue() and part.figure is None:
            self.fail(
                part.line, "a picture stands in a /// figure block, with alt text and caption"
            )
        return out.getvalue()


def _is_suite(code: str) -> bool:
    try:
        return hasattr(ast.parse(code).body[-1], "body")
    except (SyntaxError, IndexError):
        return False


def _is_literal(code: str) -> bool:
    try:
        ast.literal_eval(code.strip())
    except (ValueError, SyntaxError):
        return False
    return True


def _source_length(lines: list[str], example: doctest.Example) -> int:
    """How many lines the code of an example takes (its source drops a closing `...`)."""
    length = 1
    while lines[example.lineno + length : example.lineno + length + 1] and re.match(
        r"\s*\.\.\.( |$)", lines[example.lineno + length]
    ):
        length += 1
    return length


def between(code: str, examples: list[doctest.Example]) -> Iterator[tuple[int, str]]:
    """The lines (from 0) of a text that belong to none of its examples."""
    lines = code.split("\n")
    taken: set[int] = set()
    for example in examples:
        length = _source_length(lines, example) + example.want.count("\n")
        taken |= set(range(example.lineno, example.lineno + length))
    for number, text in enumerate(lines):
        comment = re.match(r"\s*(?:>>>|\.\.\.)\s*(?:#|$)", text)  # doctest leaves these out
        if number not in taken and text.strip() and not comment:
            yield number, text.strip()
