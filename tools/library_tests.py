"""Run the tests of the library alone: they need numpy, pytest and hypothesis, and no lock.

Which those are stands once, in pyproject.toml, for the mutation tests.
"""

import subprocess
import sys
import tomllib
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]

if __name__ == "__main__":
    settings = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["tool"]["mutmut"]
    arguments = [
        *settings["pytest_add_cli_args"],
        *settings["pytest_add_cli_args_test_selection"],
        *sys.argv[1:],
    ]
    sys.exit(subprocess.call([sys.executable, "-m", "pytest", *arguments], cwd=ROOT))
