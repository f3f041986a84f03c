"""The content security policy of a site: what is given to its pages, and what is a fault."""

from pathlib import Path

import pytest

from pedocs.book import policy
from pedocs.book.audit import main, read

HEAD = '<!doctype html><html><head>\n<meta charset="utf-8">'


def site(folder: Path, **pages: str) -> Path:
    """Write pages, each with what stands in its head behind the character set."""
    for name, more in ({"index": ""} | pages).items():
        (folder / f"{name}.html").write_text(f"{HEAD}\n{more}\n", "utf-8")
    return folder


def faults(folder: Path) -> list[str]:
    pages = read(folder)
    return policy.faults({n: page for n, page in pages.items() if isinstance(page, policy.Inline)})


INLINE = (
    "<script>one()</script><script type='module'>two()</script><style>p { color: red }</style>"
    '<script src="x.js"></script><script type="application/json" id="c">{"a": 1}</script>'
)


def test_a_policy_covers_what_the_templates_wrote(tmp_path: Path) -> None:
    """One for all pages, and the same when it is given again."""
    folder = site(tmp_path, page=INLINE, other="<script>three()</script>")
    assert len(faults(folder)) == 3  # none has a policy yet
    policy.write(folder)
    given = {path: path.read_bytes() for path in folder.glob("*.html")}
    assert faults(folder) == []
    policy.write(folder)
    assert given == {path: path.read_bytes() for path in folder.glob("*.html")}
    text = (folder / "index.html").read_text("utf-8")
    assert text.count("sha256-") == 4 and "unsafe-eval'" in text
    assert policy.digest("three()") in text and policy.digest('{"a": 1}') not in text
    assert text.startswith(f"{HEAD}<meta http-equiv=")


@pytest.mark.parametrize(
    ("body", "fault"),
    [
        ("<script>new()</script>", "the policy does not allow: new()"),
        ("<style>p { color: red }</style>", "the policy does not allow: p { color: red }"),
        ('<p onclick="x()">', "runs a script from an attribute: onclick"),
        ("<svg><path onload=x></path></svg>", "runs a script from an attribute: onload"),
        ('<a href=" JavaScript:x()">', "runs a script from an attribute: href= JavaScript:x()"),
        (
            '<iframe src="data:text/html,x">',
            "runs a script from an attribute: src=data:text/html,x",
        ),
    ],
)
def test_what_came_later_is_a_fault(tmp_path: Path, body: str, fault: str) -> None:
    folder = site(tmp_path)
    policy.write(folder)
    page = folder / "index.html"
    page.write_text(page.read_text("utf-8") + body, "utf-8")
    assert faults(folder) == [f"index.html:4: {fault}"]
    assert main([str(folder)]) == 1


def test_a_policy_that_comes_late_or_twice_or_is_another(tmp_path: Path) -> None:
    folder = site(tmp_path, page="")
    policy.write(folder)
    page = folder / "page.html"
    good = page.read_text("utf-8")
    page.write_text(good.replace(HEAD, f"{HEAD}<script src=x.js></script>"), "utf-8")
    assert faults(folder) == ["page.html:2: loads or runs something before there is a policy"]
    meta = good[len(HEAD) : good.index(">", len(HEAD)) + 1]
    page.write_text(good + meta, "utf-8")
    assert faults(folder) == ["page.html:1: has 2 content security policies, not one"]
    page.write_text(good.replace("img-src 'self'", "img-src"), "utf-8")
    assert faults(folder) == ["index.html:1: the site has 2 policies, not one"]


@pytest.mark.parametrize(
    ("rule", "fault"),
    [
        ("script-src 'self' 'unsafe-inline'", "the policy allows 'unsafe-inline' as script-src"),
        ("script-src 'self' 'unsafe-eval'", "the policy allows 'unsafe-eval' as script-src"),
        ("script-src 'self' data:", "the policy allows data: as script-src"),
        ("style-src-elem 'unsafe-inline'", "the policy allows 'unsafe-inline' as style-src-elem"),
        ("connect-src *", "the policy allows * as connect-src"),
        ("font-src https://fonts.test", "the policy allows https://fonts.test as font-src"),
        ("default-src 'self'", "the policy allows what it does not name"),
    ],
)
def test_a_lax_policy_is_a_fault(rule: str, fault: str) -> None:
    name = rule.split()[0]
    rules = [r for r in policy.policy([], []).split("; ") if r.split()[0] != name]
    assert list(policy.lax("; ".join(rules))) == (
        ["the policy allows what it does not name"] if name == "default-src" else []
    )
    assert fault in list(policy.lax("; ".join([*rules, rule])))
    assert list(policy.lax(policy.policy(["x"], ["y"]))) == []


def test_a_picture_has_no_script(tmp_path: Path) -> None:
    folder = site(tmp_path)
    policy.write(folder)
    (folder / "a.svg").write_text("<svg>\n<script>x()</script></svg>", "utf-8")
    assert faults(folder) == ["a.svg:2: a picture has a script"]
