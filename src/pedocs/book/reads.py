"""Which files a piece of work opens: what its result depends on, besides code.

Python announces each file that it opens, whoever opens it: the engine, a generated part, a library.
What is read once and remembered announces itself by `note` whenever it is asked for.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from pathlib import Path
from typing import Any

# Stands for what cannot be known: another process, or another machine, had a part in it.
UNKNOWN = "?"
_BEYOND = {"os.exec", "os.fork", "os.forkpty", "os.posix_spawn", "os.spawn", "os.startfile",
           "os.system", "pty.spawn", "socket.connect", "subprocess.Popen"}  # fmt: skip

_opened: ContextVar[set[str] | None] = ContextVar("opened", default=None)
_listening = False


def _listen(event: str, arguments: tuple[Any, ...]) -> None:
    if event != "open" and event not in _BEYOND:
        return
    opened = _opened.get()
    if opened is None:
        return
    if event in _BEYOND:
        opened.add(UNKNOWN)
    elif isinstance(arguments[0], (str, bytes, os.PathLike)):
        opened.add(os.path.abspath(os.fsdecode(arguments[0])))  # noqa: PTH100 - resolves no link


@contextmanager
def recorded() -> Iterator[set[str]]:
    """Collect the files that are opened inside, as absolute paths."""
    global _listening
    if not _listening:  # for good: Python takes no listener back
        sys.addaudithook(_listen)
        _listening = True
    opened: set[str] = set()
    token = _opened.set(opened)
    try:
        yield opened
    finally:
        _opened.reset(token)


def note(*paths: Path | str | Iterable[str]) -> None:
    """Count files as opened: those that stand behind something remembered."""
    opened = _opened.get()
    if opened is not None:
        for path in paths:
            if isinstance(path, (str, Path)):
                opened.add(str(path))
            else:
                opened.update(path)
