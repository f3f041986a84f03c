"""What measurements of whole builds share: processes timed in turn, and the record of a page.

Wall time depends on what else a machine does; the processor time of a command and of all that it
starts hardly does. So both are taken, what is compared takes turns in rounds of one run, and what
is told is the median of the rounds' ratios.
"""

from __future__ import annotations

import contextlib
import json
import os
import platform
import statistics
import subprocess
import tempfile
import threading
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from datetime import date
from pathlib import Path
from typing import Any, NamedTuple

ROOT = Path(__file__).resolve().parents[1]
RECORD = ROOT / "docs" / "measured" / "build.json"
_TICK = 0.05  # seconds between two looks at the memory


class Cost(NamedTuple):
    """What a command took: seconds by the clock, processor seconds, the most MB at once."""

    wall: float
    cpu: float
    memory: float = 0.0


def run(command: Sequence[str | Path], folder: Path, *, memory: bool = False, **env: str) -> Cost:
    """The cost of a command and of every process that it starts and waits for."""
    peak = 0.0
    with tempfile.TemporaryFile() as said:
        start = time.perf_counter()
        process = subprocess.Popen(
            list(map(str, command)), cwd=folder, stdout=said, stderr=said,
            env=os.environ | {"NO_MKDOCS_2_WARNING": "1"} | env,
        )  # fmt: skip
        ended = threading.Event()

        def watch() -> None:
            nonlocal peak
            while not ended.wait(_TICK):
                peak = max(peak, held(process.pid))

        watcher = threading.Thread(target=watch)
        if memory:
            watcher.start()
        _, status, usage = os.wait4(process.pid, 0)
        wall = time.perf_counter() - start
        process.returncode = os.waitstatus_to_exitcode(status)
        ended.set()
        if memory:
            watcher.join()
        if process.returncode:
            said.seek(0)
            raise SystemExit(f"{command} fails in {folder}:\n{said.read().decode()[-4000:]}")
    return Cost(wall, usage.ru_utime + usage.ru_stime, peak)


def family(process: int) -> Iterator[int]:
    """A process and all that descend from it."""
    yield process
    with contextlib.suppress(OSError):
        for task in Path(f"/proc/{process}/task").iterdir():
            for child in (task / "children").read_text().split():
                yield from family(int(child))


def held(process: int) -> float:
    """The MB that a process and its descendants hold; what several share counts once."""
    total = 0
    for each in family(process):
        with contextlib.suppress(OSError):
            text = Path(f"/proc/{each}/smaps_rollup").read_text()
            total += sum(int(line.split()[1]) for line in text.splitlines() if line[:4] == "Pss:")
    return total / 1e3


def spent(process: int) -> float:
    """The processor seconds of a process that runs, of its descendants, and of those it lost."""
    seconds = 0.0
    for each in family(process):
        with contextlib.suppress(OSError):
            fields = Path(f"/proc/{each}/stat").read_text().rpartition(")")[2].split()
            seconds += sum(map(int, fields[11:15])) / os.sysconf("SC_CLK_TCK")
    return seconds


def in_turn(what: Mapping[str, Callable[[], Cost]], rounds: int) -> dict[str, list[Cost]]:
    """The costs of several things, which take turns; each round begins with the next of them."""
    costs: dict[str, list[Cost]] = {name: [] for name in what}
    names = [*what]
    for number in range(rounds):
        at = number % len(names)
        for name in names[at:] + names[:at]:
            cost = what[name]()
            costs[name].append(cost)
            memory = f", {cost.memory:.0f} MB" if cost.memory else ""
            print(f"{name}: {cost.cpu:.1f} s of processor, {cost.wall:.1f} s{memory}", flush=True)
    return costs


def median(costs: Sequence[Cost]) -> Cost:
    """The median of each."""
    return Cost(*(statistics.median(column) for column in zip(*costs, strict=True)))


def ratio(
    above: Sequence[Cost], below: Sequence[Cost], less: Sequence[Cost] | None = None
) -> dict[str, float]:
    """The median round's `(above - less) / below`, of the processor's time and of the clock's."""
    less = less or [Cost(0, 0)] * len(above)
    rounds = [*zip(above, below, less, strict=True)]
    return {
        "cpu": round(statistics.median((a.cpu - c.cpu) / b.cpu for a, b, c in rounds), 2),
        "wall": round(statistics.median((a.wall - c.wall) / b.wall for a, b, c in rounds), 2),
    }


def seconds(cost: Cost) -> dict[str, float]:
    """A cost as it is written down."""
    return {"cpu": round(cost.cpu, 1), "wall": round(cost.wall, 1)}


def record(subject: str, found: Mapping[str, Any]) -> None:
    """Write down one subject of the page on trust, and leave the others as they are."""
    book = json.loads(RECORD.read_text("utf-8")) if RECORD.is_file() else {}
    book[subject] = {
        "measured": date.today().isoformat(),
        "python": platform.python_version(),
        "cores": os.cpu_count(),
        "load": round(os.getloadavg()[0], 1),
        **found,
    }
    RECORD.parent.mkdir(exist_ok=True)
    text = json.dumps(dict(sorted(book.items())), indent=1, ensure_ascii=False)
    RECORD.write_text(f"{text}\n", "utf-8")
