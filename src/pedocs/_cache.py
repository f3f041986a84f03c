"""The keys and values that a decoder keeps from one step to the next."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from pedocs import _checks


@dataclass(frozen=True, eq=False)
class KVCache:
    """The keys and values of tokens that were read before, for one layer.

    A cache never changes. `append` returns a new one:

    ```text
    keys         = k[p − n_key], …, k[p − 1]              p = next_position
    append(k, v) → k[p − n_key], …, k[p − 1], k[p], …     p grows by the new ones
    ```

    The position of the next token is a number of its own, because the number
    of keys does not tell it once old entries are dropped. Keys are held as
    they are compared: where a scheme rotates them, rotated.

    Attributes:
        keys: Shape `(…, n_key_heads, n_key, d_k)`, float64, read-only.
        values: Shape `(…, n_key_heads, n_key, d_v)`, float64, read-only.
        next_position: Where the next token stands, in tokens. None when the
            caller numbers the tokens, see `multi_head_attention`.

    Raises:
        ValueError: An argument is not as described, also in the methods:
            shapes that do not fit are refused.

    Examples:
        >>> import numpy as np
        >>> from pedocs import KVCache
        >>> cache = KVCache(np.zeros((1, 3, 2)), np.zeros((1, 3, 2)), next_position=3)
        >>> longer = cache.append(np.ones((1, 1, 2)), np.ones((1, 1, 2)))
        >>> cache.n_key, longer.n_key, longer.next_position
        (3, 4, 4)
        >>> window = longer.newest(2)
        >>> window.n_key, window.next_position
        (2, 4)

    Source:
        [Shazeer 2019](https://arxiv.org/abs/1911.02150), §2.4, incremental
        decoding; [Jiang et al. 2023](https://arxiv.org/abs/2310.06825), §2,
        a cache as long as the window.
    """

    keys: NDArray[np.float64]
    values: NDArray[np.float64]
    next_position: int | None

    def __post_init__(self) -> None:
        keys, values = _entries("keys", self.keys), _entries("values", self.values)
        _check_pairs(keys, values)
        if self.next_position is not None:
            position = _checks.integer("next_position", self.next_position)
            object.__setattr__(self, "next_position", position)
        object.__setattr__(self, "keys", keys)
        object.__setattr__(self, "values", values)

    @property
    def n_key(self) -> int:
        """How many keys are held."""
        return int(self.keys.shape[-2])

    def append(self, keys: ArrayLike, values: ArrayLike) -> "KVCache":
        """A new cache that holds these entries behind the others.

        Args:
            keys: Shape `(…, n_key_heads, n_new, d_k)`.
            values: Shape `(…, n_key_heads, n_new, d_v)`.
        """
        new_keys = _like(self.keys, "keys", keys)
        new_values = _like(self.values, "values", values)
        _check_pairs(new_keys, new_values)
        start = self.next_position
        return KVCache(
            np.concatenate([self.keys, new_keys], axis=-2),
            np.concatenate([self.values, new_values], axis=-2),
            None if start is None else start + new_keys.shape[-2],
        )

    def newest(self, n_key: int) -> "KVCache":
        """A new cache without the oldest entries; the next position stays what it was.

        With a sliding window, `newest(window − 1)` is what the next query can
        still read.

        Args:
            n_key: How many keys to keep at most.
        """
        dropped = max(self.n_key - _checks.integer("n_key", n_key, minimum=0), 0)
        return KVCache(
            self.keys[..., dropped:, :], self.values[..., dropped:, :], self.next_position
        )


def _entries(name: str, value: ArrayLike) -> NDArray[np.float64]:
    """A copy that nobody can write into, so that no cache is changed by way of another."""
    array = _checks.token_vectors(name, value).copy()
    array.flags.writeable = False
    return array


def _check_pairs(keys: NDArray[np.float64], values: NDArray[np.float64]) -> None:
    if keys.shape[:-1] != values.shape[:-1]:
        raise ValueError(
            f"values has shape {values.shape}; allowed: {_shape(*keys.shape[:-1], 'd_v')}, "
            f"one value for each key of keys with shape {keys.shape}"
        )


def _like(held: NDArray[np.float64], name: str, value: ArrayLike) -> NDArray[np.float64]:
    """New entries, which may differ from those that are held in their number only."""
    new = _checks.token_vectors(name, value)
    *front, _, width = held.shape
    if new.shape != (*front, new.shape[-2], width):
        raise ValueError(
            f"{name} has shape {new.shape}; allowed: {_shape(*front, 'n_new', width)}, "
            f"to follow {name} with shape {held.shape}"
        )
    return new


def _shape(*axes: int | str) -> str:
    return f"({', '.join(map(str, axes))})"
