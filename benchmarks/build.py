"""How long a build with every check takes, beside the same pages as static text.

Three things are timed in turn, several rounds in one run, each in processes of its own:

- full: `mkdocs build` of the book as it is;
- static: plain mkdocs-material on the same pages, with every part replaced by what it
  shows (values as text, pictures and tables and formulas and the reference as HTML);
- code: all examples, values and generated parts in one plain Python process, unchecked.

The promise is full <= 1.5 x static + code.
"""

from __future__ import annotations

import doctest
import inspect
import os
import re
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import pedocs
from pedocs.book.bibliography import href
from pedocs.book.page import pages_below, prove, read
from pedocs.book.parts import Block, Citation, Documented, Formula, Generated, Value

ROOT = Path(__file__).parents[1]
ROUNDS = 5
_OURS = {"pedocs.book", "hooks", "plugins", "watch"}


def static_text(path: Path) -> str:
    """A page with every part replaced by what it shows."""
    page = prove(path)
    front, body, _ = read(path)
    pieces, done = [front], 0
    for index, part in enumerate(page.parts):
        if part.start < done:
            continue
        if isinstance(part, Value):
            shown = part.text
        elif isinstance(part, Formula):
            shown = page.outputs[index]
        elif isinstance(part, Citation):
            shown = f"[{page.outputs[index]}]({href(part.key, path)})"
        elif isinstance(part, Generated):
            shown = f'<div class="generated" markdown>\n\n{page.outputs[index]}\n</div>'
        elif isinstance(part, Documented):
            function = getattr(pedocs, part.name.rpartition(".")[2])
            signature = f"{function.__name__}{inspect.signature(function)}"
            shown = f"## {part.name}\n\n```text\n{signature}\n```\n\n{inspect.getdoc(function)}\n"
        else:
            continue
        pieces += [body[done : part.start], shown]
        done = part.end
    text = "".join([*pieces, body[done:]])
    text = re.sub(r"^(\$\$.*?)\{#eq-[a-z0-9-]+\}$", r"\1", text, flags=re.M)
    text = re.sub(
        r"^/// (?:figure|table) \| (\S+)(?:\n    alt: .*)?$",
        r'<figure id="\1" markdown>',
        text,
        flags=re.M,
    )
    return re.sub(r"^///$", "</figure>", text, flags=re.M)


def plain_code(paths: list[Path]) -> str:
    """A program that runs all parts of all pages, each page in a namespace of its own."""
    lines = [
        "import contextlib, io",
        "from pedocs.book.sources import source, sources_of",
        "from pathlib import Path",
    ]
    for path in paths:
        steps = []
        for part in prove(path).parts:
            if isinstance(part, Block):
                steps += [
                    ("single", e.source) for e in doctest.DocTestParser().get_examples(part.code)
                ]
            elif isinstance(part, Value):
                steps.append(("eval", part.expression))
            elif isinstance(part, Generated):
                steps.append(("exec", part.code))
        lines.append(f"path, steps = Path({str(path)!r}), {steps!r}")
        lines.append(
            "space = {'__name__': '__main__', 'source': source, 'here': path}\n"
            "with sources_of(path), contextlib.redirect_stdout(io.StringIO()):\n"
            "    for mode, code in steps:\n"
            "        with contextlib.suppress(Exception):\n"
            "            eval(compile(code, str(path), mode), space)\n"
        )
    return "\n".join(lines)


def static_book(folder: Path, paths: list[Path]) -> None:
    """Write the static book: pages, assets and a configuration without our parts."""
    docs = ROOT / "docs"
    shutil.copytree(docs, folder / "docs")
    shutil.copytree(ROOT / "overrides", folder / "overrides")
    for path in paths:
        (folder / "docs" / path.relative_to(docs)).write_text(static_text(path), encoding="utf-8")
    kept = []
    skip = False
    for line in (ROOT / "mkdocs.yml").read_text(encoding="utf-8").splitlines():
        if re.match(r"\S", line):
            skip = line.split(":")[0] in _OURS
        if not skip and line.strip() != "- pedocs.book":
            kept.append(line)
    text = "\n".join(kept) + "\nplugins: [search]\n"
    (folder / "mkdocs.yml").write_text(text, encoding="utf-8")


def timed(command: list[str], folder: Path) -> float:
    """The seconds that a command takes."""
    start = time.perf_counter()
    subprocess.run(command, cwd=folder, check=True, capture_output=True,
                   env=os.environ | {"NO_MKDOCS_2_WARNING": "1"})  # fmt: skip
    return time.perf_counter() - start


def main() -> None:
    """Print the medians and the ratio."""
    os.chdir(ROOT)
    paths = [path.resolve() for path in pages_below(ROOT / "docs")]
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        (folder / "all_parts.py").write_text(plain_code(paths), encoding="utf-8")
        static_book(folder, paths)
        build = [sys.executable, "-m", "mkdocs", "build", "-q", "-d"]
        rounds = []
        for k in range(ROUNDS):
            full = timed([*build, str(folder / f"full{k}")], ROOT)
            static = timed([*build, str(folder / f"static{k}")], folder)
            code = timed([sys.executable, "all_parts.py"], folder)
            rounds.append((full, static, code))
            print(f"full {full:.2f} s, static {static:.2f} s, code {code:.2f} s")
    full, static, code = (statistics.median(column) for column in zip(*rounds, strict=True))
    print(
        f"median: full {full:.2f} s; 1.5 x static {static:.2f} s + code {code:.2f} s"
        f" = {1.5 * static + code:.2f} s"
    )
    print(f"(full - code) / static = {(full - code) / static:.2f}, promised at most 1.5")


if __name__ == "__main__":
    main()
