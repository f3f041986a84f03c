# mypy: disable-error-code="import-not-found"
"""Call the real implementations and write down what they gave.

    python -m tools.parity.record [--accept]

Run by `make parity`, in an environment that has them (requirements.lock). Writes one file for
each package to tests/reference/ and says what is different from the file that was there. When
a value has moved further than rounding does, that file is left as it is, the new one is written
to .parity/, and the exit status is 1; with --accept the new one replaces it.
"""

import sys
import warnings
from collections.abc import Callable
from importlib.metadata import version
from pathlib import Path
from typing import Any

import transformers

from tools.parity import (
    positional_encodings_all,
    rotary_embedding_torch_all,
    store,
    torch_all,
    transformers_absolute,
    transformers_configs,
    transformers_layers,
    transformers_relative,
    transformers_rotary,
    transformers_scaling,
    x_transformers_all,
)

ROOT = Path(__file__).resolve().parents[2]
PACKAGES: dict[str, list[Callable[[], dict[str, Any]]]] = {
    "positional-encodings": [positional_encodings_all.records],
    "rotary-embedding-torch": [rotary_embedding_torch_all.records],
    "torch": [torch_all.records],
    "transformers": [
        transformers_absolute.records,
        transformers_configs.records,
        transformers_layers.records,
        transformers_relative.records,
        transformers_rotary.records,
        transformers_scaling.records,
    ],
    "x-transformers": [x_transformers_all.records],
}


def main(arguments: list[str]) -> int:
    """Record every package; the exit status."""
    accept = "--accept" in arguments
    red = False
    transformers.logging.set_verbosity_error()
    for package, recorders in PACKAGES.items():
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            records: dict[str, Any] = {}
            for recorder in recorders:
                found = recorder()
                if records.keys() & found.keys():
                    raise ValueError(f"recorded twice: {sorted(records.keys() & found.keys())}")
                records |= found
        about = {"version": release(package), "records": records}
        if package != "torch":
            about["with"] = f"torch {release('torch')}"
        path = ROOT / "tests" / "reference" / f"{package}.json"
        new = store.text({package: about})
        red |= not store.replace(path, new, ROOT / ".parity" / path.name, accept=accept)
    if red:
        print("Real implementations have moved. If that is right: make parity ARGS=--accept")
    return int(red)


def release(package: str) -> str:
    """The version of a package, whichever build of it is installed."""
    return version(package).partition("+")[0]


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
