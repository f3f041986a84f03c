"""What benchmarks in a browser share: a built site and its server."""

from __future__ import annotations

import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from http.server import ThreadingHTTPServer
from pathlib import Path
from threading import Thread

from tests.browser.conftest import Handler

ROOT = Path(__file__).parents[1]


@contextmanager
def site() -> Iterator[Path]:
    """Give the site that the command line names, or one that is built for it."""
    if len(sys.argv) > 1:
        yield Path(sys.argv[1])
        return
    with tempfile.TemporaryDirectory() as folder:
        command = [sys.executable, "-m", "mkdocs", "build", "-q", "-d", folder]
        subprocess.run(command, cwd=ROOT, check=True)
        yield Path(folder)


@contextmanager
def served(folder: Path, handler: type[Handler] = Handler) -> Iterator[str]:
    """Serve a site for a while; gives its address."""
    with ThreadingHTTPServer(("127.0.0.1", 0), partial(handler, directory=str(folder))) as server:
        Thread(target=server.serve_forever, daemon=True).start()
        try:
            yield f"http://127.0.0.1:{server.server_port}/book/"
        finally:
            server.shutdown()
