"""The set-up: one version, a lock that stands alone, a Makefile that keeps the last good site."""

import doctest
import os
import re
import shutil
import subprocess
import sys
import tomllib
import zipfile
from collections.abc import Callable
from pathlib import Path

import pytest
import yaml
from flit_core.wheel import make_wheel_in
from packaging.requirements import Requirement

import pedocs

ROOT = Path(__file__).parents[1]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))
LOCK = (ROOT / "requirements.lock").read_text("utf-8")
LOCKED = [Requirement(line.split("\\")[0]) for line in LOCK.splitlines() if line[:1].isalnum()]
WORKFLOWS = sorted((ROOT / ".github" / "workflows").glob("*.yml"))


def test_one_version() -> None:
    citation = yaml.safe_load((ROOT / "CITATION.cff").read_text("utf-8"))
    assert str(citation["version"]) == pedocs.__version__
    assert f"version {pedocs.__version__}." in (ROOT / "README.md").read_text("utf-8")
    heading = rf"^## {re.escape(pedocs.__version__)}( · \d{{4}}-\d\d-\d\d)?$"  # dated when released
    assert re.search(heading, (ROOT / "CHANGELOG.md").read_text("utf-8"), re.M)
    assert "version" in PROJECT["project"]["dynamic"]


def test_readme_example() -> None:
    (block,) = re.findall(r"```pycon\n(.*?)```", (ROOT / "README.md").read_text("utf-8"), re.S)
    example = doctest.DocTestParser().get_doctest(block, {}, "README.md", None, None)
    assert example.examples
    assert not doctest.DocTestRunner().run(example).failed


def test_the_library_needs_numpy_only() -> None:
    assert [Requirement(each).name for each in PROJECT["project"]["dependencies"]] == ["numpy"]
    code = "import sys, pedocs; print(*sorted({name.partition('.')[0] for name in sys.modules}))"
    loaded = subprocess.check_output([sys.executable, "-c", code], text=True).split()
    assert not {"mkdocs", "markdown", "matplotlib", "pytest"} & set(loaded)
    code = "import sys, pedocs; sys.exit('pedocs.book' in sys.modules)"
    subprocess.run([sys.executable, "-c", code], check=True)


def test_the_lock_names_no_address_and_no_place() -> None:
    assert not re.search(r"://|index-url|find-links|file:|[A-Z]:\\\\|^/| /", LOCK, re.M)


def test_everything_in_the_lock_has_a_hash() -> None:
    for entry in re.split(r"\n(?=[a-z])", LOCK.partition("\n")[2]):
        assert re.fullmatch(r"[^\n]*==[^\n]*( \\\n    --hash=sha256:[0-9a-f]{64})+\n?", entry), (
            entry
        )


def test_the_lock_holds_what_the_project_asks_for() -> None:
    asked = [
        *PROJECT["project"]["dependencies"],
        *PROJECT["project"]["optional-dependencies"]["book"],
        *(each for group in PROJECT["dependency-groups"].values() for each in group),
        *PROJECT["build-system"]["requires"],
    ]
    pins = {each.name: str(each.specifier).removeprefix("==") for each in LOCKED}
    for each in map(Requirement, asked):
        assert each.specifier.contains(pins[each.name.lower()]), each
    assert "torch" not in pins


def test_the_wheel(tmp_path: Path) -> None:
    wheel = zipfile.ZipFile(make_wheel_in(ROOT / "pyproject.toml", tmp_path).file)
    names = {name.partition("/")[2] for name in wheel.namelist()}
    assert {"__init__.py", "py.typed", "licenses/LICENSE", "licenses/LICENSE-CC-BY-4.0"} <= names
    (metadata,) = (name for name in wheel.namelist() if name.endswith("METADATA"))
    text = wheel.read(metadata).decode()
    assert "Author: The pedocs authors\n" in text
    assert f"Version: {pedocs.__version__}\n" in text
    wheel.close()


@pytest.mark.parametrize("workflow", WORKFLOWS, ids=lambda path: path.name)
def test_workflow(workflow: Path) -> None:
    text = workflow.read_text("utf-8")
    content = yaml.safe_load(text)
    assert content["permissions"] == {}
    for job in content["jobs"].values():
        # A job that calls another workflow has its limit there.
        assert {"permissions", "uses" if "uses" in job else "timeout-minutes"} <= set(job)
        for step in job.get("steps", []):
            if step.get("uses", "").startswith("actions/checkout@"):
                assert step["with"]["persist-credentials"] is False
    uses = re.findall(r"uses: (.*)", text)
    assert uses
    for use in uses:
        if use.startswith("$/"):  # a workflow of this repository, at the commit that runs
            assert (ROOT / use[2:]).is_file(), use
            continue
        assert re.fullmatch(r"[\w-]+/[\w-]+@[0-9a-f]{40} # v\d+\.\d+\.\d+", use), use


@pytest.mark.parametrize("form", ["config", "erratum", "question"])
def test_issue_form(form: str) -> None:
    content = yaml.safe_load((ROOT / f".github/ISSUE_TEMPLATE/{form}.yml").read_text("utf-8"))
    if form != "config":
        assert {"name", "description", "body"} <= set(content)


# --- the Makefile, with a stand-in for Python that only notes what it is asked for ---------------

STAND_IN = """\
#!/bin/sh
printf '%s\\n' "$*" >> calls
case $* in
  "-m venv"*) mkdir -p .venv/bin; cp "$0" .venv/bin/python ;;
  "-m mkdocs build"*)
    mkdir -p "$5"
    echo "$SOURCE_DATE_EPOCH $NO_MKDOCS_2_WARNING" > "$5/index.html"
    [ ! -e red ] ;;
esac
"""

