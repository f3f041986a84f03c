"""Versions side by side: the layout of the branch, and what Chromium shows of it."""

import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser

from pedocs.book import mkdocs_hook
from pedocs.book.audit import audit

from .conftest import Visit, served

pytestmark = pytest.mark.browser
ROOT = Path(__file__).parents[2]

CONFIG = f"""\
site_name: A small book
site_url: !ENV PEDOCS_SITE_URL
copyright: The authors
theme:
  name: material
  custom_dir: {ROOT / "overrides"}
  font: false
  features: [navigation.instant]
extra:
  version:
    provider: !ENV [PEDOCS_VERSIONS, ""]
    default: latest
hooks: [{mkdocs_hook.__file__}]
plugins: [search, {{markdown-exec: {{languages: [python]}}}}]
markdown_extensions:
  - pedocs.book
  - md_in_html
  - pymdownx.superfences
"""
EQUATION = '$$\nx\n$$ {#eq-x unchecked="a small book"}\n'


class Repository:
    """A scratch repository of a small book, and the site that its branch holds."""

    def __init__(self, folder: Path, address: str) -> None:
        self.folder, self.address = folder, address
        shutil.copytree(ROOT / "docs/assets/fonts", folder / "docs/assets/fonts")
        (folder / "docs/chapters").mkdir()
        (folder / "mkdocs.yml").write_text(CONFIG, encoding="utf-8")
        self.write("index.md", "# Home {#home}\n\n[Rope](chapters/rope.md)\n")
        self.git("init", "-q", "-b", "main")
        self.git("config", "user.name", "a")
        self.git("config", "user.email", "a@example.org")
        self.git("commit", "-q", "--allow-empty", "-m", "a")

    def write(self, page: str, text: str) -> None:
        (self.folder / "docs" / page).write_text(text, encoding="utf-8")

    def git(self, *arguments: str) -> str:
        command = ["git", *arguments]
        return subprocess.check_output(command, cwd=self.folder, text=True).strip()

    def publish(self, version: str, name: str = "") -> subprocess.CompletedProcess[str]:
        """Build and publish, as a checkout of that version would."""
        name = name or version
        env = os.environ | {
            "NO_MKDOCS_2_WARNING": "1",
            "PEDOCS_SITE_URL": f"{self.address}{name}/",
            "PEDOCS_VERSIONS": "mike",
            "PYTHONUTF8": "1",
            "SOURCE_DATE_EPOCH": "0",
        }
        build = [sys.executable, "-m", "mkdocs", "build", "--quiet"]
        built = subprocess.run(build, cwd=self.folder, env=env, capture_output=True, text=True)
        assert built.returncode == 0, built.stdout + built.stderr
        assert list(audit(self.folder / "site")) == []
        (self.folder / "publish.py").write_text(
            f"import pedocs; pedocs.__version__ = {version!r}\n"
            "from tools import publish; publish.main()\n"
        )
        command = [sys.executable, "publish.py", "site", name]
        env["PYTHONPATH"] = os.pathsep.join([str(ROOT), env.get("PYTHONPATH", "")])
        return subprocess.run(command, cwd=self.folder, env=env, capture_output=True, text=True)

    def tree(self, place: str = "") -> str:
        return self.git("rev-parse", f"gh-pages:{place}")

    def check_out(self, into: Path) -> None:
        self.git(f"--work-tree={into}", "checkout", "-q", "--force", "gh-pages", "--", ".")


@pytest.fixture(scope="module")
def versions(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Repository]:
    """Return a repository with two releases and what comes next, served from its branch."""
    pytest.importorskip("mike")
    folder = tmp_path_factory.mktemp("served")
    with served(folder) as server:
        repository = Repository(tmp_path_factory.mktemp("repository"), f"{server}book/")

        repository.write("chapters/rope.md", f"# Rope {{#rope}}\n\nThe first words.\n\n{EQUATION}")
        repository.write("chapters/gone.md", "# Gone {#gone}\n\nSome words.\n")
        assert "as the latest" in repository.publish("1.0.0").stdout
        first = repository.tree("1.0.0")

        (repository.folder / "docs/chapters/gone.md").unlink()
        repository.write("chapters/rope.md", f"# Rope {{#rope}}\n\nNew words.\n\n{EQUATION}")
        assert "as the latest" in repository.publish("1.10.0").stdout
        assert "Published dev on" in repository.publish("1.10.0", "dev").stdout
        assert repository.tree("1.0.0") == first
        repository.check_out(folder)
        yield repository


