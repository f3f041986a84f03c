"""One picture for all of Part III: what a method does to the frequency of each pair.

From left to right the pairs of a head, fastest first; upwards the new angular
frequency over the trained one. 1 is as trained, 1/factor is interpolated.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from pedocs import angular_frequencies, wavelengths
from pedocs.book import draw

if TYPE_CHECKING:
    from numpy.typing import ArrayLike

__all__ = ["Picture"]


class Picture:
    """Axes for the methods of one head, to which `line` adds one each.

    Head, base and length are said once, here: each line is drawn over the
    frequencies of this base, and the shade is where a pair of this base turns
    less than once within `length` tokens.

    Attributes:
        figure: for `draw.show`.
        ax: the axes, for texts and scales of the page's own.
    """

    def __init__(
        self,
        head_dim: int,
        base: float,
        length: float,
        *,
        width: float = 5.5,
        height: float = 3.2,
    ) -> None:
        self._trained = angular_frequencies(head_dim, base=base)
        self.figure, self.ax = draw.axes(width, height)
        pairs = self._trained.size
        whole = int((wavelengths(head_dim, base=base) <= length).sum())
        self.ax.set(
            xlim=(-0.5, pairs - 0.5), ylim=(0, 1.16), xlabel="pair $m$", ylabel="new / trained"
        )
        if whole < pairs:
            self.ax.axvspan(whole - 0.5, pairs - 0.5, color=draw.MUTED, alpha=0.13, linewidth=0)
            self.ax.text(
                (whole + pairs - 1) / 2,
                0.94,
                "no full turn",
                transform=self.ax.get_xaxis_transform(),  # it stays there on every scale upwards
                ha="center",
                va="center",
                color=draw.MUTED,
            )

    def line(
        self,
        frequencies: ArrayLike,
        label: str,
        color: str,
        *,
        at: float = 0.5,
        above: bool = True,
        linestyle: str = "-",
    ) -> None:
        """Draw one method, with its label above to the right of a pair, or below to its left.

        Args:
            frequencies: the new angular frequency of each pair, in radians per token.
            label: the method's name; with "" the page places its own.
            color: of line and label.
            at: the labelled pair, as a share of all pairs, 0 to 1.
            above: which side the label is on.
            linestyle: as matplotlib knows it.

        Raises:
            ValueError: `frequencies` has not one number for each pair of the head.
        """
        new = np.asarray(frequencies, np.float64)
        if new.shape != self._trained.shape:
            raise ValueError(
                f"frequencies has the shape {new.shape}; allowed: {self._trained.shape}, "
                "one number for each pair of the picture's head"
            )
        share = new / self._trained
        self.ax.plot(np.arange(share.size), share, linestyle, color=color, linewidth=2)
        pair = round(at * (share.size - 1))
        self.ax.annotate(
            label,
            (pair, share[pair]),
            xytext=(4, 3) if above else (-4, -3),
            textcoords="offset points",
            ha="left" if above else "right",
            va="bottom" if above else "top",
            color=color,
        )
