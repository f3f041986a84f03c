"""`make fix`: write what was computed where something else is written, after showing it."""

from __future__ import annotations

import difflib
import re
import tempfile
from pathlib import Path

from pedocs.book.failures import report
from pedocs.book.library import forget
from pedocs.book.numbers import disagreement, rewritten
from pedocs.book.page import Edit, Page, prove, read


def _value_edits(page: Page) -> str:
    """The body with the text of every disagreeing value rewritten, last first."""
    body = page.scan.text
    for value, numbers in sorted(page.values(), key=lambda pair: -pair[0].start):
        if not disagreement(value.text, value.expression, numbers):
            continue
        raw = body[value.text_start : value.text_start + len(value.text)]
        new = rewritten(value.text, numbers, minus="-" if value.in_math else "−")
        if new is not None and raw == value.text:
            body = body[: value.text_start] + new + body[value.text_start + len(raw) :]
    return body


def _with_outputs(text: str, edits: list[Edit], begins: int = 1) -> str:
    """A text that begins in a line of its file, with what its blocks print, last first."""
    lines = text.split("\n")
    for _, first, last, new in sorted(edits, key=lambda edit: -edit[1]):
        # What stands before the prompt stands before its output: indentation, a quotation's >.
        prompt = re.match(r"(.*?)(?:>>>|\.\.\.)", lines[first - begins - 1])
        prefix = prompt[1] if prompt else ""
        lines[first - begins : last - begins + 1] = [(prefix + output).rstrip() for output in new]
    return "\n".join(lines)


def computed(page: Page) -> str:
    """A page's body as its proof would have it."""
    own = [edit for edit in page.edits if edit[0] == page.name]
    return _with_outputs(_value_edits(page), own, page.scan.first_line)


def fixed(page: Page) -> dict[Path, str]:
    """The new text of each file that a page's proof would change."""
    files = {page.path: read(page.path)[0] + computed(page)}
    for name in {edit[0] for edit in page.edits} - {page.name}:
        text = Path(name).read_text(encoding="utf-8")
        files[Path(name)] = _with_outputs(text, [e for e in page.edits if e[0] == name])
    return {p: t for p, t in files.items() if t != p.read_text(encoding="utf-8-sig")}


def _write(path: Path, text: str) -> None:
    """Replace a file whole or not at all."""
    with tempfile.NamedTemporaryFile(
        "w", encoding="utf-8", dir=path.parent, delete=False, newline="\n"
    ) as new:
        new.write(text)
    written = Path(new.name)
    written.chmod(path.stat().st_mode)
    written.replace(path)


def rewrite(paths: list[Path], *, dry_run: bool) -> int:
    """Show and write what differs in the pages; 1 if something is left to do by hand."""
    changed: list[Path] = []
    for path in paths:
        for file, text in fixed(prove(path)).items():
            before = file.read_text(encoding="utf-8-sig")
            difference = difflib.unified_diff(
                before.splitlines(keepends=True),
                text.splitlines(keepends=True),
                f"{file} (written)",
                f"{file} (computed)",
            )
            print("".join(difference), end="")
            changed.append(file)
            if not dry_run:
                _write(file, text)
    forget(changed)  # docstrings may have been rewritten
    left = [failure for path in paths for failure in prove(path).failures]
    if left and not dry_run:
        print("Left to do by hand:", report(left), sep="\n")
    elif not changed:
        print("Everything is written as it is computed.")
    return 1 if left else 0
