"""A proven page in plain Markdown: what it says, without what only this site understands.

The text is the page's own. Worked values stand in it as they are written, citations as names and
years, references with their numbers; figures, tables, exercises and admonitions are put in words
and quotations. The live parts come out as they are, in their places: what is made of them is for
whoever asks. `as_text` puts one of them in Markdown too.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass

from pedocs.book.bibliography import href
from pedocs.book.formulas import formula_latex
from pedocs.book.library import documentation
from pedocs.book.page import Page, numbered
from pedocs.book.parts import (
    Block,
    Check,
    Citation,
    Documented,
    Formula,
    Generated,
    Mistake,
    Shown,
    Value,
)
from pedocs.book.scan import BLOCK_LINE

# The address that a link of the page leads to from elsewhere; None if it leads nowhere.
Address = Callable[[str], str | None]

# Private-use characters, which no page holds: the place of a part, an id, a link that is cut.
_PART = "\ue000{}\ue001"
_PLACED = re.compile("^(?P<prefix>[ \t>]*)\ue000(?P<index>\\d+)\ue001[ \t]*$")
_ID = "\ue002{}\ue003"
_NAMED = re.compile("[ \t]*\ue002([^\ue003]*)\ue003")
_CUT = "\ue004"
_CUT_LINK = re.compile(rf'\[((?:[^\[\]]|\[[^\[\]]*\])*)\]\({_CUT}(?:\s+"[^"]*")?\s*\)')

_LINK = re.compile(r"\[(?P<words>[^\[\]]*)\]\((?P<to>[^()\s]*)\)")
_LIST_OF_ATTRIBUTES = re.compile(r"^\{:? ?[#.][^{}\n]*\}[ \t]*(?:\n|\Z)", re.M)
_ASIDE = re.compile(r'^(?:!!!|\?\?\?\+?) (?P<kind>\w+)(?: "(?P<title>.*)")?[ \t]*$')
_HEADING = re.compile(r"^#{1,6} ")
_OPTION = re.compile(r'[ \t]+(?P<name>\w+): *"?(?P<text>.*?)"?[ \t]*')
_BLANK = ("", ">")
_FOLDS = {"hint": "Hint", "solution": "Solution"}


@dataclass(frozen=True)
class Live:
    """The place of a live part, by its index in the page; of a figure, with its alt text."""

    index: int
    alt: str = ""


def plain(page: Page, address: Address) -> list[str | Live]:
    """A page as pieces of Markdown, a new one for each heading, with its live parts between."""
    writer = _Writer(page, address)
    for line in _replaced(page, address).split("\n"):
        writer.line(line)
    writer.flush()
    return writer.pieces


def _replaced(page: Page, address: Address) -> str:
    """The page's text with everything put in words that the scan has found."""
    text, pieces, done = page.scan.text, list[str](), 0
    for start, end, words in sorted(_replacements(page, address)):
        if start >= done:  # else it stands in what is replaced already
            pieces += [text[done:start], words]
            done = end
    return _CUT_LINK.sub(r"\1", "".join([*pieces, text[done:]]))


def _replacements(page: Page, address: Address) -> Iterator[tuple[int, int, str]]:
    if not page.solutions:
        for exercise in page.scan.exercises:
            yield from ((start, end, "") for start, end in exercise.solutions)
    for index, part in enumerate(page.parts):
        if isinstance(part, Value):
            yield part.start, part.end, part.text
        elif isinstance(part, Citation):
            label, to = page.outputs.get(index, part.key), address(href(part.key, page.path))
            yield part.start, part.end, f"[{label}]({to})" if to else label
        elif isinstance(part, Formula):
            yield part.start, part.end, _formula(page, part)
        elif isinstance(part, (Block, Generated, Check, Mistake, Shown, Documented)):
            first = page.scan.text.rfind("\n", 0, part.start) + 1
            prefix = re.match(r"[ \t>]*", page.scan.text[first : part.end])
            yield first, part.end, (prefix[0] if prefix else "") + _PART.format(index)
    for link in page.scan.references:
        number = numbered(page.path, page.scan, link.href).get(link.kind)
        words, to = f"{link.kind} {number}", address(link.href)
        yield link.start, link.end, f"[{words}]({to})" if to else words
    for destination in page.scan.destinations:
        yield destination.start, destination.end, address(destination.href) or _CUT
    for item in page.scan.attributes:
        yield item.start, item.end, _ID.format(item.id) if item.id else ""


def _formula(page: Page, part: Formula) -> str:
    latex = formula_latex(part)
    if not part.display:
        return f"${latex.replace(chr(10), ' ')}$"
    tag = rf" \tag{{{page.scan.numbers[part.id][1]}}}" if part.id else ""
    first = page.scan.text.rfind("\n", 0, part.start) + 1
    prefix = page.scan.text[first : part.start]
    # A notebook would take the marks of a quotation's lines for parts of the formula.
    latex = f"$${' '.join(latex.split())}{tag}$$" if prefix else f"$$\n{latex.strip()}{tag}\n$$"
    anchor = _ID.format(part.id) if part.id else ""
    return f"{anchor}\n\n{prefix}{latex}\n{prefix.rstrip()}"


