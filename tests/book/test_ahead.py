"""Pages proven in other processes: the same proofs, of the files as they stand."""

from pathlib import Path

from pedocs.book.ahead import Ahead, prove_all
from pedocs.book.page import prove

PAGE = """\
---
title: Page {n}
---

```pycon
>>> n = {n}
>>> n + 1
{next}
```

It is {{{next} = n + 1}}, and {{7.5 = n}} is wrong.
"""


def pages(folder: Path, count: int) -> list[Path]:
    paths = [folder / f"{n}.md" for n in range(count)]
    for n, path in enumerate(paths):
        path.write_text(PAGE.format(n=n, next=n + 1))
    return paths


def test_a_proof_from_another_process_is_the_same(tmp_path: Path) -> None:
    paths = pages(tmp_path, 5)
    for page, here in zip(prove_all(paths), map(prove, paths), strict=True):
        assert page == here
        assert [failure.line for failure in page.failures] == [11]


def test_an_edit_after_the_proof_was_begun_is_proven(tmp_path: Path) -> None:
    paths = pages(tmp_path, 4)
    ahead = Ahead(paths)
    try:
        ahead.proofs[paths[2].resolve()].result()
        paths[2].write_text(PAGE.format(n=7, next=8))
        assert next(iter(ahead.proof(paths[2]).values()))[1] == [8]
    finally:
        ahead.close()


def test_few_pages_are_proven_here(tmp_path: Path) -> None:
    assert Ahead(pages(tmp_path, 3)).pool is None


def test_an_edit_of_the_front_matter_is_proven(tmp_path: Path) -> None:
    paths = pages(tmp_path, 4)
    ahead = Ahead(paths)
    try:
        ahead.proofs[paths[2].resolve()].result()
        paths[2].write_text(paths[2].read_text().replace("Page 2", "Is 0.5"))
        assert "the number 0.5 in the front matter" in str(ahead.proof(paths[2]).failures)
    finally:
        ahead.close()


def test_an_interrupt_of_a_page_is_its_failure(tmp_path: Path) -> None:
    paths = pages(tmp_path, 4)
    paths[3].write_text("```pycon\n>>> raise KeyboardInterrupt\n```\n")
    found = [page.failures for page in prove_all(paths)]
    assert "the page raises KeyboardInterrupt" in str(found[3])


def test_a_number_of_a_class_of_the_page_s_own_comes_back(tmp_path: Path) -> None:
    paths = pages(tmp_path, 4)
    paths[0].write_text(
        "```pycon\n>>> from fractions import Fraction\n>>> class Half(Fraction):\n"
        "...     pass\n...\n>>> half = Half(1, 2)\n```\n\n"
        "{0.5 = half} and {0.5, 0.5 = [half, half]}\n"
    )
    assert prove_all(paths)[0].failures == []


def test_a_page_that_ends_its_process_ends_the_build_red(tmp_path: Path) -> None:
    paths = pages(tmp_path, 4)
    paths[1].write_text(
        "```pycon\n>>> import os, signal\n>>> os.kill(os.getpid(), signal.SIGTERM)\n```\n"
    )
    found = [page.failures for page in prove_all(paths)]
    assert [len(failures) for failures in found] == [1, 1, 1, 1]
    assert "the page ends the process that runs it" in str(found[1][0])
