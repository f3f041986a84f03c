"""Each chapter and each page of exercises as a Jupyter notebook, made from its proof.

The prose is the page's in plain Markdown, each worked block a cell with what it prints as its
output. A generated part is a cell too, folded, with the figure or the table that it made.
Nothing is run for this: code and outputs are those that the build has proven. The tests run the
notebooks, and hold what they print against what is stored.

An exercise has an empty cell for the answer and one with its test. Its solution, where solutions
are published, is text to unfold.
"""

from __future__ import annotations

import ast
import doctest
import hashlib
import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path, PurePosixPath
from typing import Any

import nbformat

import pedocs
from pedocs.book.edition import provenance
from pedocs.book.fences import as_typed
from pedocs.book.in_notebook import shown
from pedocs.book.page import Page
from pedocs.book.parts import Block, Check, Generated
from pedocs.book.plain import Live, plain

Cell = dict[str, Any]

FOLDER = "notebooks"
# The branch on which versions are published, each in a folder that its address ends with.
BRANCH = "gh-pages"

_GITHUB = re.compile(r"https://github\.com/(?P<owner>[\w-]+)/(?P<name>[\w.-]+?)(?:\.git)?/?")
_COLAB = "https://colab.research.google.com/github"
_PARSER = doctest.DocTestParser()
_OF = {"chapters", "exercises"}

_SETTINGS = """\
# As at Python's prompt, each expression of a cell shows its value, by its repr.
%config InteractiveShell.ast_node_interactivity = "all"
%config PlainTextFormatter.pprint = False"""
_GENERATED = """
# What draws the figures and writes the tables.
%load_ext pedocs.book.in_notebook"""


@dataclass
class Site:
    """What a notebook has to know of the site that it comes from."""

    licence: str = ""
    address: str = ""  # where the site is published, with a closing slash; empty if unknown
    pages: Mapping[Path, str] = field(default_factory=dict)  # a file's address in the site
    wheel: str = ""  # the library's place in the site; empty if the site serves none
    edition: str = pedocs.__version__  # what the build's edition is called

    def url(self, page: Path, href: str) -> str | None:
        """Where a link of a page leads from a notebook of it; None if it leads nowhere."""
        target, hash_, item = href.partition("#")
        if not target or "://" in href:
            return href
        file, mark, state = target.partition("?")  # a figure's state stands in the address
        place = self.pages.get((page.parent / file).resolve())
        if not self.address or place is None:
            return None
        return f"{self.address}{place}{mark}{state}{hash_}{item}"

    def origin(self, page: Page) -> str:
        """Which book and which edition of it a file comes from, and where the page is."""
        here = self.url(page.path, page.path.name)
        where = f": [{here}]({here})" if here else ", in a build that has no public address"
        return f"From the textbook *pedocs*, version {self.edition}{where}. {self.licence}."


def place(source: str) -> str:
    """Where the notebook of a page lies in the site, by the page's file; empty if it has none."""
    path = PurePosixPath(source)
    return f"{FOLDER}/{path.with_suffix('.ipynb')}" if path.parts[0] in _OF else ""


def hosted(source: str, repository: str | None, address: str | None) -> str:
    """Where a page's notebook opens in Colab; empty if it has none, or lies on no GitHub.

    Colab opens what lies in a repository. No notebook does but those of versions that are
    published side by side; `address` is that of this version.
    """
    found = _GITHUB.fullmatch(repository or "")
    folder = (address or "").rstrip("/").rpartition("/")[2]
    if not found or not folder or not (name := place(source)):
        return ""
    return f"{_COLAB}/{found['owner']}/{found['name']}/blob/{BRANCH}/{folder}/{name}"


def write(folder: Path, docs: Path, pages: Iterable[Page], site: Site) -> None:
    """Write the notebooks of a book into a built site."""
    for page in pages:
        source = page.path.resolve().relative_to(docs.resolve()).as_posix()
        if name := place(source):
            file = folder / name
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_text(f"{nbformat.v4.writes(notebook(page, site))}\n", "utf-8")


def notebook(page: Page, site: Site) -> nbformat.NotebookNode:
    """The notebook of a proven page."""
    names: set[str] = set()
    cells = [{"id": _name(cell, names), **cell} for cell in _cells(page, site)]
    python = {"display_name": "Python 3", "language": "python", "name": "python3"}
    metadata = {"kernelspec": python, "language_info": {"name": "python"}}
    # Made of plain dictionaries: nbformat's makers of cells validate each one, which takes longer
    # than all the rest. The tests validate.
    form = {"nbformat": nbformat.v4.nbformat, "nbformat_minor": nbformat.v4.nbformat_minor}
    made: nbformat.NotebookNode = nbformat.from_dict({**form, "metadata": metadata, "cells": cells})
    return made


def _markdown(text: str) -> Cell:
    return {"cell_type": "markdown", "metadata": {}, "source": text}


def _code(source: str, *outputs: dict[str, Any], **metadata: Any) -> Cell:
    return {
        "cell_type": "code",
        "execution_count": None,
        "metadata": metadata,
        "outputs": list(outputs),
        "source": source,
    }


def _name(cell: Cell, names: set[str]) -> str:
    """A cell's id: from what it holds, so that it stays while that does."""
    digest = hashlib.blake2s(cell["source"].encode(), digest_size=6).hexdigest()
    count = 1
    while (name := digest if count == 1 else f"{digest}-{count}") in names:
        count += 1
    names.add(name)
    return name


