"""What the book's notebooks need when they run: `%load_ext pedocs.book.in_notebook`.

It adds the cell magic `%%generated`, which runs a generated part of a page and shows what it
prints as the page does: a figure as a picture, a table as a table. The build stores what the
same function makes, so that a notebook looks alike before it runs and afterwards.
"""

from __future__ import annotations

import base64
import contextlib
import io
import re
from typing import Any

from pedocs.book.draw import alone
from pedocs.book.sources import source

_PICTURE = re.compile(r"\s*(<svg\b.*?</svg>)", re.S)


def shown(printed: str, alt: str = "") -> dict[str, str]:
    """What a generated part printed, as a notebook shows it, by kind of content."""
    if picture := _PICTURE.match(printed):  # without what makes it interactive on the site
        svg, alt = alone(picture[1], alt), alt or "A figure"
        # Jupyter shows SVG in notebooks that were run or are trusted only, an image always.
        data = base64.b64encode(svg.encode()).decode()
        words = re.sub(r"([\[\]])", r"\\\1", alt)
        image = f"![{words}](data:image/svg+xml;base64,{data})"
        return {"image/svg+xml": svg, "text/markdown": image, "text/plain": alt}
    # Links to other pages of the site lead nowhere from here.
    text = re.sub(r"\[([^\[\]]*)\]\((?!\w+://)[^()\s]*\)", r"\1", printed.strip())
    return {"text/markdown": text}


def load_ipython_extension(shell: Any) -> None:
    """Called by IPython for `%load_ext`."""

    def generated(line: str, cell: str) -> None:
        from IPython.display import display

        printed, names = io.StringIO(), shell.user_ns
        lent = "source" not in names
        names.setdefault("source", source)
        try:
            with contextlib.redirect_stdout(printed):
                exec(compile(cell, "<generated part>", "exec"), names)
        finally:
            if lent:
                del names["source"]
        display(shown(printed.getvalue()), raw=True)

    shell.register_magic_function(generated, magic_kind="cell")
