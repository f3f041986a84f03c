"""The Python-Markdown extension: proves a page, and puts the results where the parts stood.

Before any other syntax is read, the page's parts are run and replaced by tokens; an inline
processor turns the tokens into elements. Each token must come out exactly once.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator
from html import escape, unescape
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

from markdown import Markdown
from markdown.blockprocessors import BlockProcessor
from markdown.extensions import Extension
from markdown.inlinepatterns import InlineProcessor
from markdown.postprocessors import Postprocessor
from markdown.preprocessors import Preprocessor
from markdown.treeprocessors import Treeprocessor
from markdown.util import AtomicString

from pedocs.book import bibliography, build, fences, worked
from pedocs.book.captions import CaptionExtension
from pedocs.book.claims import claims
from pedocs.book.course import course_seed
from pedocs.book.exercise_blocks import ExerciseExtension
from pedocs.book.failures import build_error
from pedocs.book.formulas import FormulaError, mathml
from pedocs.book.page import Heading, Page, numbered, read
from pedocs.book.parts import (
    Block,
    Check,
    Citation,
    Documented,
    Formula,
    Generated,
    Mistake,
    Part,
    Value,
)
from pedocs.book.rendered import CLOSE, MADE, OPEN, read_rendered, without_marks
from pedocs.book.scan import REFERENCED, scan

# Private-use characters pass through YAML, attribute lists and the HTML parser unharmed.
TOKEN = "\ue000{}\ue001"
_TOKEN = re.compile("\ue000(\\d+)\ue001")


# Out of its sentence, as a screen reader lists it, such a link leads anywhere.
_VAGUE = {
    "here",
    "click here",
    "this",
    "this page",
    "link",
    "more",
    "read more",
    "see more",
    "start",
}


def is_inner(md: Markdown) -> bool:
    """Whether an instance renders a piece inside a page (of mkdocstrings or markdown-exec)."""
    return hasattr(md, "_original_md") or "mkdocstrings_ids" in md.treeprocessors


def page_path(md: Markdown, configured: str) -> Path:
    """The file that an instance renders. Raises where it cannot be known."""
    if configured:
        return Path(configured)
    if "relpath" in md.treeprocessors:  # mkdocs, ProperDocs
        relpath: Any = md.treeprocessors["relpath"]
        return Path(relpath.file.abs_src_path)
    if "rendering_context" in md.preprocessors:  # Zensical
        context: Any = md.preprocessors["rendering_context"]
        return Path("docs", str(context.page.path))
    raise build_error("pedocs.book cannot tell which page it renders, so it proves nothing")


def number_title(md: Markdown, page: Page) -> None:
    """Let Zensical count the chapters in navigation and titles, as the hook does for the others."""
    if "rendering_context" in md.preprocessors and page.scan.chapter:
        context: Any = md.preprocessors["rendering_context"]
        title = next(heading.text for heading in page.headings if heading.level == 1)
        context.page.meta["chapter"] = page.scan.chapter
        context.page.title = f"{page.scan.chapter}. {title}"


def _of_the_file(path: Path, lines: list[str]) -> bool:
    """Whether the text that the generator hands over is the text of the file."""

    def plain(text: list[str]) -> str:
        return "\n".join(line.rstrip() for line in text).strip("\n")

    return plain(read(path)[1].split("\n")) == plain(lines)


class _Prove(Preprocessor):
    """Runs the page and puts tokens in the place of its parts."""

    def __init__(self, md: Markdown, configured: str, *, seed: int | None, solutions: bool) -> None:
        super().__init__(md)
        self.configured, self.seed, self.solutions = configured, seed, solutions
        self.page: Page | None = None
        self.placed: set[int] = set()
        self.consumed: Counter[int] = Counter()
        # The values in running text, and what each has to carry.
        self.elements: list[tuple[ElementTree.Element, dict[str, str], Value]] = []
        self.tree_done = False

    def run(self, lines: list[str]) -> list[str]:
        if is_inner(self.md):
            return self.formulas_only("\n".join(lines)).split("\n")
        path = page_path(self.md, self.configured)
        if not _of_the_file(path, lines):
            raise build_error(f"{path}:1: the text to render is not the text of the file")
        self.page = build.current.ahead.proof(path, self.seed)
        self.page.solutions = self.solutions
        self.placed, self.consumed, self.elements = set(), Counter(), []
        fences.register(self.md, self.page, self.consumed)
        return [*self.with_tokens(self.page).split("\n"), "", ""]  # as Markdown ends a text

    def formulas_only(self, text: str) -> str:
        """Text of a docstring or a generated part: its formulas are set, nothing is run."""
        if "$" not in text:
            return text
        for part in reversed(scan(text, "", 1).parts):
            if isinstance(part, Formula):
                try:
                    html = _made(mathml(part.latex, display=part.display))
                except FormulaError as error:
                    raise build_error(f"the formula ${part.latex}$ is no LaTeX: {error}") from None
                text = text[: part.start] + self.md.htmlStash.store(html) + text[part.end :]
        return text

    def with_tokens(self, page: Page) -> str:
        text, pieces, done = page.scan.text, list[str](), 0
        for start, end, replacement in self.replacements(page):
            pieces += [text[done:start], replacement]
            done = end
        return "".join([*pieces, text[done:]])

    def replacements(self, page: Page) -> list[tuple[int, int, str]]:
        """What comes in the place of which stretch of the text, in order."""
        found, done = list[tuple[int, int, str]](), 0
        if not self.solutions:
            found = [(*span, "") for exercise in page.scan.exercises for span in exercise.solutions]
        for index, part in enumerate(page.parts):
            if part.start < done or not page.shows(part):
                continue  # a value inside a formula, or a solution that is kept back
            replacement = self.replacement(index, part, page.scan.text)
            if replacement is not None:
                found.append((part.start, part.end, replacement))
                done = part.end
        return sorted(found)

    def replacement(self, index: int, part: Part, text: str) -> str | None:
        if isinstance(part, Value):
            if part.plain:
                return f"{OPEN}{part.text}{CLOSE}"
            self.placed.add(index)
            return TOKEN.format(index)
        if isinstance(part, Citation):
            self.placed.add(index)
            return TOKEN.format(index)
        if isinstance(part, Formula):
            self.placed.add(index)
            if not part.display:
                return TOKEN.format(index)
            # A block of its own, whatever stands right above and below it.
            prefix = text[text.rfind("\n", 0, part.start) + 1 : part.start]
            return f"\n{prefix}{TOKEN.format(index)}\n{prefix.rstrip()}"
        if isinstance(part, (Block, Generated, Check, Mistake)):
            self.placed.add(index)
            first, rest = text[part.start : part.end].split("\n", 1)
            return f'{first.rstrip()} part="{index}"\n{rest}'
        return None


def _made(formula: str) -> str:
    """A formula with the mark that it is no page's own."""
    return formula.replace("<math", f"<math{MADE}", 1)


