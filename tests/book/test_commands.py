"""Whole commands on a small book: each fault makes each of them red and is named."""

import random
from pathlib import Path

import pytest

from tests.book.conftest import Run
from tools.tamper import commands
from tools.tamper.faults import FAULTS, MORE, Fault


def spoil(book: Path, page: str, old: str, new: str) -> None:
    commands.spoil(book, {"": Fault("", page, old, new, "")})


def pages(book: Path) -> list[Path]:
    """The pages of the built book, without those that only show a figure of them."""
    found = (book / "site").rglob("*.html")
    return [path for path in found if path.name != "404.html" and "embed" not in path.parts]


def test_a_green_book_builds_and_says_what_it_proved(run: Run, book: Path) -> None:
    result = run("mkdocs", "build")
    assert result.returncode == 0, result.stderr
    assert result.stderr.splitlines()[-1].startswith(
        "INFO    -  2 pages, 1 blocks, 6 values, 2 figures and tables, 0 exercises, 1 gen"
    )
    assert len(pages(book)) == 2


@pytest.mark.parametrize("fault", FAULTS, ids=lambda fault: fault.says[:60])
def test_a_fault_is_red_under_quiet_mkdocs(run: Run, book: Path, fault: Fault) -> None:
    commands.spoil(book, {"": fault})
    result = run("mkdocs", "build", "-q")
    assert result.returncode == 1
    assert fault.says in result.stderr
    assert "Traceback" not in result.stderr
    assert pages(book) == []


def test_many_faults_in_one_book_are_all_named() -> None:
    """`make tamper` tries all of them, in every command."""
    build = commands.commands(None)["mkdocs build -q"]
    sample = random.Random(0).sample(MORE, 40)
    tried = list(commands.built("mkdocs build -q", build, sample))
    assert [each.fault for each in tried if not each.found or each.left] == []


@pytest.mark.parametrize(
    "command",
    [
        ("mkdocs", "build"),
        ("mkdocs", "build", "--strict"),
        ("mkdocs", "build", "-q", "--strict"),
        ("mkdocs", "serve", "--dev-addr", "127.0.0.1:0"),
        ("pedocs.book", "check"),
        ("pytest", "-p", "pedocs.book.pytest_plugin", "-p", "no:cacheprovider", "docs"),
    ],
    ids=" ".join,
)
def test_all_failures_stand_in_one_run_of_every_command(
    run: Run, book: Path, command: tuple[str, ...]
) -> None:
    spoil(book, "index.md", "{0.841471", "{0.841472")
    spoil(book, "other.md", "| {2 =", "| {3 =")
    result = run(*command)
    assert result.returncode == 1
    output = result.stdout + result.stderr
    assert "docs/index.md:10: the text says 0.841472, first[0] is 0.8414709848078965" in output
    assert 'docs/other.md:21: the text says 3, len("ab") is 2' in output


def test_without_the_hook_the_extension_stops_the_build_itself(run: Run, book: Path) -> None:
    config = book / "mkdocs.yml"
    lines = config.read_text(encoding="utf-8").splitlines()
    config.write_text("\n".join(line for line in lines if not line.startswith("hooks")))
    spoil(book, "index.md", "{0.841471", "{0.841472")
    spoil(book, "other.md", "| {2 =", "| {3 =")
    result = run("mkdocs", "build", "-q")
    assert result.returncode == 1
    assert "docs/index.md:10:" in result.stderr
    assert "docs/other.md:21:" in result.stderr
    assert pages(book) == []


def test_without_the_extension_the_hook_stops_the_build(run: Run, book: Path) -> None:
    config = book / "mkdocs.yml"
    text = config.read_text(encoding="utf-8").replace("  - pedocs.book\n", "")
    config.write_text(text, encoding="utf-8")
    result = run("mkdocs", "build", "-q")
    assert result.returncode == 1
    assert "the page was rendered unproven" in result.stderr


def test_a_docstring_is_proven_where_it_is_shown(run: Run, book: Path) -> None:
    (book / "lib" / "small.py").write_text(
        'def one() -> int:\n    """One.\n\n    >>> from small import one\n    >>> one()\n    2\n    """\n'
        "    return 1\n"
    )
    config = book / "mkdocs.yml"
    handler = "{mkdocstrings: {handlers: {python: {paths: [lib]}}}}"
    config.write_text(config.read_text().replace("mkdocstrings]", handler + "]"))
    (book / "docs" / "api.md").write_text("# API\n\n::: small.one\n")
    import os

    os.environ["PYTHONPATH"] = "lib"
    try:
        result = run("mkdocs", "build", "-q")
    finally:
        del os.environ["PYTHONPATH"]
    assert result.returncode == 1
    assert "lib/small.py:6: the text says 2, the code gives 1" in result.stderr


def test_two_builds_are_the_same_bytes(
    run: Run, book: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    contents = []
    for zone, seed in (("UTC", "1"), ("Asia/Kolkata", "2")):
        monkeypatch.setenv("TZ", zone)
        monkeypatch.setenv("PYTHONHASHSEED", seed)
        assert run("mkdocs", "build", "-q", "-d", f"site-{seed}").returncode == 0
        site = book / f"site-{seed}"
        contents.append(
            {p.relative_to(site): p.read_bytes() for p in site.rglob("*") if p.is_file()}
        )
    assert contents[0] == contents[1]


def test_the_tests_are_named_by_page_and_line(run: Run) -> None:
    result = run(
        "pytest",
        "-p",
        "pedocs.book.pytest_plugin",
        "-p",
        "no:cacheprovider",
        "--collect-only",
        "-q",
        "docs",
    )
    listed = result.stdout.splitlines()
    for name in ("docs/index.md", "docs/index.md:3", "docs/index.md:10", "docs/index.md:13", "docs/index.md:12",
                 "docs/other.md:8", "docs/other.md:12", "docs/other.md:26", "docs/other.md:26.2"):  # fmt: skip
        assert name in listed
