"""Change the library in small ways, one at a time, and see whether its tests notice.

`make mutate` runs mutmut over src/pedocs (the engine in book/ has tests of its own kind, which
alter pages). A mutant that survives is a line that no test holds, unless no test could: then it
stands in tools/survivors.toml with its reason. The script fails when fewer than 95% are killed,
when a survivor has no reason, and when a listed one does not survive any more.
"""

from __future__ import annotations

import json
import re
import subprocess
import sys
import tomllib
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
LISTED = ROOT / "tools" / "survivors.toml"
GOAL = 0.95


def mutmut(*arguments: str) -> str:
    """What a command of mutmut prints."""
    command = [sys.executable, "-m", "mutmut", *arguments]
    return subprocess.run(command, cwd=ROOT, check=True, capture_output=True, text=True).stdout


def survivors() -> list[tuple[str, str, str]]:
    """Each surviving mutant: its function, the line that was, the line that it became."""
    found = []
    for line in mutmut("results").splitlines():
        name, _, state = line.strip().partition(": ")
        if state in ("survived", "no tests", "suspicious"):
            diff = mutmut("show", name).splitlines()
            was = " ".join(text[1:].strip() for text in diff if re.match(r"-(?!--)", text))
            became = " ".join(text[1:].strip() for text in diff if re.match(r"\+(?!\+\+)", text))
            function = re.sub(r"__mutmut_\d+$", "", name).replace("x_", "", 1)
            found.append((re.sub(r"xǁ(\w+)ǁ", r"\1.", function), was, became))
    return found


def main() -> int:
    """Run mutmut and judge what it found."""
    subprocess.run([sys.executable, "-m", "mutmut", "run", *sys.argv[1:]], cwd=ROOT, check=True)
    mutmut("export-cicd-stats")
    counts = json.loads((ROOT / "mutants" / "mutmut-cicd-stats.json").read_text())
    alive = survivors()
    score = 1 - len(alive) / counts["total"]
    reasons = {
        (entry["function"], entry["was"], entry["became"])
        for entry in tomllib.loads(LISTED.read_text(encoding="utf-8")).get("survivor", [])
        if entry["reason"].strip()
    }
    for function, was, became in alive:
        if (function, was, became) not in reasons:
            print(f"survives without a reason: {function}\n  - {was}\n  + {became}")
    gone = reasons - set(alive)
    for function, was, became in sorted(gone):
        print(f"listed, but killed or gone: {function}\n  - {was}\n  + {became}")
    print(f"{counts['total'] - len(alive)} of {counts['total']} mutants killed ({score:.1%})")
    return int(score < GOAL or bool(gone) or any(each not in reasons for each in alive))


if __name__ == "__main__":
    raise SystemExit(main())