class _Tokens(InlineProcessor):
    """Turns tokens in running text into elements."""

    def __init__(self, md: Markdown, proof: _Prove) -> None:
        super().__init__(_TOKEN.pattern + r"((?:[.,;:!?)’”]|\](?!\())*)", md)
        self.proof = proof

    def handleMatch(  # type: ignore[override]  # noqa: N802
        self, m: re.Match[str], data: str
    ) -> tuple[ElementTree.Element | str, int, int]:
        index, page = int(m[1]), self.proof.page
        assert page is not None
        part = page.parts[index]
        self.proof.consumed[index] += 1
        if isinstance(part, Formula):
            if part.display:
                page.fail(part.line, "a display equation stands in a block of its own")
            stashed = self.md.htmlStash.store(_made(page.outputs.get(index, "")))
            if not m[2]:
                return stashed, m.start(0), m.end(0)
            # A line must not break between a formula and the mark behind it.
            together = ElementTree.Element("span", {"class": "pd-nobreak"})
            together.text = AtomicString(stashed + m[2])
            return together, m.start(0), m.end(0)
        if isinstance(part, Citation):
            return self.cited(page, index, part), m.start(0), m.start(2)
        assert isinstance(part, Value)
        element = worked.element(page, index, part)
        self.proof.elements.append((element, dict(element.attrib), part))
        return element, m.start(0), m.start(2)

    def cited(self, page: Page, index: int, part: Citation) -> ElementTree.Element:
        """A link to an entry of the bibliography; plain text where the entry is missing."""
        if index not in page.outputs:
            return ElementTree.Element("span")
        address = bibliography.href(part.key, page.path)
        link = ElementTree.Element("a", {"class": "pd-citation", "href": address})
        link.text = AtomicString(page.outputs[index])
        return link


