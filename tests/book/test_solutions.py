"""Solutions that are kept back are in no file of a site, whatever it is and however it is packed.

The whole folder is searched: pages, the index of the search, notebooks, Markdown, JSON, llms.txt,
what is cited, the library. What is made of a built site holds what the site holds: the archive is
the same files, the PDF, the handouts and the EPUB are printed from its pages.
"""

import json
import subprocess
import sys
from pathlib import Path

import pytest

from pedocs.book import archive

from ..leaks import leaks, solved, telltales, texts, values_of_solutions
from .conftest import built_book, environment, write_book
from .test_exercises import EXERCISE

ROOT = Path(__file__).parents[2]
DOCS = ROOT / "docs"


def small(folder: Path, *, solutions: bool) -> tuple[Path, set[tuple[str, ...]]]:
    """A small site with an exercise among chapters and one among exercises, and what tells them."""
    folder.mkdir()
    book = write_book(folder)
    pages = [book / "docs" / kind / "double.md" for kind in ("chapters", "exercises")]
    for page in pages:
        page.parent.mkdir()
        page.write_text(EXERCISE.replace("'''", "```"), encoding="utf-8")
    config = book / "mkdocs.yml"
    text = config.read_text("utf-8").replace("plugins: [", "plugins: [search, ")
    option = f"  - pedocs.book: {{solutions: {str(solutions).lower()}}}\n"
    config.write_text(text.replace("  - pedocs.book\n", option), encoding="utf-8")
    return built_book(book), telltales(pages)


def valued(site: Path, page: str) -> set[tuple[str, str]]:
    """The values of a page that a site lists."""
    found = json.loads((site / "values.json").read_text("utf-8"))["values"]
    return {(each["text"], each["expression"]) for each in found if each["page"] == page}


def test_a_small_book_keeps_its_solutions_back(tmp_path: Path) -> None:
    site, told = small(tmp_path / "kept", solutions=False)
    assert told
    assert leaks(site, told) == {}
    assert ("14", "answer") not in valued(site, "exercises/double")
    assert ("7", "n") in valued(site, "exercises/double")


def test_the_search_finds_a_solution_in_each_kind_of_file(tmp_path: Path) -> None:
    """The same book with its solutions: this is what a leak looks like."""
    site, told = small(tmp_path / "shown", solutions=True)
    archive.pack(site, tmp_path / "site" / "all.zip")
    expected = {
        f"{kind}/double/index.{suffix}"
        for kind in ("chapters", "exercises")
        for suffix in ("html", "md")
    }
    expected |= {f"notebooks/{kind}/double.ipynb" for kind in ("chapters", "exercises")}
    expected |= {"search/search_index.json", "llms-full.txt"}
    assert {*leaks(site, told)} == expected
    packed = {name.partition(": ")[2] for name in leaks(tmp_path / "site", told)}
    assert packed == {f"{archive.name()}/{name}" for name in expected}
    assert ("14", "answer") in valued(site, "exercises/double")
    assert values_of_solutions(tmp_path / "shown" / "docs" / "exercises" / "double.md") == {
        ("14", "answer")
    }


ONLY = '''\
"""Only the exercises and the home page of the book: the rest has no solutions."""

import sys

from pedocs.book import teaching, values


def on_files(files, config):
    values.fill = teaching.fill = lambda *_: []
    for name in ("_dead_ends", "_warned"):  # links to the rest lead nowhere here
        for module in list(sys.modules.values()):
            if getattr(module, "__file__", "") and module.__file__.endswith("mkdocs_hook.py"):
                setattr(module, name, lambda *_: [])
    kept = ("exercises/", "index.md", "assets/")
    return type(files)([
        file for file in files
        if file.src_uri.startswith(kept) and not file.src_uri.startswith("assets/pyodide/")
    ])
'''


def test_the_book_keeps_its_solutions_back(tmp_path: Path) -> None:
    pages = sorted(DOCS.rglob("*.md"))
    told = telltales(pages, (ROOT / "src").rglob("*.py"))
    assert len(told) > 10_000
    (tmp_path / "only.py").write_text(ONLY, "utf-8")
    text = (ROOT / "mkdocs.yml").read_text("utf-8")
    for old, new in {
        "custom_dir: ": f"custom_dir: {ROOT}/",
        "  - src/pedocs": f"  - {ROOT}/src/pedocs",
        "paths: [src]": f"paths: [{ROOT}/src]",
        "hooks:\n": f"hooks:\n  - {tmp_path}/only.py\n",
        "site_name:": f"docs_dir: {DOCS}\nsite_name:",
    }.items():
        assert old in text
        text = text.replace(old, new)
    (tmp_path / "mkdocs.yml").write_text(text, "utf-8")
    done = subprocess.run(
        [sys.executable, "-m", "mkdocs", "build", "-q", "-f", str(tmp_path / "mkdocs.yml")],
        cwd=ROOT,
        env=environment() | {"PEDOCS_SITE_URL": "", "PEDOCS_SOLUTIONS": "false"},
        capture_output=True,
        text=True,
        encoding="utf-8",
    )
    assert done.returncode == 0, done.stderr
    site = tmp_path / "site"
    worksheets = [path for path in pages if solved(path)[1]]
    assert len(worksheets) > 20
    for path in worksheets:
        page = path.relative_to(DOCS).with_suffix("")
        assert (site / page / "index.html").is_file()
        assert (site / page / "index.md").is_file()
        assert not valued(site, page.as_posix()) & values_of_solutions(path)
    assert leaks(site, told) == {}


def test_an_unknown_format_is_not_passed_over() -> None:
    with pytest.raises(UnicodeDecodeError):
        list(texts("book.new", b"\xff\xfe\xfd"))