def _cells(page: Page, site: Site) -> Iterator[Cell]:
    title, *pieces = plain(page, lambda href: site.url(page.path, href))
    assert isinstance(title, str)
    first, _, rest = title.partition("\n")
    yield _markdown(f"{first}\n\n{_origin(page, site)}")
    yield from _set_up(page, site)
    procedures = {"print", *_procedures(page)}
    for piece in [rest.strip("\n"), *pieces] if rest.strip() else pieces:
        if isinstance(piece, str):
            yield _markdown(piece)
        else:
            yield from _live(page, piece, procedures)


def _origin(page: Page, site: Site) -> str:
    """Where the notebook comes from."""
    return (
        f"{site.origin(page)}\n\n"
        f"The outputs are those of the page, by {provenance()}. Run the cells to get them anew."
    )


def _set_up(page: Page, site: Site) -> Iterator[Cell]:
    """How to get the library, and the settings that the cells need."""
    generates = any(isinstance(part, Generated) for part in page.parts)
    more = " matplotlib" if generates else ""
    if site.address and site.wheel:
        source = f"%pip install --quiet {site.address}{site.wheel}{more}"
        yield _code(source, tags=["install"])
    else:
        served = f", or with `{Path(site.wheel).name}` from the book's site" if site.wheel else ""
        yield _markdown(
            "The cells need the library of the book. Install it into the Python that runs this "
            f"notebook, with `python -m pip install .{more}` in a copy of the book's "
            f"repository{served}."
        )
    yield _code(_SETTINGS + _GENERATED * generates)


def _live(page: Page, live: Live, procedures: set[str]) -> Iterator[Cell]:
    part, output = page.parts[live.index], page.outputs.get(live.index, "")
    if isinstance(part, Block):
        yield from _worked(part, procedures)
    elif isinstance(part, Generated):
        data = shown(output, live.alt)
        if _reads_the_book(part.code):
            yield _markdown(data["text/markdown"])
            return
        made = {"output_type": "display_data", "data": data, "metadata": {}}
        code = f"%%generated\n{part.code.rstrip()}"
        yield _code(code, made, jupyter={"source_hidden": True})
    elif isinstance(part, Check):
        yield _markdown(
            f"**Your answer.** Bind it to `{part.answer}` in the next cell. The cell below that "
            "is the check, which says nothing if all is right."
        )
        yield _code("", tags=["answer"])
        code = f"{part.code.rstrip()}\n\ncheck({part.answer})"
        yield _code(code, tags=["check"])


def _reads_the_book(code: str) -> bool:
    """Whether a generated part reads the files of the book, which are not where a notebook is."""
    names = [node for node in ast.walk(ast.parse(code)) if isinstance(node, ast.Name)]
    return "here" in {name.id for name in names} - {
        name.id for name in names if isinstance(name.ctx, ast.Store)
    }


def _procedures(page: Page) -> Iterator[str]:
    """The functions of a page that return nothing: what they print is no value."""
    for part in page.parts:
        if isinstance(part, Block) and "def " in part.code:
            for node in ast.walk(ast.parse(as_typed(_PARSER.get_examples(part.code)))):
                if isinstance(node, ast.FunctionDef) and not any(
                    isinstance(inner, ast.Return) and inner.value for inner in ast.walk(node)
                ):
                    yield node.name


def _worked(block: Block, procedures: set[str]) -> Iterator[Cell]:
    """A worked block as a cell; as several where it raises, for a cell ends with an exception."""
    run: list[doctest.Example] = []
    examples = _PARSER.get_examples(block.code)
    for example in examples:
        run.append(example)
        if example.exc_msg is not None or example is examples[-1]:
            raises = {"tags": ["raises-exception"]} if example.exc_msg is not None else {}
            yield _code(as_typed(run), *_outputs(run, procedures), **raises)
            run = []


def _outputs(examples: Iterable[doctest.Example], procedures: set[str]) -> Iterator[dict[str, Any]]:
    """What examples print, as a kernel would tell it: values, texts, an exception."""
    printed = ""
    for example in examples:
        value = _is_value(example.source, procedures)
        if printed and example.want and (value or example.exc_msg):
            yield {"output_type": "stream", "name": "stdout", "text": printed}
            printed = ""
        if example.exc_msg is not None:
            name, _, words = example.exc_msg.strip().partition(": ")
            lines = example.want.rstrip("\n").split("\n")
            yield {"output_type": "error", "ename": name, "evalue": words, "traceback": lines}
        elif value and example.want:
            data = {"text/plain": example.want.rstrip("\n")}
            made = {"output_type": "execute_result", "execution_count": None}
            yield {**made, "data": data, "metadata": {}}
        else:
            printed += example.want
    if printed:
        yield {"output_type": "stream", "name": "stdout", "text": printed}


def _is_value(source: str, procedures: set[str]) -> bool:
    """Whether an example's output is the value of an expression, and not a text that it prints."""
    last = ast.parse(source).body[-1]
    called = isinstance(last, ast.Expr) and isinstance(last.value, ast.Call) and last.value.func
    return isinstance(last, ast.Expr) and not (
        isinstance(called, ast.Name) and called.id in procedures
    )
