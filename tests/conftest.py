"""Fixtures for tests of the built site, and how hypothesis looks for examples."""

import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import settings

# The same examples on every run, and no example that fails for being slow.
settings.register_profile("pedocs", derandomize=True, deadline=None, database=None)
settings.load_profile("pedocs")

ROOT = Path(__file__).parents[1]

Build = Callable[[Path, str], None]


@pytest.fixture(scope="session")
def build() -> Build:
    """Return a function that builds the site into a folder, as a reader's terminal would."""

    def run(folder: Path, site_url: str = "") -> None:
        command = [sys.executable, "-m", "mkdocs", "build", "--quiet", "--site-dir", str(folder)]
        env = os.environ | {
            "NO_MKDOCS_2_WARNING": "1",
            "PEDOCS_SITE_URL": site_url,
            "PYTHONUTF8": "1",
        }
        result = subprocess.run(
            command, cwd=ROOT, env=env, capture_output=True, text=True, encoding="utf-8"
        )
        if result.returncode:
            pytest.fail(f"mkdocs build: {result.stdout}{result.stderr}", pytrace=False)

    return run


@pytest.fixture(scope="session")
def site(build: Build, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return the folder of a site that was built for no address in particular."""
    folder = tmp_path_factory.mktemp("built") / "site"
    build(folder, "")
    return folder
