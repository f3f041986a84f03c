"""Every frequency under every method: a pair before and after, as pedocs computes it."""

import re

import numpy as np
import pytest

from pedocs import (
    NTK,
    DynamicNTK,
    Linear,
    Llama3,
    Proportional,
    YaRN,
    rope_frequencies,
    wavelengths,
)
from pedocs.book.sources import source

from .conftest import Visit
from .moving import Moving

pytestmark = pytest.mark.browser

D, BASE, L = 128, 10000, 4096
SAID = re.compile(
    r"turned (?P<before>\S+) radians a token, once in (?P<wavelength>[\d,.]+) tokens\. "
    r"(?:Now it turns (?P<after>\S+), (?P<ratio>\S+) of that|It stays so|Now it does not turn)\.$"
)


def read(figure: Moving) -> dict[str, float]:
    """Return the numbers of the pair, as the figure says them."""
    said = SAID.search(figure.said)
    assert said, figure.said
    return {name: float(text.replace(",", "")) for name, text in said.groupdict().items() if text}


def test_a_pair_before_and_after(visit: Visit) -> None:
    """Kept, divided and in between, at each factor, to the digits that are shown."""
    figure = Moving(visit.open("chapters/frequencies/"), "fig-methods")
    trained = rope_frequencies(D, base=BASE).frequencies
    for method, pair, factor, scaling in (
        ("linear", 3, 16, Linear(16)),
        ("linear", 60, 1, Linear(1)),
        ("ntk", 33, 32, NTK(32)),
        ("ntk", 63, 2, NTK(2)),
        ("yarn", 20, 8, YaRN(8, L)),
        ("yarn", 41, 4, YaRN(4, L)),
        ("yarn", 46, 16, YaRN(16, L)),
        ("llama", 35, 32, Llama3(32, 1, 4, L)),
        ("llama", 38, 4, Llama3(4, 1, 4, L)),
        ("llama", 46, 2, Llama3(2, 1, 4, L)),
    ):
        new = rope_frequencies(D, base=BASE, scaling=scaling).frequencies[pair]
        figure.set(Method=method, Factor=f"x{factor}", Pair_m=pair)
        assert f"{factor * L:,} tokens" in figure.said
        shown = read(figure)
        assert shown["before"] == pytest.approx(trained[pair], rel=5e-4)
        assert shown["wavelength"] == pytest.approx(wavelengths(D, base=BASE)[pair], rel=1e-2)
        assert ("after" in shown) == (not np.isclose(new, trained[pair]))
        assert shown.get("after", shown["before"]) == pytest.approx(new, rel=5e-4)
        assert shown.get("ratio", 1) == pytest.approx(new / trained[pair], rel=5e-4)


def test_methods_without_a_factor(visit: Visit) -> None:
    """A list of one model, pairs that are stopped, and no scaling: the factor is only said."""
    figure = Moving(visit.open("chapters/frequencies/"), "fig-methods")
    assert read(figure)["ratio"] == 0.5156
    divisors = np.asarray(source("phi-3.5-mini", "long_factor"))
    figure.set(Method="longrope", Pair_m=63, Factor="x4")
    assert "own list, made for 32 times" in figure.said
    assert "Pair 47 of Phi's 48" in figure.said
    assert read(figure)["ratio"] == pytest.approx(1 / divisors[47], rel=5e-4)
    scheme = rope_frequencies(D, base=BASE, scaling=Proportional(0.75)).frequencies
    for pair in (47, 48):
        figure.set(Method="proportional", Pair_m=pair)
        assert ("does not turn" in figure.said) == (scheme[pair] == 0)
        assert "has no factor" in figure.said
    figure.set(Method="none", Factor="x1")
    assert "4,096 tokens, as trained: no scaling." in figure.said
    assert "It stays so." in figure.said
    figure.drag((0.5, 0.5), (0.09, 0.5))
    assert "Pair 0 turned 1 radians a token, once in 6.3 tokens." in figure.said


def test_dynamic_scaling_is_ntk_aware_scaling_at_its_length() -> None:
    """Which is why they are one choice."""
    dynamic = rope_frequencies(D, base=BASE, scaling=DynamicNTK(1, L, 8 * L)).frequencies
    assert dynamic == pytest.approx(rope_frequencies(D, base=BASE, scaling=NTK(8)).frequencies)
