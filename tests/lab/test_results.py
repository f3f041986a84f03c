"""The results that are kept: their key, their file, and processes that meet there."""

import json
import shutil
import subprocess
import sys
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest

import pedocs
from pedocs.lab import _results, results
from pedocs.lab._experiments import EXPERIMENTS

LIBRARY = Path(pedocs.__file__).parent


@pytest.fixture
def trainings(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[list[int]]:
    """A project of its own, and an experiment that only notes that it ran."""
    (tmp_path / "mkdocs.yml").touch()
    (tmp_path / "pyproject.toml").touch()
    (tmp_path / "docs").mkdir()
    monkeypatch.chdir(tmp_path / "docs")
    ran: list[int] = []

    def order() -> dict[str, Any]:
        ran.append(1)
        return {"runs": {"none": {"accuracy": [0.5] * 1000}}}

    monkeypatch.setitem(EXPERIMENTS, "order", order)
    _results._text.cache_clear()
    yield ran
    _results._text.cache_clear()


def again() -> dict[str, Any]:
    """Ask as another process would."""
    _results._text.cache_clear()
    return results("order")


def test_a_training_is_remembered(trainings: list[int], tmp_path: Path) -> None:
    first = results("order")
    assert results("order") == first == again()
    assert len(trainings) == 1
    (file,) = (tmp_path / ".cache" / "lab").iterdir()
    assert file.name == f"order-{_results.key()}.json"


def test_a_caller_may_change_what_it_got(trainings: list[int]) -> None:
    results("order")["runs"].clear()
    assert results("order")["runs"]


@pytest.mark.parametrize("damaged", ["", '{"runs": ', "[1]", "\x00"])
def test_a_file_that_cannot_be_read_is_trained_anew(
    trainings: list[int], tmp_path: Path, damaged: str
) -> None:
    first = results("order")
    (file,) = (tmp_path / ".cache" / "lab").iterdir()
    file.write_text(damaged)
    assert again() == first
    assert len(trainings) == 2
    assert json.loads(file.read_text()) == first


def test_many_at_once_never_see_half_a_file(trainings: list[int], tmp_path: Path) -> None:
    file = tmp_path / "results.json"
    texts = [json.dumps({"who": who, "more": [who] * 5000}) for who in range(8)]

    def write_and_read(text: str) -> bool:
        for _ in range(10):
            _results._write(file, text)
            if _results._read(file) not in texts:
                return False
        return True

    with ThreadPoolExecutor(8) as pool:
        assert all(pool.map(write_and_read, texts))
    assert [left.name for left in tmp_path.glob("*.new")] == []


def test_without_a_project_or_a_writable_cache_it_trains(
    trainings: list[int], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / ".cache").write_text("a file where the folder should be")
    assert again() == again()
    assert len(trainings) == 2
    (tmp_path / "mkdocs.yml").unlink()
    assert _results.cache_folder(Path.cwd()) is None
    again()
    assert len(trainings) == 3


def test_the_key_follows_the_code(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    package = tmp_path / "pedocs"
    shutil.copytree(LIBRARY, package, ignore=shutil.ignore_patterns("__pycache__"))
    before = _results.key(package)
    assert before == _results.key()
    (package / "book" / "page.py").write_text("# another engine")
    assert _results.key(package) == before
    documented = package / "_rope.py"
    text = documented.read_text().replace('    """', '    """Differently said: ', 1)
    documented.write_text(text + "\n\n# a comment\n")
    assert _results.key(package) == before
    for name, more in {"_rope.py": "later = 1", "lab/_model.py": "(", "lab/new.py": ""}.items():
        with (package / name).open("a") as source:
            source.write(f"{more}\n")
        assert _results.key(package) != before
        before = _results.key(package)
    monkeypatch.setattr("numpy.__version__", "0.0")
    assert _results.key(package) != before


def test_another_experiment_is_refused() -> None:
    with pytest.raises(
        ValueError, match=r"^name is 'ordre'; allowed: 'order' or 'lengths' or 'count'$"
    ):
        results("ordre")


def test_the_library_knows_nothing_of_the_lab() -> None:
    script = (
        "import sys, pedocs; [getattr(pedocs, name) for name in pedocs.__all__];"
        "sys.exit(any(name.startswith('pedocs.lab') for name in sys.modules))"
    )
    assert subprocess.run([sys.executable, "-c", script], check=False).returncode == 0
