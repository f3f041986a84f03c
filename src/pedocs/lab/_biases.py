"""Schemes that add a bias to the scores: T5's, ALiBi's and KERPLE's."""

from dataclasses import dataclass

import numpy as np

from pedocs import alibi_bias, causal_mask, kerple_bias, t5_bias, t5_bucket
from pedocs.lab._pieces import Array, Params
from pedocs.lab._relative import by_offset
from pedocs.lab._schemes import Scheme, Scored, Shapes


class Bias(Scheme):
    """A number for each head and offset, whatever the query and the key."""

    def bias(self, params: Params, heads: int, n: int) -> Array:
        """What is added to the scores: `(heads, n, n)`, or with the seeds in front."""
        raise NotImplementedError

    def bias_gradient(self, params: Params, dbias: Array) -> Params:
        """The gradient of its parameters, from that of the bias by offset.

        Shape: dbias `(s, heads, 2n − 1)`, from the offset 1 − n to n − 1.
        """
        return {}

    def scores(self, params: Params, q: Array, k: Array) -> Scored:
        scores, back_scores = super().scores(params, q, k)
        bias = self.bias(params, q.shape[-3], q.shape[-2])
        if bias.ndim > 3:
            bias = bias[:, np.newaxis]  # the same for the whole batch

        def back(dS: Array) -> tuple[Array, Array, Params]:
            dq, dk, _ = back_scores(dS)
            dbias = by_offset(dS.sum(axis=1)).sum(axis=-2)
            return dq, dk, self.bias_gradient(params, dbias)

        return scores + bias, back


@dataclass(frozen=True)
class T5(Bias):
    """A learned bias for each head and bucket of offsets."""

    num_buckets: int = 16
    max_distance: int = 16

    def shapes(self, d_model: int, heads: int, length: int) -> Shapes:
        return {"buckets": (self.num_buckets, heads)}

    def bias(self, params: Params, heads: int, n: int) -> Array:
        tables = params["buckets"]
        side_by_side = np.concatenate(list(tables), axis=1)  # the library knows heads, no seeds
        bias = t5_bias(
            side_by_side, n, max_distance=self.max_distance, bidirectional=not self.causal
        )
        return bias.reshape(len(tables), heads, n, n).astype(np.float64, copy=False)

    def bias_gradient(self, params: Params, dbias: Array) -> Params:
        n = dbias.shape[-1] // 2 + 1
        buckets = t5_bucket(
            np.arange(1 - n, n),
            num_buckets=self.num_buckets,
            max_distance=self.max_distance,
            bidirectional=not self.causal,
        )
        return {"buckets": np.swapaxes(dbias @ np.eye(self.num_buckets)[buckets], -1, -2)}


class Alibi(Bias):
    """A penalty in proportion to the distance."""

    def bias(self, params: Params, heads: int, n: int) -> Array:
        return alibi_bias(heads, n).astype(np.float64, copy=False)


class OneSidedAlibi(Alibi):
    """ALiBi in heads that look one way each: the first backward, the next ahead, and so on."""

    def bias(self, params: Params, heads: int, n: int) -> Array:
        backward = causal_mask(n)
        sides = [backward, backward.T] * heads
        return np.where(sides[:heads], super().bias(params, heads, n), -np.inf)


class Kerple(Bias):
    """A penalty by the logarithm of the distance, with two learned numbers for each head.

    Both must stay above zero, so their logarithms are what is learned.
    """

    def shapes(self, d_model: int, heads: int, length: int) -> Shapes:
        return {"ln_r1": (heads,), "ln_r2": (heads,)}

    def bias(self, params: Params, heads: int, n: int) -> Array:
        r1, r2 = (np.exp(params[name]) for name in ("ln_r1", "ln_r2"))
        bias = kerple_bias(r1.ravel(), r2.ravel(), n)
        return bias.reshape(len(r1), heads, n, n).astype(np.float64, copy=False)

    def bias_gradient(self, params: Params, dbias: Array) -> Params:
        heads, n = dbias.shape[-2], dbias.shape[-1] // 2 + 1
        r1, r2 = (np.exp(params[name])[..., np.newaxis] for name in ("ln_r1", "ln_r2"))
        distance = np.abs(np.arange(1 - n, n))
        bias = self.bias(params, heads, n)[..., 0, distance]
        slope = -r1 * r2 * distance / (1 + r2 * distance)
        return {"ln_r1": (dbias * bias).sum(axis=-1), "ln_r2": (dbias * slope).sum(axis=-1)}
