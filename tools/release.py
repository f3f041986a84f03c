"""Release a version here, and push nothing: `make release VERSION=1.0.0`.

The version is written where it stands, and the day with it; the changelog gets its date and a list
of what changed under permanent addresses; then all of it is committed, tagged and built, and
packed for an archive that gives it a DOI. Nothing is left of a release that fails on the way.
"""

from __future__ import annotations

import argparse
import difflib
import io
import os
import re
import subprocess
import sys
import tarfile
import textwrap
import zipfile
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path

from packaging.version import Version

from pedocs.book.permalinks import recorded, released

ROOT = Path(__file__).resolve().parents[1]
RECORD = "docs/permalinks.txt"
CHANGES = "CHANGELOG.md"
_NUMBER = r"\d+\.\d+\.\d+"
_DAY = r"\d{4}-\d\d-\d\d"

# Where the version and the day of a release stand: the file, what is there, what comes there.
PLACES = (
    ("src/pedocs/__init__.py", rf'^(__version__ = "){_NUMBER}(")$', r"\g<1>{version}\2"),
    ("README.md", rf"^(version ){_NUMBER}(\.)", r"\g<1>{version}\2"),
    ("README.md", r"^(The pedocs authors \()\d{4}(\)\.)", r"\g<1>{year}\2"),
    ("CITATION.cff", rf"^(version: ){_NUMBER}()$", r"\g<1>{version}\2"),
    ("CITATION.cff", rf"^(date-released: ){_DAY}()$", r"\g<1>{day}\2"),
    ("codemeta.json", rf'^(  "version": "){_NUMBER}(",?)$', r"\g<1>{version}\2"),
    ("codemeta.json", rf'^(  "date(?:Modified|Published)": "){_DAY}(",?)$', r"\g<1>{day}\2"),
)

Build = Callable[[Path, dict[str, str]], None]


class Refused(Exception):
    """Why there is no release."""


