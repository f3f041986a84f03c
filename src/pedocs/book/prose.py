"""Running text, read character by character: worked values, formulas, and what hides numbers.

It knows code spans, comments, HTML tags, attribute lists, link addresses and entities, so
that nothing is taken for what it is not.
"""

from __future__ import annotations

import ast
import builtins
import html
import re
import unicodedata
from bisect import bisect_right

from pedocs.book.bibliography import CITED
from pedocs.book.claims import claims, claims_in_math
from pedocs.book.failures import Failure
from pedocs.book.numbers import Written, unread, written_numbers
from pedocs.book.parts import Attributes, Citation, Destination, Formula, Scan, Span, Value

_WORD = re.compile(r"[\\`$<{\]&]|\[@")
_TAG = re.compile(r"</?[A-Za-z][^<>]*>|<https?://[^\s<>]*>")
_VISIBLE_ATTRIBUTE = re.compile(r"""\b(?:alt|title|aria-label|summary|placeholder)=(["'])(.*?)\1""")
_ENTITY = re.compile(r"&(?:#\d+|#[xX][0-9a-fA-F]+|[A-Za-z]+\d*);?")
_ATTRIBUTES = re.compile(r"""\{(?::|:?[ ]*[#.]|[ ]*[\w-]+=["'])(?:[^{}\n]|\{[^{}\n]*\})*\}""")
_DESTINATION = re.compile(r"\]\(\s*(?P<href><[^<>\n]*>|[^\s()]*(?:\([^\s()]*\)[^\s()]*)*)")
_ID = re.compile(r"#([\w.-]+)")
_DISPLAY_END = re.compile(
    r'\$\$[ \t]*(?:\{[ ]*(?P<id>#[^{}\s"]*)'
    r'(?:[ ]+check="(?P<check>[^"\n]*)"|[ ]+unchecked="(?P<unchecked>[^"\n]*)")?[ ]*\})?[ \t]*$',
    re.M,
)


class Prose:
    """A page under the scan: its text, and what is left of it for the rule on claims."""

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

    def claims_of(self, start: int, text: str, where: str) -> None:
        for offset, claim in claims(text):
            self.fail(start + offset, f"the number {claim} {where} is not a worked value")

    def unseen(self) -> None:
        """Characters that no reader sees, or that the build keeps for itself, hide numbers."""
        found = [(m.start(), m[0], m[0]) for m in re.finditer(r"[^\n\t -~]", self.text)]
        found += [(m.start(), m[0], html.unescape(m[0])) for m in _ENTITY.finditer(self.text)]
        for at, written, meant in found:
            for character in meant:
                kind = unicodedata.category(character)
                if kind in ("Cf", "Co", "Cc") or (kind == "Nd" and not character.isascii()):
                    name = unicodedata.name(character, f"U+{ord(character):04X}")
                    shown = written if written.isprintable() and written.isascii() else name
                    self.fail(at, f"{shown} hides a part of the text: leave it out")

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
        if character == "[":
            return self.citation(at, end)
        if character == "]":
            destination = _DESTINATION.match(text, at, end)
            if destination:
                start, stop = destination.span("href")
                href = Destination(start, stop, self.line(start), destination["href"])
                self.scan.destinations.append(href)
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

    def citation(self, at: int, end: int) -> int:
        cited = CITED.match(self.text, at, end)
        if not cited:
            self.fail(at, "[@ cites one work by its key: [@key]")
            return at + 2
        if behind := re.compile(r"[(\[\w]").match(self.text, cited.end(), end):
            self.fail(at, f"{cited[0]} touches {behind[0]!r}: a citation is a link by itself")
        self.scan.parts.append(Citation(at, cited.end(), self.line(at), cited["key"]))
        self.blank(at, cited.end())
        return cited.end()

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
        inside = self.text[run.end() : close.start()]
        if value := re.search(r"\{[^{}]*\d[^{}]* = [^{}]*\}", inside):
            self.fail(at, f"{value[0]} in code is shown as it is written: {{`…` = expression}}")
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
            named = _ID.search(attributes[0])
            item = Attributes(at, attributes.end(), self.line(at), named[1] if named else None)
            self.scan.attributes.append(item)
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
        elif refusal := _refused(expression, written_numbers(written)):
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
        elif behind["check"] is None and not (behind["unchecked"] or "").strip():
            self.fail(
                at,
                f"the equation {found[1]} is not checked and does not say why: "
                'check="symbol = expression" or unchecked="the reason"',
            )
        self.add_formula(
            Span(at, behind.end(), self.line(at)),
            (at + 2, close.start()),
            values,
            display=True,
            id=found[1] if found else None,
            check=behind["check"],
            unchecked=behind["unchecked"],
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

    def groups(self, start: int, latex: str, values: list[Value]) -> None:
        """An = in a group that has a number before it is a value that nothing runs."""
        taken = {k for value in values for k in range(value.start - start, value.end - start)}
        opened: list[int] = []
        for k, character in enumerate(latex):
            if k in taken or (k and latex[k - 1] == "\\"):
                continue
            if character == "{":
                opened.append(k)
            elif character == "}" and opened:
                opened.pop()
            elif opened and latex.startswith(" = ", k):
                left = latex[opened[-1] + 1 : k]
                script = latex[: opened[-1]].rstrip()[-1:] == "_"
                if re.search(r"\d", left) and not (script and re.search(r"[A-Za-z]", left)):
                    self.fail(
                        start + k, f"{{{left} = … in math is no worked value: write it outside"
                    )

    def add_formula(
        self,
        span: Span,
        inside: tuple[int, int],
        values: list[Value],
        *,
        display: bool,
        id: str | None = None,  # noqa: A002 - as HTML calls it
        check: str | None = None,
        unchecked: str | None = None,
    ) -> None:
        latex = self.text[slice(*inside)]
        self.groups(inside[0], latex, values)
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
                unchecked=unchecked,
            )
        )


def _decimal(constant: object) -> bool:
    """Whether a constant of an expression is a decimal, as a number or as text."""
    return isinstance(constant, float) or (
        isinstance(constant, str) and bool(re.fullmatch(r"\s*[-+]?\d*\.\d+\s*", constant))
    )


def _refused(expression: str, written: list[Written]) -> str | None:
    """Why an expression proves nothing of the numbers that are written; None if it may."""
    tree = ast.parse(expression, mode="eval")
    nodes = list(ast.walk(tree))
    if any(isinstance(node, (ast.NamedExpr, ast.Await, ast.Yield)) for node in nodes):
        return "the expression must not bind a name"
    if not any(isinstance(node, (ast.Name, ast.BinOp)) for node in nodes):
        return "the expression is a bare literal: bind the constant in a block and work from it"
    names = {node.id for node in nodes if isinstance(node, ast.Name)}
    decimals = [str(n.value) for n in nodes if isinstance(n, ast.Constant) and _decimal(n.value)]
    if (decimals and names <= {*dir(builtins), "np", "numpy"}) or any(
        number.agrees(float(decimal))
        for decimal in decimals
        for number in written
        if not number.exact
    ):
        return "the expression restates a decimal: bind the constant in a block and work from it"
    return None