class _Equations(BlockProcessor):
    """Turns the token of a display formula, alone in its block, into a numbered equation."""

    def __init__(self, md: Markdown, proof: _Prove) -> None:
        super().__init__(md.parser)
        self.md, self.proof = md, proof

    def test(self, parent: ElementTree.Element, block: str) -> bool:
        return bool(self.proof.page and self.formula(block))

    def formula(self, block: str) -> tuple[int, Formula] | None:
        found = re.match(rf"\n* {{0,3}}{_TOKEN.pattern}[ \t]*(?:\n|\Z)", block)
        if found and self.proof.page:
            part = self.proof.page.parts[int(found[1])]
            if isinstance(part, Formula) and part.display:
                return int(found[1]), part
        return None

    def run(self, parent: ElementTree.Element, blocks: list[str]) -> None:
        block = blocks.pop(0)
        found, page = self.formula(block), self.proof.page
        assert found is not None
        assert page is not None
        index, part = found
        self.proof.consumed[index] += 1
        div = ElementTree.SubElement(
            parent, "div", {"class": "pd-equation", "tabindex": "0", "data-search-exclude": ""}
        )
        div.text = AtomicString(self.md.htmlStash.store(_made(page.outputs.get(index, ""))))
        if part.id:
            number = page.scan.numbers[part.id][1]
            div.set("id", part.id)
            link = ElementTree.SubElement(
                div, "a", {"class": f"pd-equation-number{MADE}", "href": f"#{part.id}"}
            )
            link.set("aria-label", f"Equation {number}")
            link.text = f"({number})"
        rest = block.lstrip().partition("\n")[2]
        if rest.strip():
            blocks.insert(0, rest)


class _Tree(Treeprocessor):
    """Ids that hold no value, and references with their numbers."""

    def __init__(self, md: Markdown, proof: _Prove) -> None:
        super().__init__(md)
        self.proof = proof

    def run(self, root: ElementTree.Element) -> None:
        page = self.proof.page
        outer = getattr(self.md, "_original_md", None)
        if outer is not None and "relpath" in outer.treeprocessors:
            outer.treeprocessors["relpath"].run(root)  # mkdocs resolves the page's own links only
        if page is None or is_inner(self.md):
            return
        for element, attributes, value in self.proof.elements:
            if element.attrib != attributes:
                page.fail(value.line, f"an attribute list changes the worked value {value.text}")
        worked.placed(root)
        for heading in root.iter():
            if heading.tag in {"h1", "h2", "h3", "h4", "h5", "h6"} and "id" not in heading.attrib:
                self.heading(heading)
        for link in root.iter("a"):
            if link.get("class") not in ("pd-number", f"pd-equation-number{MADE}"):
                self.reference(page, link)

    def heading(self, heading: ElementTree.Element) -> None:
        if not any(map(_changes, heading.iter())):
            return
        toc: Any = self.md.treeprocessors["toc"]
        words = re.sub("\x02[^\x03]*\x03", "", "".join(_without_values(heading)))  # no formula
        heading.set("id", toc.slugify(words, toc.sep) or "section")

    def reference(self, page: Page, link: ElementTree.Element) -> None:
        """Add its number to a link called Figure, Table or Equation."""
        words, href = "".join(link.itertext()), link.get("href", "")
        if (
            re.search(
                r"(?i)\b(?:figure|fig\.|table|tab\.|equation|eq\.|exercise)s?\s\d|^\([\d.]+\)$",
                words,
            )
            and "://" not in href
        ):
            page.fail(page.line_of(f"[{words}"), f"[{words}]: leave the number to the build")
        if words.strip().casefold() in _VAGUE:
            near = page.line_of(f"[{words}]({href}", href)
            page.fail(near, f"[{words}]({href}): the words of a link say where it leads")
        if words in REFERENCED:
            number = numbered(page.path, page.scan, href).get(words)
            if number is None or len(link):
                near = page.line_of(f"({href}", href)
                page.fail(near, f"[{words}]({href}): there is no such {words.lower()}")
            else:
                link.text = f"{words}\u00a0{number}"


def _changes(element: ElementTree.Element) -> bool:
    """Whether an element's text is worked out by the build, so that it may read otherwise later."""
    return element.tag == "data" or element.get("class") == "pd-citation"


def _without_values(element: ElementTree.Element) -> list[str]:
    texts = [element.text or ""]
    for child in element:
        if not _changes(child):
            texts += _without_values(child)
        texts.append(child.tail or "")
    return texts


class _Last(Treeprocessor):
    """Runs behind all other treeprocessors: toc runs the postprocessors on each heading."""

    def __init__(self, md: Markdown, proof: _Prove) -> None:
        super().__init__(md)
        self.proof = proof

    def run(self, root: ElementTree.Element) -> None:
        self.proof.tree_done = True


