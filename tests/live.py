"""The worked blocks of a page, as a reader runs them, and what the page says they print."""

import doctest
import re
from functools import cache
from pathlib import Path
from typing import NamedTuple

from pedocs.book.fences import typed
from pedocs.book.page import read
from pedocs.book.parts import Asked, Block, Check, Solved
from pedocs.book.scan import scan


class Run(NamedTuple):
    """A block: its code, the blocks that stand before it, and what it is said to print."""

    code: str
    earlier: tuple[str, ...]
    says: str


@cache
def runs(page: Path) -> tuple[Run, ...]:
    """Return the worked blocks of a page; an exercise knows nothing of the others."""
    _, body, first = read(page)
    setup: tuple[str, ...] | None = None
    earlier: tuple[str, ...] = ()
    found = []
    for part in scan(body, page.as_posix(), first).parts:
        if isinstance(part, Asked):
            setup = earlier if setup is None else setup
            earlier = setup
        elif isinstance(part, Block):
            examples = doctest.DocTestParser().get_examples(part.code)
            code = typed(part.code)
            found.append(Run(code, earlier, "".join(example.want for example in examples)))
            earlier = (*earlier, code)
    return tuple(found)


class Answer(NamedTuple):
    """The solution of an exercise as a reader would type it, and what it is held against."""

    code: str
    earlier: tuple[str, ...]
    test: str
    answer: str


@cache
def answers(page: Path) -> tuple[Answer, ...]:
    """Return the solutions of a page's exercises that have a check."""
    _, body, first = read(page)
    setup: tuple[str, ...] | None = None
    earlier: tuple[str, ...] = ()
    at: tuple[tuple[str, ...], Check] | None = None
    found = []
    for part in scan(body, page.as_posix(), first).parts:
        if isinstance(part, Asked):
            setup = earlier if setup is None else setup
            earlier, at = setup, None
        elif isinstance(part, Block):
            earlier = (*earlier, typed(part.code))
        elif isinstance(part, Check):
            at = earlier, part
        elif isinstance(part, Solved) and at:
            stated, check = at
            code = "\n".join(earlier[len(stated) :])
            found.append(Answer(code, stated, check.code, check.answer))
    return tuple(found)


def matches(says: str, printed: str) -> bool:
    """Whether a block printed what its page says, white space and the frames of errors aside."""
    short = re.sub(
        r"(?<=Traceback \(most recent call last\):\n)(?: .*\n)+", "", printed, flags=re.M
    )
    return says.split() == short.split()
