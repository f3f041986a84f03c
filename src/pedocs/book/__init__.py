"""What turns a chapter into a checked page: a Python-Markdown extension and its engine.

Named by module path in `markdown_extensions`, so that every site generator that runs
Python-Markdown checks the same book.
"""

from typing import Any


def makeExtension(**kwargs: Any) -> Any:  # noqa: N802 - the name that Python-Markdown calls
    """The extension, imported only when a site generator asks for it."""
    from pedocs.book.extension import BookExtension

    return BookExtension(**kwargs)
