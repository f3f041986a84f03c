"""The notebooks of a built site: what they hold, and that they print what they say they print."""

import ast
import contextlib
import io
import json
import os
import re
import zipfile
from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context
from pathlib import Path
from types import SimpleNamespace
from typing import Any
from xml.etree import ElementTree

import nbformat
import pytest

from pedocs.book.chapters import chapter_of
from pedocs.book.course import prove_for
from pedocs.book.draw import alone
from pedocs.book.fences import typed
from pedocs.book.notebook import BRANCH, Site, hosted, notebook, write
from pedocs.book.outputs import Outputs
from pedocs.book.page import Page, prove, read
from pedocs.book.parts import Block
from pedocs.book.plain import Live, plain
from pedocs.book.run import fresh_state
from pedocs.book.scan import scan

from ..notebooks import execute
from .test_colours import scheme
from .test_exercises import EXERCISE

ROOT = Path(__file__).parents[2]
DOCS = ROOT / "docs"
CHAPTERS = sorted((DOCS / "chapters").glob("*.md"))
WORKSHEETS = sorted((DOCS / "exercises").glob("*.md"))
PUBLISHED = Site("Text CC BY 4.0, code MIT", "https://book.example/")

Notebook = nbformat.NotebookNode


def served(site: Path, page: Path) -> Path:
    """The file of a page's notebook in a site."""
    return site / "notebooks" / page.relative_to(DOCS).with_suffix(".ipynb")


def stored(site: Path, page: Path) -> Notebook:
    """The notebook that a site serves for a page."""
    return nbformat.read(served(site, page), as_version=4)  # type: ignore[no-any-return]


def page_of(tmp_path: Path, text: str) -> Page:
    """A small proven page."""
    path = tmp_path / "page.md"
    path.write_text(text.replace("'''", "```"), encoding="utf-8")
    found = prove(path)
    assert not found.failures
    return found


def made(page: Page, site: Site = PUBLISHED) -> list[Notebook]:
    """The cells of a page's notebook, behind its title and its set-up."""
    whole = notebook(page, site)
    nbformat.validate(whole)
    first = next(k for k, cell in enumerate(whole.cells) if "%config" in cell.source)
    return list(whole.cells[first + 1 :])


def tagged(cell: Notebook, tag: str) -> bool:
    return tag in cell.metadata.get("tags", [])


# What every notebook holds ------------------------------------------------------------

LEFT = re.compile(
    r"[\ue000-\uf8ff]|/{3,}|\{[ ]?[#:.]|\[@|\]\((?!https:)[^()]*\.md\b|^!!! |^\?\?\?|^:::"
    r"|\b(?:class|data-\w+)=|\{[^{}\n]* = [^{}\n]*\}",
    re.M,
)


def prose(cell: Notebook) -> str:
    """A cell's Markdown without code and formulas."""
    text = re.sub(r"^ *```.*?^ *```$", "", cell.source, flags=re.S | re.M)
    return re.sub(r"`[^`\n]+`|\$\$.*?\$\$|\$[^$]+\$", "", text, flags=re.S)


@pytest.mark.parametrize(
    "page", [*CHAPTERS, *WORKSHEETS], ids=lambda p: f"{p.parent.name}/{p.stem}"
)
def test_every_page_has_a_notebook(site: Path, page: Path) -> None:
    found = stored(site, page)
    nbformat.validate(found)
    texts = [prose(cell) for cell in found.cells if cell.cell_type == "markdown"]
    assert not [left[0] for text in texts if (left := LEFT.search(text))]
    assert not [text for text in texts if "$" in text.replace("\\$", "")]
    whole = "\n\n".join(texts)
    ids = re.findall(r'<a id="([^"]*)"></a>', whole)
    assert len(ids) == len(set(ids))
    links = re.findall(r"\]\(([^()\s]*)", whole)
    assert {link[1:] for link in links if link[0] == "#"} == {*ids}
    assert all(link.startswith(("#", "https://")) for link in links)
    numbered = scan(read(page)[1], page.name, chapter=chapter_of(page))
    for kind, number in numbered.numbers.values():
        if kind in ("Figure", "Table"):
            assert f"**{kind} {number}.** " in whole
        elif kind == "Exercise":
            assert re.search(rf"^## {number}\. ", whole, re.M)
    code = [cell for cell in found.cells if cell.cell_type == "code"]
    worked = [
        cell.source
        for cell in code
        if not (
            cell.source.startswith(("%", "#")) or tagged(cell, "answer") or tagged(cell, "check")
        )
    ]
    blocks = [p for p in numbered.parts if isinstance(p, Block) and not numbered.in_solution(p)]
    assert "\n".join(worked).split() == " ".join(typed(block.code) for block in blocks).split()
    assert sum(tagged(cell, "answer") for cell in code) == len(numbered.exercises)
    assert sum(tagged(cell, "check") for cell in code) == len(numbered.exercises)
    for cell in code:
        for output in cell.outputs:
            if svg := output.get("data", {}).get("image/svg+xml"):
                assert "var(" not in svg
                assert ElementTree.fromstring(svg).get("aria-label")