class _Finish(Postprocessor):
    """Values in raw HTML, the count of the tokens, the last look, the page's list, the verdict."""

    def __init__(self, md: Markdown, proof: _Prove) -> None:
        super().__init__(md)
        self.proof = proof

    def run(self, text: str) -> str:
        proof, page = self.proof, self.proof.page
        if page is None or not proof.tree_done or is_inner(self.md):
            return text
        proof.tree_done = False

        def in_html(match: re.Match[str]) -> str:
            index = int(match[1])
            part = page.parts[index]
            proof.consumed[index] += 1
            if text.rfind("<pre", 0, match.start()) > text.rfind("</pre>", 0, match.start()):
                page.fail(part.line, "a worked value or formula stands in indented code")
            if isinstance(part, Formula):
                return _made(page.outputs.get(index, ""))
            if isinstance(part, Citation):
                page.fail(part.line, f"[@{part.key}] stands in an attribute or in raw HTML")
                return escape(page.outputs.get(index, ""))
            assert isinstance(part, Value)
            return worked.html(page, index, part)

        for fence in re.finditer(r'(?:`{3,}|~{3,})\w* ?[^\n]*\bpart=(?:"|&quot;)(\d+)', text):
            page.fail(page.parts[int(fence[1])].line, "the fence stands in indented code")
        text = _TOKEN.sub(in_html, text)
        for index in sorted(proof.placed):
            if (times := proof.consumed[index]) != 1:
                part = page.parts[index]
                what = part.text if isinstance(part, Value) else type(part).__name__.lower()
                page.fail(part.line, f"{what} comes out {times} times on the page, not once")
        for block in page.scan.captioned:
            if page.shows(block) and block.id not in page.captioned:
                page.fail(block.line, f"the block /// {block.kind} | {block.id} is not understood")
        for exercise in page.scan.exercises:
            if exercise.id not in page.captioned:
                page.fail(exercise.line, f"the exercise {exercise.id} is not understood")
        for kind, count in page.folds().items():
            if page.folded[kind] != count:
                message = f"{page.folded[kind]} {kind} blocks come out, not {count}"
                page.fail(page.line_of(f"//// {kind}"), message)
        page.rendered = read_rendered(text)
        page.headings = list(_headings(getattr(self.md, "toc_tokens", [])))
        if page.rendered.documented > page.count(Documented):
            page.fail(page.line_of("doc-object"), 'class="doc-object" is written by hand')
        self.last_look(page)
        build.record(page)
        number_title(self.md, page)
        return chapter_line(page) + without_marks(text) + worked.listed(page)

    def last_look(self, page: Page) -> None:
        """What the scan could not see, in what came out."""
        for heading in page.headings:
            counted = page.scan.numbers.get(heading.id, ("", ""))[1]  # an exercise's
            for _, claim in claims(heading.text.removeprefix(counted)):
                message = f"the contents list the number {claim}, which is not worked"
                page.fail(page.line_near(heading.text), message)
        known = {claim for f in page.failures for claim in re.findall(r"number (\S+)", f.message)}
        headings = {heading.id: heading.text for heading in page.headings}
        for message, near in page.rendered.problems():
            number = re.search(r"number (\S+?),? ", message)
            said = number and number[1] in known
            touched = "touches" in message and any("touches" in f.message for f in page.failures)
            if not said and not touched:
                page.fail(page.line_near(headings.get(near, near)), message)


def _headings(tokens: Iterable[Any]) -> Iterator[Heading]:
    """The headings of a page's table of contents, in order."""
    for token in tokens:
        yield Heading(token["level"], token["id"], without_marks(unescape(token["name"])))
        yield from _headings(token["children"])


def chapter_line(page: Page) -> str:
    """What stands over the title of a page that belongs to a chapter."""
    chapter = page.scan.chapter
    return f'<p class="pd-chapter" data-search-exclude>Chapter {chapter}</p>\n' if chapter else ""


class BookExtension(Extension):
    """`pedocs.book` in `markdown_extensions`. `path` names the page where no generator does."""

    def __init__(self, **kwargs: Any) -> None:
        self.config = {
            "path": ["", "The file that is rendered, if nothing else tells."],
            "seed": ["", "The course seed: exercises draw their numbers from it."],
            "solutions": [True, "Whether readers are shown the solutions of exercises."],
        }
        super().__init__(**kwargs)

    def extendMarkdown(self, md: Markdown) -> None:  # noqa: N802
        """Register what proves a page, and what shows the proof."""
        if "$" not in md.ESCAPED_CHARS:
            md.ESCAPED_CHARS.append("$")
        md.registerExtension(self)  # markdown-exec takes it over for what generated parts print
        seed = course_seed(self.getConfig("seed"))
        solutions = self.getConfig("solutions")
        proof = _Prove(md, self.getConfig("path"), seed=seed, solutions=solutions)
        md.preprocessors.register(proof, "pedocs_book", 28)  # before superfences (25)
        md.parser.blockprocessors.register(_Equations(md, proof), "pedocs_equations", 95)
        md.inlinePatterns.register(_Tokens(md, proof), "pedocs_tokens", 185)
        md.treeprocessors.register(_Tree(md, proof), "pedocs_tree", 6)  # before toc (5)
        md.treeprocessors.register(_Last(md, proof), "pedocs_last", -10_000)
        md.postprocessors.register(_Finish(md, proof), "pedocs_finish", 0)
        CaptionExtension().extendMarkdown(md)
        ExerciseExtension().extendMarkdown(md)
