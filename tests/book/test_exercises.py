"""Exercises: their form, their tests, a course's own numbers, and solutions that are kept back."""

from pathlib import Path

import pytest
from markdown import Markdown

from pedocs.book import build
from pedocs.book.course import prove_for
from pedocs.book.exercises import LEVELS
from pedocs.book.failures import report
from pedocs.book.page import prove, read
from tests.book.test_extension import EXTENSIONS, render

DOCS = Path(__file__).parents[2] / "docs"
CHAPTERS = sorted(path.stem for path in (DOCS / "chapters").glob("*.md"))
WORKSHEETS = sorted((DOCS / "exercises").glob("*.md"))

EXERCISE = """\
# Exercises

'''pycon
>>> import numpy as np
>>> seed = 2026
'''

//// exercise | ex-double
    title: "Twice a *number*"
    level: by hand

'''pycon
>>> n = int(np.random.default_rng([seed, 1]).integers(3, 10))
>>> n
7
'''

Double {7 = n}.
////

//// hint

Add it to itself.
////

'''python check="answer"
def check(answer):
    assert answer == 2 * n, f"{answer} is not twice {n}"
'''

//// solution

'''pycon
>>> answer = n + n
>>> answer
14
'''

The sum is {14 = answer}.

'''python mistake="squared"
answer = n * n
'''
////

See [Exercise](#ex-double).
"""


def faults(tmp_path: Path, text: str) -> str:
    path = tmp_path / "page.md"
    path.write_text(text.replace("'''", "```"), encoding="utf-8")
    return report(prove(path).failures)


def test_an_exercise_is_shown_with_its_parts(tmp_path: Path) -> None:
    found = render(tmp_path, EXERCISE)
    assert not report(found.page.failures)
    html = found.html
    assert (
        '<h2 id="ex-double"><span class="pd-exercise-number">1.</span> Twice a <em>number</em></h2>'
        in html
    )
    assert '<p class="pd-level">by hand</p>' in html
    assert '<details class="pd-hint">' in html
    assert "Add it to itself." in html
    assert '<details class="pd-check" data-answer="answer">' in html
    assert '<details class="pd-solution">' in html
    assert "<p>A mistake: squared.</p>" in html
    assert "<p>The check says: <samp>49 is not twice 7</samp></p>" in html
    assert '<a href="#ex-double">Exercise\u00a01</a>' in html
    assert [e.level for e in found.page.scan.exercises] == ["by hand"]


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        ("n + n\n", "n + n + 1\n", "the check refuses the answer: 15 is not twice 7"),
        (">>> answer = n + n\n>>> answer\n14", ">>> n + n\n14", "the answer does not bind answer"),
        ("answer = n * n", "answer = 2 * n", "the check takes the mistake 'squared'"),
        ("answer = n * n", "answer = undefined", "NameError"),
        ("answer = n * n", "del answer", "the mistake does not bind answer"),
        ('== 2 * n, f"{answer} is not twice {n}"', "== 2 * n", "without a message"),
        ("    assert answer == 2", "    return answer == 2", "the check returns"),
        ("    assert answer", "    assert answer is None or answer", "takes None for an answer"),
        ("def check(answer):", "def test(answer):", "a function of one argument"),
        ("def check(answer):", "def check(answer, n=n):", "a function of one argument"),
        ("'''python mistake=\"squared\"\nanswer = n * n\n'''\n", "", "has 0 mistakes"),
        ("The sum", "'''python check=\"answer\"\n'''\n\nThe sum", "between an exercise and its"),
        ("level: by hand", "level: easy", "known are by hand, with code"),
        ("    level: by hand\n", "", "needs the two lines title: and level:"),
        ("ex-double\n", "double\n", "the id must read ex-"),
        ("ex-double\n", "ex-2\n", "the id must read ex-"),
        ("//// hint", "/// hint", "have four ////"),
        ("//// hint", "//// clue", "unknown block //// clue"),
        ("//// hint", "//// hint | ex-hint", "a hint has no id"),
        ("itself.\n////\n", "itself.\n", "inside //// hint: close it first"),
        ("////\n\nSee", "\n\nSee", "the solution block is never closed"),
        ("# Exercises", "# Exercises\n\n//// hint\n\na\n////", "belongs to no exercise"),
        ("(#ex-double)", "(#ex-single)", "there is no such exercise"),
        ('mistake="squared"', 'mistake="takes 0.5 of it"', "the number 0.5 in the name"),
        ("is not twice {n}", "is not 1.5 of {n}", "the number 1.5 in a string"),
        ("is not twice {n}", "is not {1.5} of {n}", "the number 1.5 in a string"),
        ("    assert answer", "    # 0.25 is wrong\n    assert answer", "the number 0.25"),
        ("    assert answer", "    answer.missing\n    assert answer", "raises AttributeError"),
        ('"Twice a *number*"', '"Twice 0.5"', "the number 0.5"),
        ("    assert answer", "    raise SystemExit\n    assert answer", "raises SystemExit"),
        ("def check", "answer = 2 * n\ndef check", "the check's code binds answer"),
        ("def check", "n = 70\ndef check", "the check's code binds n"),
        ("    assert answer", "    drawn.random()\n    assert answer", "the check changes drawn"),
        ("    assert answer", "    np.random.rand()\n    assert answer", "numpy's own generator"),
        ("{14 = answer}", "{14 = answer} <!--\n////\n-->", "//// stands in a comment"),
    ],
)
def test_what_an_exercise_must_not_be(tmp_path: Path, old: str, new: str, said: str) -> None:
    text = EXERCISE.replace("seed = 2026\n", "seed = 2026\n>>> drawn = np.random.default_rng(0)\n")
    assert text.count(old) >= 1
    assert said in faults(tmp_path, text.replace(old, new, 1))