class _Writer:
    """Takes a page line by line, and puts its blocks in words."""

    def __init__(self, page: Page, address: Address) -> None:
        self.page, self.address = page, address
        self.pieces: list[str | Live] = []
        self.lines: list[str] = []
        # The ids that links of this page lead to.
        links = (address(link.href) or "" for link in page.scan.destinations)
        self.wanted = {link[1:] for link in links if link.startswith("#")}
        self.quoting = False
        self.folded = False
        self.opened = ""  # the block whose options may follow: its kind
        self.item = ""  # the figure, table or exercise that was opened last
        self.options: dict[str, str] = {}
        self.label = ""  # what the caption that is to come begins with

    def flush(self) -> None:
        """End a piece, if there is one."""
        lines, self.lines = self.lines, []
        while lines and lines[-1] in _BLANK:
            lines.pop()
        while lines and lines[0] in _BLANK:
            lines.pop(0)
        if lines:
            self.pieces.append("\n".join(lines))

    def add(self, *lines: str) -> None:
        """Write lines of prose; one empty line is as good as two."""
        for line in lines:
            line = f"> {line}".rstrip() if self.quoting else line
            if line not in _BLANK or (self.lines and self.lines[-1] not in _BLANK):
                self.lines.append(line)

    def anchor(self, item: str) -> list[str]:
        """An element for links to lead to, if there are any."""
        return ["", f'<a id="{item}"></a>', ""] if item in self.wanted else []

    def line(self, line: str) -> None:
        if self.opened and (option := _OPTION.fullmatch(line)):
            self.options[option["name"]] = option["text"]
            return
        if self.opened == "exercise":
            number = self.page.scan.numbers[self.item][1]
            self.add(*self.anchor(self.item), f"## {number}. {self.options['title']}", "")
            self.add(f"*{self.options['level']}*", "")
        self.opened = ""
        if self.quoting and line.strip() and not line.startswith("    "):
            self.quoting = False
            while self.lines and self.lines[-1] == ">":
                self.lines.pop()
            self.add("")
        placed, block = _PLACED.match(line), BLOCK_LINE.match(line)
        if placed:
            self.part(int(placed["index"]))
        elif aside := _ASIDE.match(line):
            self.add("")
            self.quoting = True
            self.add(f"**{aside['title'] or aside['kind'].capitalize()}**", "")
        elif block:
            self.block(block["kind"] or "", (block["id"] or "").strip())
        else:
            self.prose(line[4:] if self.quoting else line)

    def prose(self, line: str) -> None:
        anchors = [each for found in _NAMED.finditer(line) for each in self.anchor(found[1])]
        line = _NAMED.sub("", line).rstrip()
        if _HEADING.match(line) and not self.folded:
            self.flush()
        if self.label and line and not line.startswith("|"):
            line, self.label = f"**{self.label}.** {line}", ""
        self.add(*anchors, line)

    def block(self, kind: str, item: str) -> None:
        """The first line of a block, or the last one."""
        self.opened, self.options = kind, {}
        if kind in _FOLDS or kind == "exercise":
            self.flush()
        if kind in _FOLDS:
            self.folded = True
            self.add("<details>", f"<summary>{_FOLDS[kind]}</summary>", "")
        elif kind:
            self.item = item
            if kind != "exercise":
                self.label = " ".join(map(str, self.page.scan.numbers[item]))
                self.add("", *self.anchor(item))
        elif self.folded:
            self.folded = False
            self.add("", "</details>")
            self.flush()
        else:
            self.add("")

    def part(self, index: int) -> None:
        """A live part: in its own place, or within what is folded as code to be read."""
        part = self.page.parts[index]
        if self.folded or isinstance(part, Shown):
            self.add("")
            self.lines += as_text(self.page, Live(index), self.address)
            self.add("")
        else:
            self.flush()
            alt = self.options.get("alt", "") if isinstance(part, Generated) and part.figure else ""
            self.pieces.append(Live(index, alt))


def as_text(page: Page, live: Live, address: Address, picture: str = "") -> Iterator[str]:
    """A live part that is shown and not run, in lines; of a figure, where its picture lies."""
    part, output = page.parts[live.index], page.outputs.get(live.index, "").strip()
    if isinstance(part, Block):
        yield from _fence("pycon", part.code)
    elif isinstance(part, Check):
        yield f"**Your answer.** Bind it to `{part.answer}`. The check says nothing if all is right."
        yield from ("", *_fence("python", f"{part.code.rstrip()}\n\ncheck({part.answer})"))
    elif isinstance(part, Mistake):
        yield from (f"A mistake: {part.what}.", "", *_fence("python", part.code))
        yield from ("", f"The check says: `{' '.join(output.split())}`")
    elif isinstance(part, Shown):
        yield from _fence(part.language, part.code)
    elif isinstance(part, Documented):
        yield from ("", f"### `{part.name}`", "", *_fence("text", documentation(part.name)))
    elif live.alt:
        yield f"![{_escaped(live.alt)}]({picture})" if picture else live.alt
    else:
        output = _LIST_OF_ATTRIBUTES.sub("", output)
        yield from _LINK.sub(lambda found: _linked(found, address), output).split("\n")


def _linked(found: re.Match[str], address: Address) -> str:
    """A link that a generated part printed, as it leads on from elsewhere."""
    to = address(found["to"])
    return f"[{found['words']}]({to})" if to else found["words"]


def _escaped(words: str) -> str:
    return re.sub(r"([\[\]])", r"\\\1", words)


def _fence(language: str, code: str) -> list[str]:
    inside = [len(marks) for marks in re.findall(r"^ *(`{3,})", code, re.M)]
    marks = "`" * max([3, *(count + 1 for count in inside)])
    return [f"{marks}{language}", *code.rstrip("\n").split("\n"), marks]
