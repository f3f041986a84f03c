"""The page of questions: each has an address, runs alone, and is linked both ways."""

import ast
import re
from pathlib import Path

import pytest

from pedocs.book.fences import typed
from pedocs.book.page import read
from pedocs.book.parts import Block, Generated, Value
from pedocs.book.run import Session, fresh_state
from pedocs.book.scan import scan
from pedocs.book.sources import sources_of

CHAPTERS = Path(__file__).parents[2] / "docs" / "chapters"
PAGE = CHAPTERS / "questions.md"
SCAN = scan(read(PAGE)[1], PAGE.name)
HEADINGS = [*re.finditer(r"^(##+) .* \{#([\w-]+)\}$", SCAN.text, re.MULTILINE)]
# From where to where in the text each question stands.
QUESTIONS = {
    heading[2]: (heading.start(), end)
    for heading, end in zip(
        HEADINGS, [*(h.start() for h in HEADINGS[1:]), len(SCAN.text)], strict=True
    )
    if heading[1] == "###"
}
FIRST = next(part for part in SCAN.parts if isinstance(part, Block))


def linked(text: str) -> set[tuple[str, str]]:
    """The sections of chapters that a text links to."""
    return set(re.findall(r"\]\(([\w-]*)(?:\.md)?#([\w-]+)\)", text))


def test_there_are_thirty_two_and_the_index_lists_them_in_their_order() -> None:
    index = SCAN.text[FIRST.end : HEADINGS[0].start()]
    assert len(QUESTIONS) == 32
    assert re.findall(r"\]\(#([\w-]+)\)", index) == list(QUESTIONS)


def test_the_first_block_only_imports() -> None:
    *imports, options = ast.parse(typed(FIRST.code)).body
    assert FIRST.start < HEADINGS[0].start()
    assert all(isinstance(line, ast.Import | ast.ImportFrom) for line in imports)
    assert ast.unparse(options).startswith("np.set_printoptions(")


@pytest.mark.parametrize("question", QUESTIONS)
def test_a_question_runs_after_the_first_block_alone(question: str) -> None:
    start, end = QUESTIONS[question]
    session = Session(PAGE.name)
    blocks = 0
    with sources_of(PAGE), fresh_state():
        session.block(FIRST)
        for part in SCAN.parts:
            if start <= part.start < end:
                if isinstance(part, Block):
                    session.block(part)
                    blocks += 1
                elif isinstance(part, Generated):
                    session.generated(part)
                elif isinstance(part, Value):
                    session.value(part)
    assert blocks == 1
    assert not session.failures


def test_each_leads_to_a_section_and_a_chapter_leads_to_it() -> None:
    texts = {path.stem: path.read_text(encoding="utf-8") for path in CHAPTERS.glob("*.md")}
    sections = {
        (stem, anchor)
        for stem, text in texts.items()
        for anchor in re.findall(r"^##+ .* \{#([\w-]+)\}$", text, re.MULTILINE)
    }
    from_chapters = set().union(*(linked(texts[stem]) for stem in texts if stem != PAGE.stem))
    for question, (start, end) in QUESTIONS.items():
        long_answers = {link for link in linked(SCAN.text[start:end]) if link[0]}
        assert long_answers, question
        assert long_answers <= sections, question
        assert (PAGE.stem, question) in from_chapters, question
