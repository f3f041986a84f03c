"""A release, in a scratch repository whose build is a stand-in."""

import json
import os
import re
import shutil
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest
import yaml

from pedocs.book import policy
from tools.release import (
    CHANGES,
    PLACES,
    RECORD,
    Refused,
    Release,
    dated,
    differences,
    make_build,
    permalinks,
)

ROOT = Path(__file__).parents[1]
pytestmark = pytest.mark.skipif(not shutil.which("git"), reason="git is not there")

FILES = {
    "src/pedocs/__init__.py": '"""A library."""\n\n__version__ = "0.1.0"\n',
    "README.md": "The pedocs authors (2025). *pedocs*,\nversion 0.1.0. It is 1.\n",
    "CITATION.cff": "cff-version: 1.2.0\nversion: 0.1.0\ndate-released: 2025-01-31\nlicense: MIT\n",
    "codemeta.json": '{\n  "name": "pedocs",\n  "version": "0.1.0",\n'
    '  "dateModified": "2025-01-31"\n}\n',
    CHANGES: "# Changes\n\nNewest first.\n\n## 0.1.0\n\n- A book.\n",
    RECORD: "# The record.\n"
    "./\tPage\tHome\t-\n"
    "./#v-1\tWorked value\t0.24\t-\n"
    "./#v-2\tWorked value\t7\t-\n"
    "./#eq-a\tEquation\t01234567\t-\n"
    "./#old\tSection\tAn old part\t-\n"
    "errata/#one\tErratum\tThe first slip\t-\n",
    ".gitignore": "site/\ndist/\n",
    "run.sh": "#!/bin/sh\n",
}
NEW = (
    "# The record.\n"
    "./\tPage\tHome\t0.1.0\n"
    "./#v-1\tWorked value\t0.25\t0.1.0\n"
    "./#v-2\tWorked value\t7\t0.1.0\n"
    "./#eq-a\tEquation\t89abcdef\t0.1.0\n"
    "./#v-3\tWorked value\t1 − 1\t-\n"
    "errata/#one\tErratum\tThe first slip\t0.1.0\n"
    "errata/#two\tErratum\tThe second slip\t-\n"
    "./#old\tMoved\t./#new\t0.1.0\n"
)
ENTRY = """\
## 1.0.0 · 2026-11-30

- More of it.
- Changed worked value: `./#v-1` says “0.25”, before “0.24”.
- Changed equation: `./#eq-a`.
- New erratum: `errata/#two`, The second slip.
- Moved: `./#old` leads to `./#new`.
- New permanent addresses: 2; 1 erratum, 1 worked value.

"""


class Project:
    """A scratch repository with what a release reads and writes."""

    def __init__(self, root: Path) -> None:
        self.root = root
        self.built: list[str] = []
        for name, text in FILES.items():
            self.write(name, text)
        (root / "run.sh").chmod(0o755)
        self.git("init", "-q", "-b", "main")
        self.git("config", "user.name", "a")
        self.git("config", "user.email", "a@example.org")
        self.git("config", "core.autocrlf", "false")
        self.commit()

    def write(self, name: str, text: str) -> None:
        path = self.root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, "utf-8", newline="\n")

    def read(self, name: str) -> str:
        return (self.root / name).read_text("utf-8")

    def git(self, *arguments: str) -> str:
        command = ["git", *arguments]
        return subprocess.check_output(command, cwd=self.root, text=True, encoding="utf-8").strip()

    def commit(self) -> None:
        self.git("add", "--all")
        self.git("commit", "-q", "-m", "a")

    def build(self, root: Path, env: dict[str, str]) -> None:
        """Write a site that names the tag it is built at, as a footer does."""
        self.built.append(env.get("PEDOCS_SITE_URL", ""))
        tag = self.git("describe", "--exact-match", "--tags")
        self.write("site/index.html", f"{tag} of {env['SOURCE_DATE_EPOCH']}")

    def release(self, version: str, day: str = "2026-11-30") -> Path:
        release = Release(self.root, version, day)
        release.check()
        release.prepare()
        return release.make(self.build)

    def state(self) -> tuple[str, ...]:
        return (
            self.git("rev-parse", "HEAD"),
            self.git("tag"),
            self.git("status", "--porcelain"),
            *(self.read(name) for name in FILES if (self.root / name).exists()),
        )


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Project:
    monkeypatch.delenv("PEDOCS_SITE_URL", raising=False)
    return Project(tmp_path / "a project")


