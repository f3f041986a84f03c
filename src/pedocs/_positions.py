"""Which position each token of a batch has: rows with padding, rows of several documents."""

from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from pedocs import _checks


def padded_positions(real: ArrayLike, *, start: int = 0, padding: int = 0) -> NDArray[np.int64]:
    """Count the tokens of a row and skip its padding, wherever the padding stands.

    ```text
    position_i = start + (number of real tokens before token i)   token i is real
               = padding                                          token i is padding
    ```

    The token's index in the row is not its position: padding on the left would
    move a text, and the same text would get other encodings in another batch.

    Implementations agree on the count and differ in the two numbers. With the
    padding's index in the vocabulary called pad, fairseq and RoBERTa start at
    pad + 1 and give padding the position pad; OPT starts at 2 and gives it 1;
    BLOOM and generation in transformers 5 start at 0 and give it 0. When keys are
    cached, the next piece of text starts as many tokens further on.

    Args:
        real: Booleans, shape `(…, n)`: True at a token of the text, False at
            padding. A mask of ones and zeros is passed as `mask == 1`.
        start: Position of the first real token.
        padding: Position that padding gets. Its vectors are arbitrary, and a
            mask keeps them from being read.

    Returns:
        Array of the shape of `real`, int64, in tokens.

    Raises:
        ValueError: An argument is not as described.

    Examples:
        >>> from pedocs import padded_positions
        >>> real = [[False, False, True, True, True], [True, True, True, True, False]]
        >>> padded_positions(real)
        array([[0, 0, 0, 1, 2],
               [0, 1, 2, 3, 0]])

        As RoBERTa counts, whose padding is token 1 of the vocabulary:

        >>> padded_positions(real, start=2, padding=1)
        array([[1, 1, 2, 3, 4],
               [2, 3, 4, 5, 1]])

    Source:
        [fairseq](https://github.com/facebookresearch/fairseq/blob/3d262bb25690e4eb2e7d3c1309b1e9c406ca4b99/fairseq/utils.py),
        function `make_positions`, which numbers the rows of the learned table
        of [Gehring et al. 2017](https://arxiv.org/abs/1705.03122), §3.1.
    """
    tokens = _checks.boolean_array("real", real)
    _check_token_axis("real", tokens)
    start = _checks.integer("start", start)
    padding = _checks.integer("padding", padding)
    positions = np.cumsum(tokens, axis=-1, dtype=np.int64)
    positions += start - 1
    positions[~tokens] = padding
    return positions


def packed_positions(documents: ArrayLike, *, start: int = 0) -> NDArray[np.int64]:
    """Let positions begin anew in each document of a packed sequence.

    ```text
    position_i = start + i − (index of the first token of the document of token i)
    ```

    Packing puts several short documents into one row, so that no place is
    wasted on padding. A document that is read alone should be encoded as if it
    stood alone, and then positions must not run on across a boundary.

    Args:
        documents: Integers, shape `(…, n)`: for each token, a number that names
            its document. The tokens of one document stand side by side, and in
            one row no two documents have the same number. Padding may be a
            document of its own.
        start: Position of the first token of each document.

    Returns:
        Array of the shape of `documents`, int64, in tokens.

    Raises:
        ValueError: An argument is not as described, for instance a document
            that goes on after another one began.

    Examples:
        >>> from pedocs import packed_positions
        >>> packed_positions([7, 7, 7, 8, 8, 9])
        array([0, 1, 2, 0, 1, 0])

    Source:
        [Krell et al. 2021](https://arxiv.org/abs/2107.02027), §3.2.1.
    """
    ids = _checks.integer_array("documents", documents)
    _check_token_axis("documents", ids)
    start = _checks.integer("start", start)
    begins = np.ones(ids.shape, dtype=np.bool_)
    begins[..., 1:] = ids[..., 1:] != ids[..., :-1]
    _check_unbroken(ids, begins)
    index = np.arange(ids.shape[-1], dtype=np.int64)
    first = np.where(begins, index, 0)
    np.maximum.accumulate(first, axis=-1, out=first)
    positions: NDArray[np.int64] = np.subtract(index, first, out=first)
    positions += start
    return positions


def _check_token_axis(name: str, array: NDArray[np.generic]) -> None:
    if array.ndim == 0:
        raise ValueError(
            f"{name} has shape (); allowed: at least one axis, the last for the tokens"
        )


def _check_unbroken(ids: NDArray[Any], begins: NDArray[np.bool_]) -> None:
    """A document in two places would be two texts that a mask by its number takes for one."""
    ordered = np.sort(ids, axis=-1)
    documents = np.count_nonzero(ordered[..., 1:] != ordered[..., :-1], axis=-1)
    broken = np.asarray(documents != np.count_nonzero(begins[..., 1:], axis=-1))
    if broken.any():
        first_ids = ids[broken][0][begins[broken][0]]
        numbers, runs = np.unique(first_ids, return_counts=True)
        raise ValueError(
            f"documents holds {numbers[runs > 1][0]} in two places; "
            "allowed: the tokens of a document side by side"
        )