def test_pages_link_to_their_notebooks(site: Path) -> None:
    html = (site / "chapters" / "rope" / "index.html").read_text("utf-8")
    assert '<a href="../../notebooks/chapters/rope.ipynb" download>' in html
    assert ".ipynb" not in (site / "glossary" / "index.html").read_text("utf-8")


# What they print ----------------------------------------------------------------------


def printed(outputs: list[Notebook]) -> list[tuple[str, str]]:
    """Outputs by their kind, white space aside; of a picture, without what is said of it.

    A kernel may send a text in pieces.
    """
    found: list[tuple[str, str]] = []
    for output in outputs:
        data: dict[str, Any] = output.get("data", {})
        if svg := data.get("image/svg+xml"):
            text = re.sub(r' role="img" aria-label="[^"]*"', "", svg)
        elif output.output_type == "error":
            text = f"{output.ename}: {output.evalue}"
        else:
            text = data.get("text/markdown") or data.get("text/plain") or output.get("text", "")
        kind, text = output.output_type, " ".join(text.split())
        if found and kind == found[-1][0] == "stream":
            found[-1] = (kind, f"{found[-1][1]} {text}".strip())
        elif text:
            found.append((kind, text))
    return found


@pytest.fixture(scope="session")
def library(site: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return the folder of the library that the site serves, with the data that comes with it."""
    build = json.loads((site / "assets" / "live" / "build.json").read_text("utf-8"))
    folder = tmp_path_factory.mktemp("library")
    with zipfile.ZipFile(site / build["library"]) as packed:
        packed.extractall(folder)
    return folder


@pytest.fixture(scope="session")
def executed(
    site: Path, library: Path, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[dict[str, Any]]:
    """Run every chapter's notebook in a kernel of its own, a few at a time.

    As for a reader, there is no book around them: only the library that the site serves.
    """
    folder = tmp_path_factory.mktemp("reader")
    with ProcessPoolExecutor(os.cpu_count(), get_context("spawn")) as pool:
        yield {
            page.stem: pool.submit(execute, served(site, page), folder, library)
            for page in CHAPTERS
        }


@pytest.mark.parametrize("page", CHAPTERS, ids=lambda page: page.stem)
def test_a_chapter_prints_what_it_says(site: Path, executed: dict[str, Any], page: Path) -> None:
    before, after = stored(site, page), executed[page.stem].result()
    for said, got in zip(before.cells, after.cells, strict=True):
        if said.cell_type == "code":
            assert printed(got.outputs) == printed(said.outputs), said.source


def at_a_prompt(code: str, names: dict[str, Any]) -> str:
    """What code prints, statement by statement, as at Python's prompt."""
    out = io.StringIO()
    with contextlib.redirect_stdout(out):
        for statement in ast.parse(code).body:
            exec(compile(ast.Interactive([statement]), "<cell>", "single"), names)
    return out.getvalue()


@pytest.mark.parametrize("page", WORKSHEETS, ids=lambda page: page.stem)
def test_the_checks_of_exercises_take_their_solutions(site: Path, page: Path) -> None:
    """In one process: each answer stands in its cell."""
    found = scan(read(page)[1], page.name)
    solutions = iter(
        "\n".join(
            typed(part.code)
            for part in found.parts
            if isinstance(part, Block) and start <= part.start < end
        )
        for exercise in found.exercises
        for start, end in exercise.solutions
    )
    names: dict[str, Any] = {"__name__": "__main__"}
    with fresh_state():
        for cell in stored(site, page).cells:
            if cell.cell_type != "code" or cell.source.startswith("#"):
                continue  # prose, and the set-up
            if tagged(cell, "answer"):
                at_a_prompt(next(solutions), names)
            elif tagged(cell, "raises-exception"):
                with pytest.raises(Exception, match=re.escape(cell.outputs[-1].evalue)):
                    at_a_prompt(cell.source, names)
            else:
                said = " ".join(text for _, text in printed(cell.outputs))
                assert at_a_prompt(cell.source, names).split() == said.split()
    assert next(solutions, None) is None


# How they are made --------------------------------------------------------------------


def test_worked_values_citations_and_references_are_words(tmp_path: Path) -> None:
    text = """\
# Title

'''pycon
>>> x = [0.25, -2]
'''

Half of it, {−2 = x[1]} and `{x = 1}`, see [Equation](#eq-one), [here](#part){ .md-button }
and [a site](https://example.org "words").

$$
y = {0.25 = x[0]}
$$ {#eq-one unchecked="a test"}

## A part of {0.25 = x[0]} {#part}

!!! note "With {−2 = x[1]}"

    In a quotation,

    $$
    \\begin{aligned}
    y &= 1
    \\end{aligned}
    $$ {#eq-two unchecked="a test"}

    and behind it.

??? warning

    Folded.

Outside.
"""
    page = page_of(tmp_path, text)
    assert plain(page, lambda href: href) == [
        "# Title",
        Live(0),
        "Half of it, −2 and `{x = 1}`, see [Equation 1](#eq-one), [here](#part)\n"
        'and [a site](https://example.org "words").\n\n'
        '<a id="eq-one"></a>\n\n$$\ny = {0.25} \\tag{1}\n$$',
        '<a id="part"></a>\n\n## A part of 0.25\n\n'
        "> **With −2**\n>\n> In a quotation,\n>\n"
        "> $$\\begin{aligned} y &= 1 \\end{aligned} \\tag{2}$$\n>\n> and behind it.\n\n"
        "> **Warning**\n>\n> Folded.\n\nOutside.",
    ]
    nowhere = "\n".join(str(piece) for piece in plain(page, lambda href: None))
    assert "see Equation 1, here\nand a site." in nowhere
    assert "<a id" not in nowhere


def test_a_block_is_a_cell_with_its_outputs(tmp_path: Path) -> None:
    text = """\
# Title

'''pycon
>>> def tell(words):
...     print(words)
...
>>> tell("a")
>>> print("b")
>>> 1 + 1
>>> [0][1]
>>> None or 3
'''
"""
    says = {'tell("a")': "a", 'print("b")': "b", "1 + 1": "2", "None or 3": "3"}
    for code, output in says.items():
        text = text.replace(f">>> {code}\n", f">>> {code}\n{output}\n")
    error = "Traceback (most recent call last):\nIndexError: list index out of range"
    text = text.replace(">>> [0][1]\n", f">>> [0][1]\n{error}\n")
    first, second = made(page_of(tmp_path, text))
    assert first.source == (
        'def tell(words):\n    print(words)\n\ntell("a")\nprint("b")\n1 + 1\n[0][1]'
    )
    assert tagged(first, "raises-exception")
    assert printed(first.outputs) == [
        ("stream", "a b"),
        ("execute_result", "2"),
        ("error", "IndexError: list index out of range"),
    ]
    assert (second.source, printed(second.outputs)) == ("None or 3", [("execute_result", "3")])


def test_a_generated_part_is_folded_and_shows_what_it_made(tmp_path: Path) -> None:
    text = """\
# Title

/// figure | fig-one
    alt: "A text that says {3 = len('one')} letters."

'''python exec="1"
print("<svg><text>one</text></svg>")
print("<template>{}</template>")
'''

The figure.
///

/// table | tab-one

'''python exec="1"
print("| [a](other.md) |\\n|---|\\n| [b](https://example.org) |")
'''

The table.
///

/// table | tab-two

'''python exec="1"
print(f"| {here.name} |\\n|---|\\n| c |")
'''

What reads the book.
///
"""
    figure, caption, table, second, read_here, third = made(page_of(tmp_path, text))
    assert figure.source.startswith("%%generated\nprint(")
    assert figure.metadata == {"jupyter": {"source_hidden": True}}
    data = figure.outputs[0].data
    assert data["text/plain"] == "A text that says 3 letters."
    assert data["text/markdown"].startswith("![A text that says 3 letters.](data:image/svg+xml;")
    assert data["image/svg+xml"].endswith("<text>one</text></svg>")
    assert caption.source == "**Figure 1.** The figure."
    assert table.outputs[0].data == {"text/markdown": "| a |\n|---|\n| [b](https://example.org) |"}
    assert second.source == "**Table 1.** The table."
    assert read_here.source == "| page.md |\n|---|\n| c |"
    assert third.source == "**Table 2.** What reads the book."


def test_an_exercise_has_a_cell_for_the_answer(tmp_path: Path) -> None:
    page = page_of(tmp_path, EXERCISE)
    cells = made(page)
    kinds = [(cell.cell_type, *cell.metadata.get("tags", [])) for cell in cells]
    assert kinds == [
        ("code",),
        ("markdown",),
        ("code",),
        ("markdown",),
        ("markdown",),
        ("markdown",),
        ("code", "answer"),
        ("code", "check"),
        ("markdown",),
        ("markdown",),
    ]
    sources = [cell.source for cell in cells]
    assert sources[1] == '<a id="ex-double"></a>\n\n## 1. Twice a *number*\n\n*by hand*'
    assert "<summary>Hint</summary>\n\nAdd it to itself.\n\n</details>" in sources[4]
    assert sources[6] == ""
    assert sources[7].endswith("\n\ncheck(answer)")
    assert ">>> answer = n + n\n>>> answer\n14\n```\n\nThe sum is 14." in sources[8]
    assert "A mistake: squared.\n\n```python\nanswer = n * n\n```" in sources[8]
    assert "The check says: `49 is not twice 7`" in sources[8]
    assert sources[9] == "See [Exercise 1](#ex-double)."


def test_solutions_that_are_kept_back_are_in_no_notebook(tmp_path: Path) -> None:
    page = page_of(tmp_path, EXERCISE)
    page.solutions = False
    text = nbformat.writes(notebook(page, PUBLISHED))
    assert "Add it to itself." in text
    assert not re.search("Solution|n [+] n|The sum|squared|49 is not", text)


def test_a_course_has_its_own_numbers(tmp_path: Path) -> None:
    page_of(tmp_path, EXERCISE)
    page = prove_for(tmp_path / "page.md", 11)
    assert not page.failures
    cells = made(page)
    assert "seed = 11" in cells[0].source
    drawn = cells[2].outputs[0].data["text/plain"]
    assert f"Double {drawn}." in cells[3].source
    assert drawn != "7"


def test_the_same_page_gives_the_same_bytes(tmp_path: Path) -> None:
    page = page_of(
        tmp_path, "# A\n\n'''pycon\n>>> 1 + 1\n2\n'''\n\nb\n\n'''pycon\n>>> 1 + 1\n2\n'''\n"
    )
    first, again = notebook(page, PUBLISHED), notebook(page, PUBLISHED)
    assert nbformat.writes(first) == nbformat.writes(again)
    ids = [cell.id for cell in first.cells]
    assert len({*ids}) == len(ids)
    assert ids[-1] == f"{ids[-3]}-2"
    page = page_of(tmp_path, "# A\n\nb\n\n'''pycon\n>>> 1 + 1\n2\n'''\n")
    assert {cell.id for cell in notebook(page, PUBLISHED).cells} == {*ids} - {ids[-1]}


def test_links_are_absolute_where_the_address_is_known(tmp_path: Path) -> None:
    (tmp_path / "chapters").mkdir()
    (tmp_path / "chapters" / "other.md").write_text("# Other {#x}\n", encoding="utf-8")
    page = page_of(tmp_path / "chapters", "# A\n\n[b](other.md#x) and [c](https://c.example/).\n")
    pages = {
        (tmp_path / "chapters" / f"{name}.md").resolve(): f"chapters/{name}/"
        for name in ("page", "other")
    }
    known = Site("Text CC BY 4.0", "https://book.example/en/", pages, "assets/pedocs-1.whl")
    title, install, _, text = notebook(page, known).cells
    assert "https://book.example/en/chapters/page/" in title.source
    assert "Text CC BY 4.0." in title.source
    assert install.source == "%pip install --quiet https://book.example/en/assets/pedocs-1.whl"
    assert "[b](https://book.example/en/chapters/other/#x) and [c](https://c." in text.source
    moved = known.url(page.path, "other.md?fig-x=start:1#fig-x")
    assert moved == "https://book.example/en/chapters/other/?fig-x=start:1#fig-x"
    title, install, _, text = notebook(page, Site("", "", pages, "assets/pedocs-1.whl")).cells
    assert "no public address" in title.source
    assert install.cell_type == "markdown"
    assert "`pedocs-1.whl`" in install.source
    assert text.source == "b and [c](https://c.example/)."
    write(tmp_path / "site", tmp_path, [page], known)
    assert (tmp_path / "site" / "notebooks" / "chapters" / "page.ipynb").is_file()


def test_a_notebook_names_the_edition_with_the_seed_of_its_course(tmp_path: Path) -> None:
    config = SimpleNamespace(
        config_file_path=str(tmp_path / "mkdocs.yml"),
        docs_dir=str(tmp_path),
        site_name="book",
        site_author="",
        site_url="",
        copyright="",
        extra={},
        mdx_configs={"pedocs.book": {"seed": 7}},
    )
    outputs = Outputs(config)
    assert outputs.book.edition.name.endswith("seed7")
    title = notebook(page_of(tmp_path, "# A\n"), outputs._facts({}, "")).cells[0].source
    assert f"*pedocs*, version {outputs.book.edition.name}, in a build" in title


@pytest.mark.parametrize(
    "repository",
    [
        "https://github.com/own-er/a.book",
        "https://github.com/own-er/a.book/",
        "https://github.com/own-er/a.book.git",
    ],
)
def test_a_notebook_opens_in_colab_where_github_has_it(repository: str) -> None:
    version = "https://own-er.github.io/a.book/1.2.0/"
    colab = "https://colab.research.google.com/github/own-er/a.book/blob"
    opens = hosted("chapters/rope.md", repository, version)
    assert opens == f"{colab}/{BRANCH}/1.2.0/notebooks/chapters/rope.ipynb"
    assert hosted("index.md", repository, version) == ""
    assert hosted("chapters/rope.md", repository, None) == ""  # it stands alone
    assert hosted("chapters/rope.md", repository, "") == ""


@pytest.mark.parametrize(
    "repository",
    [
        "",
        None,
        "https://git.example/a/b",
        "https://github.com/a",
        "https://github.com/a/b/tree/c",
        "https://github.com.example/a/b",
        "javascript:https://github.com/a/b",
    ],
)
def test_a_notebook_that_is_nowhere_else_is_only_there_to_download(repository: str | None) -> None:
    assert hosted("chapters/rope.md", repository, "https://book.example/dev/") == ""


def test_a_page_without_a_repository_offers_its_notebook_only(site: Path) -> None:
    page = (site / "chapters" / "rope" / "index.html").read_text("utf-8")
    assert 'href="../../notebooks/chapters/rope.ipynb" download' in page
    assert "colab" not in page


def test_a_picture_that_stands_alone_has_the_light_scheme() -> None:
    colours = scheme("default")
    for name in ("ink", "muted", "paper", "rule", *(f"series-{n}" for n in range(1, 7))):
        drawing = f'<svg viewBox="0 0 1 1" width="1" height="1"><path style="fill:var(--pd-{name})"/></svg>'
        assert f"fill:{colours[name]}" in alone(drawing).partition("<path")[2]
    for name in ("positive", "negative"):
        drawing = f'<svg><path style="fill:var(--pd-{name})"/></svg>'
        assert f"fill:{colours[name]}" in alone(drawing).partition("<path")[2]