def test_a_check_sees_what_was_stated_and_not_the_solution(tmp_path: Path) -> None:
    text = EXERCISE.replace("answer = n + n\n", "answer, n = n + n, 3\n").replace("n * n", "n + n")
    assert not faults(tmp_path, text)


def test_no_exercise_knows_another(tmp_path: Path) -> None:
    first = EXERCISE.partition("See [")[0]
    again = first[first.index("//// exercise") :].replace("ex-double", "ex-again")
    drawn = again[again.index("'''pycon") : again.index("Double")]
    assert not faults(tmp_path, first + again)
    assert "name 'n' is not defined" in faults(tmp_path, first + again.replace(drawn, "", 1))


def twice(first: str) -> str:
    """Return a page on which the exercise, with a line in its solution, stands before itself."""
    given = EXERCISE.replace("seed = 2026\n", "seed = 2026\n>>> box = [1]\n").partition("See [")[0]
    again = given[given.index("//// exercise") :].replace("ex-double", "ex-again")
    return given.replace(">>> answer = n + n\n", f">>> {first}\n>>> answer = n + n\n") + again


@pytest.mark.parametrize(
    ("line", "changed"),
    [
        ("box = [2]", ""),
        ("box.append(2)", "an exercise before this one changes box"),
        ("np.set_printoptions(precision=2)", "changes the print options"),
    ],
)
def test_no_exercise_changes_what_the_next_begins_with(
    tmp_path: Path, line: str, changed: str
) -> None:
    found = faults(tmp_path, twice(line))
    assert changed in found
    assert bool(found) == bool(changed)


def test_a_mistake_may_spoil_what_the_exercise_states(tmp_path: Path) -> None:
    text = EXERCISE.replace(">>> n\n7\n", ">>> box = [n]\n>>> n\n7\n")
    text = text.replace("== 2 * n", "== 2 * box[0]")
    text = text.replace("answer = n * n\n", "box[0] = 9\nanswer = 3 * n\n")
    assert not faults(tmp_path, text)


def test_a_solution_that_the_scan_does_not_see_is_not_shown(tmp_path: Path) -> None:
    text = EXERCISE.replace("See [", "- //// solution\n\n    Twelve.\n\nSee [")
    assert "2 solution blocks come out, not 1" in report(render(tmp_path, text).page.failures)


def test_a_link_by_a_name_that_is_kept_back_is_red(tmp_path: Path) -> None:
    text = EXERCISE.replace("Add it", "Add [it][kept]")
    text = text.replace("The sum", "[kept]: #ex-double\n\nThe sum")
    assert 'href="#ex-double">it</a>' in shown(tmp_path, text)
    with pytest.raises(AssertionError, match=r"\[it\]\[kept\] is shown as it is written"):
        shown(tmp_path, text, solutions=False)


NUMBERED = """\
/// table | tab-kept

| a | b |
|---|---|
| c | d |

A caption.
///

$$a = b$$ {#eq-kept unchecked="a letter"}

See [Table](#tab-kept).

"""


def test_what_a_solution_holds_can_be_kept_back_with_it(tmp_path: Path) -> None:
    text = EXERCISE.replace("The sum", NUMBERED + "The sum")
    assert "tab-kept" not in shown(tmp_path, text, solutions=False)
    assert "tab-kept" in shown(tmp_path, text)
    for kind, item in (("Table", "tab-kept"), ("Equation", "eq-kept")):
        hint = text.replace("Add it to itself.", f"See [{kind}](#{item}).")
        assert f"(#{item}): it stands in a solution" in faults(tmp_path, hint)
    other = tmp_path / "other.md"
    other.write_text("See [Table](page.md#tab-kept).\n", encoding="utf-8")
    assert "it stands in a solution" in report(prove(other).failures)


