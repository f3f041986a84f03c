"""Exercises on a page: their tests are run on the solution, and on each mistake."""

from __future__ import annotations

import contextlib
import inspect
import io
import warnings
from collections.abc import Callable
from typing import Any

from pedocs.book.claims import claims_in_code
from pedocs.book.parts import Check, Mistake, Solved
from pedocs.book.run import Session, loud, said


class Marking:
    """Marks the answers of one page, in the namespace of its session."""

    def __init__(self, session: Session) -> None:
        self.session = session
        # The test of the exercise that the page is at, and what its answer is called.
        self.test: tuple[Callable[[Any], Any], str] | None = None
        # What the page binds before its first exercise.
        self.given: dict[str, Any] | None = None

    def asked(self) -> None:
        """Forget the exercises before this one: a reader may begin with any."""
        if self.given is None:
            self.given = dict(self.session.namespace)
        self.session.namespace.clear()
        self.session.namespace.update(self.given)

    def check(self, part: Check) -> None:
        """Take up an exercise's test, which sees what the exercise states, not its solution."""
        self.test = None
        self.session.namespace.pop(part.answer, None)
        scope = self._apart(part)
        if scope is None:
            return
        check = scope.get("check")
        if not inspect.isfunction(check) or len(inspect.signature(check).parameters) != 1:
            self.session.fail(part.line, "an exercise's check is a function of one argument")
            return
        self.test = check, part.answer
        with contextlib.suppress(Exception):
            check(None)
            self.session.fail(part.line, "the check takes None for an answer")

    def mistake(self, part: Mistake) -> str:
        """What the test says of a wrong answer: it has to refuse it, with a message."""
        scope = self._apart(part)
        if scope is None or self.test is None:
            return ""
        verdict = self._judged(part.line, scope, "the mistake")
        if verdict == "":
            self.session.fail(part.line, f"the check takes the mistake {part.what!r} for an answer")
        return verdict or ""

    def solved(self, part: Solved) -> None:
        """Hold the answer of a solution against the test."""
        if self.test and (verdict := self._judged(part.line, self.session.namespace, "the answer")):
            self.session.fail(part.line, f"the check refuses the answer: {verdict}")

    def _judged(self, line: int, scope: dict[str, Any], whose: str) -> str | None:
        """What the test says of the answer in a scope; empty if it takes it, None if it cannot."""
        assert self.test
        check, name = self.test
        if name not in scope:
            if name not in self.session.lost:
                self.session.fail(line, f"{whose} does not bind {name}, which the check asks for")
            return None
        try:
            with loud(), contextlib.redirect_stdout(io.StringIO()):
                returned = check(scope[name])
        except AssertionError as error:
            if not str(error).strip():
                self.session.fail(line, f"the check refuses {whose} without a message")
            return str(error) or None
        except KeyboardInterrupt:
            raise
        except BaseException as error:
            self.session.fail(line, f"the check of {whose} raises {said(error)}")
            return None
        if returned is not None:
            self.session.fail(
                line, f"the check returns {returned!r}: it says by assert what differs"
            )
        return ""

    def _apart(self, part: Check | Mistake) -> dict[str, Any] | None:
        """The names after a piece of an exercise, which the page does not see."""
        for number, claim in claims_in_code(part.code, comments=True):
            message = f"the number {claim} in a string or comment is not computed"
            self.session.fail(part.line + 1 + number, message)
        scope = dict(self.session.namespace)
        try:
            with warnings.catch_warnings(), contextlib.redirect_stdout(io.StringIO()):
                warnings.simplefilter("error")
                exec(compile(part.code, f"<{self.session.path}:{part.line}>", "exec"), scope)
        except KeyboardInterrupt:
            raise
        except BaseException as error:
            self.session.raised(part.line, error, part.code, "the code of the exercise")
            return None
        return scope
