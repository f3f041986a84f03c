"""The tasks, word by word and letter by letter."""

import re
from typing import Any

import numpy as np
import pytest

from pedocs.lab import WORDS, counting, headlines, held_out_headlines, latest_mark, places_back
from pedocs.lab._tasks import AHEAD, BEHIND, EXTRA, HELD_OUT, TEAMS


def rng(seed: int = 0) -> np.random.Generator:
    return np.random.default_rng(seed)


def who_is_ahead(words: list[str]) -> str:
    first, second = (word for word in words if word in TEAMS)
    return first if set(words) & set(AHEAD) else second


def test_a_headline_is_team_verb_team_among_extra_words() -> None:
    tokens, ahead = headlines(rng(), 300, 6)
    places = set()
    for row, team in zip(tokens, ahead, strict=True):
        words = [WORDS[token] for token in row]
        place = next(k for k, word in enumerate(words) if word in TEAMS)
        places.add(place)
        assert words[place + 1] in AHEAD + BEHIND
        assert words[place + 2] in TEAMS
        assert words[place] != words[place + 2]
        assert set(words[:place] + words[place + 3 :]) <= set(EXTRA)
        assert TEAMS[team] == who_is_ahead(words)
    assert places == {0, 1, 2, 3}


def test_pairs_that_are_held_out_never_meet_in_training() -> None:
    tokens, _ = headlines(rng(), 2000, 3)
    met = {tuple(sorted(row)) for row in tokens[:, [0, 2]].tolist()}
    pairs = {(a, b) for a in range(len(TEAMS)) for b in range(a + 1, len(TEAMS))}
    assert met == pairs - set(HELD_OUT)


def test_each_held_out_headline_has_two_twins_with_the_other_answer() -> None:
    tokens, ahead = held_out_headlines(5)
    answers = {tuple(row): int(team) for row, team in zip(tokens.tolist(), ahead, strict=True)}
    assert len(answers) == len(tokens)
    for row, team in answers.items():
        teams = [token for token in row if token < len(TEAMS)]
        assert tuple(sorted(teams)) in HELD_OUT
        assert TEAMS[team] == who_is_ahead([WORDS[token] for token in row])
        other = sum(teams) - team
        changed = tuple(sum(teams) - token if token in teams else token for token in row)
        assert answers[changed] == answers[row[::-1]] == other


def test_the_letter_three_places_back() -> None:
    tokens, targets = places_back(rng(), 4, 9)
    assert (targets[:, :3] == -1).all()
    assert np.array_equal(targets[:, 3:], tokens[:, :-3])


def test_the_latest_mark() -> None:
    tokens, targets = latest_mark(rng(), 50, 12)
    for row, asked in zip(tokens.tolist(), targets.tolist(), strict=True):
        mark = -1
        for token, target in zip(row, asked, strict=True):
            assert target == (-1 if token < 4 else mark)
            mark = token if token < 4 else mark


def test_counting_with_and_without_a_start_token() -> None:
    tokens, targets = counting(rng(), 40, 7)
    assert (tokens[:, 0] == 0).all()
    assert (tokens[:, 1:] > 0).all()
    assert np.array_equal(targets, np.tile(np.arange(7.0), (40, 1)))
    assert (counting(rng(), 40, 7, start=False)[0] > 0).all()


@pytest.mark.parametrize("task", [places_back, latest_mark])
def test_one_token_has_nothing_behind_it(task: Any) -> None:
    assert task(rng(), 1, 1)[1].tolist() == [[-1]]


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: headlines(rng(), 1, 2), "length is 2; allowed: an integer, at least 3"),
        (lambda: headlines(rng(), 0, 3), "batch is 0; allowed: an integer, at least 1"),
        (lambda: places_back(rng(), 1, 0), "length is 0; allowed: an integer, at least 1"),
        (lambda: held_out_headlines(7), "length is 7; allowed: an integer from 3 to 6"),
        (lambda: held_out_headlines(2), "length is 2; allowed: an integer, at least 3"),
        (lambda: counting(0, 1, 3), "rng is 0; allowed: a numpy.random.Generator"),  # type: ignore[arg-type]
        (lambda: counting(rng(), 1, 3, start=1), "start is 1; allowed: True or False"),  # type: ignore[arg-type]
    ],
)
def test_a_wrong_argument_is_refused(call: Any, message: str) -> None:
    with pytest.raises(ValueError, match=f"^{re.escape(message)}$"):
        call()