@dataclass
class Release:
    """A version of the project in a folder, on a day."""

    root: Path
    version: str
    day: str
    before: dict[str, str] = field(default_factory=dict)
    after: dict[str, str] = field(default_factory=dict)

    @property
    def tag(self) -> str:
        """The tag that marks the release."""
        return f"v{self.version}"

    def git(self, *arguments: str) -> str:
        """What a git command says; its complaint as Refused."""
        done = subprocess.run(
            ["git", *arguments], cwd=self.root, capture_output=True, text=True, encoding="utf-8"
        )
        if done.returncode:
            raise Refused(f"git {arguments[0]}: {done.stderr.strip() or done.stdout.strip()}")
        return done.stdout

    def last(self) -> str:
        """The tag of the newest release, or ""."""
        tags = [tag for tag in self.git("tag").split() if re.fullmatch(f"v{_NUMBER}", tag)]
        return max(tags, key=lambda tag: Version(tag[1:]), default="")

    def check(self) -> None:
        """Refuse what must not be released."""
        if not re.fullmatch(_NUMBER, self.version):
            raise Refused(f"a version is three numbers, 1.0.0, and not {self.version!r}")
        if (branch := self.git("branch", "--show-current").strip()) != "main":
            raise Refused(f"releases are made on main, and this is {branch or 'no branch'}")
        if changed := self.git("status", "--porcelain").rstrip():
            raise Refused(f"the folder has changes that are not committed:\n{changed}")
        if self.git("tag", "--list", self.tag).strip():
            raise Refused(f"the tag {self.tag} exists already")
        present = re.search(PLACES[0][1], self.read(PLACES[0][0]), re.M)
        for other in (self.last()[1:], re.findall(_NUMBER, present[0])[0] if present else ""):
            # The version that stands in the files may be the first to be released.
            if other and Version(self.version) < Version(other):
                raise Refused(f"{self.version} is not newer than {other}")

    def read(self, name: str) -> str:
        """A file as it is."""
        try:
            return (self.root / name).read_text("utf-8")
        except FileNotFoundError:
            raise Refused(f"{name} is missing") from None

    def prepare(self) -> None:
        """Work out what all files will say; write none."""
        words = {"version": self.version, "day": self.day, "year": self.day[:4]}
        for name, pattern, words_there in PLACES:
            text = self.after.get(name) or self.read(name)
            self.before.setdefault(name, text)
            self.after[name], count = re.subn(
                pattern, words_there.format(**words), text, flags=re.M
            )
            if count != 1:
                raise Refused(f"{name} has {count} places for what it should say once: {pattern}")
        record = self.before[RECORD] = self.read(RECORD)
        self.after[RECORD] = released(record, self.version)
        self.before[CHANGES] = self.read(CHANGES)
        last = self.last()
        had = last and self.git("ls-tree", "--name-only", last, RECORD).strip()
        old = permalinks(self.git("show", f"{last}:{RECORD}")) if had else {}
        new = permalinks(self.after[RECORD])
        self.after[CHANGES] = dated(
            self.before[CHANGES], self.version, self.day, list(differences(old, new))
        )

    def write(self, texts: dict[str, str]) -> None:
        """Write files, lines ending as they are."""
        for name, text in texts.items():
            (self.root / name).write_text(text, "utf-8", newline="\n")

    def difference(self) -> str:
        """What will change, in short for the record of the permalinks."""
        shown = [name for name in self.after if name != RECORD]
        lines = (
            line
            for name in shown
            for line in difflib.unified_diff(
                self.before[name].splitlines(),
                self.after[name].splitlines(),
                name,
                name,
                n=0,
                lineterm="",
            )
        )
        stamped = sum(
            a != b
            for a, b in zip(
                self.before[RECORD].splitlines(), self.after[RECORD].splitlines(), strict=True
            )
        )
        return "\n".join([*lines, f"{RECORD}: {stamped} lines get the version {self.version}"])

    def make(self, build: Build, extra: tuple[str, ...] = ()) -> Path:
        """Commit, tag, build and pack; undo all of it if one fails. Return the archive."""
        head = self.git("rev-parse", "HEAD").strip()
        try:
            self.write(self.after)
            self.git("add", "--", *self.after)
            self.git("commit", "--quiet", "--message", f"Version {self.version}")
            self.git("tag", "--annotate", self.tag, "--message", f"Version {self.version}")
            # After the tag, so that the site says that it is the release.
            build(self.root, self.environment())
            if changed := self.git("status", "--porcelain").rstrip():
                raise Refused(f"the build changed the folder:\n{changed}")
            return self.pack(extra)
        except BaseException:
            self.undo(head)
            raise

    def undo(self, head: str) -> None:
        """Back to a commit, keeping what somebody else may have changed meanwhile."""
        if self.git("tag", "--list", self.tag).strip():
            self.git("tag", "--delete", self.tag)
        if self.git("rev-parse", "HEAD").strip() == head:
            self.git("reset", "--quiet", "--", *self.after)
            self.write(self.before)
        else:
            self.git("reset", "--quiet", "--keep", head)

    def environment(self) -> dict[str, str]:
        """The build's environment: of the site's address, the place of this version."""
        env = dict(os.environ)
        env["SOURCE_DATE_EPOCH"] = self.git("log", "-1", "--format=%ct").strip()
        address = env.get("PEDOCS_SITE_URL", "")
        if address and not address.rstrip("/").endswith(f"/{self.version}"):
            env["PEDOCS_SITE_URL"] = f"{address.rstrip('/')}/{self.version}/"
        return env

    def pack(self, extra: tuple[str, ...] = ()) -> Path:
        """The source of the tag, the site and the paper as one zip, always of the same bytes."""
        name = f"pedocs-{self.version}"
        files: dict[str, tuple[bytes, int]] = {}
        command = ["git", "archive", "--format=tar", self.tag]
        tar = subprocess.check_output(command, cwd=self.root)
        with tarfile.open(fileobj=io.BytesIO(tar)) as source:
            for member in source:
                if member.isfile() and (held := source.extractfile(member)):
                    files[member.name] = held.read(), 0o755 if member.mode & 0o100 else 0o644
        paper = [path for pattern in extra for path in self.root.glob(pattern)]
        for path in [*(self.root / "site").rglob("*"), *paper]:
            if path.is_file():
                files[path.relative_to(self.root).as_posix()] = path.read_bytes(), 0o644
        seconds = int(self.git("log", "-1", "--format=%ct", self.tag))
        when = datetime.fromtimestamp(seconds, UTC).timetuple()[:6]
        archive = self.root / "dist" / f"{name}.zip"
        archive.parent.mkdir(exist_ok=True)
        part = archive.with_name(f"{archive.name}.part")
        with zipfile.ZipFile(part, "w", zipfile.ZIP_DEFLATED, compresslevel=9) as packed:
            for inner, (content, mode) in sorted(files.items()):
                info = zipfile.ZipInfo(f"{name}/{inner}", when)
                info.create_system, info.external_attr = 3, (0o100000 | mode) << 16
                info.compress_type = zipfile.ZIP_DEFLATED
                packed.writestr(info, content)
        return part.replace(archive)


# --- the changelog -------------------------------------------------------------------------------


