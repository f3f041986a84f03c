"""The tasks: texts of random tokens, and what a model is to say about them.

Each task is a function of a random generator, a number of texts and their
length, and returns tokens and targets.
"""

from itertools import permutations, product

import numpy as np
from numpy.typing import NDArray

from pedocs import _checks

Tokens = NDArray[np.int64]

TEAMS = ("India", "Australia", "England", "Ireland", "Kenya", "Nepal", "Oman", "Scotland")
AHEAD, BEHIND = ("beat", "lead"), ("trail", "chase")
EXTRA = ("today", "again", "late", "here")
WORDS = (*TEAMS, *AHEAD, *BEHIND, *EXTRA)
"""The words of the headlines; a token is the place of its word in this tuple."""

HELD_OUT = ((0, 1), (2, 3), (4, 5), (6, 7))
"""Pairs of teams that never meet in training: each team is in one of them."""

_MET = np.array(
    [
        (first, second)
        for first, second in permutations(range(len(TEAMS)), 2)
        if (min(first, second), max(first, second)) not in HELD_OUT
    ]
)

LETTERS = 8
MARKS = 4
BACK = 3

_FIRST_VERB, _FIRST_EXTRA = len(TEAMS), len(TEAMS) + len(AHEAD) + len(BEHIND)


def headlines(rng: np.random.Generator, batch: int, length: int) -> tuple[Tokens, Tokens]:
    """Draw headlines and the team that is ahead in each.

    ```text
    [extra words] TEAM verb TEAM [extra words]

    target = the first team where the verb is "beat" or "lead",
             the second where it is "trail" or "chase"
    ```

    Both teams, the verb, the extra words and the place of the three are drawn
    evenly. Pairs that are held out for `held_out_headlines` are not drawn.

    Args:
        rng: The random generator.
        batch: Number of headlines.
        length: Number of words in each, at least 3.

    Returns:
        Tokens, shape `(batch, length)`, and targets, shape `(batch,)`, both
            int64. Teams have the lowest tokens, so a target is one of them.

    Raises:
        ValueError: An argument is not as described.

    Examples:
        >>> import numpy as np
        >>> from pedocs.lab import WORDS, headlines
        >>> tokens, ahead = headlines(np.random.default_rng(0), 2, 5)
        >>> for row, team in zip(tokens, ahead):
        ...     print(*(WORDS[word] for word in row), "|", WORDS[team])
        ...
        Oman trail Kenya here late | Kenya
        Nepal lead India here late | Nepal

    Source:
        A task of this book; the proof it rests on is an observation of
        [Vaswani et al. 2017](https://arxiv.org/abs/1706.03762), §3.5.
    """
    _sizes(rng, batch, length, 3)
    first, second = _MET[rng.integers(len(_MET), size=batch)].T
    verb = rng.integers(len(AHEAD) + len(BEHIND), size=batch)
    place = rng.integers(length - 2, size=batch)
    tokens = rng.integers(_FIRST_EXTRA, len(WORDS), size=(batch, length))
    return _headlines(tokens, place, first, verb, second)


def held_out_headlines(length: int) -> tuple[Tokens, Tokens]:
    """Every headline about two teams that never met in training.

    ```text
    pairs · orders · verbs · places of the three words · extra words
    ```

    With a headline the set has the one in which the two teams change places,
    and the one that is read from the end. Both have the other team ahead.

    Args:
        length: Number of words in each, from 3 to 6.

    Returns:
        Tokens, shape `(number, length)`, and targets, shape `(number,)`.

    Raises:
        ValueError: An argument is not as described.

    Examples:
        >>> from pedocs.lab import held_out_headlines
        >>> tokens, ahead = held_out_headlines(5)
        >>> tokens.shape
        (1536, 5)

    Source:
        A task of this book, see `headlines`;
        [Vaswani et al. 2017](https://arxiv.org/abs/1706.03762), §3.5.
    """
    n = _checks.integer("length", length, minimum=3)
    if n > 6:
        raise _checks.refusal("length", length, "an integer from 3 to 6")
    pairs = [order for pair in HELD_OUT for order in (pair, pair[::-1])]
    verbs, places = range(len(AHEAD) + len(BEHIND)), range(n - 2)
    fillers = product(range(_FIRST_EXTRA, len(WORDS)), repeat=n - 3)
    rows = np.array(
        [
            (*extra, place, pair[0], verb, pair[1])
            for pair, verb, place, extra in product(pairs, verbs, places, fillers)
        ]
    )
    extra, (place, first, verb, second) = rows[:, : n - 3], rows[:, n - 3 :].T
    columns = np.arange(n)
    outside = (columns < place[:, np.newaxis]) | (columns > place[:, np.newaxis] + 2)
    tokens = np.zeros((len(rows), n), dtype=np.int64)
    tokens[outside] = extra.ravel()
    return _headlines(tokens, place, first, verb, second)


