"""Put a built site beside the versions that are published: `python tools/publish.py site 1.0.0`.

The versions stand in the branch gh-pages, each in a folder of its name. A release is never
touched again; `dev` is the state of main and changes with it. `latest/` leads to the newest
release, and so do the root of the site and, by its 404.html, addresses that name no version.
mike keeps the branch and the list that the theme's selector reads. Nothing is pushed.
"""

import argparse
import os
import re
import subprocess
import sys
import tempfile
from contextlib import suppress
from pathlib import Path

from mike import commands, git_utils
from packaging.version import Version

import pedocs
from pedocs.book.notebook import BRANCH

DEVELOPMENT = "dev"
# What is asked for at the root of a site, whatever the version.
ROOT_FILES = ("404.html", "llms.txt")


def publish(site: Path, name: str) -> str:
    """Commit a site under a name; return what was done. Raises ValueError if it must not be."""
    if name not in {DEVELOPMENT, pedocs.__version__}:
        raise ValueError(f"this is version {pedocs.__version__}, not {name}")
    home = (site / "index.html").read_text("utf-8")
    address = re.search(r'<link rel="canonical" href="([^"]*)"', home)
    if not address or not address[1].endswith(f"/{name}/"):
        raise ValueError(f"the site was built for another address: PEDOCS_SITE_URL=…/{name}/")
    if '"provider":"mike"' not in re.sub(r"\s", "", home):
        raise ValueError("the site was built to stand alone: PEDOCS_VERSIONS=mike")

    versions = commands.list_versions(BRANCH)
    releases = {str(each.version) for each in versions} - {DEVELOPMENT}
    if name in releases:
        if _tree(site) != _git("rev-parse", f"{BRANCH}:{name}"):
            raise ValueError(f"version {name} is published, and stays as it is")
        return f"Version {name} is published already, byte for byte."
    newest = name != DEVELOPMENT and all(Version(name) > Version(each) for each in releases)
    with (
        suppress(git_utils.GitEmptyCommit),
        commands.deploy(
            {"site_dir": str(site), "use_directory_urls": True},
            name,
            title=DEVELOPMENT if name == DEVELOPMENT else name,
            aliases=["latest"] if newest else [],
            update_aliases=True,
            alias_type=commands.AliasType.redirect,
            branch=BRANCH,
            message=f"Version {name}",
        ),
    ):
        pass
    if newest or not releases:
        with suppress(git_utils.GitEmptyCommit):
            commands.set_default(name, branch=BRANCH, message=f"The root leads to {name}")
        with (
            suppress(git_utils.GitEmptyCommit),
            git_utils.Commit(BRANCH, f"What names no version leads to {name}") as commit,
        ):
            for file in filter(Path.is_file, (site / each for each in ROOT_FILES)):
                commit.add_file(git_utils.FileInfo(file.name, file.read_bytes()))
    return f"Published {name}{' as the latest' if newest else ''} on the branch {BRANCH}."


def _tree(site: Path) -> str:
    """What git calls the content of a folder."""
    repository = _git("rev-parse", "--absolute-git-dir")
    with tempfile.TemporaryDirectory() as folder:
        env = os.environ | {
            "GIT_DIR": repository,
            "GIT_INDEX_FILE": str(Path(folder, "index")),
            "GIT_WORK_TREE": str(site.resolve()),
        }
        _git("-C", str(site), "-c", "core.autocrlf=false", "add", "--all", "--force", ".", env=env)
        return _git("write-tree", env=env)


def _git(*arguments: str, env: dict[str, str] | None = None) -> str:
    return subprocess.check_output(["git", *arguments], env=env, text=True).strip()


def main() -> None:
    """Read the arguments; say in a line what is wrong."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("site", type=Path, help="the folder of the built site")
    parser.add_argument("name", help=f"the version, or {DEVELOPMENT}")
    arguments = parser.parse_args()
    try:
        print(publish(arguments.site, arguments.name))
    except (OSError, ValueError, git_utils.GitError, subprocess.CalledProcessError) as error:
        sys.exit(f"nothing is published: {error}")


if __name__ == "__main__":
    main()
