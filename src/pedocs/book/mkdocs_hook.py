"""The thin hook for mkdocs and ProperDocs: links, anchors, ids, serve mode, the last line.

Nothing that proves a number lives here: without this hook the extension stops the build
by itself. The hook lets a build go through all pages first, so that broken links and
duplicated ids stand in the same list, and it keeps `mkdocs serve` alive on a red edit.
"""

from __future__ import annotations

import logging
import os
import re
import subprocess
import sys
import time
from collections import Counter
from html import escape
from pathlib import Path
from typing import Any

from pedocs.book import build
from pedocs.book.claims import claims
from pedocs.book.failures import Failure, build_error, display_path, report
from pedocs.book.run import forget
from pedocs.book.summary import summary

_LINK = re.compile(r"Doc file '(?P<page>[^']+)' contains an? .*?link '(?P<link>[^']+)'")
_ID = re.compile(r'<[a-z][^<>]*?\sid="([^"]+)"')


class _Warnings(logging.Handler):
    """Keeps what the generator and its plugins warn of: in a book, a warning is a fault."""

    def __init__(self) -> None:
        super().__init__(logging.WARNING)
        self.messages: list[str] = []

    def emit(self, record: logging.LogRecord) -> None:
        self.messages.append(record.getMessage())


class _State:
    serving = False
    green_before = False
    started = 0.0
    warnings = _Warnings()
    failures: list[Failure] = []  # noqa: RUF012 - one state for the process


def _generator() -> logging.Logger:
    return logging.getLogger("properdocs" if "properdocs" in sys.modules else "mkdocs")


def _last_line(record: logging.LogRecord) -> bool:
    """Say what was proven where the generator says that it is done."""
    if str(record.msg).startswith("Documentation built in") and build.current.pages:
        seconds = time.monotonic() - _State.started
        record.msg = f"{summary(build.current.pages.values())} in {seconds:.1f} seconds"
        record.args = ()
    return True


def on_startup(command: str, dirty: bool) -> None:
    """Learn whether this is `serve`, where a red edit must not end the process."""
    _State.serving = command == "serve"
    # A byte-code file made within the same second as an edit would hide the edit.
    sys.dont_write_bytecode = _State.serving


def on_config(config: Any) -> Any:
    """Begin a build: nothing proven, the library imported afresh, every warning heard."""
    _State.started = time.monotonic()
    if "SOURCE_DATE_EPOCH" not in os.environ and (stamp := _commit_time()):
        os.environ["SOURCE_DATE_EPOCH"] = stamp
    if _State.green_before:
        forget(Path(folder) for folder in config.watch)
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
    links.anchors = links.not_found = links.unrecognized_links = logging.WARNING
    links.absolute_links = logging.WARNING
    return config


def _commit_time() -> str | None:
    """The time of the commit, so that two builds of it are the same bytes."""
    try:
        found = subprocess.run(
            ["git", "log", "-1", "--format=%ct"], capture_output=True, text=True, check=True
        )
    except (OSError, subprocess.CalledProcessError):
        return None
    return found.stdout.strip() or None


def on_env(env: Any, config: Any, files: Any) -> Any:
    """All pages are rendered and none is written: the place for the verdict."""
    pages = [file.page for file in files.documentation_pages() if file.page]
    for page in pages:
        page.validate_anchor_links(files=files, log_level=logging.WARNING)
    failures = {
        *build.current.failures(),
        *_warned(config),
        *_duplicates(pages),
        *_unproven(pages),
        *_named(config),
    }
    _State.failures = sorted(failures)
    if failures:
        text = report(_State.failures)
        if not (_State.serving and _State.green_before):
            raise build_error(f"{_count(failures)}:\n{text}")
        _generator().error(f"{_count(failures)}; the pages say so too:\n{text}")
        for page in pages:
            page.content = _banner() + (page.content or "")
    else:
        _State.green_before = True
    return env


# Behind every other hook and plugin, which may warn too.
on_env.mkdocs_priority = on_env.properdocs_priority = -200  # type: ignore[attr-defined]


def _count(failures: Any) -> str:
    return f"{len(failures)} failure{'s' if len(failures) > 1 else ''}"


def _file(config: Any, page: str) -> str:
    return display_path(Path(config.docs_dir) / page)


def _warned(config: Any) -> list[Failure]:
    """The generator's warnings, with page and line where they name a link."""
    failures = []
    for message in _State.warnings.messages:
        found = _LINK.search(message)
        if not found:
            failures.append(Failure(display_path(Path(config.config_file_path)), 1, message))
            continue
        path = Path(config.docs_dir) / found["page"]
        proven = build.current.pages.get(path.resolve())
        link = found["link"]
        line = proven.line_of(f"]({link}", f'"{link}"', link) if proven else 1
        failures.append(Failure(display_path(path), line, f"the link {link} leads nowhere"))
    return failures


def _duplicates(pages: list[Any]) -> list[Failure]:
    """Ids that stand twice on a page."""
    failures = []
    for page in pages:
        counts = Counter(_ID.findall(page.content or ""))
        for item, times in counts.items():
            if times > 1:
                proven = build.current.pages.get(Path(page.file.abs_src_path).resolve())
                line = proven.line_of(f"#{item}", f"| {item}", item) if proven else 1
                name = display_path(Path(page.file.abs_src_path))
                failures.append(Failure(name, line, f"the id {item} stands {times} times"))
    return failures


def _unproven(pages: list[Any]) -> list[Failure]:
    """Pages that the extension has not seen: it is missing from the configuration."""
    return [
        Failure(display_path(Path(page.file.abs_src_path)), 1, "the page was rendered unproven")
        for page in pages
        if Path(page.file.abs_src_path).resolve() not in build.current.pages
    ]


def _named(config: Any) -> list[Failure]:
    """Claims in the texts of the configuration that readers see."""
    texts = [config.site_name, config.site_description, config.copyright, str(config.nav)]
    return [
        Failure(display_path(Path(config.config_file_path)), 1, f"the number {claim} is claimed")
        for text in texts
        for _, claim in claims(re.sub(r"<[^<>]*>", " ", text or ""))
    ]


def _banner() -> str:
    items = "".join(f"<li>{escape(str(failure))}</li>" for failure in _State.failures)
    title = f'<p class="admonition-title">{_count(_State.failures)}: nothing below is proven</p>'
    return f'<div class="admonition failure pd-failures">{title}<ul>{items}</ul></div>'
