"""A course's own numbers: exercises draw them from a seed that a teacher can set.

A page of exercises begins by binding `seed`, and draws every number from it. What such a page
prints and states is written for one seed, and proven like any other page. For another seed the
page is rewritten before it is proven: the seed, then what the blocks print, then the numbers in
the text. What cannot be rewritten, such as a bound that no longer holds or an answer that its
check refuses, stays red.
"""

from __future__ import annotations

import re
from pathlib import Path

from pedocs.book.failures import build_error
from pedocs.book.fix import computed
from pedocs.book.page import Page, prove, read

_EXERCISE = re.compile(r"^/{4}[ \t]*exercise\b", re.M)
_SEED = re.compile(r"^(>>> seed = )\d+$", re.M)


def course_seed(option: object) -> int | None:
    """The seed that a configuration gives, if it gives one."""
    if option in ("", None):
        return None
    if not isinstance(option, int) or isinstance(option, bool) or option < 0:
        raise build_error(f"pedocs.book: seed: {option!r} is no whole number from zero up")
    return option


def prove_for(path: Path, seed: int | None) -> Page:
    """The proof of a page; one of exercises with the numbers of a course."""
    _, body, first = read(path)
    if seed is None or not _EXERCISE.search(body):
        return prove(path)
    if not _SEED.search(body):
        page = prove(path)
        page.fail(first, "exercises draw their numbers from a seed: bind it by >>> seed = …")
        return page
    drawn = prove(path, _SEED.sub(rf"\g<1>{seed}", body), first)
    return prove(path, computed(drawn), first)
