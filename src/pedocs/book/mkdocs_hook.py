"""The thin hook for mkdocs and ProperDocs: links, anchors, ids, serve mode, the last line.

Nothing that proves a number lives here: without this hook the extension stops the build
by itself. The hook lets a build go through all pages first, so that broken links and
duplicated ids stand in the same list, and it keeps `mkdocs serve` alive on a red edit.
"""

from __future__ import annotations

import importlib
import logging
import os
import re
import sys
import time
from html import escape
from pathlib import Path
from typing import Any
from urllib.parse import quote, urljoin, urlsplit

import pedocs
from pedocs.book import build, policy
from pedocs.book.ahead import patient_gc
from pedocs.book.claims import claims
from pedocs.book.course import course_seed
from pedocs.book.edition import git
from pedocs.book.failures import Failure, build_error, display_path, report, speak_plainly
from pedocs.book.formulas import in_one_line
from pedocs.book.kept import Keeper
from pedocs.book.library import forget
from pedocs.book.outputs import Outputs
from pedocs.book.page import Page
from pedocs.book.summary import equations, per_chapter, summary
from pedocs.book.worked import PROOF

# What the generator, and its plugin for references, say of a link that leads nowhere.
_LINK = re.compile(
    r"Doc file '(?P<page>[^']+)' contains an? .*?link '(?P<link>[^']+)'"
    r"|mkdocs_autorefs: (?P<name>[^:]+): .*?cross-reference target '(?P<reference>[^']+)'"
)


# What a search for words has no use for, which is most of a page's elements: pictures, numbers,
# colours of code.
_UNSEARCHED = re.compile(
    r"<svg\b.*?</svg>|<template\b.*?</template>|(?P<math><math\b.*?</math>)|</?(?:data|span)\b[^>]*>",
    re.S,
)


def _plugins() -> Any:
    """The generator's module of that name: mkdocs and ProperDocs have one each."""
    name = "properdocs" if "properdocs" in sys.modules else "mkdocs"
    return importlib.import_module(f"{name}.plugins")


class _Warnings(logging.Handler):
    """Keeps what the generator and its plugins warn of: in a book, a warning is a fault."""

    def __init__(self) -> None:
        super().__init__(logging.WARNING)
        self.messages: list[str] = []

    def emit(self, record: logging.LogRecord) -> None:
        self.messages.append(record.getMessage())


class _State:
    keeper: Keeper | None = None  # while serving
    green_before = False
    started = 0.0
    warnings = _Warnings()
    content = ""
    addresses: dict[Path, str] = {}  # noqa: RUF012 - of the files, in the site
    outputs: Outputs
    failures: list[Failure] = []  # noqa: RUF012 - one state for the process


def _generator() -> logging.Logger:
    return logging.getLogger(_plugins().__name__.partition(".")[0])


def _last_line(record: logging.LogRecord) -> bool:
    """Say what was proven where the generator says that it is done, and no more than that."""
    if str(record.msg).startswith(("Cleaning site directory", "Building documentation to")):
        return False
    if str(record.msg).startswith("Documentation built in") and build.current.pages:
        seconds = time.monotonic() - _State.started
        proved = f"{summary(build.current.pages.values())} in {seconds:.1f} seconds"
        if _State.keeper and _State.keeper.returned:
            proved += f"; {_State.keeper.returned} pages had not changed"
        record.msg = f"Not proven: {_count(_State.failures)}" if _State.failures else proved
        record.args = ()
    return True


def on_startup(command: str, dirty: bool) -> None:
    """Learn whether this is `serve`, where a red edit must not end the process."""
    speak_plainly()
    patient_gc()
    _State.keeper = None
    # A byte-code file made within the same second as an edit would hide the edit.
    if command == "serve":
        _State.keeper = Keeper(lambda: len(_State.warnings.messages))
        sys.dont_write_bytecode = True
        os.environ["PYTHONDONTWRITEBYTECODE"] = "1"


