"""What stands in a page: its parts in document order, and the claims outside them.

One pass over the raw Markdown. It knows fences in any nesting, code spans, comments, HTML
tags, link addresses, formulas and worked values, so that nothing is taken for what it is
not: what it cannot place is a failure, never skipped.
"""

from __future__ import annotations

import ast
import html
import re
from bisect import bisect_right
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import cached_property

from pedocs.book.claims import claims, claims_in_math
from pedocs.book.failures import Failure
from pedocs.book.numbers import unread, written_numbers

# Languages of fences that are shown and never run.
SHOWN = {"text", "bash", "console", "toml", "yaml", "json", "bibtex", "markdown", "diff", "latex"}


@dataclass(frozen=True)
class Span:
    """A stretch of the page: where it stands in the scanned text, and in which line."""

    start: int
    end: int
    line: int


@dataclass(frozen=True)
class Block(Span):
    """A worked block: what a REPL session shows."""

    code: str


@dataclass(frozen=True)
class Generated(Span):
    """A generated part: code whose output the page shows."""

    code: str
    figure: str | None


@dataclass(frozen=True)
class Shown(Span):
    """Code that the page shows and does not run."""

    language: str


@dataclass(frozen=True)
class Value(Span):
    """A worked value: the text as written and the expression that must produce it."""

    text: str
    text_start: int
    expression: str
    plain: bool
    in_math: bool = False


@dataclass(frozen=True)
class Formula(Span):
    """A formula: LaTeX with the worked values in it."""

    latex: str
    latex_start: int
    values: tuple[Value, ...]
    display: bool
    id: str | None = None
    # What its symbols stand for in the check against the code; None if it is not checked.
    check: str | None = None


@dataclass(frozen=True)
class Documented(Span):
    """An object of the library whose docstring the page shows."""

    name: str


@dataclass(frozen=True)
class Captioned(Span):
    """A figure or a table: a block with an id and a number."""

    kind: str
    id: str


@dataclass(frozen=True)
class Reference(Span):
    """A link to something numbered."""

    kind: str
    href: str


Part = Block | Generated | Shown | Value | Formula | Documented


@dataclass
class Scan:
    """The parts of a page in document order, what is numbered in it, and the faults seen."""

    path: str
    text: str
    first_line: int
    parts: list[Part] = field(default_factory=list)
    captioned: list[Captioned] = field(default_factory=list)
    references: list[Reference] = field(default_factory=list)
    failures: list[Failure] = field(default_factory=list)

    @cached_property
    def numbers(self) -> dict[str, tuple[str, int]]:
        """The kind and number of each numbered item, by its id."""
        counts: dict[str, int] = {}
        found: dict[str, tuple[str, int]] = {}
        items = [(c.start, c.kind.capitalize(), c.id) for c in self.captioned]
        items += [
            (part.start, "Equation", part.id)
            for part in self.parts
            if isinstance(part, Formula) and part.id
        ]
        for _, kind, item in sorted(items):
            counts[kind] = counts.get(kind, 0) + 1
            found[item] = (kind, counts[kind])
        return found


# What a link may be called to have its number added, and be held against what it names.
REFERENCED = ("Figure", "Table", "Equation")

