"""What turns a chapter into a checked page: a Python-Markdown extension and its engine.

Named by module path in `markdown_extensions`, so that every site generator that runs
Python-Markdown checks the same book.
"""

import os
from typing import Any

# mkdocs-material prints its announcement when the theme is loaded. Naming anything of this
# module in mkdocs.yml, as `slugify` there, imports it before.
os.environ.setdefault("NO_MKDOCS_2_WARNING", "1")

__all__ = ["makeExtension", "slugify"]


def slugify(text: str, separator: str) -> str:
    """An id for a heading that has none, as Python-Markdown makes it."""
    from markdown.extensions.toc import slugify as made  # which a reader's browser has not

    return made(text, separator)


def makeExtension(**kwargs: Any) -> Any:  # noqa: N802 - the name that Python-Markdown calls
    """The extension, imported only when a site generator asks for it."""
    from pedocs.book.extension import BookExtension

    return BookExtension(**kwargs)
