"""The whole site as one zip file for a course server: ``python -m pedocs.book.archive SITE FOLDER``.

The same site gives the same bytes: names are sorted, and no file has a time or an owner. All links
of the site are relative, so it works in whatever folder of whatever server it is unpacked; only
the page for wrong addresses is made for the place that the site was built for.
"""

from __future__ import annotations

import sys
from pathlib import Path
from zipfile import ZIP_DEFLATED, ZipFile, ZipInfo

import pedocs

_TIME = (1980, 1, 1, 0, 0, 0)  # the first that a zip file can tell
_MODE = 0o100644 << 16


def name() -> str:
    """What the archive of this version is called, and the folder in it."""
    return f"pedocs-{pedocs.__version__}-site"


def pack(site: Path, archive: Path) -> None:
    """Pack a built site."""
    archive.parent.mkdir(parents=True, exist_ok=True)
    part = archive.with_name(f"{archive.name}.part")
    with ZipFile(part, "w", ZIP_DEFLATED, compresslevel=9) as packed:
        for inner in sorted(path.relative_to(site).as_posix() for path in site.rglob("*")):
            if (site / inner).is_file():
                info = ZipInfo(f"{name()}/{inner}", _TIME)
                info.create_system, info.external_attr = 3, _MODE
                info.compress_type = ZIP_DEFLATED
                packed.writestr(info, (site / inner).read_bytes())
    part.replace(archive)


def main(arguments: list[str] | None = None) -> int:
    """Pack the site named on the command line into a folder; say what was made."""
    given = sys.argv[1:] if arguments is None else arguments
    if len(given) != 2 or not (site := Path(given[0])).joinpath("index.html").is_file():
        print("usage: python -m pedocs.book.archive SITE FOLDER", file=sys.stderr)
        return 2
    archive = Path(given[1]) / f"{name()}.zip"
    pack(site, archive)
    print(f"{archive}: {archive.stat().st_size / 1e6:.1f} MB")
    return 0


if __name__ == "__main__":
    sys.exit(main())
