"""A course as a table: which sections an hour takes, what to show in it, what to set after it.

The teacher's page lists lectures by the ids of sections, exercises and figures. Titles are those
of the pages, and sums are taken here, so that the page types neither.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from pedocs.book.page import read
from pedocs.book.reading import minutes, sections
from pedocs.book.teaching import front

# The minutes of an hour that a lecture plans; the others are for questions.
PLANNED = 50

_EXERCISE = re.compile(
    r'^//// exercise \| (?P<id>ex-[\w-]+)\n +title: "(?P<title>.*)"\n +level: (?P<level>.*)$', re.M
)


@dataclass(frozen=True)
class Lecture:
    """One hour."""

    title: str
    # By chapter and section, how many minutes it gets.
    at: Mapping[str, Mapping[str, int]]
    # What a figure is to show, and its address: "two-scores?start:16#fig-wandering".
    show: Mapping[str, str]
    # By chapter, the exercises.
    set: Mapping[str, Sequence[str]]

    def __post_init__(self) -> None:
        if self.minutes != PLANNED:
            raise ValueError(f"“{self.title}” takes {self.minutes} minutes, not {PLANNED}")

    @property
    def minutes(self) -> int:
        """How long its sections take in class."""
        return sum(sum(times.values()) for times in self.at.values())


def timetable(docs: Path, *lectures: Lecture) -> str:
    """The table of a course, in Markdown for a page in the folder `docs`."""
    names = dict.fromkeys(chapter for lecture in lectures for chapter in lecture.at)
    known = {name: sections(docs / f"chapters/{name}.md") for name in names}
    # How long the sections of each lecture take to read.
    reading = [
        minutes(
            sum(known[chapter][item][1] for chapter, times in lecture.at.items() for item in times)
        )
        for lecture in lectures
    ]
    rows = ["| Lecture | Sections, each with its minutes | Show and set |\n|---|---|---|"]
    for number, (lecture, before) in enumerate(zip(lectures, reading, strict=True), start=1):
        title = f"{number}. {lecture.title}" if len(lectures) > 1 else lecture.title
        cells = (
            f"**{title}**<br>{_min(lecture.minutes)}<br>reading:\N{NO-BREAK SPACE}{_min(before)}",
            "<br>".join(_taught(docs, lecture, known)),
            f"*Show:* {'; '.join(_shown(lecture))}<br>*Set:* {'; '.join(_asked(docs, lecture))}",
        )
        rows.append(f"| {' | '.join(cells)} |")
    if len(lectures) > 1:
        whole = sum(lecture.minutes for lecture in lectures)
        rows.append(f"| **In all** | {_min(whole)}; reading: {_min(sum(reading))} | |")
    return "\n".join(rows)


def _min(count: int) -> str:
    return f"{count}\N{NO-BREAK SPACE}min"


def _taught(
    docs: Path, lecture: Lecture, known: Mapping[str, Mapping[str, tuple[str, int]]]
) -> Iterator[str]:
    for chapter, times in lecture.at.items():
        links = (
            f"[{known[chapter][item][0]}](chapters/{chapter}.md#{item})\N{NO-BREAK SPACE}{time}"
            for item, time in times.items()
        )
        yield f"*{front(docs / f'chapters/{chapter}.md')['title']}:* {', '.join(links)}"


def _shown(lecture: Lecture) -> Iterator[str]:
    for words, address in lecture.show.items():
        page, _, figure = address.partition("#")
        chapter, _, state = page.partition("?")
        asked = f"?{figure}={state}" if state else ""
        yield f"[{words}](chapters/{chapter}.md{asked}#{figure})"


def _asked(docs: Path, lecture: Lecture) -> Iterator[str]:
    for chapter, names in lecture.set.items():
        body = read(docs / f"exercises/{chapter}.md")[1]
        known = {found["id"]: found for found in _EXERCISE.finditer(body)}
        for name in names:
            found = known[name]
            yield f"[{found['title']}](exercises/{chapter}.md#{name}), {found['level']}"