@pytest.fixture
def look(chromium: Browser, versions: Repository) -> Iterator[Visit]:
    """Return a fresh visit of the versions, which must end without faults."""
    context = chromium.new_context(viewport={"width": 1280, "height": 800})
    context.set_default_timeout(30_000)
    yield (result := Visit(context, versions.address))
    context.close()
    assert not result.faults


def test_a_release_stays_as_it_is(versions: Repository) -> None:
    before = versions.tree()
    assert "byte for byte" in versions.publish("1.10.0").stdout
    versions.write("index.md", "# Home {#home}\n\nAnother home.\n")
    again = versions.publish("1.10.0")
    assert again.returncode and "stays as it is" in again.stderr
    other = versions.publish("1.11.0", "1.10.1")
    assert other.returncode and "this is version 1.11.0" in other.stderr
    assert versions.tree() == before


def test_a_late_mend_of_an_old_version_is_not_the_latest(versions: Repository) -> None:
    tip = versions.git("rev-parse", "gh-pages")
    try:
        latest = versions.tree("latest"), versions.tree("index.html"), versions.tree("404.html")
        assert versions.publish("1.9.0").stdout == "Published 1.9.0 on the branch gh-pages.\n"
        assert latest == (
            versions.tree("latest"),
            versions.tree("index.html"),
            versions.tree("404.html"),
        )
    finally:
        versions.git("update-ref", "refs/heads/gh-pages", tip)


def found_out(faults: list[str]) -> list[str]:
    """Without what a page that is not there logs, and its question whether another one is."""
    return [each for each in faults if "404" not in each and "net::ERR_ABORTED" not in each]


@pytest.mark.parametrize("place", ["", "latest/", "1.10.0/"])
def test_home(look: Visit, place: str) -> None:
    page = look.open(place)
    page.wait_for_url("**/book/1.10.0/")
    page.get_by_role("button", name="Select version").wait_for()
    assert not page.locator("[data-md-component=outdated]").is_visible()


@pytest.mark.parametrize("place", ["chapters/rope/", "latest/chapters/rope/"])
def test_a_link_without_a_version(look: Visit, place: str) -> None:
    page = look.open(f"{place}?view=a#eq-x")
    page.wait_for_url("**/book/1.10.0/chapters/rope/?view=a#eq-x")
    page.get_by_text("New words.").wait_for()
    if place.startswith("chapters"):  # the 404 that leads there is none of the page's faults
        look.faults = found_out(look.faults)


def test_an_old_version_says_so(look: Visit) -> None:
    page = look.open("1.0.0/chapters/rope/#eq-x")
    page.get_by_text("The first words.").wait_for()
    banner = page.locator("[data-md-component=outdated]")
    banner.get_by_text("You are reading version 1.0.0, which is kept as it was.").wait_for()
    canonical = page.locator("link[rel=canonical]").get_attribute("href")
    assert canonical == f"{look.address}1.0.0/chapters/rope/"
    banner.get_by_role("link").click()
    page.wait_for_url("**/book/1.10.0/chapters/rope/")


def test_the_next_version_says_so(look: Visit) -> None:
    page = look.open("dev/")
    page.get_by_text("You are reading the next version, which may still change.").wait_for()


def test_the_selector_keeps_the_page(look: Visit) -> None:
    page = look.open("1.10.0/chapters/rope/")
    page.get_by_role("button", name="Select version").focus()
    assert page.locator(".md-version__link").all_inner_texts() == ["dev", "1.10.0", "1.0.0"]
    page.get_by_role("link", name="1.0.0", exact=True).click()
    page.wait_for_url("**/book/1.0.0/chapters/rope/")
    page.get_by_text("The first words.").wait_for()


def test_a_page_that_the_latest_version_lacks(look: Visit) -> None:
    page = look.open("latest/chapters/gone/")
    page.get_by_role("heading", name="There is no page here").wait_for()
    page.get_by_role("link", name="Rope").click()
    page.wait_for_url("**/book/1.10.0/chapters/rope/")
    look.faults = found_out(look.faults)
