"""Ask for links, by lychee: it retries, follows redirects, and is polite to each host."""

from __future__ import annotations

import json
import subprocess
import tempfile
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, ClassVar

SETTINGS = Path(__file__).with_name("lychee.toml")


@dataclass(frozen=True)
class Answer:
    """What came of asking for a link."""

    KINDS: ClassVar = ("there", "moved", "dead", "not asked")

    link: str
    kind: str
    words: str = ""  # what the host said, or where the link leads now


def ask(lychee: Path, links: Iterable[str], settings: Path = SETTINGS) -> list[Answer]:
    """Ask for each link once.

    Raises OSError if lychee itself fails, RuntimeError if it is silent about a link.
    """
    links = list(links)
    with tempfile.TemporaryDirectory() as folder:
        given, said = Path(folder, "links.txt"), Path(folder, "said.json")
        given.write_text("".join(f"{link}\n" for link in links), "utf-8")
        command = [
            *(str(lychee), "--config", str(settings), "--no-progress", "--verbose"),
            *("--format", "json", "--output", str(said), str(given)),
        ]
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        # lychee ends with 2 if a link is dead, and with others if it could not begin.
        if done.returncode not in (0, 2) or not said.exists():
            raise OSError(f"lychee ended with {done.returncode}: {done.stderr.strip()}")
        answers = dict(_answers(json.loads(said.read_text("utf-8"))))
    if silent := [link for n, link in enumerate(links, 1) if n not in answers]:
        raise RuntimeError(f"lychee says nothing of {', '.join(silent)}")
    return [Answer(link, *answers[n]) for n, link in enumerate(links, 1)]


def _answers(said: dict[str, Any]) -> Iterator[tuple[int, tuple[str, str]]]:
    """What lychee says of each line of its one file."""
    kinds = {"success_map": "there", "excluded_map": "not asked"}
    kinds |= {"error_map": "dead", "timeout_map": "dead"}
    for name, kind in kinds.items():
        for each in (each for found in said[name].values() for each in found):
            steps = each.get("redirects", {}).get("redirects", [])
            # One that leads on for the time being, as a DOI does, is where it should be.
            if kind == "there" and steps and all(step["code"] in (301, 308) for step in steps):
                answer = "moved", steps[-1]["url"]
            else:
                answer = kind, each["status"]["text"] if kind == "dead" else ""
            yield each["span"]["line"], answer
