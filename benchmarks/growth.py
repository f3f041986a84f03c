"""Whether what checking adds to plain mkdocs-material grows in proportion with the book.

A few chapters are copied 1, 10 and 50 times under other names, without links to other pages. The
book and its static counterpart are built in turn. What the checks add to the static build, in
processor seconds and in memory, is divided by the number of chapters: that share may not grow
by more than a tenth from each size to the next. Memory is the most that a build and its processes
hold at once (as the kernel counts it, /proc: Linux only).
`python -m benchmarks.growth [--record]`: about twenty minutes.
"""

from __future__ import annotations

import os
import re
import shutil
import statistics
import sys
import tempfile
from collections.abc import Iterable
from functools import partial
from itertools import pairwise
from pathlib import Path
from typing import Any

import yaml
from mkdocs.utils.yaml import yaml_load

from benchmarks.build import BUILD
from benchmarks.processes import ROOT, Cost, in_turn, record, run
from benchmarks.static import static_book
from pedocs.book.ahead import prove_all
from pedocs.book.bibliography import NAME

CHAPTERS = ("two-scores", "t5", "grids", "pitfalls")
TIMES = (1, 10, 50)
ROUNDS = (3, 2, 1)
PROMISED = 1.1

_LINK = re.compile(r"(?<!!)\[([^\[\]@]+)\]\((?!#)[^()\s]*\)")
_REFERENCE = re.compile(r"(?<!!)\[(Figure|Table|Equation|Exercise)\]\((?!#)[^()\s]*\)")
_CITED = re.compile(r"\[@([\w-]+)\]")


def grown(folder: Path, times: int) -> list[Path]:
    """Write a book of so many copies of the chapters; gives its pages."""
    docs = folder / "docs"
    docs.mkdir(parents=True)
    book = ROOT / "docs"
    shutil.copytree(book / "assets", docs / "assets")
    shutil.copy(book / "sources.toml", docs)
    texts = {
        name: alone((book / "chapters" / f"{name}.md").read_text("utf-8")) for name in CHAPTERS
    }
    cited = {key for text in texts.values() for key in _CITED.findall(text)}
    works = [
        entry[0]
        for entry in re.finditer(
            r"^@\w+\{([\w-]+),.*?^\}$", (book / NAME).read_text("utf-8"), re.M | re.S
        )
        if entry[1] in cited
    ]
    (docs / NAME).write_text("\n\n".join(works) + "\n", "utf-8")
    shutil.copy(book / "bibliography.md", docs)
    (docs / "index.md").write_text("# Home\n\nA book that grows.\n", "utf-8")
    (docs / "chapters").mkdir()
    for chapter, text in texts.items():
        for copy in range(times):
            (docs / "chapters" / f"{chapter}-{copy}.md").write_text(text, "utf-8")
    pages = sorted(docs.rglob("*.md"))
    (folder / "mkdocs.yml").write_text(configuration(docs, pages), "utf-8")
    shutil.copytree(ROOT / "overrides", folder / "overrides")
    return pages


def alone(text: str) -> str:
    """A page without what needs other pages."""
    text = re.sub(r"^requires: .*\n", "", text, flags=re.M)
    return _LINK.sub(r"\1", _REFERENCE.sub("another place", text))


def configuration(docs: Path, pages: Iterable[Path]) -> str:
    """The book's own configuration, for these pages."""
    with (ROOT / "mkdocs.yml").open(encoding="utf-8") as stream:
        config: dict[str, Any] = yaml_load(stream)
    config["nav"] = [page.relative_to(docs).as_posix() for page in pages]
    config["hooks"] = [str(ROOT / hook) for hook in config["hooks"]]
    config["watch"] = []
    for each in config["markdown_extensions"]:
        if isinstance(each, dict) and "toc" in each:
            del each["toc"]["slugify"]  # no plain YAML; headings of chapters have ids
    return str(yaml.safe_dump(config, sort_keys=False))


def added(costs: dict[str, list[Cost]], chapters: int) -> dict[str, float]:
    """What the checks add for each chapter: the median of the rounds."""
    rounds = [*zip(costs["pedocs"], costs["static"], strict=True)]
    shares = [
        [(full - plain) / chapters for full, plain in zip(*pair, strict=True)] for pair in rounds
    ]
    wall, cpu, memory = (statistics.median(column) for column in zip(*shares, strict=True))
    return {"cpu": round(cpu, 3), "wall": round(wall, 3), "memory": round(memory, 3)}


def main() -> None:
    """Print what each size adds, and how it grows."""
    lines: list[dict[str, Any]] = []
    for times, rounds in zip(TIMES, ROUNDS, strict=True):
        with tempfile.TemporaryDirectory() as name:
            folder = Path(name)
            pages = grown(folder / "book", times)
            os.chdir(folder / "book")
            proofs = prove_all(page.resolve() for page in pages)
            (folder / "static").mkdir()
            static_book(folder / "static", proofs, folder / "book")
            costs = in_turn(
                {
                    "pedocs": partial(run, [*BUILD, folder / "s"], folder / "book", memory=True),
                    "static": partial(run, [*BUILD, folder / "s"], folder / "static", memory=True),
                },
                rounds,
            )
            os.chdir(ROOT)
        chapters = len(CHAPTERS) * times
        lines.append({"times": times, "chapters": chapters, "added": added(costs, chapters)})
        print(f"{times} times: for each of {chapters} chapters {lines[-1]['added']}", flush=True)
    growth = {
        what: [
            round(after["added"][what] / before["added"][what], 2)
            for before, after in pairwise(lines)
        ]
        for what in ("cpu", "wall", "memory")
    }
    print(f"share of a chapter, from size to size: {growth}, promised at most {PROMISED}")
    if "--record" in sys.argv:
        found = {"rounds": ROUNDS, "lines": lines, "growth": growth, "promised": PROMISED}
        record("growth", found)


if __name__ == "__main__":
    main()
