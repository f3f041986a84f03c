"""For each figure a page that shows it alone, for an `iframe` of another site.

It has the style sheets of the site and the scripts of its figures, and links to the site by
relative addresses only. No search engine is to list it: the chapter is where a figure belongs.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from html import escape, unescape
from pathlib import Path
from urllib.parse import urljoin, urlsplit

from pedocs.book.citing import Book
from pedocs.book.edition import provenance
from pedocs.book.figures import Figure, embedded, figures
from pedocs.book.published import Published, relative

# What a page loads, of what the site has.
_STYLES = ("assets/stylesheets/main*.css", "assets/stylesheets/palette*.css", "assets/pedocs.css")
_SCHEME = "assets/embed.js"
_SCRIPT = "assets/pedocs.js"
_ICON = "assets/favicon.svg"

_PAGE = """\
<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width,initial-scale=1">
<meta name="robots" content="noindex">
<title>{title}</title>
{head}
</head>
<body class="pd-embed" dir="ltr" data-md-color-scheme="default" data-md-color-primary="custom">
{scheme}
<main class="md-content"><article class="md-content__inner md-typeset">
<h1>{title}</h1>
{figure}
<footer class="pd-proof"><p>From <a class="pd-back" href="{back}" target="_top">{chapter}</a>,
{author}, pedocs {edition}, <a href="{licence}" target="_top" rel="license">{name}</a>.</p>
<p class="proof-line">By {made}.</p></footer>
</article></main>
</body>
</html>
"""


def write(folder: Path, pages: Iterable[Published], book: Book) -> None:
    """Write the pages of all figures into a built site."""
    styles = [path for pattern in _STYLES for path in sorted(folder.glob(pattern))]
    for page in pages:
        for figure in figures(page):
            file = folder / embedded(page.name, figure.id) / "index.html"
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_text(_page(figure, folder, styles, book), "utf-8")


def _page(figure: Figure, site: Path, styles: list[Path], book: Book) -> str:
    of, work = book.edition, book.work
    here = embedded(figure.page.name, figure.id)

    def loaded(name: str, tag: str) -> str:
        return tag.format(relative(name, here)) if (site / name).is_file() else ""

    sheets = (path.relative_to(site).as_posix() for path in styles)
    head = [f'<link rel="stylesheet" href="{relative(sheet, here)}">' for sheet in sheets]
    head.append(loaded(_ICON, '<link rel="icon" href="{}">'))
    head.append(loaded(_SCRIPT, '<script src="{}" defer></script>'))
    if of.address:
        head.append(f'<link rel="canonical" href="{escape(of.link(figure.page.address))}">')
    return _PAGE.format(
        title=escape(figure.name),
        head="\n".join(filter(None, head)),
        scheme=loaded(_SCHEME, '<script src="{}"></script>'),
        figure=_named(_moved(figure, here), figure.name),
        back=f"{relative(figure.page.address, here)}#{figure.id}",
        chapter=escape(figure.page.title),
        author=escape(work.by),
        edition=escape(of.name),
        licence=escape(work.licence),
        name=escape(work.licence_name),
        made=escape(provenance()),
    )


def _named(element: str, name: str) -> str:
    """A figure with the name that a screen reader says."""
    return element.replace("<figure ", f'<figure aria-label="{escape(name)}" ', 1)


def _moved(figure: Figure, here: str) -> str:
    """The figure's element, with its links as they are from the new page, in a window of their own."""

    def link(found: re.Match[str]) -> str:
        url = urlsplit(urljoin(f"//site/{figure.page.address}", unescape(found["to"])))
        to = found["to"]
        if url.netloc == "site":
            to = relative(url.path[1:], here) + (f"#{url.fragment}" if url.fragment else "")
        return f'<a{found["more"]} href="{to}" target="_top"'

    return re.sub(
        r'<a(?P<more>(?: (?!href)[\w-]+="[^"]*")*) href="(?P<to>[^"]*)"', link, figure.element
    )
