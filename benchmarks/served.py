"""What benchmarks in a browser share: a built site and its server."""

from __future__ import annotations

import gzip
import hashlib
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from http.server import ThreadingHTTPServer
from pathlib import Path
from threading import Thread
from typing import ClassVar

from tests.browser.conftest import Handler

ROOT = Path(__file__).parents[1]


class Packed(Handler):
    """Serves as a static host does: packed by gzip, kept for ten minutes; and counts the bytes."""

    protocol_version = "HTTP/1.1"
    sent: ClassVar[list[tuple[str, int]]] = []  # what was asked for, and the bytes of the answer
    packed: ClassVar[dict[Path, bytes]] = {}

    def do_GET(self) -> None:  # noqa: N802
        """Answer with a file of the site, and count it."""
        path = Path(self.translate_path(self.path))
        path = path / "index.html" if path.is_dir() else path
        if not path.is_file():
            self.send_error(404)
            return
        kind = self.guess_type(path)
        text = kind.startswith("text/") or kind.endswith(("json", "xml", "wasm"))
        if path not in self.packed:
            content = path.read_bytes()
            self.packed[path] = gzip.compress(content, 6, mtime=0) if text else content
        body = self.packed[path]
        mark = f'"{hashlib.sha256(body).hexdigest()[:16]}"'
        known = self.headers.get("If-None-Match") == mark
        self.send_response(304 if known else 200)
        self.send_header("Content-Type", f"{kind}; charset=utf-8" if text else kind)
        if text:
            self.send_header("Content-Encoding", "gzip")
            self.send_header("Vary", "Accept-Encoding")
        self.send_header("Cache-Control", "max-age=600")
        self.send_header("ETag", mark)
        self.send_header("Content-Length", str(0 if known else len(body)))
        head = len(b"".join(self._headers_buffer)) + 2  # type: ignore[attr-defined]
        self.end_headers()
        if not known:
            self.wfile.write(body)
        self.sent.append((self.path, head + (0 if known else len(body))))


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
