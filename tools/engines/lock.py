"""Resolve requirements.lock afresh from requirements.in: python tools/engines/lock.py (needs uv).

What the book's own lock has stays out, and keeps its version: the generators alone differ.
"""

import re
import subprocess
from pathlib import Path

HERE = Path(__file__).parent
OWN = HERE.parents[1] / "requirements.lock"
TITLE = "# Made from requirements.in by tools/engines/lock.py: what requirements.lock lacks.\n"


def main() -> None:
    """Write the lock."""
    own = re.findall(r"^[a-z0-9][\w.-]*==[^\\\n]*", OWN.read_text("utf-8"), re.M)
    command = ["uv", "pip", "compile", str(HERE / "requirements.in"), "--constraint", "-"]
    command += ["--universal", "--python-version", "3.11", "--generate-hashes"]
    command += ["--no-emit-index-url", "--no-header", "--no-annotate", "--quiet"]
    done = subprocess.run(command, input="\n".join(own), check=True, capture_output=True, text=True)
    names = {line.partition("==")[0] for line in own}
    entries = re.split(r"\n(?=[a-z])", done.stdout.strip())
    kept = [entry for entry in entries if entry.partition("==")[0] not in names]
    (HERE / "requirements.lock").write_text(TITLE + "\n".join(kept) + "\n", "utf-8")


if __name__ == "__main__":
    main()
