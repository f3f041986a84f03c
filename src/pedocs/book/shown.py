"""What a reader sees of a page's Markdown, for lists that are made of other pages' text.

The scan reads a page exactly, to run it. A list of links or citations needs less, and of
every page: only that none is taken from a comment or from code.
"""

from __future__ import annotations

import re

_HIDDEN = re.compile(
    r"<!--.*?(?:-->|\Z)"
    r"|^[ \t>]*(?P<fence>`{3,}|~{3,})[^`\n]*\n.*?(?:^[ \t>]*(?P=fence)[ \t]*$|\Z)"
    r"|(?<!`)(?P<code>`+)(?!`)(?:(?!\n[ \t>]*\n).)*?(?<!`)(?P=code)(?!`)",
    re.S | re.M,
)


def shown(text: str) -> str:
    """The text with comments, fences and code blanked out; every line stays where it is."""
    return _HIDDEN.sub(lambda found: re.sub(r"[^\n]", " ", found[0]), text)
