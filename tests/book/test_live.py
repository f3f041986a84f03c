"""Live code: what a site serves for it, and what runs the blocks, here without a browser."""

import json
import subprocess
import sys
import zipfile
from collections.abc import Callable, Iterator
from pathlib import Path

import numpy as np
import pytest

import pedocs
from pedocs.book import live
from pedocs.book.live_session import LIMIT, Session
from pedocs.book.page import pages_below

from ..live import answers, matches, runs

DOCS = Path(__file__).parents[2] / "docs"
PAGES = [page for page in pages_below(DOCS) if runs(page)]
SOLVED = [page for page in PAGES if answers(page)]


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


@pytest.mark.parametrize("page", SOLVED, ids=lambda page: page.stem)
def test_solutions_are_accepted_as_answers(start: Start, page: Path) -> None:
    session, _ = start()
    for each in answers(page):
        found = json.loads(session.check(each.earlier, each.code, each.test, each.answer))
        assert found == {"right": True, "said": ""}


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
        ("n = 2\nanswer = 4", False, "4 is not 7 times 7"),
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


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a wheel of the library as a site serves it."""
    return live.wheel(tmp_path_factory.mktemp("served"), DOCS)


def test_the_wheel_is_this_library_and_the_same_bytes_each_time(
    wheel: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SOURCE_DATE_EPOCH", "1700000000")
    again = live.wheel(tmp_path, DOCS)
    assert again.read_bytes() == wheel.read_bytes()
    assert again.parent.name == wheel.parent.name
    with zipfile.ZipFile(wheel) as packed:
        package = Path(live.__file__).parents[1]
        assert packed.read("pedocs/_rope.py") == (package / "_rope.py").read_bytes()


def test_what_changes_in_the_wheel_changes_its_address(wheel: Path, tmp_path: Path) -> None:
    (tmp_path / "sources.toml").write_text("", "utf-8")
    other = live.wheel(tmp_path, tmp_path)
    assert other.name == wheel.name
    assert other.parent.name != wheel.parent.name


def test_pip_installs_the_wheel_and_blocks_find_what_they_read(wheel: Path, tmp_path: Path) -> None:
    command = [sys.executable, "-m", "pip", "install", "--quiet", "--no-deps", "--no-index"]
    subprocess.run([*command, "--target", tmp_path, wheel], check=True)
    # Without what is installed here, apart from numpy: a browser has no more.
    code = (
        "import sys\n"
        f"sys.path[:0] = [{str(tmp_path)!r}]\n"
        "sys.modules |= dict.fromkeys(['markdown', 'matplotlib', 'mkdocs', 'pymdownx'])\n"
        "import pedocs\n"
        "from importlib.metadata import version\n"
        "from pedocs.book.live_session import Session\n"
        "from pedocs.book.sources import source\n"
        "print(pedocs.__file__, version('pedocs'), source('vaswani2017', 'd_model'))"
    )
    found = subprocess.run(
        [sys.executable, "-c", code], cwd=tmp_path, check=True, capture_output=True, text=True
    )
    place, version, number = found.stdout.split()
    assert Path(place) == tmp_path / "pedocs" / "__init__.py"
    assert (version, number) == (pedocs.__version__, "512.0")


def test_a_site_lists_what_there_is_to_load(tmp_path: Path) -> None:
    for name in ("chapters/rope", "index"):
        page = tmp_path / "notebooks" / f"{name}.ipynb"
        page.parent.mkdir(parents=True, exist_ok=True)
        page.touch()
    for _ in range(2):
        live.write_list(tmp_path, live.write_library(tmp_path, DOCS))
    folder = tmp_path / "assets" / "live"
    build = json.loads((folder / "build.json").read_text("utf-8"))
    assert build["files"] == {}  # without the runtime
    assert build["notebooks"] == ["notebooks/chapters/rope.ipynb", "notebooks/index.ipynb"]
    assert [tmp_path / build["library"]] == [*tmp_path.rglob("*.whl")]


def test_a_library_from_outside_its_project_is_not_served(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(live, "_PROJECT", tmp_path)
    assert live.write_library(tmp_path, DOCS) == ""
    live.write_list(tmp_path, "")
    build = json.loads((tmp_path / "assets/live/build.json").read_text("utf-8"))
    assert (build["library"], build["files"]) == ("", {})


def test_a_wrong_file_of_the_runtime_is_missing(tmp_path: Path) -> None:
    assert live.missing(tmp_path) == list(live.RUNTIME)
    (tmp_path / "pyodide.mjs").write_text("", "utf-8")
    assert "pyodide.mjs" in live.missing(tmp_path)
