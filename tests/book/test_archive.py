"""The site as one file."""

import os
from pathlib import Path
from zipfile import ZipFile

import pytest

import pedocs
from pedocs.book.archive import main


def test_the_same_site_gives_the_same_bytes(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    site = tmp_path / "site"
    for name, text in {"index.html": "home", "b/index.html": "b", "a.txt": "a"}.items():
        (site / name).parent.mkdir(parents=True, exist_ok=True)
        (site / name).write_text(text, "utf-8")
    archive = tmp_path / "one" / f"pedocs-{pedocs.__version__}-site.zip"
    assert main([str(site), str(archive.parent)]) == 0
    assert str(archive) in capsys.readouterr().out
    for path in site.rglob("*"):
        os.utime(path, (1, 1))
    (site / "a.txt").chmod(0o600)
    assert main([str(site), str(tmp_path / "two")]) == 0
    assert archive.read_bytes() == (tmp_path / "two" / archive.name).read_bytes()
    with ZipFile(archive) as packed:
        assert packed.namelist() == [
            f"{archive.stem}/{name}" for name in ("a.txt", "b/index.html", "index.html")
        ]
        assert packed.read(f"{archive.stem}/b/index.html") == b"b"


def test_without_a_site_there_is_nothing_to_pack(tmp_path: Path) -> None:
    assert main([str(tmp_path), str(tmp_path)]) == 2
    assert main([]) == 2
