"""The weekly look at links, against a host and an archive that do as they are told."""

import json
import os
import re
import tomllib
from collections import Counter
from collections.abc import Iterator
from contextlib import suppress
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Event, Thread
from typing import Any
from urllib.parse import parse_qs, urlsplit

import pytest

from pedocs.book.bibliography import listing
from pedocs.book.snapshots import Snapshot, read_snapshots, write_snapshots
from tools.links.__main__ import main
from tools.links.archive import Archive
from tools.links.ask import SETTINGS, Answer, ask
from tools.links.collect import outside

ROOT = Path(__file__).parents[2]
COPY = "http://web.archive.org/web/20240229012345/"
ENTRY = "@misc{{ey2019, author = {{Ey, Bea}}, title = {{T}}, year = {{2019}}, url = {{{url}}}}}\n"


class Hosts:
    """Answers by path; remembers what it was asked."""

    def __init__(self) -> None:
        self.asked: list[tuple[str, str]] = []
        self.done = Event()
        self.archive_refuses = False
        hosts = self

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def do_GET(self) -> None:
                hosts.asked.append((self.path, self.headers["User-Agent"]))
                path = urlsplit(self.path)
                again = Counter(path for path, _ in hosts.asked)[self.path] > 1
                code, headers, body = hosts.answer(path.path, parse_qs(path.query), again)
                self.send_response(code)
                for name, value in headers.items():
                    self.send_header(name, value)
                self.send_header("Content-Length", str(len(body)))
                self.end_headers()
                with suppress(ConnectionError):  # who asked has given up
                    self.wfile.write(body)

            def log_message(self, *_: object) -> None:
                pass

        self.server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.address = f"http://127.0.0.1:{self.server.server_port}"
        Thread(target=self.server.serve_forever, daemon=True).start()

    def answer(
        self, path: str, query: dict[str, list[str]], again: bool
    ) -> tuple[int, dict[str, str], bytes]:
        match path:
            case "/available":
                if self.archive_refuses:
                    return 429, {}, b""
                if not again and query["url"][0].endswith("/ok"):
                    return 429, {"Retry-After": "1"}, b""
                return 200, {}, json.dumps(self.closest(query["url"][0])).encode()
            case "/gone":
                return 404, {}, b""
            case "/busy" if not again:
                return 429, {"Retry-After": "1"}, b""
            case "/moved":
                return 301, {"Location": "/ok"}, b""
            case "/elsewhere":
                return 302, {"Location": "/ok"}, b""
            case "/slow":
                self.done.wait(20)
        return 200, {}, b"<p>there</p>"

    def closest(self, link: str) -> dict[str, Any]:
        closest = {"available": True, "status": "200", "url": COPY + link}
        if "busy" in link:
            closest["status"] = "404"  # the copy of an error
        return {"archived_snapshots": {} if "moved" in link else {"closest": closest}}


@pytest.fixture
def hosts() -> Iterator[Hosts]:
    made = Hosts()
    yield made
    made.done.set()
    made.server.shutdown()
    made.server.server_close()


@pytest.fixture
def book(tmp_path: Path, hosts: Hosts) -> Path:
    """Make a site of two pages and what they were written as."""
    docs, site = tmp_path / "docs", tmp_path / "site"
    (docs / "chapters").mkdir(parents=True)
    links = [f"{hosts.address}/{name}" for name in ("gone", "busy", "moved", "elsewhere", "slow")]
    (docs / "chapters/one.md").write_text("# One [@ey2019]\n\n" + "\n\n".join(links))
    (docs / "bibliography.md").write_text("# Works\n")
    (docs / "bibliography.bib").write_text(f"\n{ENTRY.format(url=f'{hosts.address}/ok')}")
    (tmp_path / "src").mkdir()
    (tmp_path / "src/code.py").write_text(f"# \n# see {hosts.address}/coded.")
    head = f'<link rel="canonical" href="{hosts.address}/canonical"><a href="{hosts.address}/nav">n</a>'
    named = "".join(f'<a href="{link}#part">x</a>' for link in links)
    pages = {
        "chapters/one": f'{named}{named}<a href="../../">in</a><a href="{hosts.address}/made">m</a>'
        f'<a href="{hosts.address}/coded">c</a>',
        "bibliography": f'<a href="{hosts.address}/ok">url</a>',
        "embed/fig-a": f'<a href="{hosts.address}/share">s</a>',
    }
    for name, article in pages.items():
        (site / name).mkdir(parents=True)
        (site / name / "index.html").write_text(f"{head}<article>{article}</article>")
    return tmp_path


