"""Resolve requirements.lock afresh from requirements.in (needs uv).

    python tools/parity/lock.py

torch itself stays out, and with it what its build for graphics cards asks for: `make parity`
installs it by its version, in whichever build pip finds, which should be the small one.
"""

import re
import subprocess
from pathlib import Path

HERE = Path(__file__).parent
LEFT_OUT = re.compile(r"(torch|triton|cuda-\w+|nvidia-[\w-]+)==")
TITLE = "# Made from requirements.in by tools/parity/lock.py; torch is installed by its version.\n"


def main() -> None:
    """Write the lock."""
    command = ["uv", "pip", "compile", str(HERE / "requirements.in"), "--universal"]
    command += ["--python-version", "3.11", "--fork-strategy", "fewest", "--generate-hashes"]
    command += ["--no-emit-index-url", "--no-header", "--no-annotate", "--quiet"]
    text = subprocess.run(command, check=True, capture_output=True, text=True).stdout
    entries = re.split(r"\n(?=[a-z])", text.strip())
    kept = [entry for entry in entries if not LEFT_OUT.match(entry)]
    (HERE / "requirements.lock").write_text(TITLE + "\n".join(kept) + "\n", "utf-8")


if __name__ == "__main__":
    main()
