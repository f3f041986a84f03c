"""Running a notebook as a reader does: in a kernel, in another process than the one that tests."""

import os
import subprocess
from pathlib import Path

import nbformat
from nbclient import NotebookClient


def execute(file: Path, folder: Path, library: Path | None) -> nbformat.NotebookNode:
    """Run a notebook in a folder, on a library that lies in another one if one is given."""
    found: nbformat.NotebookNode = nbformat.read(file, as_version=4)
    client = NotebookClient(found, timeout=300, resources={"metadata": {"path": str(folder)}})
    environment = os.environ | ({"PYTHONPATH": str(library)} if library else {})
    client.execute(env=environment, stderr=subprocess.DEVNULL)
    return found
