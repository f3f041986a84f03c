"""Training: Adam, for all seeds at once."""

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

from pedocs import _checks
from pedocs.lab._model import Transformer
from pedocs.lab._pieces import Array, Params

Task: TypeAlias = Callable[[np.random.Generator, int, int], tuple[NDArray[np.int64], NDArray[Any]]]
"""A function of a generator, a number of texts and their length: tokens and targets."""

MU, NU, EPSILON = 0.9, 0.99, 1e-8


class Training(NamedTuple):
    """What `train` returns: the parameters at the end, and the losses on the way.

    ```text
    losses[t, s] = the loss of seed s at step t, on texts that it had not seen
    ```

    Attributes:
        params: The trained parameters, the seeds in front.
        losses: Shape `(steps, seeds)`, float64, each before its step is taken.

    Examples:
        >>> from pedocs.lab import Transformer, latest_mark, train
        >>> model = Transformer(vocabulary=8, outputs=8, length=6)
        >>> trained = train(model, latest_mark, seeds=[0, 1], steps=3, length=6)
        >>> trained.losses.shape, trained.params["W_out"].shape
        ((3, 2), (2, 16, 8))

    Source:
        [Kingma and Ba 2014](https://arxiv.org/abs/1412.6980), §2.
    """

    params: Params
    losses: Array


def train(
    model: Transformer,
    task: Task,
    *,
    seeds: Sequence[int],
    steps: int,
    length: int,
    batch: int = 8,
    rate: float = 0.02,
) -> Training:
    """Train one model from each seed, all of them in the same arrays.

    ```text
    m ← μ m + (1 − μ) g      v ← ν v + (1 − ν) g²        g = the gradient
    p ← p − η (m / (1 − μ^t)) / (√(v / (1 − ν^t)) + ε)
    ```

    That is Adam, which divides the mean of the last gradients by their size. Its
    step size η rises in a straight line over the first twentieth of the steps
    and falls to zero along half a cosine. Each seed draws its parameters and its
    texts from generators of its own, so a run with five seeds does what five
    runs would.

    Args:
        model: The model.
        task: A function of a random generator, a number of texts and their
            length, which returns tokens, shape `(batch, length)`, and targets:
            integers for classes, floats for numbers.
        seeds: The seeds, integers that are at least 0.
        steps: Number of steps.
        length: Length of the texts, in tokens.
        batch: Number of texts for each step and seed.
        rate: The largest step size.

    Returns:
        A `Training` with the fields `params` and `losses`.

    Raises:
        ValueError: An argument is not as described.

    Examples:
        >>> from pedocs.lab import Transformer, places_back, scheme, train
        >>> shaw = Transformer(8, 8, length=8, scheme=scheme("Shaw"))
        >>> trained = train(shaw, places_back, seeds=[0, 1], steps=100, length=8)
        >>> bool((trained.losses[-1] < 0.2 * trained.losses[0]).all())
        True

    Source:
        [Kingma and Ba 2014](https://arxiv.org/abs/1412.6980), §2;
        [Loshchilov and Hutter 2016](https://arxiv.org/abs/1608.03983), §3, the cosine.
    """
    if not isinstance(model, Transformer):
        raise _checks.refusal("model", model, "a Transformer")
    if not callable(task):
        raise _checks.refusal("task", task, "a function of a generator, a number and a length")
    chosen = [_checks.integer("seeds", seed, minimum=0) for seed in seeds]
    if not chosen:
        raise _checks.refusal("seeds", seeds, "at least one integer")
    for name, value in (("steps", steps), ("length", length), ("batch", batch)):
        _checks.integer(name, value, minimum=1)
    _checks.number_in_range("rate", rate, 0, 1)

    params = model.start(chosen)
    mean = {name: np.zeros_like(value) for name, value in params.items()}
    square = {name: np.zeros_like(value) for name, value in params.items()}
    rngs = [np.random.default_rng([seed, 1]) for seed in chosen]
    losses = np.empty((steps, len(chosen)))
    for t in range(1, steps + 1):
        texts = [task(rng, batch, length) for rng in rngs]
        tokens, targets = np.stack([x for x, _ in texts]), np.stack([y for _, y in texts])
        losses[t - 1], gradient = model.loss_and_gradient(params, tokens, targets)
        eta = rate * _schedule(t / steps)
        for name, g in gradient.items():
            mean[name] += (1 - MU) * (g - mean[name])
            square[name] += (1 - NU) * (g * g - square[name])
            m = mean[name] / (1 - MU**t)
            v = square[name] / (1 - NU**t)
            params[name] -= eta * m / (np.sqrt(v) + EPSILON)
    return Training(params, losses)


def _schedule(done: float) -> float:
    """The step size as a share of the largest, when so much of the training is done."""
    rise = 0.05
    if done < rise:
        return done / rise
    return float(1 + np.cos(np.pi * (done - rise) / (1 - rise))) / 2