def test_an_exercise_that_is_written_with_spaces_gets_the_seed_too(tmp_path: Path) -> None:
    path = tmp_path / "page.md"
    path.write_text(EXERCISE.replace("//// ex", "////  ex").replace("'" * 3, "`" * 3))
    assert ">>> seed = 3\n" in prove_for(path, 3).scan.text


def test_an_exercise_without_a_solution_or_a_check(tmp_path: Path) -> None:
    text = EXERCISE[: EXERCISE.index("//// hint")]
    assert "has 0 checks" in faults(tmp_path, text)
    assert "has 0 solutions" in faults(tmp_path, text)


def test_another_seed_gives_other_numbers_which_are_proven(tmp_path: Path) -> None:
    path = tmp_path / "page.md"
    path.write_text(EXERCISE.replace("'''", "```"), encoding="utf-8")
    shown = set()
    for seed in range(1, 6):
        page = prove_for(path, seed)
        assert not report(page.failures)
        assert f">>> seed = {seed}\n" in page.scan.text
        shown.add(next(value.text for value, _ in page.values()))
    assert len(shown) > 1
    assert prove_for(path, None).scan.text == read(path)[1]


def test_a_course_gets_no_statement_that_its_numbers_do_not_bear(tmp_path: Path) -> None:
    path = tmp_path / "page.md"
    text = EXERCISE.replace("'''", "```").replace("{14 = answer}", "{≤ 15 = answer}")
    path.write_text(text, encoding="utf-8")
    said = {report(prove_for(path, seed).failures) for seed in range(8)}
    assert any("≤ 15" in failure for failure in said)


def test_exercises_without_a_seed_cannot_be_drawn_anew(tmp_path: Path) -> None:
    path = tmp_path / "page.md"
    path.write_text(EXERCISE.replace("'''", "```").replace("seed = ", "seed = 0 + "))
    assert "draw their numbers from a seed" in report(prove_for(path, 3).failures)


def shown(tmp_path: Path, page: str = EXERCISE, **options: object) -> str:
    path = tmp_path / "page.md"
    path.write_text(page.replace("'''", "```"), encoding="utf-8")
    build.begin(gathering=True)
    md = Markdown(
        extensions=EXTENSIONS,
        extension_configs={
            "pedocs.book": {"path": str(path), **options},
            "pymdownx.tabbed": {"alternate_style": True},
        },
    )
    html = md.convert(path.read_text(encoding="utf-8"))
    assert not report(build.current.failures())
    return html


def test_a_course_is_published_with_its_numbers_and_without_solutions(tmp_path: Path) -> None:
    with_solutions, without = shown(tmp_path, seed=5), shown(tmp_path, seed=5, solutions=False)
    stated = next(iter(prove_for(tmp_path / "page.md", 5).values()))
    answer = f">{2 * stated[1][0]}</data>"
    assert answer in with_solutions
    assert "pd-solution" not in without
    assert answer not in without
    assert "n + n" not in without
    assert "squared" not in without
    assert "Add it to itself." in without
    assert "def" in without
    assert "See" in without


@pytest.mark.parametrize("option", [{"seed": -1}, {"seed": "a"}, {"seed": True}])
def test_a_course_is_set_up_with_care(tmp_path: Path, option: dict[str, object]) -> None:
    with pytest.raises(Exception, match=next(iter(option))):
        shown(tmp_path, EXERCISE, **option)


@pytest.mark.parametrize("chapter", CHAPTERS)
def test_each_chapter_has_exercises_from_paper_to_project(chapter: str) -> None:
    path = DOCS / "exercises" / f"{chapter}.md"
    exercises = prove(path).scan.exercises
    assert len(exercises) >= 5
    assert {LEVELS[0], LEVELS[-1]} <= {exercise.level for exercise in exercises}
    assert all(exercise.hints for exercise in exercises)
    text = (DOCS / "chapters" / f"{chapter}.md").read_text(encoding="utf-8")
    assert f"](../exercises/{chapter}.md)" in text


@pytest.mark.parametrize("path", WORKSHEETS, ids=lambda path: path.stem)
@pytest.mark.parametrize("seed", [1, 20])
def test_the_exercises_hold_with_a_course_s_numbers(path: Path, seed: int) -> None:
    assert not report(prove_for(path, seed).failures)
