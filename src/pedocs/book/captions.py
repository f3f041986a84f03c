"""Figures and tables with a number: `/// figure | fig-…` and `/// table | tab-…` blocks."""

from __future__ import annotations

import re
from typing import Any
from xml.etree import ElementTree

from pymdownx.blocks import BlocksExtension  # type: ignore[import-untyped]
from pymdownx.blocks.block import Block, type_string  # type: ignore[import-untyped]

from pedocs.book.page import Page

_STASHED = re.compile("\\s*\x02wzxhzdk:\\d+\x03\\s*")


class _Captioned(Block):  # type: ignore[misc]
    """The first child is what is shown; what follows it is the caption."""

    ARGUMENT = True

    def on_create(self, parent: ElementTree.Element) -> ElementTree.Element:
        name = self.NAME
        return ElementTree.SubElement(
            parent, "figure", {"class": f"pd-{name}", "id": self.argument}
        )

    def on_end(self, block: ElementTree.Element) -> None:
        children = list(block)
        for child in children:
            block.remove(child)
        page = self.md.preprocessors["pedocs_book"].page
        if page is not None:
            page.captioned.add(self.argument)
            self.judge(page, children)
        if children:
            self.body(block).append(children[0])
        caption = ElementTree.SubElement(block, "figcaption")
        if page is not None:
            kind, number = page.scan.numbers[self.argument]
            label = ElementTree.SubElement(caption, "a", {"class": "pd-number"})
            label.set("href", f"#{self.argument}")
            label.text = f"{kind} {number}"
        caption.extend(children[1:])

    def judge(self, page: Page, children: list[ElementTree.Element]) -> None:
        """One picture or table first, and a caption behind it that is text."""
        shown = [bool(_STASHED.fullmatch(c.text or "")) or c.tag == "table" for c in children]
        if len(children) < 2 or not shown[0] or any(shown[1:]):
            line = page.line_of(f"| {self.argument}")
            page.fail(line, f"{self.argument} holds one {self.NAME} first, then its caption")

    def body(self, block: ElementTree.Element) -> ElementTree.Element:
        """The element that holds what is shown."""
        return ElementTree.SubElement(block, "div", {"class": "md-typeset__scrollwrap"})


class Figure(_Captioned):
    """A picture, with its text alternative."""

    NAME = "figure"
    OPTIONS: dict[str, Any] = {"alt": ["", type_string]}  # noqa: RUF012 - pymdownx's interface

    def body(self, block: ElementTree.Element) -> ElementTree.Element:
        """The element that stands for the picture where it is not seen."""
        return ElementTree.SubElement(
            block, "div", {"role": "img", "aria-label": self.options["alt"]}
        )


class Table(_Captioned):
    """A table."""

    NAME = "table"
    OPTIONS: dict[str, Any] = {}  # noqa: RUF012 - pymdownx's interface


class CaptionExtension(BlocksExtension):  # type: ignore[misc]
    """Registers the two blocks."""

    def extendMarkdownBlocks(self, md: Any, block_mgr: Any) -> None:  # noqa: N802
        """Called by pymdownx when the blocks are set up."""
        block_mgr.register(Figure, self.getConfigs())
        block_mgr.register(Table, self.getConfigs())
