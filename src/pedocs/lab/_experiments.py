"""The three experiments of the book, with fixed settings. What they find is plain data.

The settings were chosen with results in view, until every scheme that is not
blind by proof learned the order. The steps of the other two are as few as a build
can bear: on "latest mark" RoPE has not learned its task when training ends.
"""

from functools import partial
from typing import Any, TypeAlias

import numpy as np

from pedocs.lab._model import Transformer
from pedocs.lab._names import SCHEMES, scheme
from pedocs.lab._pieces import Array, Params
from pedocs.lab._tasks import (
    LETTERS,
    TEAMS,
    WORDS,
    Tokens,
    counting,
    headlines,
    held_out_headlines,
    latest_mark,
    places_back,
)
from pedocs.lab._training import Task, Training, train

SEEDS = (0, 1, 2, 3, 4)
TRAINED = 16
TIMES = (1, 2, 4, 8)
COUNTED = 4 * TRAINED
OF_DECODERS = tuple(name for name in SCHEMES if name != "one-sided ALiBi")  # all are one-sided
TEST = (1000,)
"""The generator of the test texts. No seed of a training is so large."""


Names: TypeAlias = tuple[str, ...]
Seeds: TypeAlias = tuple[int, ...]


def order(
    *, steps: int = 300, seeds: Seeds = SEEDS, names: Names = tuple(SCHEMES)
) -> dict[str, Any]:
    """Which team is ahead? An encoder without a mask, with each scheme in turn."""
    words, n = len(WORDS), 5
    tokens, ahead = held_out_headlines(n)
    runs = {}
    for name in names:
        model = Transformer(words, len(TEAMS), n, scheme=scheme(name), pooled=True)
        trained = train(model, headlines, seeds=seeds, steps=steps, length=n, batch=32)
        chosen = _read(model, trained.params, tokens).argmax(axis=-1)
        right = (chosen == ahead).mean(axis=-1)
        runs[name] = _run(model, trained) | {"accuracy": right.tolist()}
    return {"steps": steps, "texts": len(tokens), "runs": runs}


def lengths(
    *, steps: int = 200, seeds: Seeds = SEEDS, names: Names = OF_DECODERS, times: Seeds = TIMES
) -> dict[str, Any]:
    """Train short, test long: two tasks for a decoder, on texts up to eight times as long."""
    tasks: dict[str, Task] = {"places back": places_back, "latest mark": latest_mark}
    runs: dict[str, dict[str, Any]] = {task: {} for task in tasks}
    for task, draw in tasks.items():
        for name in names:
            model = Transformer(LETTERS, LETTERS, TRAINED, scheme=scheme(name, causal=True))
            trained = train(model, draw, seeds=seeds, steps=steps, length=TRAINED)
            run = _run(model, trained) | {"accuracy": {}, "refused": None}
            for more in times:
                try:
                    right = _late_accuracy(model, trained.params, draw, more * TRAINED)
                except ValueError as refusal:  # a learned table has no row
                    run["refused"] = run["refused"] or str(refusal)
                    right = None
                run["accuracy"][str(more)] = right
            runs[task][name] = run
    return {"steps": steps, "trained": TRAINED, "times": list(times), "runs": runs}


def count(*, steps: int = 400, seeds: Seeds = SEEDS) -> dict[str, Any]:
    """Where am I? A model without any encoding says the position of each token."""
    settings = {
        "decoder": {"causal": True, "start": True},
        "no start token": {"causal": True, "start": False},
        "encoder": {"causal": False, "start": True},
    }
    runs = {}
    for name, setting in settings.items():
        model = Transformer(LETTERS, 1, TRAINED, scheme=scheme("none", causal=setting["causal"]))
        draw = partial(counting, start=setting["start"])
        trained = train(model, draw, seeds=seeds, steps=steps, length=TRAINED)
        tokens, positions = draw(np.random.default_rng(TEST), 64, TRAINED)
        errors = np.abs(_read(model, trained.params, tokens)[..., 0] - positions)
        longer, _ = draw(np.random.default_rng(TEST), 32, COUNTED)
        said = _read(model, trained.params, longer)[..., 0]
        runs[name] = _run(model, trained) | {
            "error": errors.mean(axis=(1, 2)).tolist(),
            "said": said.mean(axis=1).tolist(),
        }
    return {"steps": steps, "trained": TRAINED, "counted": COUNTED, "runs": runs}


EXPERIMENTS = {"order": order, "lengths": lengths, "count": count}


def _run(model: Transformer, trained: Training) -> dict[str, Any]:
    """The number of parameters, and the losses as means over stretches of ten steps."""
    whole = len(trained.losses) // 10 * 10
    means = trained.losses[:whole].reshape(-1, 10, trained.losses.shape[1]).mean(axis=1)
    return {"parameters": model.count(), "loss": means.T.tolist()}


def _read(model: Transformer, params: Params, tokens: Tokens) -> Array:
    """What the models of all seeds say about the same texts."""
    seeds = len(params["tokens"])
    return model(params, np.broadcast_to(tokens, (seeds, *tokens.shape)))[0]


def _late_accuracy(model: Transformer, params: Params, draw: Task, n: int) -> list[float]:
    """The share of right answers in the second half of texts of n tokens, for each seed."""
    tokens, targets = draw(np.random.default_rng(TEST), 1024 // n, n)
    late = targets[:, n // 2 :]
    chosen = _read(model, params, tokens).argmax(axis=-1)[..., n // 2 :]
    right = (chosen == late).sum(axis=(1, 2)) / (late >= 0).sum()
    return [float(share) for share in right]