def test_every_place_of_this_project_is_there_once() -> None:
    for name, pattern, _ in PLACES:
        assert len(re.findall(pattern, (ROOT / name).read_text("utf-8"), re.M)) == 1, pattern


def test_a_first_release(project: Project) -> None:
    archive = project.release("0.1.0")
    assert project.read("src/pedocs/__init__.py") == FILES["src/pedocs/__init__.py"]
    assert (
        project.read("README.md")
        == "The pedocs authors (2026). *pedocs*,\nversion 0.1.0. It is 1.\n"
    )
    assert project.read(CHANGES).endswith(
        "## 0.1.0 · 2026-11-30\n\n- A book.\n"
        "- New permanent addresses: 6; 1 equation, 1 erratum, 1 page, 1 section, 2 worked values.\n"
    )
    assert project.read(RECORD) == FILES[RECORD].replace("\t-\n", "\t0.1.0\n")
    assert project.git("cat-file", "-t", "v0.1.0") == "tag"
    assert project.git("rev-parse", "v0.1.0^{commit}") == project.git("rev-parse", "main")
    assert project.git("status", "--porcelain") == ""
    assert archive == project.root / "dist/pedocs-0.1.0.zip"


def test_the_next_release_says_what_changed(
    project: Project, monkeypatch: pytest.MonkeyPatch
) -> None:
    project.release("0.1.0", "2025-12-31")
    changes = project.read(CHANGES)
    project.write(
        CHANGES, changes.replace("## 0.1.0", "## Unreleased\n\n- More of it.\n\n## 0.1.0")
    )
    project.write(RECORD, NEW)
    project.commit()
    monkeypatch.setenv("PEDOCS_SITE_URL", "https://example.org/book")
    archive = project.release("1.0.0")

    first, second, third = changes.partition("## 0.1.0")
    assert project.read(CHANGES) == first + ENTRY + second + third
    assert project.read(RECORD) == NEW.replace("\t-\n", "\t1.0.0\n")
    assert '__version__ = "1.0.0"' in project.read("src/pedocs/__init__.py")
    citation = yaml.safe_load(project.read("CITATION.cff"))
    assert str(citation["version"]) == "1.0.0"
    assert str(citation["date-released"]) == "2026-11-30"
    assert citation["cff-version"] == "1.2.0"
    about = json.loads(project.read("codemeta.json"))
    assert about == {"name": "pedocs", "version": "1.0.0", "dateModified": "2026-11-30"}
    assert project.built == ["", "https://example.org/book/1.0.0/"]

    when = project.git("log", "-1", "--format=%ct", "v1.0.0")
    with zipfile.ZipFile(archive) as packed:
        assert packed.namelist() == sorted(
            f"pedocs-1.0.0/{name}" for name in [*FILES, "site/index.html"]
        )
        site = packed.read("pedocs-1.0.0/site/index.html").decode()
        assert site == f"v1.0.0 of {when}"
        assert packed.getinfo("pedocs-1.0.0/run.sh").external_attr >> 16 == 0o100755
        assert packed.read(f"pedocs-1.0.0/{RECORD}").decode() == project.read(RECORD)
    before = archive.read_bytes()
    assert Release(project.root, "1.0.0", "2026-11-30").pack() == archive
    assert archive.read_bytes() == before


def test_a_dry_run_writes_nothing(project: Project) -> None:
    before = project.state()
    release = Release(project.root, "1.0.0", "2026-11-30")
    project.write(CHANGES, project.read(CHANGES).replace("## 0.1.0", "## Unreleased"))
    project.commit()
    release.check()
    release.prepare()
    shown = release.difference()
    assert '+__version__ = "1.0.0"' in shown and "+## 1.0.0 · 2026-11-30" in shown
    assert "docs/permalinks.txt: 6 lines get the version 1.0.0" in shown
    assert project.git("rev-parse", "HEAD~1") == before[0]
    assert project.state()[1:3] == ("", "")


