"""How long Sphinx with myst-nb takes for the same book: the same text, the same blocks, run.

The book is converted page by page: prose in MyST Markdown with its numbers as text and its
formulas as LaTeX, every worked block, test of an exercise, mistake and generated part a code cell.
Then both books are built in turn, from nothing: Sphinx with all cores and its cache of executed
pages off. What Sphinx makes is less than what pedocs makes: it
compares no output with what is written, checks no number, no formula and no equation, sets no
formula (the browser does), and leaves out notebooks and the other files beside the pages.
A cell that raises does not stop it here, since some are meant to.

`make bench` makes the environment of the peers; `python -m benchmarks.peers PYTHON [--record]`
measures with the Python of it: about a quarter of an hour.
"""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
import tempfile
from collections.abc import Iterable, Iterator
from pathlib import Path

from benchmarks.build import BUILD
from benchmarks.processes import ROOT, in_turn, median, ratio, record, run, seconds
from pedocs.book.ahead import prove_all
from pedocs.book.fences import typed
from pedocs.book.page import Page, pages_below
from pedocs.book.parts import Block, Check, Generated, Mistake
from pedocs.book.plain import as_text, plain

ROUNDS = 1  # of a quarter of an hour; tens are told from fives by one
PROMISED = 10
PACKAGES = ("sphinx", "myst-nb", "sphinx-book-theme", "numpy", "matplotlib")

_CONFIGURATION = """\
project = "pedocs"
extensions = ["myst_nb"]
html_theme = "sphinx_book_theme"
myst_enable_extensions = ["amsmath", "deflist", "dollarmath", "attrs_block", "attrs_inline"]
suppress_warnings = ["myst.xref_missing"]
nb_execution_mode = "force"
nb_execution_allow_errors = True
nb_execution_timeout = 600
"""
_HEAD = """\
---
jupytext:
  text_representation: {{extension: .md, format_name: myst}}
kernelspec: {{display_name: Python 3, name: python3}}
---

"""
_SET_UP = """\
%config InteractiveShell.ast_node_interactivity = "all"
%load_ext pedocs.book.in_notebook
from pathlib import Path
from pedocs.book.sources import source, sources_of
here = Path({path!r})
_sources = sources_of(here)
_sources.__enter__()"""
# A block of a solution or in an admonition, which comes as text.
_FENCE = re.compile(r"^(?P<in>[ >]*)```pycon\n(?P<code>.*?)^(?P=in)```$", re.M | re.S)
_MISTAKE = re.compile(r"^(A mistake: [^\n]*\n\n)```python\n(.*?)^```$", re.M | re.S)


def cell(code: str, *tags: str) -> str:
    """A code cell of MyST."""
    options = f":tags: [{', '.join(tags)}]\n\n" if tags else ""
    return f"```{{code-cell}} python3\n{options}{code.rstrip()}\n```"


def myst(page: Page) -> str:
    """A page as a MyST notebook."""
    pieces = [piece for piece in _pieces(page) if piece.strip()]
    set_up = cell(_SET_UP.format(path=str(page.path)), "remove-cell")
    return _HEAD.format() + "\n\n".join([pieces[0], set_up, *pieces[1:]]) + "\n"


def _pieces(page: Page) -> Iterator[str]:
    for piece in plain(page, lambda href: href):
        if isinstance(piece, str):
            title, newline, rest = piece.partition("\n")
            text = _MISTAKE.sub(lambda m: m[1] + cell(m[2]), newline + rest)
            yield from (title, _FENCE.sub(_run, text))
            continue
        part = page.parts[piece.index]
        if isinstance(part, Block):
            yield cell(typed(part.code))
        elif isinstance(part, Generated):
            yield cell(f"%%generated\n{part.code}", "remove-input")
        elif isinstance(part, (Check, Mistake)):
            yield cell(part.code)
        else:
            yield "\n".join(as_text(page, piece, lambda href: href))


def _run(match: re.Match[str]) -> str:
    """A worked block that stands in text, as a cell in the same place."""
    code = re.sub(rf"^{re.escape(match['in'])}", "", match["code"], flags=re.M)
    lines = cell(typed(code)).split("\n")
    return "\n".join(match["in"] + line for line in lines)


def sphinx_book(folder: Path, pages: Iterable[Page]) -> int:
    """Write the book for Sphinx; gives how many cells it has."""
    names, cells = [], 0
    for page in pages:
        place = page.path.relative_to(ROOT / "docs")
        target = folder / place
        target.parent.mkdir(parents=True, exist_ok=True)
        text = myst(page)
        cells += text.count("```{code-cell}") - 1
        if place.name == "index.md" and len(place.parts) == 1:
            start = text
        else:
            names.append(place.with_suffix("").as_posix())
            target.write_text(text, encoding="utf-8")
    listed = "\n".join(names)
    toc = f"```{{toctree}}\n:hidden:\n\n{listed}\n```\n"
    (folder / "index.md").write_text(f"{start}\n{toc}", encoding="utf-8")
    (folder / "conf.py").write_text(_CONFIGURATION, encoding="utf-8")
    return cells


def main() -> None:
    """Print the medians and the ratio."""
    python = Path(sys.argv[1]).absolute()
    os.chdir(ROOT)
    pages = prove_all(path.resolve() for path in pages_below(ROOT / "docs"))
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        (folder / "docs").mkdir()
        cells = sphinx_book(folder / "docs", pages)
        build: list[str | Path] = [
            python,
            "-m",
            "sphinx",
            "-q",
            "-a",
            "-E",
            "-j",
            "auto",
            "-b",
            "html",
        ]
        costs = in_turn(
            {
                "pedocs": lambda: run([*BUILD, folder / "site"], ROOT),
                "sphinx": lambda: run(
                    [*build, "docs", "html"], folder, PYTHONPATH=str(ROOT / "src")
                ),
            },
            ROUNDS,
        )
        html = [file.read_text("utf-8") for file in (folder / "html").rglob("*.html")]
    asked = f"import json; from importlib.metadata import version as v;\
 print(json.dumps({{p: v(p) for p in {PACKAGES}}}))"
    versions = subprocess.run([python, "-c", asked], capture_output=True, check=True).stdout
    found = {
        "rounds": ROUNDS,
        "pages": len(pages),
        "failing": sum(text.count("Traceback ") for text in html),
        "cells": cells,
        "versions": json.loads(versions),
        "seconds": {name: seconds(median(each)) for name, each in costs.items()},
        "promised": PROMISED,
        "ratio": ratio(costs["sphinx"], costs["pedocs"]),
    }
    for each, value in found.items():
        print(f"{each}: {value}")
    print(f"ratio is sphinx / pedocs, promised at least {PROMISED}")
    if "--record" in sys.argv:
        record("sphinx", found)


if __name__ == "__main__":
    main()
