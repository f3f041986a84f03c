"""Pack the library as a wheel, and its source, always as the same bytes: `make wheel`.

    python tools/wheel.py FOLDER

Every file in them bears the time of the commit. Without it flit takes the time at which a file
came to lie on this disk, in the zone of this machine.
"""

import os
import sys
from pathlib import Path

from flit_core.sdist import SdistBuilder
from flit_core.wheel import make_wheel_in

from pedocs.book.edition import git

PROJECT = Path("pyproject.toml")


def main(folder: Path) -> None:
    """Pack both into a folder."""
    os.environ.setdefault("SOURCE_DATE_EPOCH", git("log", "-1", "--format=%ct") or "315532800")
    folder.mkdir(parents=True, exist_ok=True)
    print(make_wheel_in(PROJECT, folder).file)
    print(SdistBuilder.from_ini_path(PROJECT).build(folder))


if __name__ == "__main__":
    main(Path(sys.argv[1]))