_FENCE = re.compile(r"^(?P<prefix>[ \t>]*)(?P<fence>`{3,}|~{3,})(?P<info>.*)$")
_INFO = re.compile(r'^(?P<lang>[\w.+#-]*)(?P<options>(?: [a-z_]+="[^"]*")*)[ \t]*$')
_OPTION = re.compile(r' ([a-z_]+)="([^"]*)"')
_CAPTIONED = re.compile(r"^(?P<prefix>[ \t>]*)/{3,}[ \t]*(?P<kind>\w+)?(?:[ \t]*\|(?P<id>.*))?$")
_DIRECTIVE = re.compile(r"^[\s>*#+-]*::: ?(?P<name>[\w.]+)\s*$")
_EXPECTED_ID = {"figure": "fig-", "table": "tab-"}
_WORD = re.compile(r"[\\`$<{\]&]")
_TAG = re.compile(r"</?[A-Za-z][^<>]*>|<https?://[^\s<>]*>")
_VISIBLE_ATTRIBUTE = re.compile(r"""\b(?:alt|title|aria-label|summary|placeholder)=(["'])(.*?)\1""")
_ATTRIBUTES = re.compile(r"""\{(?::|:?[ ]*[#.]|[ ]*[\w-]+=["'])(?:[^{}\n]|\{[^{}\n]*\})*\}""")
_DESTINATION = re.compile(r"\]\(\s*(?:<[^<>\n]*>|[^\s()]*(?:\([^\s()]*\)[^\s()]*)*)")
_DISPLAY_END = re.compile(
    r'\$\$[ \t]*(?:\{[ ]*(?P<id>#[^{}\s"]*)(?:[ ]+check="(?P<check>[^"\n]*)")?[ ]*\})?[ \t]*$', re.M
)
_LINKED = re.compile(rf"\[(?P<kind>{'|'.join(REFERENCED)})\]\((?P<href>[^()\s]*)\)")
_CITED = re.compile(
    r"\b(?P<year>\d{4})(?:, §[^\[\]]*)?\]\(https://arxiv\.org/abs/(?P<yy>\d\d)\d\d\.\d{4,5}"
)
_IMAGE = re.compile(r"!\[(?P<alt>[^\]]*)\][(\[]")


