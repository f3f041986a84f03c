"""What stands in a page: its parts in document order, and the claims outside them.

One pass over the raw Markdown, by lines: fences in any nesting, figure and table blocks,
documented objects; the text between them goes to `Prose`. What it cannot place is a
failure, never skipped.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from pedocs.book.claims import claims
from pedocs.book.exercises import KINDS, Worksheet
from pedocs.book.failures import Failure
from pedocs.book.parts import (
    Asked,
    Block,
    Captioned,
    Check,
    Documented,
    Generated,
    Mistake,
    Reference,
    Scan,
    Shown,
    Solved,
)
from pedocs.book.prose import Prose

# Languages of fences that are shown and never run.
SHOWN = {"text", "bash", "console", "toml", "yaml", "json", "bibtex", "markdown", "diff", "latex"}

# What a link may be called to have its number added, and be held against what it names.
REFERENCED = ("Figure", "Table", "Equation", "Exercise")

_FENCE = re.compile(r"^(?P<prefix>[ \t>]*)(?P<fence>`{3,}|~{3,})(?P<info>.*)$")
_INFO = re.compile(r'^(?P<lang>[\w.+#-]*)(?P<options>(?: [a-z_]+="[^"]*")*)[ \t]*$')
_OPTION = re.compile(r' ([a-z_]+)="([^"]*)"')
# The first or the last line of a figure, a table, or a block of an exercise.
BLOCK_LINE = re.compile(
    r"^(?P<prefix>[ \t>]*)(?P<mark>/{3,})[ \t]*(?P<kind>\w+)?(?:[ \t]*\|(?P<id>.*))?$"
)
_DIRECTIVE = re.compile(r"^(?:[\s>*#+:-]|\d+[.)])*::: ?(?P<name>[\w.]+)\s*$")
_EXPECTED_ID = {"figure": "fig-", "table": "tab-"}
_LINKED = re.compile(rf"\[(?P<kind>{'|'.join(REFERENCED)})\]\((?P<href>[^()\s]*)\)")
# A reference that is typed: right for what another work counts, and only where one is named.
_TYPED = re.compile(r"(?<![\w\[])(?:Section|Exercise|Figure|Table|Equation)s?[ \u00a0]\d[\d.]*")
_ANOTHER_WORK = re.compile(r"\[@|\bsource\(|\b(?:papers?|authors|articles?|appendix|their)\b", re.I)
_UNCITED = re.compile(r"\]\(https://(?:arxiv\.org|doi\.org)/")
_IMAGE = re.compile(r"!\[(?P<alt>[^\]]*)\][(\[]")


class _Scanner(Prose):
    def run(self) -> Scan:
        begin = 0
        block: Captioned | None = None
        self.worksheet = Worksheet(self.scan.exercises, self.fail)
        lines = self.text.split("\n")
        index = 0
        while index < len(lines):
            offset = self.line_starts[index]
            line = lines[index]
            if line.lstrip().startswith("<!--") and "-->" not in line:
                while index < len(lines) and "-->" not in lines[index]:
                    index += 1  # a commented fence is none
                index += 1
                continue
            fence = _FENCE.match(line)
            if fence and (fence["fence"][0] == "~" or "`" not in fence["info"]):
                self.prose(begin, offset)
                end = self.fence_end(lines, index, fence)
                self.fence(lines, index, end, fence, block)
                index = end + 1
                begin = self.line_starts[index] if index < len(lines) else len(self.text)
                continue
            if re.match(r"\s*>>> \S", line):
                self.fail(
                    offset, "a >>> prompt outside a fence is shown as a quotation, and not run"
                )
            caption = BLOCK_LINE.match(line)
            ends = caption and caption["mark"] == "////" and not caption["kind"]
            if caption and (caption["kind"] in KINDS or (ends and self.worksheet.open)):
                self.exercise(offset, lines, index, caption, block)
            elif caption:
                block = self.captioned(offset, lines, index, caption, block)
            elif directive := _DIRECTIVE.match(line):
                self.add(Documented, offset, offset + len(line), name=directive["name"])
            index += 1
        self.prose(begin, len(self.text))
        if block:
            self.fail(block.start, f"the {block.kind} block is never closed by ///")
        self.worksheet.close()
        self.scan.parts.sort(key=lambda part: part.start)
        self.unworked()
        self.unseen()
        self.scan.failures.sort()
        return self.scan

    def add(self, kind: type, start: int, end: int, **fields: object) -> None:
        self.scan.parts.append(kind(start, end, self.line(start), **fields))

    def exercise(
        self,
        offset: int,
        lines: list[str],
        index: int,
        match: re.Match[str],
        block: Captioned | None,
    ) -> None:
        """The first or the last line of a block of an exercise."""
        kind, line = match["kind"], self.line(offset)
        if block:
            self.fail(offset, f"{match['mark']} inside /// {block.kind}: close it first")
        if match["mark"] != "////" or match["prefix"]:
            self.fail(offset, f"/// {kind}: an exercise's blocks begin a line and have four ////")
        if self.text.rfind("<!--", 0, offset) > self.text.rfind("-->", 0, offset):
            self.fail(offset, f"{match[0].strip()} stands in a comment")
        if kind:
            item = (match["id"] or "").strip()
            self.worksheet.begin(kind, item, offset, line, lines[index + 1 : index + 3])
            if kind == "exercise":
                self.add(Asked, offset, offset)
        elif self.worksheet.end(offset, offset + len(lines[index])):
            self.add(Solved, offset, offset)
        self.blank(offset, offset + len(lines[index]))

    def captioned(
        self,
        offset: int,
        lines: list[str],
        index: int,
        match: re.Match[str],
        block: Captioned | None,
    ) -> Captioned | None:
        kind, item = match["kind"], (match["id"] or "").strip()
        if match["mark"] != "///":
            self.fail(offset, f"{match['mark']} opens and closes nothing: a block has three ///")
        if not kind:
            if not block:
                self.fail(offset, "/// closes a block that was not opened")
            return None
        if block:
            self.fail(offset, f"/// {kind} inside a block of its kind: close it first")
        if kind not in _EXPECTED_ID:
            known = f"figure and table have three slashes, {', '.join(KINDS)} four"
            self.fail(offset, f"unknown block {match['mark']} {kind}: {known}")
            return None
        if not re.fullmatch(_EXPECTED_ID[kind] + r"[a-z0-9-]+", item):
            self.fail(
                offset,
                f"/// {kind} | {item}: the id must read {_EXPECTED_ID[kind]}<words-and-dashes>",
            )
        option = lines[index + 1].strip() if index + 1 < len(lines) else ""
        alt = re.fullmatch(r'alt: "(.+)"', option)
        if kind == "figure" and not (alt and alt[1].strip()):
            self.fail(offset, f'figure {item} has no alt text: the next line must be alt: "…"')
        if kind == "table" and option.startswith("alt:"):
            self.fail(offset, f"table {item} needs no alt text")
        self.blank(offset, offset + len(lines[index]))
        opened = Captioned(offset, offset + len(lines[index]), self.line(offset), kind, item)
        self.scan.captioned.append(opened)
        return opened

    def fence_end(self, lines: list[str], index: int, fence: re.Match[str]) -> int:
        unclosed = ""
        for end in range(index + 1, len(lines)):
            rest = lines[end]
            if rest.strip(" \t>") == fence["fence"] and rest.startswith(fence["prefix"].rstrip()):
                return end
            inner = _FENCE.match(rest)
            if inner and inner["fence"] == fence["fence"] and not unclosed:
                unclosed = f"the fence is not closed before {rest.strip()}"
                self.fail(self.line_starts[index], unclosed)
        self.fail(self.line_starts[index], "the fence is never closed")
        return len(lines) - 1

    def fence(
        self,
        lines: list[str],
        first: int,
        last: int,
        fence: re.Match[str],
        block: Captioned | None,
    ) -> None:
        start = self.line_starts[first]
        end = self.line_starts[last] + len(lines[last])
        body_start = self.line_starts[first] + len(lines[first]) + 1
        prefix = fence["prefix"]
        body = []
        for k in range(first + 1, last):
            line = lines[k]
            if line.startswith(prefix):
                body.append(line[len(prefix) :])
            elif not line.strip(" \t>"):
                body.append("")
            else:
                self.fail(
                    self.line_starts[k], "a line of the fence is indented less than the fence"
                )
                body.append(line)
        code = "\n".join(body) + "\n" if body else ""
        visible = True
        info = _INFO.match(fence["info"])
        language = info["lang"] if info else ""
        options = dict(_OPTION.findall(info["options"])) if info else {}
        if not info:
            self.fail(
                start, f'fence ```{fence["info"]}: the info line reads: language key="value" …'
            )
        elif language == "pycon":
            if options:
                self.fail(start, f"pycon fence: unknown option {', '.join(options)}")
            self.add(Block, start, end, code=code)
            visible = False
        elif language == "python" and options.get("exec") == "1":
            unknown = set(options) - {"exec"}
            if unknown:
                self.fail(start, f"generated part: unknown option {', '.join(sorted(unknown))}")
            figure = block.id if block and block.kind == "figure" else None
            self.add(Generated, start, end, code=code, figure=figure)
            visible = False
        elif language == "python" and options.keys() in ({"check"}, {"mistake"}):
            if "check" in options:
                self.worksheet.check(start, options["check"])
                self.add(Check, start, end, code=code, answer=options["check"])
            else:
                self.worksheet.mistake(start)
                self.add(Mistake, start, end, code=code, what=options["mistake"])
                self.claims_of(start, fence["info"], "in the name of a mistake")
            visible = False
        elif language == "python" and options == {"run": "no"}:
            self.add(Shown, start, end, code=code, language=language)
        elif language in SHOWN and not options:
            self.add(Shown, start, end, code=code, language=language)
            if language != "markdown" and any(line.lstrip().startswith(">>>") for line in body):
                self.fail(start, f"a {language} fence holds a >>> prompt: write pycon to run it")
        else:
            known = 'pycon, python exec="1", python run="no", python check="…", '
            known += 'python mistake="…", ' + ", ".join(sorted(SHOWN))
            given = fence["info"].strip() or "no language"
            self.fail(start, f"unknown fence ({given}): known are {known}")
        if visible and language != "markdown":
            self.claims_of(
                body_start, "\n".join(lines[first + 1 : last]), "in code that does not run"
            )
        elif visible:
            text = re.sub(r"\{([^{}]*?) = [^{}]*\}", lambda m: "\0" * len(m[0]), "\n".join(body))
            self.claims_of(body_start, text, "in code that does not run")
        self.blank(start, end)

    def unworked(self) -> None:
        """Claims and missing alt texts in what is left of the page."""
        for image in _IMAGE.finditer(self.text):
            if self.visible[image.start()] == "!" and not image["alt"].strip():
                self.fail(image.start(), "an image has no alt text")
        for link in _UNCITED.finditer(self.text):
            if self.visible[link.start()] == "]":
                self.fail(link.start(), "a paper is cited by its key in the bibliography: [@key]")
        for link in _LINKED.finditer(self.text):
            if self.visible[link.start()] == "[":
                line = self.line(link.start())
                self.scan.references.append(
                    Reference(link.start(), link.end(), line, link["kind"], link["href"])
                )
        visible = "".join(self.visible)
        for typed in _TYPED.finditer(visible):
            start = self.text.rfind("\n\n", 0, typed.start()) + 1
            paragraph = self.text[start : self.paragraph_end(typed.end(), len(self.text))]
            if not _ANOTHER_WORK.search(paragraph):
                kind = typed[0].split()[0].removesuffix("s")
                message = f"{typed[0]} is typed: the build counts, [{kind}](#id), or name the work"
                self.fail(typed.start(), message)
        visible = visible.replace("*", " ").replace("\\", " ")
        self.claims_of(0, visible, "is claimed and")


def scan(text: str, path: str, first_line: int = 1, chapter: str = "") -> Scan:
    """Find the parts of a page and the faults that its text alone shows."""
    found = _Scanner(text, path, first_line).run()
    found.chapter = chapter
    return found


def front_matter(source: str) -> tuple[str, str]:
    """A page's front matter (with its fences) and the body that begins behind it."""
    found = re.match(r"\A---[ \t]*\n(?:.*?\n)?(?:---|\.\.\.)[ \t]*(?:\n|\Z)", source, re.S)
    return (found[0], source[found.end() :]) if found else ("", source)


def front_matter_claims(front: str, path: str) -> Iterator[Failure]:
    """Claims in the front matter, where no worked value can stand."""
    for found in re.finditer(r"\{[^{}]*=[^{}]*\}|\$|\[@[^\]]*\]", front):
        line = front.count("\n", 0, found.start()) + 1
        yield Failure(path, line, f"{found[0]} in the front matter is shown as it is written")
    for offset, claim in claims(front):
        line = front.count("\n", 0, offset) + 1
        yield Failure(path, line, f"the number {claim} in the front matter cannot be worked")
