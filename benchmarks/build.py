"""How long a build with every check takes, beside the same pages as static text.

Four things take turns, each in processes of its own:

- full: `mkdocs build` of the book as it is, with all that is made beside its pages;
- static: plain mkdocs-material on the same pages as static text (`benchmarks.static`);
- latex: the same with formulas left to the browser, as most sites do;
- code: all examples, values and generated parts in one plain Python process, unchecked.

The promise is full <= 1.5 x static + code. The models and pictures that a build keeps in .cache
are there in all rounds. `python -m benchmarks.build [--record]`: about ten minutes.
"""

from __future__ import annotations

import os
import sys
import tempfile
from importlib.metadata import version
from pathlib import Path

from benchmarks.processes import ROOT, in_turn, median, ratio, record, run, seconds
from benchmarks.static import plain_code, static_book
from pedocs.book.ahead import prove_all
from pedocs.book.page import pages_below

ROUNDS = 3
BUILD = [sys.executable, "-m", "mkdocs", "build", "-q", "-d"]
PROMISED = 1.5


def main() -> None:
    """Print the medians and the ratios."""
    os.chdir(ROOT)
    pages = prove_all(path.resolve() for path in pages_below(ROOT / "docs"))
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        (folder / "all_parts.py").write_text(plain_code(pages), encoding="utf-8")
        for kind in ("static", "latex"):
            (folder / kind).mkdir()
            static_book(folder / kind, pages, typeset=kind == "static")
        costs = in_turn(
            {
                "full": lambda: run([*BUILD, folder / "site"], ROOT),
                "static": lambda: run([*BUILD, folder / "site"], folder / "static"),
                "latex": lambda: run([*BUILD, folder / "site"], folder / "latex"),
                # In the book's folder, where .cache has the trained models.
                "code": lambda: run([sys.executable, folder / "all_parts.py"], ROOT),
            },
            ROUNDS,
        )
    found = {
        "rounds": ROUNDS,
        "pages": len(pages),
        "versions": {each: version(each) for each in ("mkdocs", "mkdocs-material", "numpy")},
        "seconds": {name: seconds(median(each)) for name, each in costs.items()},
        "promised": PROMISED,
        "ratio": ratio(costs["full"], costs["static"], costs["code"]),
        "ratio_latex": ratio(costs["full"], costs["latex"], costs["code"]),
    }
    for name, each in found.items():
        print(f"{name}: {each}")
    print(f"ratio is (full - code) / static, promised at most {PROMISED}")
    if "--record" in sys.argv:
        record("static", found)


if __name__ == "__main__":
    main()
