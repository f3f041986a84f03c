"""Where position enters: each step of each scheme, in both stacks."""

import pytest

from pedocs import sinusoidal

from .conftest import Visit
from .moving import Moving

pytestmark = pytest.mark.browser

PAGE = "chapters/sinusoid/"


def test_every_step_of_every_scheme(visit: Visit) -> None:
    """What is added stands below the blocks; what is not goes to each of them, in both stacks."""
    figure = Moving(visit.open(PAGE), "fig-where")
    assert "step 4 of 6: plus the encoding, once, below the first block" in figure.said
    drawing = figure.drawing
    for scheme in ("sinusoidal", "learned", "t5", "alibi", "rope"):
        added = scheme in ("sinusoidal", "learned")
        figure.set(Scheme=scheme)
        seen = set()
        for step in range(1, 7):
            figure.set(Step=step)
            said = figure.said
            assert f"step {step} of 6: " in said
            seen.add(said)
            assert drawing.locator("[stroke='var(--pd-brand)']").count() >= (2 if step > 1 else 0)
        assert len(seen) == 6
        # An arrow is a line and a head: two sums, or a way to it and twelve blocks.
        assert drawing.locator("line[stroke='var(--pd-series-2)']").count() == (2 if added else 13)
        for row in ("× √d", "dropout"):
            assert drawing.get_by_text(row, exact=True).count() == (2 if added else 0)
        assert drawing.get_by_text("block 6", exact=True).count() == 2
        assert drawing.get_by_text("block 7", exact=True).count() == 0


def test_its_numbers(visit: Visit) -> None:
    figure = Moving(visit.open(PAGE + "?fig-where=step:3"), "fig-where")
    assert figure.numbers == [22.627417]
    assert "at d = 512" in figure.said
    assert f"norm {(sinusoidal(7, 512) ** 2).sum() ** 0.5:.0f}" in figure.said
    figure.set(Step=5)
    assert figure.numbers == [0.1]
    figure.set(Step=6)
    assert "the stack of 6 blocks" in figure.said


def test_a_row_is_pressed(visit: Visit) -> None:
    figure = Moving(visit.open(PAGE), "fig-where")
    for height, part in ((0.9, "embedding"), (0.83, "times √d"), (0.69, "dropout"), (0.5, "stack")):
        figure.drag((0.2, height), (0.2, height))
        assert f": {part}" in figure.said or f"the {part}" in figure.said
    figure.set(Scheme="rope")
    figure.drag((0.2, 0.41), (0.2, 0.41))
    assert "Each is turned" in figure.said
    figure.drag((0.8, 0.35), (0.8, 0.35))
    assert "keeps the offset" in figure.said
