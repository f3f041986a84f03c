"""How long a page takes to read: one count of words, one pace."""

from __future__ import annotations

import re
from pathlib import Path

from pedocs.book.page import read

# Words a minute: that of a careful reader of a technical text.
PACE = 200

_WORD = re.compile(r"[^\W\d_][\w’'-]*")
# What is no running text in Markdown: fences, comments, formulas, the lines that begin and end a
# figure or name its alt text, worked values and lists of attributes, addresses, tags.
_NO_TEXT = re.compile(
    r"""
      ^[ \t>]*(?P<fence>`{3,}|~{3,}).*\n(?:.*\n)*?[ \t>]*(?P=fence)[ \t]*$
    | <!--(?:.|\n)*?-->
    | \$\$(?:.|\n)*?\$\$
    | \$[^$\n]+\$
    | ^[ \t>]*(?:/{3,}.*|alt:[ ]".*"|:::[ ].*)$
    | \{(?:[^{}]|\{(?:[^{}]|\{[^{}]*\})*\})*\}
    | \]\([^()\s]*(?:[ ]"[^"]*")?\)
    | </?[A-Za-z][^<>]*>
    """,
    re.M | re.X,
)


# A heading with an id, and the words in it.
_HEADING = re.compile(r"^#{1,6} (?P<words>.+?) \{#(?P<id>[\w-]+)\}[ \t]*$", re.M)


def words(text: str) -> int:
    """How many words a text has; numbers are none."""
    return len(_WORD.findall(text))


def minutes(count: float) -> int:
    """How many minutes so many words take."""
    return round(count / PACE)


def words_of(path: Path) -> int:
    """How many words a page has, by its Markdown: without code, numbers and formulas."""
    return words(_NO_TEXT.sub(" ", read(path)[1]))


def sections(path: Path) -> dict[str, tuple[str, int]]:
    """The sections of a page by id: the heading, and the words down to the next heading."""
    body = read(path)[1]
    headings = list(_HEADING.finditer(body))
    ends = [*(heading.start() for heading in headings[1:]), len(body)]
    return {
        heading["id"]: (heading["words"], words(_NO_TEXT.sub(" ", body[heading.end() : end])))
        for heading, end in zip(headings, ends, strict=True)
    }
