"""Schemes whose scores read a vector for each offset: Shaw's and Transformer-XL's."""

from dataclasses import dataclass

import numpy as np

from pedocs import (
    merge_heads,
    shaw_bias,
    shaw_values,
    sinusoidal,
    split_heads,
    transformer_xl_scores,
)
from pedocs.lab._pieces import Array, Params
from pedocs.lab._schemes import Scheme, Scored, Shapes


def by_offset(dS: Array) -> Array:
    """Lay out by offset, from 1 − n to n − 1, what each query has for each key.

    It is Shaw's sum of all that falls on one row, with a row for every offset.

    Shapes: dS `(…, n, n)`, result `(…, n, 2n − 1)`.
    """
    return shaw_values(dS, np.eye(2 * dS.shape[-1] - 1))


@dataclass(frozen=True)
class Shaw(Scheme):
    """A learned vector for each clipped offset, on the side of the keys."""

    max_distance: int = 4

    def shapes(self, d_model: int, heads: int, length: int) -> Shapes:
        return {"key_table": (2 * self.max_distance + 1, d_model // heads)}

    def scores(self, params: Params, q: Array, k: Array) -> Scored:
        scores, back_scores = super().scores(params, q, k)
        table = params["key_table"][:, np.newaxis, np.newaxis]
        scale = 1 / np.sqrt(q.shape[-1])

        def back(dS: Array) -> tuple[Array, Array, Params]:
            dq, dk, _ = back_scores(dS)
            by_row = scale * shaw_values(dS, np.eye(table.shape[-2]))
            dtable = (np.swapaxes(by_row, -1, -2) @ q).sum(axis=(1, 2))
            return dq + by_row @ table, dk, {"key_table": dtable}

        return scores + shaw_bias(q, table), back


class TransformerXL(Scheme):
    """Scores of content and of distance, each with a learned vector in the query's place."""

    def shapes(self, d_model: int, heads: int, length: int) -> Shapes:
        d_k = d_model // heads
        return {"W_R": (d_model, d_model), "u": (heads, d_k), "w": (heads, d_k)}

    def start(self, name: str, drawn: Array) -> Array:
        return drawn / np.sqrt(len(drawn)) if name == "W_R" else super().start(name, drawn)

    def scores(self, params: Params, q: Array, k: Array) -> Scored:
        heads, n, d_k = q.shape[-3:]
        distances = np.arange(n - 1, -1 if self.causal else -n, -1)
        waves = sinusoidal(distances, heads * d_k, layout="half-split")
        r = split_heads(waves @ params["W_R"], heads)[:, np.newaxis]
        u, w = (params[name][:, np.newaxis] for name in ("u", "w"))
        scale = 1 / np.sqrt(d_k)

        def back(dS: Array) -> tuple[Array, Array, Params]:
            dS = scale * dS
            by_distance = by_offset(dS)[..., : len(distances)]
            of_content, of_distance = dS @ k, by_distance @ r
            dk = np.swapaxes(dS, -1, -2) @ (q + u[..., np.newaxis, :])
            dr = (np.swapaxes(by_distance, -1, -2) @ (q + w[..., np.newaxis, :])).sum(axis=1)
            grads = {
                "W_R": waves.T @ merge_heads(dr),
                "u": of_content.sum(axis=(1, 3)),
                "w": of_distance.sum(axis=(1, 3)),
            }
            return of_content + of_distance, dk, grads

        return transformer_xl_scores(q, k, r, u, w), back