class _Scanner:
    def __init__(self, text: str, path: str, first_line: int) -> None:
        self.text = text
        self.scan = Scan(path, text, first_line)
        self.line_starts = [0, *(m.end() for m in re.finditer("\n", text))]
        # The page as far as the claim rule reads it; what is blanked out becomes NUL.
        self.visible = list(text)

    def line(self, offset: int) -> int:
        return self.scan.first_line + bisect_right(self.line_starts, offset) - 1

    def fail(self, offset: int, message: str) -> None:
        self.scan.failures.append(Failure(self.scan.path, self.line(offset), message))

    def blank(self, start: int, end: int, filler: str = "\0") -> None:
        for k in range(start, end):
            if self.visible[k] != "\n":
                self.visible[k] = filler

    # Fences and blocks, by lines ------------------------------------------------------

    def run(self) -> Scan:
        begin = 0
        block: Captioned | None = None
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
            if caption := _CAPTIONED.match(line):
                block = self.captioned(offset, lines, index, caption, block)
            elif directive := _DIRECTIVE.match(line):
                self.add(Documented, offset, offset + len(line), name=directive["name"])
            index += 1
        self.prose(begin, len(self.text))
        if block:
            self.fail(block.start, f"the {block.kind} block is never closed by ///")
        self.scan.parts.sort(key=lambda part: part.start)
        self.unworked()
        self.scan.failures.sort()
        return self.scan

    def add(self, kind: type, start: int, end: int, **fields: object) -> None:
        self.scan.parts.append(kind(start, end, self.line(start), **fields))

    def captioned(
        self,
        offset: int,
        lines: list[str],
        index: int,
        match: re.Match[str],
        block: Captioned | None,
    ) -> Captioned | None:
        kind, item = match["kind"], (match["id"] or "").strip()
        if not kind:
            if not block:
                self.fail(offset, "/// closes a block that was not opened")
            return None
        if block:
            self.fail(offset, f"/// {kind} inside a block of its kind: close it first")
        if kind not in _EXPECTED_ID:
            self.fail(offset, f"unknown block /// {kind}: figure and table are known")
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
        for end in range(index + 1, len(lines)):
            rest = lines[end]
            if rest.strip(" \t>") == fence["fence"] and rest.startswith(fence["prefix"].rstrip()):
                return end
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
        elif language == "python" and options == {"run": "no"}:
            self.add(Shown, start, end, language=language)
        elif language in SHOWN and not options:
            self.add(Shown, start, end, language=language)
            if language != "markdown" and any(line.lstrip().startswith(">>>") for line in body):
                self.fail(start, f"a {language} fence holds a >>> prompt: write pycon to run it")
        else:
            known = 'pycon, python exec="1", python run="no", ' + ", ".join(sorted(SHOWN))
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

    def claims_of(self, start: int, text: str, where: str) -> None:
        for offset, claim in claims(text):
            self.fail(start + offset, f"the number {claim} {where} is not a worked value")

    # Running text, by characters ------------------------------------------------------

    def prose(self, start: int, end: int) -> None:
        """Everything between two fences."""
        position = start
        while found := _WORD.search(self.text, position, end):
            position = self.special(found.start(), end)

    def paragraph_end(self, offset: int, end: int) -> int:
        blank = re.compile(r"\n[ \t>]*\n").search(self.text, offset, end)
        return blank.start() if blank else end

    def special(self, at: int, end: int) -> int:
        """Handle the special character at an offset; the offset behind what it began."""
        text = self.text
        character = text[at]
        if character == "\\":
            return at + 2
        if character == "`":
            return self.code_span(at, end)
        if character == "$":
            return self.formula(at, end)
        if character == "{":
            return self.brace(at, end)
        if character == "&":
            return self.entity(at)
        if character == "]":
            destination = _DESTINATION.match(text, at, end)
            if destination:
                self.blank(at + 1, destination.end())
                return destination.end()
            return at + 1
        if text.startswith("<!--", at):
            close = text.find("-->", at, end)
            if close < 0:
                self.fail(at, "the comment is never closed")
                close = end
            self.blank(at, close + 3 if close < end else end)
            return min(close + 3, end)
        tag = _TAG.match(text, at, end)
        return self.tag(tag) if tag else at + 1

    def code_span(self, at: int, end: int) -> int:
        run = re.compile("`+").match(self.text, at)
        assert run
        # A span ends with its paragraph, list item, table row or heading.
        item = re.compile(r"\n[ \t>]*(?:[-*+] |[|#:]|\d+[.)] )").search(self.text, at, end)
        stop = min(self.paragraph_end(at, end), item.start() if item else end)
        close = re.compile(rf"(?<!`){run[0]}(?!`)").search(self.text, run.end(), stop)
        if not close:
            if len(run[0]) >= 3:
                self.fail(at, "``` that does not open a fence: put it on a line of its own")
            return run.end()
        self.blank(at, run.end(), " ")
        self.blank(close.start(), close.end(), " ")
        return close.end()

    def entity(self, at: int) -> int:
        entity = re.compile(r"&(?:#\d+|#[xX][0-9a-fA-F]+|[A-Za-z]+\d*);").match(self.text, at)
        if not entity:
            return at + 1
        meant = html.unescape(entity[0])
        if meant.isdigit() or meant in ".,-+−%":
            self.fail(at, f"{entity[0]} hides a part of a number: write {meant!r}")
        return entity.end()

    def tag(self, tag: re.Match[str]) -> int:
        shown = [(m.start(2), m.end(2)) for m in _VISIBLE_ATTRIBUTE.finditer(tag[0])]
        kept = {tag.start() + k for a, b in shown for k in range(a, b)}
        for k in range(tag.start(), tag.end()):
            if k not in kept and self.visible[k] != "\n":
                self.visible[k] = " "
        if re.match(r"<img\b", tag[0]) and not re.search(r"""\balt=(["']).+?\1""", tag[0]):
            self.fail(tag.start(), "an image has no alt text")
        for value in re.finditer(r"\{", tag[0]):
            self.value(tag.start() + value.start(), tag.end(), plain=True)
        return tag.end()

    def brace(self, at: int, end: int) -> int:
        option = self.text[self.line_starts[self.line(at) - self.scan.first_line] : at]
        plain = bool(re.match(r'[ \t>]*alt: "', option))
        value = self.value(at, end, plain=plain)
        if value:
            return value.end
        attributes = _ATTRIBUTES.match(self.text, at, end)
        if attributes:
            for title in re.finditer(r"\{", attributes[0][1:]):
                self.value(at + 1 + title.start(), attributes.end(), plain=True)
            self.blank(at, attributes.end())
            return attributes.end()
        return at + 1

    # Worked values --------------------------------------------------------------------

    def value(
        self, at: int, end: int, *, plain: bool = False, in_math: bool = False
    ) -> Value | None:
        """The worked value whose brace stands at an offset, if there is one."""
        text = self.text
        stop = self.paragraph_end(at, end)
        head = re.compile(r"\{([^{}]*?)(?:\s=\s)").match(text, at, stop)
        if not head:
            return None
        if in_math and (not written_numbers(head[1]) or text[:at].rstrip()[-1:] in ("_", "^")):
            return None  # a group of LaTeX
        close, expression = self.expression(head.end(), stop)
        if close is None:
            self.fail(at, f"{text[at : head.end()]}… holds ' = ' and is not a worked value")
            self.blank(at, head.end())
            return None
        written = re.sub(r"\s*\n[ \t>]*", " ", head[1])
        value = Value(at, close + 1, self.line(at), written, at + 1, expression, plain, in_math)
        if not written_numbers(written):
            self.fail(at, f"the worked value {text[at : close + 1]} has no number in its text")
        elif stray := unread(written, in_math=in_math):
            self.fail(at, f"the worked value {written} states {stray!r}, which nothing compares")
        elif refusal := _refused(expression):
            self.fail(at, f"{{{written} = {expression}}}: {refusal}")
        else:
            self.touching(value)
        if not in_math:
            self.scan.parts.append(value)
        self.blank(at, close + 1)
        return value

    def expression(self, start: int, stop: int) -> tuple[int | None, str]:
        """The shortest Python expression from an offset up to a closing brace."""
        close = start
        while (close := self.text.find("}", close, stop)) >= 0:
            source = re.sub(r"\s*\n[ \t>]*", " ", self.text[start:close]).strip()
            try:
                ast.parse(source, mode="eval")
            except (SyntaxError, ValueError):
                close += 1
            else:
                return close, source
        return None, ""

    def touching(self, value: Value) -> None:
        """What stands right beside a worked value must not change the number it shows."""
        before = re.search(r"(\S*)\Z", self.text[max(0, value.start - 8) : value.start])
        marks = "" if value.in_math else "*_~`"
        left = "".join(c for c in (before[1] if before else "") if c not in marks)
        after = re.match(rf"[{marks or ' '}]*(\S*)", self.text[value.end : value.end + 8])
        right = after[1] if after else ""
        if re.search(r"[\w.,]\Z", left) and not (value.in_math and re.search(r"[A-Za-z,]\Z", left)):
            if re.search(r"[\d.]\Z|\d,\Z", left) or (
                not value.in_math and re.search(r"\w\Z", left)
            ):
                self.fail(
                    value.start, f"the worked value {value.text} touches {left[-1]!r} before it"
                )
        elif re.search(r"(?:\A|[=≈(\[{|,;:])[-−+]\Z", left) and not value.in_math:
            self.fail(
                value.start, f"the sign before the worked value {value.text} belongs inside it"
            )
        elif value.in_math:
            behind = self.text[max(0, value.start - 24) : value.start]
            if re.search(r"(?:[=<>≈,(\[]|\\(?:approx|le|ge|leq|geq|lt|gt))\s*[-−+]\s*\Z", behind):
                self.fail(
                    value.start, f"the sign before the worked value {value.text} belongs inside it"
                )
        if re.match(r"\d|[.,]\d|%|\\%|e[-+−]?\d", right):
            self.fail(value.start, f"the worked value {value.text} touches {right[:2]!r} behind it")

    # Formulas -------------------------------------------------------------------------

    def formula(self, at: int, end: int) -> int:
        text = self.text
        if text.startswith("$$", at):
            return self.display(at, end)
        stop = self.paragraph_end(at, end)
        if at + 1 >= stop or text[at + 1].isspace():
            self.fail(at, "a math delimiter $ that opens nothing: write \\$ for the sign")
            return at + 1
        close, values = self.math_end(at + 1, stop, r"(?<![\s\\])\$(?!\d)")
        if close is None:
            self.fail(at, "a math delimiter $ is left over")
            return at + 1
        span = Span(at, close.end(), self.line(at))
        self.add_formula(span, (at + 1, close.start()), values, display=False)
        return close.end()

    def display(self, at: int, end: int) -> int:
        text = self.text
        line_start = self.line_starts[self.line(at) - self.scan.first_line]
        close, values = self.math_end(at + 2, end, r"\$\$")
        behind = _DISPLAY_END.match(text, close.start(), end) if close else None
        if text[line_start:at].strip(" \t>") or not close or not behind:
            self.fail(at, "$$ opens and closes a display equation on lines of its own")
            return at + 2 if not close else close.end()
        found = re.fullmatch(r"#(eq-[a-z0-9-]+)", behind["id"] or "")
        if found is None:
            self.fail(at, "a display equation needs an id behind its closing $$: {#eq-…}")
        self.add_formula(
            Span(at, behind.end(), self.line(at)),
            (at + 2, close.start()),
            values,
            display=True,
            id=found[1] if found else None,
            check=behind["check"],
        )
        return behind.end()

    def math_end(
        self, start: int, stop: int, delimiter: str
    ) -> tuple[re.Match[str] | None, list[Value]]:
        """The closing delimiter and the worked values before it."""
        pattern = re.compile(rf"(?P<close>{delimiter})|(?P<brace>\{{)|\\.", re.S)
        values: list[Value] = []
        position = start
        while found := pattern.search(self.text, position, stop):
            position = found.end()
            if found["close"]:
                return found, values
            if found["brace"]:
                value = self.value(found.start(), stop, in_math=True)
                if value:
                    values.append(value)
                    position = value.end
        return None, values

    def add_formula(
        self,
        span: Span,
        inside: tuple[int, int],
        values: list[Value],
        *,
        display: bool,
        id: str | None = None,  # noqa: A002 - as HTML calls it
        check: str | None = None,
    ) -> None:
        latex = self.text[slice(*inside)]
        masked = list(latex)
        for value in values:
            for k in range(value.start - inside[0], value.end - inside[0]):
                masked[k] = "\0"
        for offset, claim in claims_in_math("".join(masked)):
            self.fail(inside[0] + offset, f"the number {claim} in math is not a worked value")
        self.scan.parts.extend(values)
        self.blank(span.start, span.end)
        self.scan.parts.append(
            Formula(
                span.start,
                span.end,
                span.line,
                latex=latex,
                latex_start=inside[0],
                values=tuple(values),
                display=display,
                id=id,
                check=check,
            )
        )

    # Claims ---------------------------------------------------------------------------

    def unworked(self) -> None:
        """Claims and missing alt texts in what is left of the page."""
        for image in _IMAGE.finditer(self.text):
            if self.visible[image.start()] == "!" and not image["alt"].strip():
                self.fail(image.start(), "an image has no alt text")
        for cited in _CITED.finditer(self.text):
            if cited["year"] != f"20{cited['yy']}":
                self.fail(
                    cited.start(),
                    f"the citation says {cited['year']}, its arXiv number 20{cited['yy']}",
                )
        for link in _LINKED.finditer(self.text):
            if self.visible[link.start()] == "[":
                line = self.line(link.start())
                self.scan.references.append(
                    Reference(link.start(), link.end(), line, link["kind"], link["href"])
                )
        visible = "".join(self.visible)
        visible = visible.replace("*", " ").replace("\\", " ")
        self.claims_of(0, visible, "is claimed and")


