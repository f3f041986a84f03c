"""What a built site shows and holds besides its pages' own text.

Around the pages: what the templates say of each, and lists that stand in a page and are made of
all. Beside them: notebooks, Markdown, figures, pages to embed, citations, the library as a wheel.
Nothing of it proves a number; it is made of pages that are proven.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from pedocs.book import (
    cite,
    citing,
    embed,
    encodings,
    feedback,
    figures,
    live,
    notebook,
    paper,
    permalinks,
    programs,
    teaching,
    values,
)
from pedocs.book.course import course_seed
from pedocs.book.edition import edition, made_by, write_edition
from pedocs.book.failures import Failure
from pedocs.book.page import Page
from pedocs.book.published import Published, name_of, published, title
from pedocs.book.redirects import Moved, read_redirects


class Outputs:
    """What is made of one build of a site with a configuration."""

    def __init__(self, config: Any) -> None:
        self.config = config
        self.docs = Path(config.docs_dir)
        self.pages: list[Published] = []
        folder = Path(config.config_file_path).parent
        author, licence = config.site_author or "", config.copyright or ""
        self.repository = config.extra.get("repository") or ""
        options = config.mdx_configs.get("pedocs.book", {})
        self.seed, self.solutions = course_seed(options.get("seed")), options.get("solutions", True)
        self.book = citing.Book(
            cite.work(folder, config.site_name, author, licence),
            edition(config.site_url, self.repository, self.seed),
        )
        config.extra["edition"], config.extra["made_by"] = self.book.edition, made_by()
        if config.extra.get("version"):  # one of several, side by side
            above, _, name = (config.site_url or "").rstrip("/").rpartition("/")
            config.extra["beside"] = {"above": above, "name": name}

    def describe(self, pages: list[Any]) -> None:
        """Tell the templates what each of the generator's pages is to be had as, and cited by."""
        how = feedback.how(map(name_of, pages))
        versions = (self.config.extra.get("version") or {}).get("provider")
        beside = self.config.site_url if versions else None
        for page in pages:
            source, address = page.file.src_uri, page.file.url.removeprefix("./")
            cited = self.book.page(title(page), address, name_of(page))
            page.meta["cite"] = citing.shown(cited, page.meta.get("description", ""), how)
            page.meta["markdown"] = programs.place(source)
            page.meta["notebook"] = notebook.place(source)
            page.meta["hosted"] = notebook.hosted(source, self.repository, beside)

    def fill(self, pages: list[Any], proven: Mapping[Path, Page]) -> list[Failure]:
        """Fill the places of lists in the generator's pages; what is wrong with them."""
        paper.fill(pages, made=bool(self.config.extra.get("paper")))
        failures = [*values.fill(pages, proven), *teaching.fill(pages)]
        self.pages = list(published(pages, dict(proven)))
        committed = self.seed is None and bool(self.solutions)
        return [*failures, *permalinks.check(self.docs, self.pages, committed=committed)]

    def link(self, pages: list[Any]) -> None:
        """Link the figures of green pages to their files, and lead on from what moved."""
        permalinks.rewrite(self.docs, self.pages)
        moved = Moved(read_redirects(self.docs), self.pages)
        linked = {page.name: figures.with_links(page) + moved.below(page) for page in self.pages}
        for page in pages:
            page.content = linked.get(name_of(page), page.content)

    def write(self, site: Path, addresses: Mapping[Path, str], *, green: bool) -> None:
        """Write the files into a built site; of a red one under `serve` only what the code needs.

        `addresses` says where the book's files are in the site.
        """
        library = live.write_library(site, self.docs)
        if green:
            self._write_books(site, self._facts(addresses, library))
        encodings.write(site)
        write_edition(site, self.book.edition)
        live.write_list(site, library)  # behind all that it lists

    def _write_books(self, site: Path, facts: notebook.Site) -> None:
        Moved(read_redirects(self.docs), self.pages).write(site, facts.address)
        citing.write(site, self.book, self.pages)
        notebook.write(site, self.docs, (page.proof for page in self.pages), facts)
        programs.write(
            site, self.pages, facts, self.config.site_description or "", self.book.edition
        )
        cache = Path(self.config.config_file_path).parent / ".cache" / "pictures"
        figures.write(site, self.pages, self.book, cache)
        embed.write(site, self.pages, self.book)

    def _facts(self, addresses: Mapping[Path, str], library: str) -> notebook.Site:
        """What the files say of the site."""
        return notebook.Site(
            licence=_LICENCE.sub(r"[\2](\1)", self.config.copyright or ""),
            address=self.config.site_url or "",
            pages=addresses,
            wheel=library,
            edition=self.book.edition.name,
        )


_LICENCE = re.compile(r'<a href="([^"]*)">(.*?)</a>')
