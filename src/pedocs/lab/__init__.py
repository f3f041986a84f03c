"""Small Transformers in numpy, trained while the book is built.

Gradients are written out by hand. All seeds of a run are trained in the same
arrays, along their first axis. What a scheme adds is computed by the library,
which in turn knows nothing of the lab.
"""

from pedocs.lab._gradients import gradient_errors
from pedocs.lab._model import Transformer
from pedocs.lab._names import SCHEMES, scheme
from pedocs.lab._results import results
from pedocs.lab._schemes import Scheme
from pedocs.lab._tasks import (
    WORDS,
    counting,
    headlines,
    held_out_headlines,
    latest_mark,
    places_back,
)
from pedocs.lab._training import Training, train

__all__ = [
    "SCHEMES",
    "WORDS",
    "Scheme",
    "Training",
    "Transformer",
    "counting",
    "gradient_errors",
    "headlines",
    "held_out_headlines",
    "latest_mark",
    "places_back",
    "results",
    "scheme",
    "train",
]
