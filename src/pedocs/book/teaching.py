"""What a teacher asks of a chapter: what has to come before it, and what one can do after it.

Both have one home, the chapter. What comes before stands in its front matter, as the names of
other chapters, `requires: [sinusoid, two-scores]`; what one can do after it, in its box
"What you will be able to do". The build holds the first against the navigation, shows it in each
chapter, and puts the second into the teacher's page, which has a place for it.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from html import escape
from pathlib import Path
from typing import Any

import yaml

from pedocs.book.failures import Failure, display_path
from pedocs.book.page import read
from pedocs.book.published import in_order, name_of, title

FOLDER = "chapters/"
OUTCOMES = "What you will be able to do"

_BOX = re.compile(
    rf'(<div class="admonition tip">\s*<p class="admonition-title">{OUTCOMES}</p>\s*'
    r"(?P<list><ul>.*?</ul>).*?)(?=</div>)",
    re.S,
)
_HEADING = re.compile(r"</h1>")
_PLACE = re.compile(r'<div data-outcomes(?:="")?>\s*</div>')
# Only their words are taken: where they are numbers or links, they are the chapter's.
_LIVE = re.compile(r"</?(?:data|a)\b[^<>]*>")


def front(path: Path) -> dict[str, Any]:
    """A page's front matter."""
    found = yaml.safe_load(read(path)[0].strip().strip("-"))
    return found if isinstance(found, dict) else {}


def faults(name: str, requires: Mapping[str, Any]) -> Iterator[str]:
    """What is wrong with what a chapter requires; all chapters are given, in their order."""
    own = requires[name]
    if not isinstance(own, list):
        yield f"requires: {own} is no list of chapters"
        return
    order = list(requires)
    for each in own:
        if each not in order:
            yield f"requires: there is no chapter {each}"
        elif order.index(each) >= order.index(name):
            yield f"requires: {each} comes later than this chapter"
        elif brought := [other for other in own if each in before(other, requires)]:
            yield f"requires: {each} comes with {brought[0]} already"


def before(name: str, requires: Mapping[str, Any]) -> set[str]:
    """All chapters that have to come before one, directly or by way of others."""
    found: set[str] = set()
    waiting = [name]
    while waiting:
        own = requires.get(waiting.pop())
        for each in own if isinstance(own, list) else []:
            if each not in found:
                found.add(each)
                waiting.append(each)
    return found


def fill(pages: Iterable[Any]) -> list[Failure]:
    """Say in each chapter what comes before it, and where there is a place, all outcomes.

    `pages` are the generator's pages, rendered.
    """
    pages = in_order(list(pages))
    found = {_name(page): page for page in pages if page.file.src_uri.startswith(FOLDER)}
    requires = {name: page.meta.get("requires", []) for name, page in found.items()}
    failures = []
    for name, page in found.items():
        path = Path(page.file.abs_src_path)
        wrong = list(faults(name, requires))
        line = 1 + read(path)[0].partition("requires:")[0].count("\n")
        failures += [Failure(display_path(path), line, fault) for fault in wrong]
        if requires[name] and not wrong:
            page.content = _with_line(page, [found[each] for each in requires[name]])
    for page in pages:
        if _PLACE.search(page.content or ""):
            listed = outcomes(page, found.values())
            page.content = _PLACE.sub(listed.replace("\\", r"\\"), page.content)
    return failures


def _name(page: Any) -> str:
    return name_of(page).removeprefix(FOLDER)


def _title(page: Any) -> str:
    """A page's title in HTML: a generator has it so only where it is taken from the heading."""
    return escape(title(page))


def _with_line(page: Any, others: list[Any]) -> str:
    """A chapter's text with what comes before it: in the box of its outcomes, or at its top."""
    links = ", ".join(
        f'<a href="{other.file.url_relative_to(page.file)}">{_title(other)}</a>' for other in others
    )
    line = f'<p class="pd-requires" data-search-exclude>Read first: {links}.</p>\n'
    text = page.content or ""
    return (
        _BOX.sub(lambda m: m[1] + line, text, 1)
        if _BOX.search(text)
        else (_HEADING.sub(lambda m: f"{m[0]}\n{line}", text, 1))
    )


def outcomes(page: Any, others: Iterable[Any]) -> str:
    """What one can do after each chapter, in its own words, for another page."""
    folds = []
    for other in others:
        box = _BOX.search(other.content or "")
        if box is None:
            continue
        place = other.file.url_relative_to(page.file)
        listed = _LIVE.sub("", box["list"])
        folds.append(
            f"<details><summary>{_title(other)}</summary>\n{listed}\n"
            f'<p><a href="{place}">Read the chapter</a></p></details>\n'
        )
    return f'<div class="pd-outcomes" data-search-exclude>\n{"".join(folds)}</div>'