def permalinks(text: str) -> dict[str, tuple[str, str]]:
    """Each link of the record with its kind and its text."""
    return {line.link: (line.kind, line.text) for line in recorded(text).values()}


def dated(changes: str, version: str, day: str, more: list[str]) -> str:
    """The changelog with its first entry dated, and lines added to it."""
    heading = re.search(rf"^## (Unreleased|{re.escape(version)})\n", changes, re.M)
    first = re.search(r"^## .*\n", changes, re.M)
    if not heading or not first or heading.start() != first.start():
        raise Refused(f"{CHANGES} does not begin with what is unreleased: ## Unreleased")
    rest = re.compile(r"^## ", re.M).search(changes, heading.end())
    end = rest.start() if rest else len(changes)
    entry = changes[heading.end() : end].strip()
    if not entry:
        raise Refused(f"{CHANGES} says nothing of what is unreleased")
    wrapped = "\n".join(
        textwrap.fill(
            line,
            100,
            initial_indent="- ",
            subsequent_indent="  ",
            break_long_words=False,
            break_on_hyphens=False,
        )
        for line in more
    )
    tail = f"\n\n{changes[end:]}" if rest else "\n"
    added = f"\n{wrapped}" if wrapped else ""
    return f"{changes[: heading.start()]}## {version} · {day}\n\n{entry}{added}{tail}"


def differences(old: dict[str, tuple[str, str]], new: dict[str, tuple[str, str]]) -> Iterator[str]:
    """Which numbers, statements and links changed, a line each, and how many came."""
    for link, (kind, text) in new.items():
        had, said = old.get(link, (kind, text))
        if kind == "Moved" != had:
            yield f"Moved: `{link}` leads to `{text}`."
        elif kind == "Erratum" and old and link not in old:
            yield f"New erratum: `{link}`, {text}."
        elif (kind, text) != (had, said) and kind == "Equation":
            yield f"Changed equation: `{link}`."
        elif (kind, text) != (had, said):
            name = kind.lower() if kind == had else f"{kind.lower()}, once {had.lower()}"
            yield f"Changed {name}: `{link}` says “{text}”, before “{said}”."
    for link in old:
        if link not in new:
            yield f"Gone: `{link}`."
    counts = Counter(kind for link, (kind, _) in new.items() if link not in old and kind != "Moved")
    if counts:
        kinds = ", ".join(_several(kind, counts[kind]) for kind in sorted(counts))
        yield f"New permanent addresses: {counts.total():,}; {kinds}."


def _several(kind: str, count: int) -> str:
    words = kind.lower()
    if count != 1:
        words = "errata" if kind == "Erratum" else f"{words}s"
    return f"{count:,} {words}"


# --- the command ---------------------------------------------------------------------------------


def make_build(*more: str) -> Build:
    """A build by the Makefile, audited, and what more it makes of the site."""

    def build(root: Path, env: dict[str, str]) -> None:
        audit = [sys.executable, "-m", "pedocs.book.audit", "site"]
        for command in (["make", "build"], audit, *(["make", target] for target in more)):
            # ARGS are those of the release.
            arguments = ["ARGS="] if command[0] == "make" else []
            if subprocess.run([*command, *arguments], cwd=root, env=env).returncode:
                raise Refused(f"{' '.join(command)} is red")

    return build


NEXT = """\
{tag} is committed, tagged and packed, and nothing is pushed. Look at it:
  git show {tag}; {archive} ({size:.1f} MB)
Then publish it, and give the archive to a service that makes a DOI of it:
  git push --atomic origin main {tag}
Or take it back:
  git tag --delete {tag} && git reset --keep HEAD~1"""


def main() -> None:
    """Read the arguments; say in a line what is wrong."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("version", help="three numbers: 1.0.0")
    parser.add_argument("--dry-run", action="store_true", help="only say what would change")
    parser.add_argument("--paper", action="store_true", help="make PDF and EPUB too, and pack them")
    arguments = parser.parse_args()
    release = Release(ROOT, arguments.version, datetime.now(UTC).date().isoformat())
    try:
        release.check()
        release.prepare()
        if arguments.dry_run:
            print(release.difference())
            return
        paper = arguments.paper
        archive = release.make(
            make_build("paper") if paper else make_build(),
            ("dist/*.pdf", "dist/*.epub") if paper else (),
        )
    except Refused as refused:
        sys.exit(f"There is no release: {refused}")
    size = archive.stat().st_size / 1e6
    print(NEXT.format(tag=release.tag, archive=archive.relative_to(ROOT), size=size))


if __name__ == "__main__":
    main()
