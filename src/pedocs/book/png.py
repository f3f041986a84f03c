"""PNG pictures of SVG drawings, drawn by resvg with the faces that matplotlib measured with.

A picture takes a tenth of a second or more. It is kept in a folder, under a name that is made of
all that it depends on, so that a build draws only what is new.
"""

from __future__ import annotations

import hashlib
import os
import struct
import zlib
from collections.abc import Iterable, Mapping
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context
from pathlib import Path

_SIGNATURE = b"\x89PNG\r\n\x1a\n"
# Twice as fine as the page: pictures end up on slides.
_ZOOM = 2
_FACES = ("DejaVuSans*.ttf", "STIXGeneral*.ttf")
# A process takes as long to start as a few pictures take to draw.
_WORTHWHILE = 8


def render(drawings: Iterable[str], cache: Path) -> list[bytes]:
    """The pictures of drawings, from the cache or drawn and put there."""
    drawings = list(drawings)
    files = [cache / f"{_key(drawing)}.png" for drawing in drawings]
    new = {
        file: drawing for file, drawing in zip(files, drawings, strict=True) if not file.is_file()
    }
    if new:
        cache.mkdir(parents=True, exist_ok=True)
        cores = min(os.cpu_count() or 1, 8)
        if len(new) >= _WORTHWHILE and cores > 1:
            with ProcessPoolExecutor(cores, get_context("spawn")) as pool:
                made = list(pool.map(_draw, new.values()))
        else:
            made = [_draw(drawing) for drawing in new.values()]
        for file, picture in zip(new, made, strict=True):
            part = file.with_suffix(f".{os.getpid()}")
            part.write_bytes(picture)
            part.replace(file)
    return [file.read_bytes() for file in files]


def _key(drawing: str) -> str:
    import matplotlib
    import resvg_py

    depends = (drawing, resvg_py.__version__, matplotlib.__version__, str(_ZOOM))
    return hashlib.sha256("\n".join(depends).encode()).hexdigest()[:32]


def _draw(drawing: str) -> bytes:
    import matplotlib
    import resvg_py

    folder = Path(matplotlib.get_data_path(), "fonts", "ttf")
    return bytes(
        resvg_py.svg_to_bytes(
            svg_string=drawing,
            zoom=_ZOOM,
            skip_system_fonts=True,
            font_files=[str(file) for face in _FACES for file in sorted(folder.glob(face))],
            font_family="DejaVu Sans",
            sans_serif_family="DejaVu Sans",
            serif_family="STIXGeneral",
            monospace_family="DejaVu Sans Mono",
        )
    )


def described(picture: bytes, texts: Mapping[str, str]) -> bytes:
    """A picture with texts in it, by their keywords; empty ones are left out."""
    end = len(_SIGNATURE) + 25  # the header: a chunk of 13 bytes
    chunks = [
        _chunk(b"iTXt", name.encode("latin-1") + b"\0\0\0\0\0" + text.encode())
        for name, text in texts.items()
        if text
    ]
    return picture[:end] + b"".join(chunks) + picture[end:]


def texts(picture: bytes) -> dict[str, str]:
    """The texts in a picture, by their keywords."""
    found, at = {}, len(_SIGNATURE)
    while at < len(picture):
        [length] = struct.unpack(">I", picture[at : at + 4])
        kind, content = picture[at + 4 : at + 8], picture[at + 8 : at + 8 + length]
        if kind == b"iTXt":
            name, _, rest = content.partition(b"\0")
            found[name.decode("latin-1")] = rest[4:].decode()
        at += length + 12
    return found


def _chunk(kind: bytes, content: bytes) -> bytes:
    body = kind + content
    return struct.pack(">I", len(content)) + body + struct.pack(">I", zlib.crc32(body))