@pytest.mark.parametrize("fault", ["red", "changes the folder", "interrupted"])
def test_nothing_is_left_of_a_failed_release(project: Project, fault: str) -> None:
    before = project.state()

    def build(root: Path, env: dict[str, str]) -> None:
        if fault == "red":
            raise Refused("make build is red")
        if fault == "interrupted":
            raise KeyboardInterrupt
        project.write("stray.txt", "a")

    release = Release(project.root, "0.1.0", "2026-11-30")
    release.check()
    release.prepare()
    with pytest.raises((Refused, KeyboardInterrupt)):
        release.make(build)
    (project.root / "stray.txt").unlink(missing_ok=True)
    assert project.state() == before
    assert not list(project.root.glob("dist/*"))
    # A commit that a hook refuses, too.
    hook = project.root / ".git/hooks/pre-commit"
    hook.write_text("#!/bin/sh\nexit 1\n")
    hook.chmod(0o755)
    with pytest.raises(Refused, match="git commit"):
        project.release("0.1.0")
    assert project.state() == before


def test_what_is_refused(project: Project) -> None:
    def refused(version: str) -> str:
        before = project.state()
        with pytest.raises(Refused) as raised:
            project.release(version)
        assert project.state() == before
        return str(raised.value)

    assert "three numbers" in refused("1.0")
    assert "0.0.9 is not newer than 0.1.0" in refused("0.0.9")
    assert "does not begin with what is unreleased" in refused("0.2.0")
    project.git("checkout", "-q", "-b", "side")
    assert "this is side" in refused("0.1.0")
    project.git("checkout", "-q", "main")
    project.write("new.txt", "a")
    assert "not committed" in refused("0.1.0")
    project.commit()
    project.release("0.1.0")
    assert "exists already" in refused("0.1.0")
    assert "does not begin with what is unreleased" in refused("0.2.0")
    project.write(CHANGES, FILES[CHANGES].replace("## 0.1.0", "## Unreleased\n\n## 0.1.0"))
    project.commit()
    assert "says nothing of what is unreleased" in refused("0.2.0")
    (project.root / RECORD).unlink()
    project.commit()
    assert "docs/permalinks.txt is missing" in refused("0.2.0")
    project.write("README.md", "No version.\n")
    project.commit()
    assert "README.md has 0 places" in refused("0.2.0")


@pytest.mark.skipif(sys.platform == "win32" or not shutil.which("make"), reason="no make")
def test_the_build_is_red_if_make_is_or_the_audit(tmp_path: Path) -> None:
    build = make_build("paper")
    makefile = "build:\n\t@mkdir site && cp page site/index.html\npaper:\n\t@touch $(ARGS)a\n"
    (tmp_path / "index.html").write_text('<meta charset="utf-8">', "utf-8")
    policy.write(tmp_path)
    head = (tmp_path / "index.html").read_text("utf-8")
    env = dict(os.environ)
    for name, page in (("green", ""), ("dead", '<a href="gone/"></a>')):
        (tmp_path / name).mkdir()
        (tmp_path / name / "Makefile").write_text(makefile)
        (tmp_path / name / "page").write_text(head + page, "utf-8")
    build(tmp_path / "green", env)
    assert (tmp_path / "green/a").exists()
    with pytest.raises(Refused, match="audit site is red"):
        build(tmp_path / "dead", env)
    assert not (tmp_path / "dead/a").exists()
    with pytest.raises(Refused, match="build is red"):
        build(tmp_path / "green", env)  # its folder is there already


def test_a_link_that_is_gone_and_one_that_is_something_else() -> None:
    old = permalinks("a/#x\tSection\tA part\t1.0.0\na/#y\tTable\tCosts\t1.0.0\n")
    new = permalinks("a/#y\tFigure\tCosts\t1.0.0\n")
    assert list(differences(old, new)) == [
        "Changed figure, once table: `a/#y` says “Costs”, before “Costs”.",
        "Gone: `a/#x`.",
    ]


def test_a_long_line_of_the_changelog_is_wrapped() -> None:
    text = dated("# Changes\n\n## Unreleased\n\n- A.\n", "1.0.0", "2026-11-30", ["word " * 30])
    assert max(map(len, text.splitlines())) <= 100
    assert "\n- word" in text and "\n  word" in text
