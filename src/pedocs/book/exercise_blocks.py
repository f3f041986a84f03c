"""Exercises as readers see them: `//// exercise | ex-…`, `//// hint` and `//// solution` blocks."""

from __future__ import annotations

from typing import Any
from xml.etree import ElementTree

from markdown.util import AtomicString
from pymdownx.blocks import BlocksExtension  # type: ignore[import-untyped]
from pymdownx.blocks.block import Block, type_string  # type: ignore[import-untyped]

from pedocs.book.page import Page
from pedocs.book.rendered import MADE


class Exercise(Block):  # type: ignore[misc]
    """What is asked, under a heading with its number."""

    NAME = "exercise"
    ARGUMENT = True
    OPTIONS: dict[str, Any] = {  # noqa: RUF012 - pymdownx's interface
        "title": ["", type_string],
        "level": ["", type_string],
    }

    def on_create(self, parent: ElementTree.Element) -> ElementTree.Element:
        """The heading, which has the id, and the level below it."""
        page: Page | None = self.md.preprocessors["pedocs_book"].page
        section = ElementTree.SubElement(parent, "section", {"class": "pd-exercise"})
        heading = ElementTree.SubElement(section, "h2", {"id": self.argument})
        if page is None:
            heading.text = self.options["title"]
        else:
            page.captioned.add(self.argument)
            number = page.scan.numbers[self.argument][1]
            made = ElementTree.SubElement(heading, "span", {"class": f"pd-exercise-number{MADE}"})
            made.text, made.tail = AtomicString(f"{number}."), f" {self.options['title']}"
        level = ElementTree.SubElement(section, "p", {"class": "pd-level"})
        level.text = self.options["level"]
        return section


class _Folded(Block):  # type: ignore[misc]
    """What a reader opens when it is wanted."""

    SUMMARY = ""

    def on_create(self, parent: ElementTree.Element) -> ElementTree.Element:
        """The element that folds, with its name."""
        page: Page | None = self.md.preprocessors["pedocs_book"].page
        if page is not None:
            page.folded[self.NAME] += 1
        folded = ElementTree.SubElement(parent, "details", {"class": f"pd-{self.NAME}"})
        ElementTree.SubElement(folded, "summary").text = self.SUMMARY
        return folded


class Hint(_Folded):
    """A push in the right direction."""

    NAME, SUMMARY = "hint", "Hint"


class Solution(_Folded):
    """The answer, how one comes to it, and what goes wrong."""

    NAME, SUMMARY = "solution", "Solution"


class ExerciseExtension(BlocksExtension):  # type: ignore[misc]
    """Registers the three blocks."""

    def extendMarkdownBlocks(self, md: Any, block_mgr: Any) -> None:  # noqa: N802
        """Called by pymdownx when the blocks are set up."""
        for block in (Exercise, Hint, Solution):
            block_mgr.register(block, self.getConfigs())