def _refused(expression: str) -> str | None:
    """Why an expression proves nothing; None if it may."""
    tree = ast.parse(expression, mode="eval")
    nodes = list(ast.walk(tree))
    if any(isinstance(node, (ast.NamedExpr, ast.Await, ast.Yield)) for node in nodes):
        return "the expression must not bind a name"
    if not any(isinstance(node, (ast.Name, ast.BinOp)) for node in nodes):
        return "the expression is a bare literal: bind the constant in a block and work from it"
    if not any(isinstance(node, ast.Name) for node in nodes) and any(
        isinstance(node, ast.Constant) and isinstance(node.value, float) for node in nodes
    ):
        return "the expression restates a decimal: bind the constant in a block and work from it"
    return None


def scan(text: str, path: str, first_line: int = 1) -> Scan:
    """Find the parts of a page and the faults that its text alone shows."""
    return _Scanner(text, path, first_line).run()


def front_matter(source: str) -> tuple[str, str]:
    """A page's front matter (with its fences) and the body that begins behind it."""
    found = re.match(r"\A---[ \t]*\n(?:.*?\n)?(?:---|\.\.\.)[ \t]*(?:\n|\Z)", source, re.S)
    return (found[0], source[found.end() :]) if found else ("", source)


def front_matter_claims(front: str, path: str) -> Iterator[Failure]:
    """Claims in the front matter, where no worked value can stand."""
    for offset, claim in claims(front):
        line = front.count("\n", 0, offset) + 1
        yield Failure(path, line, f"the number {claim} in the front matter cannot be worked")
