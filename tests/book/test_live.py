"""Live code: what a site serves for it, and what runs the blocks, here without a browser."""

import json
import sys
import zipfile
from collections.abc import Callable, Iterator
from io import BytesIO
from pathlib import Path

import numpy as np
import pytest

from pedocs.book import live
from pedocs.book.live_session import LIMIT, Session
from pedocs.book.page import pages_below

from ..live import matches, runs

DOCS = Path(__file__).parents[2] / "docs"
PAGES = [page for page in pages_below(DOCS) if runs(page)]


class Screen:
    """Keeps what a session writes."""

    def __init__(self) -> None:
        self.text = ""

    def __call__(self, text: str) -> None:
        self.text += text

    def taken(self) -> str:
        """What was written since the last call."""
        text, self.text = self.text, ""
        return text


Start = Callable[[], tuple[Session, Screen]]


@pytest.fixture
def start(monkeypatch: pytest.MonkeyPatch) -> Iterator[Start]:
    """Return a function that starts a session; Python is as before afterwards."""
    monkeypatch.setattr(sys, "stdin", sys.stdin)
    monkeypatch.chdir(DOCS.parent)

    def begin() -> tuple[Session, Screen]:
        screen = Screen()
        return Session(screen), screen

    with np.printoptions(precision=8, suppress=False, threshold=1000, linewidth=75), np.errstate():
        yield begin


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.relative_to(DOCS).as_posix())
def test_blocks_print_what_the_page_says(start: Start, page: Path) -> None:
    """Each block behind those before it, without the page's figures and tables."""
    session, screen = start()
    for run in runs(page):
        session.run(run.earlier, run.code)
        assert matches(run.says, screen.taken())


def test_it_prints_as_a_repl(start: Start) -> None:
    session, screen = start()
    session.run([], "0.0\nFalse\n''\nNone\n[]\nprint(7)\nx = 3\nx\n")
    assert screen.taken() == "0.0\nFalse\n''\n[]\n7\n3\n"
    session.run([], "for n in range(2):\n    n\n")
    assert screen.taken() == "0\n1\n"


def test_an_exception_names_the_readers_line_and_no_frame_of_ours(start: Start) -> None:
    session, screen = start()
    result = json.loads(session.run(["y = 0"], "x = 1\n\nx / y\nx"))
    text = screen.taken()
    assert 'File "<block 2>", line 3, in <module>\n    x / y' in text
    assert "live_session" not in text
    assert text.endswith("ZeroDivisionError: division by zero\n1\n")
    assert result == {"replayed": 1, "line": 3, "faults": [None]}


def test_a_fault_of_syntax_names_its_line(start: Start) -> None:
    session, screen = start()
    assert json.loads(session.run([], "x = 1\nx +* 2"))["line"] == 2
    assert screen.taken().endswith("SyntaxError: invalid syntax\n")


def test_warnings_are_shown_each_time(start: Start) -> None:
    session, screen = start()
    for _ in range(2):
        session.run([], "import numpy as np\nnp.log(0.0)")
        assert screen.taken().startswith("RuntimeWarning: divide by zero")


def test_what_ran_is_used_and_what_did_not_is_run_first(start: Start) -> None:
    session, screen = start()
    blocks = ["n = 0", "n += 1\nprint(n)", "n"]
    assert json.loads(session.run(blocks[:1], blocks[1]))["replayed"] == 1
    assert json.loads(session.run(blocks[:2], blocks[2]))["replayed"] == 0
    assert json.loads(session.run(blocks[:1], blocks[1]))["replayed"] == 1
    assert screen.taken() == "1\n1\n1\n"
    found = json.loads(session.run(["n = 1 / 0", blocks[1]], "n"))
    assert found["faults"][0] == "ZeroDivisionError: division by zero"


def test_settings_of_a_page_end_with_it(start: Start) -> None:
    session, screen = start()
    session.run([], "import numpy as np\nnp.set_printoptions(precision=2)\nnp.seterr(all='ignore')")
    screen.taken()
    session.run(["import numpy as np"], "np.array([1 / 3])\nnp.log(np.zeros(1))")
    assert "0.33333333" in screen.text
    assert "RuntimeWarning" in screen.text


def test_what_is_too_much_is_cut(start: Start) -> None:
    session, screen = start()
    session.run([], "for n in range(100_000):\n    print(n)\n")
    assert LIMIT < len(screen.text) < LIMIT + 100
    assert screen.taken().endswith("the rest is not shown\n")
    session.run([], "exit()")
    assert "SystemExit" in screen.text


@pytest.mark.parametrize(
    ("code", "right", "said"),
    [
        ("answer = 49", True, ""),
        ("answer = 14", False, "14 is not 7 times 7"),
        ("anwser = 49", False, "Nothing is called answer."),
        ("answer = 1 / 0", False, "The answer does not run."),
        ("answer = 'x'", False, "The check cannot take this answer: TypeError: no"),
    ],
)
def test_an_answer_is_held_against_the_check(
    start: Start, code: str, right: bool, said: str
) -> None:
    session, _ = start()
    test = (
        "def check(answer):\n"
        "    if answer == 'x':\n        raise TypeError('no')\n"
        "    assert answer == n * n, f'{answer} is not {n} times {n}'"
    )
    found = json.loads(session.check(["n = 7"], code, test, "answer"))
    assert (found["right"], found["said"]) == (right, said)


def test_the_library_is_this_one_and_the_same_bytes_each_time(tmp_path: Path) -> None:
    names = []
    for folder in (tmp_path / "one", tmp_path / "two"):
        live.write(folder, DOCS)
        build = json.loads((folder / "assets/live/build.json").read_text("utf-8"))
        assert not build["whole"]
        names.append(build["library"])
    assert names[0] == names[1]
    library = (tmp_path / "one/assets/live" / names[0]).read_bytes()
    assert library == (tmp_path / "two/assets/live" / names[1]).read_bytes()
    with zipfile.ZipFile(BytesIO(library)) as packed:
        package = Path(live.__file__).parents[1]
        inside = packed.namelist()
        assert packed.read("pedocs/_rope.py") == (package / "_rope.py").read_bytes()
    assert "docs/sources.toml" in inside
    assert [name for name in inside if "/book/" in name] == [
        f"pedocs/book/{name}.py" for name in ("__init__", "live_session", "numbers", "sources")
    ]


def test_a_wrong_file_of_the_runtime_is_missing(tmp_path: Path) -> None:
    assert live.missing(tmp_path) == list(live.RUNTIME)
    (tmp_path / "pyodide.mjs").write_text("", "utf-8")
    assert "pyodide.mjs" in live.missing(tmp_path)