def places_back(rng: np.random.Generator, batch: int, length: int) -> tuple[Tokens, Tokens]:
    """Draw letters; at each place the target is the letter three places back.

    ```text
    target_i = token_(i − 3)        none for the first three
    ```

    Args:
        rng: The random generator.
        batch: Number of texts.
        length: Number of letters in each.

    Returns:
        Tokens from 0 to 7 and targets, both of shape `(batch, length)`, int64.
            A target that does not count is negative.

    Raises:
        ValueError: An argument is not as described.

    Examples:
        >>> import numpy as np
        >>> from pedocs.lab import places_back
        >>> tokens, targets = places_back(np.random.default_rng(0), 1, 8)
        >>> print(tokens, targets)
        [[6 5 4 2 2 0 0 0]] [[-1 -1 -1  6  5  4  2  2]]

    Source:
        A task of this book, a small kin of the copying tasks of
        [Kazemnejad et al. 2023](https://arxiv.org/abs/2305.19466), §3.
    """
    _sizes(rng, batch, length)
    tokens = rng.integers(LETTERS, size=(batch, length))
    targets = np.full_like(tokens, -1)
    targets[:, BACK:] = tokens[:, :-BACK]
    return tokens, targets


def latest_mark(rng: np.random.Generator, batch: int, length: int) -> tuple[Tokens, Tokens]:
    """Draw marks among letters; at each letter the target is the latest mark.

    ```text
    target_i = token_j,  the largest j < i at which a mark stands
    ```

    A quarter of all places have a mark. Marks themselves, and letters before
    the first mark, have no target.

    Args:
        rng: The random generator.
        batch: Number of texts.
        length: Number of tokens in each.

    Returns:
        Tokens, marks from 0 to 3 and letters from 4 to 7, and targets, both of
            shape `(batch, length)`, int64. A target that does not count
            is negative.

    Raises:
        ValueError: An argument is not as described.

    Examples:
        >>> import numpy as np
        >>> from pedocs.lab import latest_mark
        >>> tokens, targets = latest_mark(np.random.default_rng(2), 1, 8)
        >>> print(tokens, targets)
        [[6 5 3 6 5 6 5 0]] [[-1 -1 -1  3  3  3  3 -1]]

    Source:
        A task of this book, for the recency that
        [Press, Smith and Lewis 2021](https://arxiv.org/abs/2108.12409), §3, speak of.
    """
    _sizes(rng, batch, length)
    marked = rng.integers(4, size=(batch, length)) == 0
    marks = rng.integers(MARKS, size=(batch, length))
    tokens = np.where(marked, marks, rng.integers(MARKS, LETTERS, size=(batch, length)))
    latest = np.maximum.accumulate(np.where(marked, np.arange(length), -1), axis=1)
    at_latest = np.take_along_axis(tokens, np.maximum(latest, 0), axis=1)
    return tokens, np.where(marked | (latest < 0), -1, at_latest)


def counting(
    rng: np.random.Generator, batch: int, length: int, *, start: bool = True
) -> tuple[Tokens, NDArray[np.float64]]:
    """Draw letters behind a start token; the target of each token is its position.

    ```text
    target_i = i
    ```

    Args:
        rng: The random generator.
        batch: Number of texts.
        length: Number of tokens in each.
        start: Whether the first token is the start token, 0, which stands
            nowhere else. Without it the first token is a letter like all.

    Returns:
        Tokens, shape `(batch, length)`, int64, and targets of the same shape,
            float64.

    Raises:
        ValueError: An argument is not as described.

    Examples:
        >>> import numpy as np
        >>> from pedocs.lab import counting
        >>> tokens, targets = counting(np.random.default_rng(0), 1, 6)
        >>> print(tokens, targets)
        [[0 5 4 2 3 1]] [[0. 1. 2. 3. 4. 5.]]

    Source:
        A task of this book, for the conjecture of
        [Haviv et al. 2022](https://arxiv.org/abs/2203.16634), §6.
    """
    _sizes(rng, batch, length)
    tokens = rng.integers(1, LETTERS, size=(batch, length))
    if _checks.boolean("start", start):
        tokens[:, 0] = 0
    return tokens, np.tile(np.arange(length, dtype=np.float64), (batch, 1))


def _headlines(
    tokens: Tokens, place: Tokens, first: Tokens, verb: Tokens, second: Tokens
) -> tuple[Tokens, Tokens]:
    """Put the three words in their places, and say who is ahead."""
    row = np.arange(len(tokens))
    tokens[row, place] = first
    tokens[row, place + 1] = _FIRST_VERB + verb
    tokens[row, place + 2] = second
    return tokens, np.where(verb < len(AHEAD), first, second)


def _sizes(rng: np.random.Generator, batch: int, length: int, shortest: int = 1) -> None:
    if not isinstance(rng, np.random.Generator):
        raise _checks.refusal("rng", rng, "a numpy.random.Generator")
    _checks.integer("batch", batch, minimum=1)
    _checks.integer("length", length, minimum=shortest)
