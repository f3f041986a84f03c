# mypy: disable-error-code="import-not-found"
"""How fast the library is, beside filling the same memory and beside other implementations.

Each line has a process of its own, so that none finds memory which another left behind. In it, the
fill, pedocs and its peers take turns, round after round.
Speeds are ratios to `np.full` of the same shape and dtype in that round, which is what merely
writing the result costs, and the median round counts. Torch uses all cores, pedocs one.

`make bench` runs it in the environment of `make parity`, where the peers are. With --record the
table of the page on speed (docs/library/speed.json) is written anew.
"""

from __future__ import annotations

import json
import math
import os
import platform
import statistics
import subprocess
import sys
import time
import tracemalloc
from collections.abc import Callable
from datetime import date
from importlib.metadata import version
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import torch
from positional_encodings.torch_encodings import PositionalEncoding1D
from rotary_embedding_torch import RotaryEmbedding
from transformers.models.gptj import modeling_gptj as gptj
from transformers.models.llama import modeling_llama as llama
from transformers.models.speech_to_text.modeling_speech_to_text import (
    Speech2TextSinusoidalPositionalEmbedding,
)
from transformers.models.t5.modeling_t5 import T5Attention, T5Config
from x_transformers.x_transformers import AlibiPositionalBias, RelativePositionBias

import pedocs

RECORD = Path(__file__).resolve().parents[1] / "docs" / "library" / "speed.json"
ROUNDS = 15


class Work(NamedTuple):
    """One line of the table: what is made, and who makes it."""

    name: str
    shape: tuple[int, ...]
    dtype: str
    limit: float | None
    ours: Callable[[], Any]
    peers: dict[str, Callable[[], Any]]


def sinusoids(n: int, d_model: int, dtype: str, limit: float | None) -> Work:
    positions = np.arange(n)
    torch_dtype = getattr(torch, dtype)

    def recipe() -> torch.Tensor:
        """The usual few lines of PyTorch, in the dtype asked for."""
        rates = torch.exp(
            torch.arange(0, d_model, 2, dtype=torch_dtype) * (-math.log(10000) / d_model)
        )
        angles = torch.arange(n, dtype=torch_dtype)[:, None] * rates
        return torch.stack([angles.sin(), angles.cos()], dim=-1).flatten(1)

    peers: dict[str, Callable[[], Any]] = {"PyTorch, a few lines": recipe}
    if dtype == "float32":
        empty = torch.empty(1, n, d_model)
        peers["positional-encodings"] = lambda: PositionalEncoding1D(d_model)(empty)
        peers["transformers, Speech2Text"] = lambda: (
            Speech2TextSinusoidalPositionalEmbedding.get_embedding(n, d_model)
        )
    return Work(
        "sinusoids",
        (n, d_model),
        dtype,
        limit,
        lambda: pedocs.sinusoidal(positions, d_model, dtype=dtype),
        peers,
    )


def t5(n: int) -> Work:
    heads = 16
    layer = T5Attention(T5Config(num_heads=heads), has_relative_attention_bias=True)
    other = RelativePositionBias(scale=1, heads=heads)
    table = layer.relative_attention_bias.weight.detach().numpy()
    return Work(
        "T5 bias",
        (heads, n, n),
        "float32",
        2,
        lambda: pedocs.t5_bias(table, n, dtype=np.float32),
        {
            "transformers, T5": lambda: layer.compute_bias(n, n),
            "x-transformers": lambda: other(n, n),
        },
    )


def alibi(n: int) -> Work:
    heads = 16

    def fresh() -> Any:
        """A module that has cached nothing yet: a second call would only look up the first."""
        return AlibiPositionalBias(heads=heads, total_heads=heads)(n, n)

    return Work(
        "ALiBi",
        (heads, n, n),
        "float32",
        2,
        lambda: pedocs.alibi_bias(heads, n, dtype=np.float32),
        {"x-transformers": fresh},
    )


