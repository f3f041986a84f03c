"""The book as static text: the same pages, with every part replaced by what it shows.

It is what an author of plain mkdocs-material would write and keep up by hand: numbers as text,
formulas as MathML or, `typeset=False`, as LaTeX that is left to the browser, pictures and tables
as they came out, citations and numbers of figures typed, the library's reference as Markdown.
Nothing of pedocs is in it. What a build makes of all pages
together is left out: the index of values, the lists at the pages' ends, notebooks and the other
files beside the pages.
"""

from __future__ import annotations

import doctest
import inspect
import re
import shutil
from collections.abc import Iterable, Iterator
from html import escape
from pathlib import Path
from pkgutil import resolve_name
from typing import Any

import griffe
import yaml
from mkdocs.utils.yaml import yaml_load

from benchmarks.processes import ROOT
from pedocs.book.bibliography import href
from pedocs.book.formulas import formula_latex
from pedocs.book.page import Page, numbered, read
from pedocs.book.parts import (
    Block,
    Check,
    Citation,
    Documented,
    Formula,
    Generated,
    Mistake,
    Part,
    Reference,
    Value,
)

_OURS = {"hooks", "watch"}


def static_text(page: Page, *, typeset: bool = True) -> str:
    """A page in Markdown that plain mkdocs-material takes."""
    text, pieces, done = page.scan.text, [read(page.path)[0]], 0
    for part, shown in sorted(_replacements(page, typeset), key=lambda pair: pair[0].start):
        if part.start >= done:
            pieces += [text[done : part.start], shown]
            done = part.end
    return _plain_blocks(page, "".join([*pieces, text[done:]]))


def _replacements(page: Page, typeset: bool) -> Iterator[tuple[Part | Reference, str]]:
    for index, part in enumerate(page.parts):
        output = page.outputs.get(index, "")
        if isinstance(part, Formula):
            yield part, _formula(page, part, output if typeset else "")
            continue
        shown = _shown(page, part, output)
        if shown is not None:
            yield part, shown
    for link in page.scan.references:
        number = numbered(page.path, page.scan, link.href)[link.kind]
        yield link, f"[{link.kind} {number}]({link.href})"


def _shown(page: Page, part: Part, output: str) -> str | None:
    """What stands in the place of a part; None where it stays as it is."""
    if isinstance(part, Value):
        return part.text
    if isinstance(part, Citation):
        return f"[{output}]({href(part.key, page.path)})"
    if isinstance(part, Generated):
        html = output.lstrip().startswith("<")
        return f"<div>\n{output.strip()}\n</div>\n" if html else f"{output.strip()}\n"
    if isinstance(part, Check):
        return f"Check your answer:\n\n```python\n{part.code.rstrip()}\n```\n"
    if isinstance(part, Mistake):
        code = f"```python\n{part.code.rstrip()}\n```"
        return f"A mistake: {part.what}.\n\n{code}\n\nThe check says: {output}\n"
    if isinstance(part, Documented):
        return _documented(part.name)
    return None


def _formula(page: Page, part: Formula, mathml: str) -> str:
    """A formula: as MathML, or if there is none as LaTeX."""
    latex = formula_latex(part).strip()
    if not part.display:
        return mathml or f"\\({latex}\\)"
    own = f' id="{part.id}"' if part.id else ""
    number = f"({page.scan.numbers[part.id][1]})" if part.id else ""
    inner = mathml or f'<div class="arithmatex">\\[{escape(latex)}\\]</div>'
    return f'<div class="pd-equation"{own}>{inner}{number}</div>'


def _documented(name: str) -> str:
    """An entry of the reference: signature, text, tables of arguments, examples."""
    thing: Any = resolve_name(name)
    pieces = [f"## {name} {{#{name}}}", f"```python\n{_signature(thing)}\n```"]
    docstring = griffe.Docstring(inspect.getdoc(thing) or "")
    for section in docstring.parse("google", warnings=False, returns_named_value=False):
        if section.kind is griffe.DocstringSectionKind.text:
            pieces.append(section.value)
        elif section.kind is griffe.DocstringSectionKind.examples:
            pieces += [
                words if kind is griffe.DocstringSectionKind.text else f"```pycon\n{words}\n```"
                for kind, words in section.value
            ]
        else:
            rows = [section.value] if not isinstance(section.value, list) else section.value
            lines = [
                f"| {getattr(row, 'name', '') or getattr(row, 'annotation', '') or ''} | "
                + " ".join(row.description.split()).replace("|", "\\|")
                + " |"
                for row in rows
            ]
            title = section.kind.value.capitalize()
            pieces.append("\n".join([f"| {title} | |", "|---|---|", *lines]))
    return "\n\n".join(pieces) + "\n"