def lychee() -> Path:
    """Return the program that asks, as `make links` installs it."""
    found = sorted(ROOT.glob(".cache/links-*/bin/lychee"))
    if not found and os.environ.get("PEDOCS_LYCHEE"):
        pytest.fail("PEDOCS_LYCHEE is set, and make lychee has not brought it", pytrace=False)
    if not found:
        pytest.skip("lychee is not there (make lychee): nothing has asked for links")
    return found[0]


@pytest.fixture
def settings(tmp_path: Path, hosts: Hosts) -> Path:
    """Return the book's settings, in a hurry, and with one host that refuses programs."""
    text = SETTINGS.read_text("utf-8")
    for name, value in (
        ("timeout", "3"),
        ("max_retries", "1"),
        ("retry_wait_time", "1"),
        ("host_request_interval", '"50ms"'),
    ):
        text, count = re.subn(rf"^({name} = )[^\s#]+", rf"\g<1>{value}", text, flags=re.M)
        assert count == 1, name
    text = text.replace("exclude = [", f"exclude = [\n  '^{hosts.address}/made', # refuses")
    path = tmp_path / "lychee.toml"
    path.write_text(text)
    return path


def test_every_link_out_is_found_once_with_its_lines(book: Path, hosts: Hosts) -> None:
    assert outside(book / "site", book / "docs") == {
        f"{hosts.address}/busy": ["docs/chapters/one.md:5"],
        f"{hosts.address}/coded": ["src/code.py:2"],
        f"{hosts.address}/elsewhere": ["docs/chapters/one.md:9"],
        f"{hosts.address}/gone": ["docs/chapters/one.md:3"],
        f"{hosts.address}/made": ["docs/chapters/one.md"],
        f"{hosts.address}/moved": ["docs/chapters/one.md:7"],
        f"{hosts.address}/ok": ["docs/bibliography.bib:2"],
        f"{hosts.address}/slow": ["docs/chapters/one.md:11"],
    }


def test_hosts_are_asked_politely_and_say_what_is_there(
    book: Path, hosts: Hosts, settings: Path
) -> None:
    answers = ask(lychee(), outside(book / "site", book / "docs"), settings)
    at = hosts.address
    assert answers == [
        Answer(f"{at}/busy", "there"),  # once it was asked again
        Answer(f"{at}/coded", "there"),
        Answer(f"{at}/elsewhere", "there"),
        Answer(f"{at}/gone", "dead", "Rejected status code: 404 Not Found"),
        Answer(f"{at}/made", "not asked"),
        Answer(f"{at}/moved", "moved", f"{at}/ok"),
        Answer(f"{at}/ok", "there"),
        Answer(f"{at}/slow", "dead", "Timeout"),
    ]
    asked = Counter(path for path, _ in hosts.asked)
    assert asked["/busy"] == 2
    assert asked["/gone"] == 1
    assert asked["/made"] == 0
    assert {agent.partition(" ")[0] for _, agent in hosts.asked} == {"pedocs-links"}


def test_a_program_that_fails_is_no_answer(book: Path, settings: Path) -> None:
    settings.write_text("no such setting = 1")
    with pytest.raises(OSError, match="lychee ended with"):
        ask(lychee(), ["http://127.0.0.1:9/"], settings)


