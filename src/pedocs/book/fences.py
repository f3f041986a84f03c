"""How superfences shows worked blocks, generated parts, and code that is not run."""

from __future__ import annotations

import doctest
import hashlib
from collections import Counter
from functools import lru_cache
from html import escape
from typing import Any

import pygments
from markdown import Markdown
from markdown_exec import base_format
from pygments.formatters import HtmlFormatter
from pygments.lexer import Lexer
from pygments.lexers import get_lexer_by_name

from pedocs.book.failures import build_error
from pedocs.book.page import Page
from pedocs.book.parts import Block, Check, Generated, Mistake, Part
from pedocs.book.rendered import MADE


def register(md: Markdown, page: Page, consumed: Counter[int]) -> None:
    """Teach the instance's superfences the page's fences; each shown part is counted."""
    if "fenced_code_block" not in md.preprocessors:
        raise build_error("pedocs.book needs pymdownx.superfences in markdown_extensions")
    blocks: set[str] = set()  # the same block twice is one address
    preprocessor: Any = md.preprocessors["fenced_code_block"]

    def validate(
        language: str, inputs: dict[str, str], options: dict[str, Any], attrs: Any, md: Markdown
    ) -> bool:
        preprocessor.get_hl_settings()
        options.update(inputs)
        return True

    def show(src: str, language: str, options: dict[str, Any], md: Markdown, **_: Any) -> str:
        if "part" not in options:
            label = '<p class="not-run-label">Not run</p>' if options.get("run") == "no" else ""
            return f'<div class="not-run">{label}{highlight(src, language)}</div>'
        index = int(options["part"])
        part = page.parts[index]
        try:
            html = shown_part(index, part, src, md)
        except Exception as error:  # superfences would show the source instead
            page.fail(part.line, f"what the part prints cannot be shown: {error}")
            return ""
        consumed[index] += 1
        return html

    def shown_part(index: int, part: Part, src: str, md: Markdown) -> str:
        if isinstance(part, Block):
            code, item = typed(part.code), block_id(part.code)
            first = item not in blocks
            blocks.add(item)
            return _worked_block(src, "pycon", code, item if first else "")
        if isinstance(part, Check):
            return (
                f'<details class="pd-check" data-answer="{part.answer}">'
                "<summary>Check your answer</summary>"
                "<p><em>Answer</em> opens a place for it and checks it here. In a session of your own, "
                f"bind it to <code>{part.answer}</code>, run this, and call "
                f"<code>check({part.answer})</code>: it says nothing if all is right.</p>"
                f"{_worked_block(src, 'python', part.code)}</details>"
            )
        if isinstance(part, Mistake):
            return (
                f'<div class="pd-mistake"><p>A mistake: {escape(part.what)}.</p>'
                f"{_worked_block(src, 'python', part.code)}"
                f'<div class="generated{MADE}"><p>The check says: '
                f"<samp>{escape(page.outputs.get(index, ''))}</samp></p></div></div>"
            )
        assert isinstance(part, Generated)
        output = page.outputs.get(index, "")
        shown = base_format(
            language="python",
            run=lambda code, **_: output,
            code=src,
            md=md,
            html=output.lstrip().startswith("<"),
            id_prefix="",
            update_toc=False,
        )
        return f'<div class="generated{MADE}">{shown}</div>'

    for language in ("pycon", "python"):
        preprocessor.extension.extend_super_fences(language, show, validate, lambda md: None)


def _worked_block(source: str, language: str, code: str = "", item: str = "") -> str:
    """Code that the build has run, what of it a reader copies, and the mark of its permalink."""
    copied = escape(code or source).replace("\n", "&#10;")
    own = f' id="{item}"' if item else ""
    # Its sign is no word to search for.
    link = (
        f'<a class="headerlink" href="#{item}" title="Link to this block" data-search-exclude>'
        "&para;</a>"
    )
    return (
        f'<div class="worked-block{MADE}"{own} data-copy="{copied}">'
        f"{highlight(source, language)}{link if item else ''}</div>"
    )


def highlight(source: str, language: str) -> str:
    """Code in colours, in the elements that pymdownx.highlight puts around it.

    That makes a lexer and a style sheet anew for each fence, which takes longer than the
    colouring itself.
    """
    spans = pygments.highlight(source, _lexer(language), _FORMATTER)
    return (
        f'<div class="language-{language} highlight"><pre><span></span>'
        f"<code>{spans}</code></pre></div>"
    )


_FORMATTER: HtmlFormatter[str] = HtmlFormatter(nowrap=True)


@lru_cache(maxsize=8)
def _lexer(language: str) -> Lexer:
    return get_lexer_by_name(language)


def typed(code: str) -> str:
    """What a reader types of a block: its code, without prompts and outputs.

    An empty line ends a suite, as a REPL needs it.
    """
    return as_typed(doctest.DocTestParser().get_examples(code))


def block_id(code: str) -> str:
    """The permalink of a worked block, which holds as long as its code does."""
    return "b-" + hashlib.blake2s(typed(code).encode(), digest_size=4).hexdigest()


def as_typed(examples: list[doctest.Example]) -> str:
    """The code of examples, as a reader types it."""
    sources = [example.source.rstrip("\n") for example in examples]
    return "\n".join(
        source + "\n" if source.rpartition("\n")[2].startswith(" ") else source
        for source in sources
    ).rstrip("\n")
