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


def test_a_page_that_ends_its_process_ends_the_build_red(tmp_path: Path) -> None:
    paths = pages(tmp_path, 4)
    paths[1].write_text("```pycon\n>>> import os\n>>> os._exit(0)\n```\n")
    found = [page.failures for page in prove_all(paths)]
    assert [len(failures) for failures in found] == [1, 1, 1, 1]
    assert "the page ends the process that runs it" in str(found[1][0])
