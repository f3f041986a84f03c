"""What of a page can be named and linked: its items, each with the id that is its permalink.

Sections, definitions, equations, figures, tables, worked values, examples (the worked blocks),
exercises, questions, errata, entries of the bibliography and documented objects. An id says what
it is: those of values and examples are made from their content, all others are written in the
page. The numbers that readers see are counted by the build and are no part of an id.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from pedocs.book.fences import block_id
from pedocs.book.page import Page
from pedocs.book.parts import Block
from pedocs.book.worked import value_id

# What a heading is that stands below another one, on the pages where it is no mere section.
_ENTRIES = {"glossary": "Definition", "errata": "Erratum", "chapters/questions": "Question"}
_ENTRY_LEVEL = 3
_FUNCTION = "pedocs."
_EXAMPLE = "b-"
_VALUE = "v-"
_NO_ITEM = ("fn:", "fnref:", "__")


@dataclass(frozen=True)
class Item:
    """Something on a page that has a permalink."""

    kind: str
    id: str
    # "3" of Equation 3; empty where nothing is counted.
    number: str = ""
    # The words of a heading, the text of a value, the name of a function.
    title: str = ""

    @property
    def label(self) -> str:
        """How a text names the item: Equation 5.3, Section “Setting”, Example (b-1a2b3c4d).

        What has no number is told from others of its kind by its id: a copy has no links.
        """
        if self.number:
            return f"{self.kind} {self.number}"
        if self.kind == "Function":
            return f"{self.kind} {self.title}"
        if self.kind in ("Worked value", "Example"):
            return " ".join(filter(None, [self.kind, self.title, f"({self.id})"]))
        return f"{self.kind} “{self.title}”" if self.title else self.kind


def items(page: Page, name: str) -> Iterator[Item]:
    """The items of a rendered page, in the order of its ids.

    `name` is the page's place below the book's folder without its ending: chapters/rope.
    """
    values: dict[str, str] = {}
    for value, _ in page.values():
        values.setdefault(value_id(value.expression), value.text.strip("`"))
    headings = {heading.id: heading for heading in page.headings}
    for item in dict.fromkeys(page.rendered.ids):
        if item in page.scan.numbers:
            kind, number = page.scan.numbers[item]
            title = headings[item].text if item in headings else ""
            yield Item(kind, item, number, title.removeprefix(f"{number}. "))
        elif item in headings:
            entry = headings[item].level == _ENTRY_LEVEL
            kind = _ENTRIES.get(name, "Section") if entry else "Section"
            kind = "Function" if item.startswith(_FUNCTION) else kind
            yield Item(kind, item, title=headings[item].text)
        elif item.startswith(_VALUE) and item in values:
            yield Item("Worked value", item, title=values[item])
        elif item.startswith(_EXAMPLE):
            yield Item("Example", item)
        elif item.startswith(_FUNCTION):
            yield Item("Function", item, title=item)
        elif name == "bibliography":
            yield Item("Reference", item, title=item)
        elif not item.startswith(_NO_ITEM):
            yield Item("Place", item, title=item)


def in_solutions(page: Page) -> set[str]:
    """The ids of what stands in solutions of exercises, shown or not."""
    scan = page.scan
    values = {value_id(value.expression) for value, _ in page.values() if scan.in_solution(value)}
    blocks = {
        block_id(part.code)
        for part in page.parts
        if isinstance(part, Block) and scan.in_solution(part)
    }
    written = {each.id for each in scan.attributes if each.id and scan.in_solution(each)}
    return values | blocks | written | scan.solution_ids
