"""Whether a file, packed or not, holds text of a solution.

A solution is told by its runs of words: six in a row that stand nowhere else in the book. Any
copy of it has many of them, whatever the format puts between the words.
"""

import base64
import gzip
import io
import json
import re
import zipfile
import zlib
from collections.abc import Iterable, Iterator
from html import unescape
from pathlib import Path
from typing import Any

from pedocs.book import png
from pedocs.book.page import read
from pedocs.book.parts import Value
from pedocs.book.scan import scan

LENGTH = 6
Run = tuple[str, ...]

# What holds no text that anybody could read: typefaces, tables of numbers, programs.
_UNREAD = {".woff2", ".woff", ".ttf", ".bin", ".wasm", ".ico", ".jpg"}
_VALUE = re.compile(r"\{([^{}=]*) = [^{}]*\}")


def runs(text: str) -> Iterator[Run]:
    """The runs of words of a text."""
    words = re.findall(r"\w+", text)
    return zip(*(words[k:] for k in range(LENGTH)), strict=False)


def telltales(pages: Iterable[Path], rest: Iterable[Path] = ()) -> set[Run]:
    """The runs of words that stand in solutions of pages, and in no other text of them."""
    solutions, others = set[Run](), set[Run]()
    for path in pages:
        text, spans = solved(path)
        for start, end in spans:
            for said in (text[start:end], _VALUE.sub(r"\1", text[start:end])):
                solutions.update(runs(said))
        for start, end in reversed(spans):
            text = text[:start] + " " + text[end:]
        for said in (text, _VALUE.sub(r"\1", text)):
            others.update(runs(said))
    for path in rest:
        others.update(runs(path.read_text("utf-8")))
    return {run for run in solutions - others if _says_something(run)}


def _says_something(run: Run) -> bool:
    """Whether a run is more than numbers and letters, which may well stand elsewhere."""
    return len({word for word in run if len(word) > 2 and word.isalpha()}) > 1


def solved(path: Path) -> tuple[str, list[tuple[int, int]]]:
    """A page's text, and where its solutions stand in it."""
    text = read(path)[1]
    return text, [span for each in scan(text, path.name).exercises for span in each.solutions]


def values_of_solutions(path: Path) -> set[tuple[str, str]]:
    """The worked values that only solutions of a page state: their texts and expressions."""
    found = scan(read(path)[1], path.name)
    values = [
        (part, (part.text, part.expression)) for part in found.parts if isinstance(part, Value)
    ]
    inside = {value for part, value in values if found.in_solution(part)}
    return inside - {value for part, value in values if not found.in_solution(part)}


def leaks(folder: Path, told: set[Run]) -> dict[str, Run]:
    """The files below a folder that hold one of the runs of words, each with one."""
    found = {}
    for path in sorted(path for path in folder.rglob("*") if path.is_file()):
        for name, text in texts(path.name, path.read_bytes()):
            if kept := told.intersection(runs(text)):
                inside = "" if name == path.name else f": {name}"
                found[f"{path.relative_to(folder).as_posix()}{inside}"] = min(kept)
    return found


def texts(name: str, content: bytes) -> Iterator[tuple[str, str]]:
    """What can be read in a file, by the names of the files in it. Raises if nobody knows how."""
    suffix = Path(name).suffix
    if content.startswith(b"PK\x03\x04"):
        with zipfile.ZipFile(io.BytesIO(content)) as packed:
            for inner in packed.namelist():
                yield from texts(inner, packed.read(inner))
    elif content.startswith(b"\x1f\x8b"):
        yield from texts(Path(name).stem, gzip.decompress(content))
    elif content.startswith(b"\x89PNG"):
        yield name, "\n".join(png.texts(content).values())
    elif suffix == ".inv":
        yield name, zlib.decompress(content.split(b"\n", 4)[4]).decode()
    elif suffix not in _UNREAD:
        text = content.decode()  # a format that is new here must be told how it is read
        if suffix in (".json", ".ipynb", ".map"):
            text = "\n".join(_strings(json.loads(text)))
        yield name, unescape(text)
        if "<" in text:
            yield name, unescape(re.sub(r"<[^<>]*>", "", text))
        for coded in re.findall(r"base64,([A-Za-z0-9+/]+=*)", text):
            decoded = base64.b64decode(coded)
            if not decoded.startswith(b"\x89PNG"):
                yield name, decoded.decode("utf-8", "replace")


def _strings(found: Any) -> Iterator[str]:
    if isinstance(found, str):
        yield found
    elif isinstance(found, dict):
        for key, value in found.items():
            yield key
            yield from _strings(value)
    elif isinstance(found, list):
        if found and all(isinstance(each, str) for each in found):
            yield "".join(found)  # the lines of a notebook's cell
        else:
            for each in found:
                yield from _strings(each)
    else:
        yield str(found)
