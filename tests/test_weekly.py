"""What the weekly workflows do with what they found, with a stand-in for gh."""

import os
import re
import shutil
import subprocess
from pathlib import Path

import pytest
import yaml

ROOT = Path(__file__).parents[1]
HERE = ROOT / ".github"
STAND_IN = """\
#!/bin/sh
printf '%s\\n' "$*" >> "$SAID"
case "$1 $2" in "issue list" | "pr list") cat "$OPEN" ;; esac
"""
GIT = ("git", "-c", "user.name=a", "-c", "user.email=a@example.org")

pytestmark = pytest.mark.skipif(
    os.name == "nt" or not shutil.which("git"), reason="the workflows run where bash and git are"
)


class Desk:
    """A folder in which scripts run, and what they asked gh for."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        (folder / "bin").mkdir()
        (folder / "bin/gh").write_text(STAND_IN)
        (folder / "bin/gh").chmod(0o755)
        self.open = folder / "open"
        self.open.write_text("")
        self.said = folder / "said"

    def run(self, script: str, *arguments: str, cwd: Path | None = None) -> list[str]:
        self.said.write_text("")
        names = {"GIT_AUTHOR_NAME": "a", "GIT_AUTHOR_EMAIL": "a@b", "GIT_COMMITTER_NAME": "a"}
        env = os.environ | names | {"SAID": str(self.said), "OPEN": str(self.open)}
        env |= {"PATH": f"{self.folder / 'bin'}:{os.environ['PATH']}", "GIT_COMMITTER_EMAIL": "a@b"}
        command = ["bash", str(HERE / script), *arguments]
        subprocess.run(command, cwd=cwd or self.folder, env=env, check=True, capture_output=True)
        return [" ".join(line.split()[:3]) for line in self.said.read_text().splitlines()]


@pytest.fixture
def desk(tmp_path: Path) -> Desk:
    """Return a desk in a folder of its own."""
    return Desk(tmp_path)


@pytest.mark.parametrize(
    ("found", "text", "done"),
    [
        ("", "a link", ["label create weekly", "issue create --title"]),
        ("7", "a link", ["issue edit 7"]),
        ("7", "", ["issue close 7"]),
        ("", "", []),
    ],
)
def test_one_issue_is_open_while_there_is_something_to_say(
    desk: Desk, found: str, text: str, done: list[str]
) -> None:
    desk.open.write_text(found)
    (desk.folder / "text.md").write_text(text)
    assert desk.run("issue.sh", "A title", "text.md") == ["issue list --state", *done]


def test_a_report_that_is_not_there_says_nothing(desk: Desk) -> None:
    desk.open.write_text("7")
    assert desk.run("issue.sh", "A title", "no.md")[1:] == ["issue close 7"]


def test_copies_are_proposed_once(desk: Desk, tmp_path: Path) -> None:
    bare, work = tmp_path / "bare", tmp_path / "work"
    subprocess.run(["git", "init", "-q", "--bare", bare], check=True)
    subprocess.run(["git", "clone", "-q", bare, work], check=True, capture_output=True)
    record = work / "record.json"
    record.write_text("{}\n")
    for command in (["add", "."], ["commit", "-q", "-m", "a"], ["push", "-q", "origin", "HEAD"]):
        subprocess.run([*GIT, *command], cwd=work, check=True)
    (work / "text.md").write_text("text")

    def propose() -> list[str]:
        return desk.run("propose.sh", "copies", "Title", "record.json", "text.md", cwd=work)

    assert propose() == []
    record.write_text('{"a": 1}\n')
    assert propose() == ["pr list --state", "pr create --head"]
    pushed = subprocess.check_output(["git", "show", "copies:record.json"], cwd=bare, text=True)
    assert pushed == '{"a": 1}\n'
    desk.open.write_text("9")
    record.write_text('{"a": 2}\n')
    assert propose() == ["pr list --state", "pr edit 9"]
    pushed = subprocess.check_output(["git", "show", "copies:record.json"], cwd=bare, text=True)
    assert pushed == '{"a": 2}\n'


@pytest.mark.parametrize("name", ["weekly", "links"])
def test_what_runs_weekly_can_be_run_by_hand_and_writes_in_one_job_alone(name: str) -> None:
    content = yaml.safe_load((HERE / f"workflows/{name}.yml").read_text("utf-8"))
    triggers = content[True]  # YAML reads the key `on` so
    assert set(triggers) == {"schedule", "workflow_dispatch"}
    (when,) = triggers["schedule"]
    assert re.fullmatch(r"\d+ \d+ \* \* \d", when["cron"])
    writing = [job for job, of in content["jobs"].items() if "write" in of["permissions"].values()]
    assert writing == ["tell"]
    # What may write runs nothing of the book or its dependencies.
    assert not re.search(r"\bmake\b|python", str(content["jobs"]["tell"]["steps"]))
