"""Which edition of the book a build makes: version, date, commit, by what, and where it is found.

The address of the site and that of the repository come from the environment, as the site's
configuration hands them on. Without them a build is a copy that has no public link, and says so.
"""

from __future__ import annotations

import json
import os
import platform
import subprocess
from dataclasses import asdict, dataclass
from datetime import UTC, datetime
from functools import lru_cache
from pathlib import Path

import numpy as np

import pedocs


@dataclass(frozen=True)
class Edition:
    """What a citation of this build has to say."""

    version: str
    # The day of the commit that is built, YYYY-MM-DD; empty where it is not known.
    date: str
    commit: str
    # Whether this commit is the one that was released under the version.
    released: bool
    # Where the site and the repository are, each with a slash at its end, or "".
    address: str
    repository: str
    # The seed of a course, whose exercises have numbers of their own; None for the book itself.
    seed: int | None = None

    @property
    def name(self) -> str:
        """The version, and what tells it from others that bear the version too: commit, seed."""
        more = [] if self.released or not self.commit else [self.commit]
        if self.seed is not None:
            more.append(f"seed{self.seed}")
        return "+".join(filter(None, [self.version, ".".join(more)]))

    def link(self, place: str, item: str = "") -> str:
        """The permalink of a page or an item of it; empty without a public address."""
        if not self.address:
            return ""
        return f"{self.address}{place}" + (f"#{item}" if item else "")


def edition(address: str | None, repository: str | None, seed: int | None = None) -> Edition:
    """The edition that this build makes, for a site and a repository that may have addresses.

    `seed` is that of a course, if it has one.
    """
    seconds = int(os.environ.get("SOURCE_DATE_EPOCH") or 0)
    tag = git("describe", "--exact-match", "--tags", "--match", "v*") or ""
    return Edition(
        version=pedocs.__version__,
        date=datetime.fromtimestamp(seconds, UTC).date().isoformat() if seconds else "",
        commit=commit() or "",
        released=tag == f"v{pedocs.__version__}",
        address=_ended(address),
        repository=_ended(repository),
        seed=seed,
    )


def write_edition(site: Path, said: Edition) -> None:
    """Let the site say which edition it is: edition.json, for what is made of it later."""
    text = json.dumps(asdict(said), indent=1, ensure_ascii=False) + "\n"
    (site / "edition.json").write_text(text, "utf-8")


def _ended(address: str | None) -> str:
    return address.rstrip("/") + "/" if address else ""


@lru_cache(maxsize=1)
def commit() -> str | None:
    """The commit that is built: from the environment, else from git, else unknown."""
    given = os.environ.get("PEDOCS_COMMIT") or os.environ.get("GITHUB_SHA")
    if given:
        return given[:12]
    return (git("rev-parse", "HEAD") or "")[:12] or None


def git(*arguments: str) -> str | None:
    """What git says of the book's own repository; None if the book is in none."""
    root = Path(__file__).parents[3]
    if not (root / ".git").exists():
        return None
    try:
        found = subprocess.run(
            ["git", *arguments], cwd=root, capture_output=True, text=True, check=True
        )
    except (OSError, subprocess.CalledProcessError):
        return None
    return found.stdout.strip()


def made_by() -> str:
    """What recomputed the numbers."""
    return f"numpy {np.__version__} and Python {platform.python_version()}"


def provenance() -> str:
    """Which versions recomputed the numbers, at which commit."""
    made = f"pedocs {pedocs.__version__}, {made_by().replace(' and', ',')}"
    return f"{made}, commit {found}" if (found := commit()) else made
