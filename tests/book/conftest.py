"""A small book for tests that run whole commands."""

import os
import subprocess
import sys
from collections.abc import Callable
from functools import partial
from pathlib import Path

import pytest

from pedocs.book import mkdocs_hook

CONFIG = f"""\
site_name: A small book
theme: {{name: material, font: false}}
hooks: [{mkdocs_hook.__file__}]
watch: [lib]
plugins: [markdown-exec, mkdocstrings]
markdown_extensions:
  - pedocs.book
  - admonition
  - attr_list
  - md_in_html
  - tables
  - toc: {{permalink: true}}
  - pymdownx.highlight
  - pymdownx.superfences
  - pymdownx.tabbed: {{alternate_style: true}}
"""

INDEX = """\
# Home {#home}

```pycon
>>> from pedocs import sinusoidal
>>> first = sinusoidal(1, d_model=4)
>>> first.round(6)
array([0.841471, 0.540302, 0.01    , 0.99995 ])
```

The first is {0.841471 = first[0]}; see [the other page](other.md#part) and [Figure](other.md#fig-one).

$$
\\sin 1 = {0.8415 = first[0]}
$$ {#eq-sine unchecked="a small book"}
"""

OTHER = """\
# Other

## A part {#part}

/// figure | fig-one
    alt: "A text."

```python exec="1"
print("<svg><text>one</text></svg>")
```

A caption with {2 = len("ab")}.
///

[Equation](index.md#eq-sine), and ![a dot](dot.svg){ title="two" }.

/// table | tab-two

| a | b |
|---|---|
| {2 = len("ab")} | b |

A caption.
///

![a number {3 = len("abc")}](dot.svg "a title of {4 = len('abcd')}")
"""

Run = Callable[..., subprocess.CompletedProcess[str]]


def write_book(folder: Path) -> Path:
    """Write a small green book into a folder."""
    docs = folder / "docs"
    docs.mkdir()
    (folder / "lib").mkdir()
    (folder / "mkdocs.yml").write_text(CONFIG, encoding="utf-8")
    (docs / "index.md").write_text(INDEX, encoding="utf-8")
    (docs / "other.md").write_text(OTHER, encoding="utf-8")
    (docs / "dot.svg").write_text('<svg xmlns="http://www.w3.org/2000/svg"/>', encoding="utf-8")
    return folder


@pytest.fixture
def book(tmp_path: Path) -> Path:
    """Return the folder of a small green book."""
    return write_book(tmp_path)


def environment() -> dict[str, str]:
    """The environment of the commands under test."""
    return os.environ | {"NO_MKDOCS_2_WARNING": "1", "PYTHONUTF8": "1", "SOURCE_DATE_EPOCH": "0"}


def run_in(book: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    """Run a Python module's command in a book."""
    return subprocess.run(
        [sys.executable, "-m", *arguments],
        cwd=book,
        env=environment(),
        capture_output=True,
        text=True,
        encoding="utf-8",
    )


def built_book(book: Path) -> Path:
    """Build a book, which must be green; return the folder of its site."""
    done = run_in(book, "mkdocs", "build", "-q")
    assert done.returncode == 0, done.stderr
    return book / "site"


@pytest.fixture
def run(book: Path) -> Run:
    """Return a function that runs a Python module's command in the book."""
    return partial(run_in, book)