def _signature(thing: Any) -> str:
    try:
        return f"{thing.__name__}{inspect.signature(thing)}"
    except (TypeError, ValueError):
        return str(thing.__name__)


def _plain_blocks(page: Page, text: str) -> str:
    """Figures, tables and exercises as the blocks that pymdownx has."""
    numbers = page.scan.numbers

    def captioned(match: re.Match[str]) -> str:
        return f"/// html | figure#{match[1]}[class='pd-figure']\n"

    def exercise(match: re.Match[str]) -> str:
        title = re.search(r'title: "?(.*?)"?\n', match[0])
        level = re.search(r"level: (.*)\n", match[0])
        number = numbers[match[1]][1]
        heading = f"## {number}. {title[1] if title else ''} {{#{match[1]}}}"
        return f"//// html | section\n\n{heading}\n\n{level[1] if level else ''}\n"

    options = r"[ \t]*\n(?:    \S.*\n)*"
    text = re.sub(rf"^///[ ]*(?:figure|table) \| (\S+){options}", captioned, text, flags=re.M)
    text = re.sub(rf"^////[ ]*exercise \| (\S+){options}", exercise, text, flags=re.M)
    text = re.sub(r"^//// hint[ \t]*$", "//// details | Hint", text, flags=re.M)
    return re.sub(r"^//// solution[ \t]*$", "//// details | Solution", text, flags=re.M)


def static_config(config: Path) -> str:
    """The configuration of a book without what is ours."""
    with config.open(encoding="utf-8") as stream:
        kept = {key: value for key, value in yaml_load(stream).items() if key not in _OURS}
    kept["theme"].pop("custom_dir", None)
    kept["extra"].pop("version", None)
    kept["plugins"] = ["search"]
    extensions = []
    for each in kept["markdown_extensions"]:
        name, options = next(iter(each.items())) if isinstance(each, dict) else (each, {})
        if name != "pedocs.book":
            options = {key: value for key, value in options.items() if key != "slugify"}
            extensions.append({name: options} if options else name)
    kept["markdown_extensions"] = [
        *extensions,
        *(f"pymdownx.blocks.{name}" for name in ("html", "details")),
        {"pymdownx.arithmatex": {"generic": True}},
    ]
    return str(yaml.safe_dump(kept, sort_keys=False, allow_unicode=True))


def static_book(
    folder: Path, pages: Iterable[Page], book: Path = ROOT, *, typeset: bool = True
) -> None:
    """Write the static counterpart of a book: its pages, its assets, its configuration."""
    shutil.copytree(book / "docs", folder / "docs")
    for page in pages:
        place = page.path.resolve().relative_to((book / "docs").resolve())
        (folder / "docs" / place).write_text(static_text(page, typeset=typeset), encoding="utf-8")
    (folder / "mkdocs.yml").write_text(static_config(book / "mkdocs.yml"), encoding="utf-8")


def plain_code(pages: Iterable[Page]) -> str:
    """A program that runs all parts of all pages, each page in a namespace of its own."""
    lines = [
        "import contextlib, io",
        "from pedocs.book.sources import source, sources_of",
        "from pathlib import Path",
    ]
    for page in pages:
        steps = []
        for part in page.parts:
            if isinstance(part, Block):
                examples = doctest.DocTestParser().get_examples(part.code)
                steps += [("single", example.source) for example in examples]
            elif isinstance(part, Value):
                steps.append(("eval", part.expression))
            elif isinstance(part, (Generated, Check, Mistake)):
                steps.append(("exec", part.code))
        lines.append(f"path, steps = Path({str(page.path)!r}), {steps!r}")
        lines.append(
            "space = {'__name__': '__main__', 'source': source, 'here': path}\n"
            "with sources_of(path), contextlib.redirect_stdout(io.StringIO()):\n"
            "    for mode, code in steps:\n"
            "        with contextlib.suppress(Exception):\n"
            "            eval(compile(code, str(path), mode), space)\n"
        )
    return "\n".join(lines)