def test_the_archive_is_asked_again_when_it_is_busy(hosts: Hosts) -> None:
    archive = Archive(f"{hosts.address}/available", pause=0)
    at = hosts.address
    found, refused = archive.copies(f"{at}/{name}" for name in ("ok", "busy", "moved?a=b&c=+"))
    assert found == {f"{at}/ok": Snapshot(f"https{COPY[4:]}{at}/ok", "2024-02-29")}
    assert refused == ""
    assert len(hosts.asked) == 4
    asked = parse_qs(urlsplit(hosts.asked[-1][0]).query)["url"]
    assert asked == [f"{at}/moved?a=b&c=+"]


def test_an_archive_that_refuses_is_left_in_peace(hosts: Hosts) -> None:
    hosts.archive_refuses = True
    archive = Archive(f"{hosts.address}/available", pause=0, patience=0)
    found, refused = archive.copies([f"{hosts.address}/{name}" for name in ("ok", "gone")])
    assert found == {}
    assert "429" in refused
    assert not [path for path, _ in hosts.asked if "gone" in path]


@pytest.mark.parametrize(
    "closest",
    [
        {"available": False, "status": "200", "url": f"{COPY}https://a.example/"},
        {"available": True, "status": "200", "url": "https://a.example/20240229012345/x"},
        {"available": True, "status": "200", "url": f'{COPY}https://a.example/" x'},
    ],
)
def test_what_is_no_copy_is_not_recorded(
    hosts: Hosts, closest: dict[str, Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(hosts, "closest", lambda _: {"archived_snapshots": {"closest": closest}})
    assert Archive(f"{hosts.address}/available", pause=0).copy("https://a.example/") is None


def test_the_whole_run_reports_and_records(
    book: Path, hosts: Hosts, settings: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    at, docs = hosts.address, book / "docs"
    write_snapshots(docs, {"https://not.linked.example/": Snapshot("https://x", "2020-01-01")})
    arguments = [str(book / "site"), "--lychee", str(lychee()), "--settings", str(settings)]
    arguments += ["--docs", str(docs), "--archive", f"{at}/available", "--pause", "0"]
    assert main([*arguments, "--report", str(book / "report")]) == 1
    said = capsys.readouterr().out
    assert said.startswith(
        "8 links: 4 there, 1 moved, 2 dead, 1 not asked. 6 have an archived copy."
    )
    dead = (book / "report/dead.md").read_text()
    assert dead in said
    assert (
        f"- {at}/gone: Rejected status code: 404 Not Found\n  - in `docs/chapters/one.md:3`" in dead
    )
    assert (
        f"  - archived on 2024-02-29: https://web.archive.org/web/20240229012345/{at}/gone" in dead
    )
    assert f"- https://web.archive.org/save/{at}/busy" in said
    assert set(read_snapshots(docs)) == {
        f"{at}/{name}" for name in ("coded", "elsewhere", "gone", "made", "ok", "slow")
    }
    shown = listing(docs / "bibliography.md")
    copy = f"https://web.archive.org/web/20240229012345/{at}/ok"
    assert f'/ok</a> (<a href="{copy}">archived 2024-02-29</a>)' in shown
    hosts.asked.clear()
    main(arguments)
    questions = [path for path, _ in hosts.asked if path.startswith("/available")]
    assert len(questions) == 2  # what has a copy is asked for no more


def test_a_book_without_a_record_has_no_copies(tmp_path: Path) -> None:
    assert read_snapshots(tmp_path) == {}


def test_each_host_that_is_not_asked_has_its_reason() -> None:
    text = SETTINGS.read_text("utf-8")
    listed = tomllib.loads(text)["exclude"]
    for each in listed:
        assert re.search(rf"^  '{re.escape(each)}', # \w+", text, re.M), each
        assert each.startswith("^https://"), each