Make = Callable[..., subprocess.CompletedProcess[str]]
needs_make = pytest.mark.skipif(
    sys.platform == "win32" or not shutil.which("make"), reason="make is not there"
)


@pytest.fixture
def copy(tmp_path: Path) -> Path:
    """Return a copy of what the Makefile reads, in a folder with a space in its name."""
    folder = tmp_path / "a copy"
    folder.mkdir()
    for name in ("Makefile", "pyproject.toml", "requirements.lock"):
        shutil.copy(ROOT / name, folder)
    (folder / "python").write_text(STAND_IN)
    (folder / "python").chmod(0o755)
    return folder


@pytest.fixture
def make(copy: Path) -> Make:
    """Return a function that runs make in the copy."""
    outer = ("ADDRESS", "ARGS", "MAKE", "MFLAGS", "PYTHON", "SOURCE_DATE_EPOCH")
    keep = {name: value for name, value in os.environ.items() if not name.startswith(outer)}

    def run(*arguments: str, folder: Path = copy, **env: str) -> subprocess.CompletedProcess[str]:
        command = ["make", "PYTHON=./python", *arguments]
        return subprocess.run(command, cwd=folder, env=keep | env, capture_output=True, text=True)

    return run


def calls(folder: Path) -> list[str]:
    """Return what the stand-in was asked for since the last look."""
    path = folder / "calls"
    lines = path.read_text().splitlines() if path.exists() else []
    path.unlink(missing_ok=True)
    return [line for line in lines if not line.startswith("-c")]


@needs_make
def test_help_is_the_default(make: Make, copy: Path) -> None:
    result = make()
    assert result.returncode == 0
    targets = ("setup", "serve", "build", "paper", "test", "fix", "bench", "parity", "mutate")
    for target in (*targets, "engines", "reproduce", "clean"):
        assert re.search(rf"^make {target} +\w", result.stdout, re.M)
    assert calls(copy) == []


@needs_make
def test_setup_happens_once(make: Make, copy: Path) -> None:
    assert make("setup").returncode == 0
    first = calls(copy)
    assert first[0] == "-m venv --clear .venv"
    assert "--require-hashes --only-binary :all: -r requirements.lock" in first[1]
    assert "--no-deps --no-build-isolation --editable ." in first[2]
    again = make("setup")
    assert (again.returncode, again.stdout, calls(copy)) == (0, "", [])


@needs_make
def test_a_new_lock_is_installed(make: Make, copy: Path) -> None:
    make("setup")
    calls(copy)
    with (copy / "requirements.lock").open("a") as lock:
        lock.write("# changed\n")
    make("setup")
    assert [line.split()[2] for line in calls(copy)] == ["--version", "install", "install"]


@needs_make
def test_a_copied_environment_is_made_afresh(make: Make, copy: Path) -> None:
    """The scripts of a copied .venv would run the library of the folder that it came from."""
    make("setup")
    other = copy.with_name("another")
    shutil.copytree(copy, other)
    calls(other)
    make("setup", folder=other)
    assert calls(other)[0] == "-m venv --clear .venv"


@needs_make
def test_an_old_python_is_refused(make: Make, copy: Path) -> None:
    (copy / "python").write_text("#!/bin/sh\nexit 1\n")
    result = make("setup")
    assert result.returncode != 0
    assert "Python 3.11 or newer" in result.stderr


@needs_make
def test_a_red_build_leaves_the_last_good_site(make: Make, copy: Path) -> None:
    assert make("build", SOURCE_DATE_EPOCH="1").returncode == 0
    (copy / "red").touch()
    assert make("build", SOURCE_DATE_EPOCH="2").returncode != 0
    assert (copy / "site/index.html").read_text() == "1 1\n"
    (copy / "red").unlink()
    assert make("build", SOURCE_DATE_EPOCH="3").returncode == 0
    assert (copy / "site/index.html").read_text() == "3 1\n"
    assert not list(copy.glob(".site-*"))


@needs_make
def test_a_red_first_build_leaves_no_site(make: Make, copy: Path) -> None:
    (copy / "red").touch()
    assert make("build").returncode != 0
    assert not (copy / "site").exists()
    assert not list(copy.glob(".site-*"))


@needs_make
def test_the_date_of_the_build_is_the_commits(make: Make, copy: Path) -> None:
    assert make("build").returncode == 0
    assert (copy / "site/index.html").read_text() == "0 1\n"  # no .git
    if not shutil.which("git"):
        pytest.skip("git is not there")
    who = ["-c", "user.name=a", "-c", "user.email=a@example.org"]
    for command in (["init", "-q"], [*who, "commit", "-q", "--allow-empty", "-m", "a"]):
        date = {"GIT_COMMITTER_DATE": "1700000000 +0000"}
        subprocess.run(["git", *command], cwd=copy, env=os.environ | date, check=True)
    assert make("build").returncode == 0
    assert (copy / "site/index.html").read_text() == "1700000000 1\n"


@needs_make
@pytest.mark.parametrize(
    ("target", "call"),
    [
        ("serve", "-m mkdocs serve --dev-addr 127.0.0.1:8000"),
        ("test", "-m pytest"),
        ("fix", "-m pedocs.book fix"),
    ],
)
def test_target(make: Make, copy: Path, target: str, call: str) -> None:
    make("setup")
    calls(copy)
    assert make(target).returncode == 0
    assert [line.rstrip() for line in calls(copy)] == [call]
