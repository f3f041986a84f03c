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


def words(text: str) -> int:
    """How many words a text has; numbers are none."""
    return len(_WORD.findall(text))


def minutes(count: float) -> int:
    """How many minutes so many words take."""
    return round(count / PACE)


def words_of(path: Path) -> int:
    """How many words a page has, by its Markdown: without code, numbers and formulas."""
    return words(_NO_TEXT.sub(" ", read(path)[1]))
