"""Exercises on a page: their tests are run on the solution, and on each mistake.

Every answer is judged by a test of its own, in copies of what the exercise states: a wrong answer
may spoil what it is given, and nothing of that reaches the page.
"""

from __future__ import annotations

import contextlib
import inspect
import io
import pickle
import random
import warnings
from collections.abc import Mapping
from typing import Any

import numpy as np

from pedocs.book.claims import claims_in_code
from pedocs.book.copies import copied
from pedocs.book.parts import Asked, Check, Mistake, Solved
from pedocs.book.run import Session, loud, said


def _held(names: Mapping[str, Any]) -> dict[str, bytes]:
    """What names, numpy's print options and the global generators hold, to see a change."""
    shared = {
        "__builtins__": None,
        "the print options": np.get_printoptions(),
        "numpy's own generator": np.random.get_state(),  # noqa: NPY002 - pages may use it
        "the generator of random": random.getstate(),
    }
    held = dict[str, bytes]()
    for name, value in {**names, **shared}.items():
        with contextlib.suppress(Exception):  # a module, a function
            held[name] = pickle.dumps(value)
    return held


class Marking:
    """Marks the answers of one page, in the namespace of its session."""

    def __init__(self, session: Session) -> None:
        self.session = session
        # The test of the exercise that the page is at, and what it may see.
        self.test: tuple[Check, dict[str, Any]] | None = None
        # What the page binds before its first exercise.
        self.given: dict[str, Any] | None = None
        self.held: dict[str, bytes] = {}

    def asked(self, part: Asked) -> None:
        """Forget the exercises before this one: a reader may begin with any."""
        if self.given is None:
            self.given = dict(self.session.namespace)
            self.held = _held(self.given)
        self._same(part.line, "an exercise before this one", self.held, _held(self.given))
        self.session.namespace.clear()
        self.session.namespace.update(self.given)

    def check(self, part: Check) -> None:
        """Take up an exercise's test, which sees what the exercise states, not its solution."""
        self.test = None
        names = self.session.namespace
        names.pop(part.answer, None)
        scope = dict(names)
        if not self._ran(part, scope):
            return
        self._claims(part)
        for name, value in scope.items():
            if name == part.answer or names.get(name, value) is not value:
                message = f"the check's code binds {name}, and does so in the reader's session"
                self.session.fail(part.line, message)
        check = scope.get("check")
        if not inspect.isfunction(check) or len(inspect.signature(check).parameters) != 1:
            self.session.fail(part.line, "an exercise's check is a function of one argument")
            return
        self.test = part, copied(names)
        own = copied(names)
        if self._ran(part, own):
            with contextlib.suppress(Exception), contextlib.redirect_stdout(io.StringIO()):
                own["check"](None)
                self.session.fail(part.line, "the check takes None for an answer")

    def mistake(self, part: Mistake) -> str:
        """What the test says of a wrong answer: it has to refuse it, with a message."""
        self._claims(part)
        scope = copied(self.session.namespace)
        if not self._ran(part, scope) or self.test is None:
            return ""
        verdict = self._judged(part.line, scope, "the mistake")
        if verdict == "":
            self.session.fail(part.line, f"the check takes the mistake {part.what!r} for an answer")
        return verdict or ""

    def solved(self, part: Solved) -> None:
        """Hold the answer of a solution against the test."""
        if self.test is None:
            return
        if verdict := self._judged(part.line, self.session.namespace, "the answer"):
            self.session.fail(part.line, f"the check refuses the answer: {verdict}")

    def _judged(self, line: int, scope: dict[str, Any], whose: str) -> str | None:
        """What the test says of the answer in a scope; empty if it takes it, None if it cannot."""
        assert self.test
        part, stated = self.test
        if part.answer not in scope:
            if part.answer not in self.session.lost:
                message = f"{whose} does not bind {part.answer}, which the check asks for"
                self.session.fail(line, message)
            return None
        own = copied(stated)
        if not self._ran(part, own):
            return None
        before = _held(own | {"the answer": scope[part.answer]})
        try:
            with loud(), contextlib.redirect_stdout(io.StringIO()):
                returned = own["check"](scope[part.answer])
        except AssertionError as error:
            if not str(error).strip():
                self.session.fail(line, f"the check refuses {whose} without a message")
            return str(error) or None
        except KeyboardInterrupt:
            raise
        except BaseException as error:
            self.session.fail(line, f"the check of {whose} raises {said(error)}")
            return None
        self._same(line, "the check", before, _held(own | {"the answer": scope[part.answer]}))
        if returned is not None:
            self.session.fail(
                line, f"the check returns {returned!r}: it says by assert what differs"
            )
        return ""

    def _same(self, line: int, who: str, before: dict[str, bytes], after: dict[str, bytes]) -> None:
        for name, held in before.items():
            if after.get(name) != held:
                self.session.fail(line, f"{who} changes {name}, which others go on with")

    def _claims(self, part: Check | Mistake) -> None:
        for number, claim in claims_in_code(part.code, comments=True):
            message = f"the number {claim} in a string or comment is not computed"
            self.session.fail(part.line + 1 + number, message)

    def _ran(self, part: Check | Mistake, scope: dict[str, Any]) -> bool:
        """Run a piece of an exercise in a scope that the page does not see; whether it went."""
        try:
            with warnings.catch_warnings(), contextlib.redirect_stdout(io.StringIO()):
                warnings.simplefilter("error")
                exec(compile(part.code, f"<{self.session.path}:{part.line}>", "exec"), scope)
        except KeyboardInterrupt:
            raise
        except BaseException as error:
            self.session.raised(part.line, error, part.code, "the code of the exercise")
            return False
        return True