def rope(layout: str, limit: float) -> Work:
    shape = (1, 32, 2048, 128)
    x = np.random.default_rng(0).normal(size=shape).astype(np.float32)
    tensor = torch.from_numpy(x)
    positions = np.arange(shape[-2])
    ids = torch.arange(shape[-2])[None]
    peers: dict[str, Callable[[], Any]] = {}
    if layout == "half-split":
        module = llama.LlamaRotaryEmbedding(
            llama.LlamaConfig(hidden_size=32 * 128, num_attention_heads=32)
        )

        def transformers() -> Any:
            cosines, sines = module(tensor, ids)
            return llama.apply_rotary_pos_emb(tensor, tensor[:, :0], cosines, sines)[0]

        peers["transformers, Llama"] = transformers
    else:
        swapped = tensor.transpose(1, 2).contiguous()

        def transformers() -> Any:
            sinusoids = gptj.create_sinusoidal_positions(shape[-2], shape[-1])
            sines, cosines = torch.split(sinusoids[None], shape[-1] // 2, dim=-1)
            return gptj.apply_rotary_pos_emb(swapped, sines, cosines)

        peers["transformers, GPT-J"] = transformers
        peers["rotary-embedding-torch"] = lambda: RotaryEmbedding(
            dim=shape[-1]
        ).rotate_queries_or_keys(tensor)
    return Work(
        f"RoPE, {layout}",
        shape,
        "float32",
        limit,
        lambda: pedocs.rope(x, positions, layout=layout),  # type: ignore[arg-type]
        peers,
    )


def measure(work: Work) -> dict[str, Any]:
    """The ratios of one line, and the peak of memory over the size of the result."""
    runs: dict[str, Callable[[], Any]] = {
        "fill": lambda: np.full(work.shape, 1, work.dtype),
        "pedocs": work.ours,
        **work.peers,
    }
    seconds: dict[str, list[float]] = {name: [] for name in runs}
    order = np.random.default_rng(0)  # what ran before leaves its memory behind
    with torch.no_grad():
        for _ in range(ROUNDS):
            for name in order.permutation(list(runs)):
                begin = time.perf_counter()
                result = runs[name]()
                seconds[name].append(time.perf_counter() - begin)
                del result
    ratios = {
        name: statistics.median(a / b for a, b in zip(times, seconds["fill"], strict=True))
        for name, times in seconds.items()
    }
    tracemalloc.start()
    result = work.ours()
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert result.shape == work.shape and result.dtype == work.dtype
    return {
        "work": work.name,
        "shape": list(work.shape),
        "dtype": work.dtype,
        "limit": work.limit,
        "pedocs": round(ratios["pedocs"], 1),
        "peers": {name: round(ratios[name], 1) for name in work.peers},
        "memory": round(peak / result.nbytes, 2),
    }


def import_milliseconds() -> float:
    """What `import pedocs` adds to `import numpy`, the median of several processes."""
    script = (
        "import time, numpy; begin = time.perf_counter(); import pedocs;"
        "print(1000 * (time.perf_counter() - begin))"
    )
    times = [
        float(
            subprocess.run([sys.executable, "-c", script], capture_output=True, check=True).stdout
        )
        for _ in range(ROUNDS)
    ]
    return round(statistics.median(times), 1)


def works() -> list[Callable[[], Work]]:
    """Every line of the table, not yet prepared."""
    return [
        lambda: sinusoids(4096, 512, "float32", None),
        lambda: sinusoids(4096, 512, "float64", None),
        lambda: sinusoids(65536, 1024, "float32", 2),
        lambda: sinusoids(65536, 1024, "float64", None),
        lambda: t5(2048),
        lambda: alibi(2048),
        lambda: rope("interleaved", 2),
        lambda: rope("half-split", 5),
    ]


def main() -> None:
    """Measure everything, print the table, and write it down if asked to."""
    if "--line" in sys.argv:
        print(json.dumps(measure(works()[int(sys.argv[-1])]())))
        return
    print("ratio to filling the same memory; memory: peak over the size of the result\n")
    lines = []
    for number in range(len(works())):
        command = [sys.executable, __file__, "--line", str(number)]
        line = json.loads(subprocess.run(command, capture_output=True, check=True).stdout)
        lines.append(line)
        shape = "×".join(map(str, line["shape"]))
        limit = f" (at most {line['limit']:g})" if line["limit"] else ""
        print(f"{line['work']} {shape} {line['dtype']}: pedocs {line['pedocs']}{limit}", end="")
        print(*(f", {name} {ratio}" for name, ratio in line["peers"].items()), sep="", end="")
        print(f"; memory {line['memory']}", flush=True)
    milliseconds = import_milliseconds()
    print(f"import pedocs after numpy: {milliseconds} ms (at most 20)")
    if "--record" in sys.argv:
        packages = ["numpy", "torch", "transformers", "x-transformers", "rotary-embedding-torch"]
        record = {
            "measured": date.today().isoformat(),
            "python": platform.python_version(),
            "cores": os.cpu_count(),
            "versions": {name: version(name) for name in [*packages, "positional-encodings"]},
            "import_milliseconds": milliseconds,
            "lines": lines,
        }
        RECORD.write_text(json.dumps(record, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