def on_config(config: Any) -> Any:
    """Begin a build: nothing proven, the library imported afresh, every warning heard."""
    _State.started = time.monotonic()
    # The commit's time, so that two builds of it are the same bytes.
    os.environ.setdefault("SOURCE_DATE_EPOCH", git("log", "-1", "--format=%ct") or "0")
    if Path(pedocs.__file__).resolve().parent != Path(__file__).resolve().parents[1]:
        raise build_error(
            f"this book has a library of its own, and {pedocs.__file__} would be used: "
            "set up .venv in this folder (make setup)"
        )
    if _State.green_before:
        forget(Path(folder) for folder in config.watch)
    # A site that stands alone asks for no list of versions and says nothing of others.
    if not (config.extra.get("version") or {}).get("provider"):
        config.extra.pop("version", None)
    build.begin(gathering=True)
    _State.warnings.messages.clear()
    logger = _generator()
    if logger.getEffectiveLevel() > logging.WARNING:  # -q would keep warnings from being made
        logger.setLevel(logging.WARNING)
    if _State.warnings not in logger.handlers:
        logger.addHandler(_State.warnings)
    done = logging.getLogger(f"{logger.name}.commands.build")
    if _last_line not in done.filters:
        done.addFilter(_last_line)
    links = config.validation.links
    config.validation.nav.omitted_files = config.validation.nav.not_found = logging.WARNING
    links.not_found = links.unrecognized_links = links.absolute_links = logging.WARNING
    links.anchors = logging.DEBUG  # the generator does not see those of generated parts: _dead_ends
    _State.outputs = Outputs(config)
    return config


def on_files(files: Any, config: Any) -> Any:
    """Prove the pages while the generator is still busy with those before them.

    The pages of the library are quick to prove and slow to render: they come first, so that
    neither side waits.
    """
    quick = sorted(files, key=lambda file: not file.src_uri.startswith("library/"))
    sources = (file.abs_src_path for file in quick if file.is_documentation_page())
    paths = [Path(path) for path in sources if path]
    if _State.keeper:
        _State.keeper.begin(config)
        paths = [path for path in paths if path.resolve() not in _State.keeper.kept]
    seed = course_seed(config.mdx_configs.get("pedocs.book", {}).get("seed"))
    build.prove_ahead(paths, seed)
    return type(files)(quick)


def on_page_markdown(markdown: str, page: Any, config: Any, files: Any) -> None:
    """Let a page that has not changed since the last build of a served book come back."""
    if _State.keeper:
        _State.keeper.watch(page)


def _for_search(context: Any, page: Any, config: Any, nav: Any) -> Any:
    """Let the search index read a page without its pictures and the elements of its numbers."""
    _State.content = page.content
    text = page.content.rpartition(PROOF)[0] or page.content
    page.content = _UNSEARCHED.sub(lambda m: in_one_line(m["math"]) if m["math"] else "", text)
    return context


def _for_readers(context: Any, page: Any, config: Any, nav: Any) -> Any:
    """Put the page back as it was; the index asks only for attributes of its own to go."""
    page.content = re.sub(r'(<[^<>]*?)\s?data-search-\w+="[^"]*"', r"\1", _State.content)
    return context


_for_search.mkdocs_priority = _for_search.properdocs_priority = 100  # type: ignore[attr-defined]
_for_readers.mkdocs_priority = _for_readers.properdocs_priority = -100  # type: ignore[attr-defined]
on_page_context = _plugins().CombinedEvent(_for_search, _for_readers)


def on_env(env: Any, config: Any, files: Any) -> Any:
    """All pages are rendered and none is written: the place for the verdict."""
    build.current.ahead.close()
    pages = [file.page for file in files.documentation_pages() if file.page]
    if _State.keeper:
        _State.keeper.end(pages)
    _State.addresses = {
        Path(file.abs_src_path).resolve(): file.url.removeprefix("./")
        for file in files
        if file.abs_src_path
    }
    _State.outputs.describe(pages)
    failures = {
        *build.current.failures(),
        *_warned(config),
        *_dead_ends(pages, files),
        *_unproven(pages),
        *_configured(config, files),
        *_State.outputs.fill(pages, build.current.pages),
    }
    _number(pages)
    _State.failures = sorted(failures)
    if failures:
        text = report(_State.failures)
        if not (_State.keeper and _State.green_before):
            raise build_error(f"{_count(failures)}:\n{text}")
        _generator().error(f"{_count(failures)}; the pages say so too:\n{text}")
        for page in pages:
            page.content = _banner() + (page.content or "")
    else:
        _State.green_before = True
        _State.outputs.link(pages)
        pages_proven = build.current.pages.values()
        _generator().info(f"The chapters:\n{per_chapter(pages_proven)}")
        _generator().info(f"The display equations: {equations(pages_proven)}")
    return env


def on_post_build(config: Any) -> None:
    """Let the site serve what is made of the pages."""
    site = Path(config.site_dir)
    _State.outputs.write(site, _State.addresses, green=not _State.failures)
    # `serve` puts a script of its own into each page, to load it anew after an edit.
    if not _State.keeper:
        policy.write(site)


# Behind every other hook and plugin, which may warn too.
on_env.mkdocs_priority = on_env.properdocs_priority = -200  # type: ignore[attr-defined]


def _number(pages: list[Any]) -> None:
    """Let the navigation and the titles of windows count the chapters."""
    for page in pages:
        if (proven := _proven(page)) and proven.scan.chapter:
            page.meta["chapter"] = proven.scan.chapter
            page.title = f"{proven.scan.chapter}. {page.title}"


def _count(failures: Any) -> str:
    return f"{len(failures)} failure{'s' if len(failures) > 1 else ''}"


def _warned(config: Any) -> list[Failure]:
    """The generator's warnings, with page and line where they name a link."""
    failures = []
    for message in _State.warnings.messages:
        found = _LINK.search(message)
        if not found:
            failures.append(Failure(display_path(Path(config.config_file_path)), 1, message))
            continue
        path = Path(config.docs_dir) / (found["page"] or found["name"])
        proven = build.current.pages.get(path.resolve())
        link = found["link"] or found["reference"]
        line = proven.line_of(f"]({link}", f"][{link}]", f'"{link}"', link) if proven else 1
        failures.append(Failure(display_path(path), line, f"the link {link} leads nowhere"))
    return failures


def _dead_ends(pages: list[Any], files: Any) -> list[Failure]:
    """Links and images of the rendered pages, raw HTML and generated parts included."""
    ids = {page.file.url: set(proven.rendered.ids) for page in pages if (proven := _proven(page))}
    assets = {quote(file.url, safe="/%") for file in files if file.inclusion.is_included()}
    failures = []
    for page in pages:
        if not (proven := _proven(page)):
            continue
        here = "/" + page.file.url.removeprefix("./")
        for link in proven.rendered.links:
            split = urlsplit(urljoin(here, link))
            if (split.scheme or split.netloc) and not link.startswith("//"):
                continue
            target = split.path.lstrip("/").removesuffix("index.html") or "./"
            found = {target, target.removeprefix("./")} & assets and not link.startswith("//")
            known = ids.get(target) or ids.get(target.removeprefix("./"))
            if not found or (split.fragment and split.fragment not in (known or ())):
                line = proven.line_of(f"({link}", f'"{link}"', f"#{split.fragment}", link)
                written = _as_written(proven, link, split.fragment)
                failures.append(Failure(proven.name, line, f"the link {written} leads nowhere"))
            for figure in re.findall(r"(?:^|&)(fig-[\w-]+)=", split.query):
                if known is not None and figure not in known:
                    line = proven.line_of(f"{figure}=")
                    message = f"the link {link} sets {figure}, which is not on that page"
                    failures.append(Failure(proven.name, line, message))
    return failures


def _as_written(proven: Page, link: str, fragment: str) -> str:
    """A link as the page has it in Markdown, if it can be told by its fragment."""
    written = re.search(rf"\]\(([^()\s]*#{re.escape(fragment)})\)", proven.scan.text)
    return written[1] if fragment and written else link


def _proven(page: Any) -> Page | None:
    return build.current.pages.get(Path(page.file.abs_src_path).resolve())


def _unproven(pages: list[Any]) -> list[Failure]:
    """Pages that the extension has not seen: it is missing from the configuration."""
    return [
        Failure(display_path(Path(page.file.abs_src_path)), 1, "the page was rendered unproven")
        for page in pages
        if not _proven(page)
    ]


def _configured(config: Any, files: Any) -> list[Failure]:
    """Claims in the texts of the configuration that readers see, and files that are not there."""
    texts = [config.site_name, config.site_description, config.copyright, str(config.nav)]
    theme = config.theme
    texts += [each["toggle"]["name"] for each in theme.get("palette", []) if "toggle" in each]
    named = [*config.extra_css, *map(str, config.extra_javascript)]
    named += [file for file in (theme.get("favicon"), theme.get("logo")) if file]
    known = {file.src_uri for file in files}
    messages = [
        f"the number {claim} is claimed"
        for text in texts
        for _, claim in claims(re.sub(r"<[^<>]*>", " ", text or ""))
    ]
    messages += [
        f"the file {name} is not there"
        for name in named
        if name not in known and not name.startswith("assets/_")  # which a plugin writes later
    ]
    return [Failure(display_path(Path(config.config_file_path)), 1, each) for each in messages]


def _banner() -> str:
    items = "".join(f"<li>{escape(str(failure))}</li>" for failure in _State.failures)
    title = f'<p class="admonition-title">{_count(_State.failures)}: nothing below is proven</p>'
    return f'<div class="admonition failure pd-failures">{title}<ul>{items}</ul></div>'
