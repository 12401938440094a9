"""What workers cost and promise: rounds, bytes on the wire, labelling, and workers that are killed.

    python benchmarks/workers.py rounds FILE [ROUNDS]     one process beside one and two workers
    python benchmarks/workers.py predict [TEXTS]          one process beside two workers
    python benchmarks/workers.py faults FILE [TIMES]      SIGKILL in rounds and while reading

FILE is a training file such as that of 20newsgroups. Every part ends with an error where results
are not equal byte for byte.
"""

from __future__ import annotations

import contextlib
import json
import os
import random
import signal
import statistics
import subprocess
import sys
import tempfile
import time
from itertools import islice, pairwise
from pathlib import Path
from typing import Any

import boostext
from boostext.distributed import hub
from boostext.model.file import model_bytes

SETTINGS: dict[str, Any] = {"preset": "paper", "engine": "incremental"}
COMMAND = [sys.executable, "-m", "boostext"]


def rounds(path: str, count: str = "2000") -> None:
    """Milliseconds of a round, and bytes of the documents that it moves."""
    sent: list[tuple[int, int]] = []
    tell = hub.Hub._tell

    def counting(self: Any, move: Any, owner: int) -> float:
        size = 0 if move.documents is None else move.documents.nbytes
        sent.append((size, len(self._actors)))
        return tell(self, move, owner)

    hub.Hub._tell = counting  # type: ignore[method-assign]
    models = []
    for workers in ("", 1, 2):
        times = [time.perf_counter()]
        sent.clear()
        result = boostext.train(
            path,
            rounds=int(count),
            workers=workers,
            **SETTINGS,
            progress=lambda step, times=times: times.append(time.perf_counter()),
        )
        models.append(model_bytes(result.trained.model))
        each = [1000 * (b - a) for a, b in pairwise(times[1:])]
        told = f"{workers or 'no'} workers: mean {statistics.mean(each):6.2f} ms a round"
        told += f", median {statistics.median(each):6.2f}"
        if sent:
            sizes = [size for size, _ in sent]
            passed = sum(size * workers for size, workers in sent) / len(sent)
            told += f"; documents of the winner {statistics.mean(sizes):,.0f} bytes"
            told += f", {passed:,.0f} bytes to and from workers"
        print(told, flush=True)
    assert len(set(models)) == 1, "models differ"


def predict(texts: str = "1000000") -> None:
    """Seconds for short texts, in one process with one thread and by two workers."""
    draws = random.Random(0)
    words = [f"w{n}" for n in range(5000)]
    with tempfile.TemporaryDirectory() as folder:
        data, model = Path(folder, "texts.jsonl"), Path(folder, "m.boostext")
        with data.open("w", encoding="utf-8") as file:
            for _ in range(int(texts)):
                chosen = draws.choices(words, k=12)
                label = f"l{int(chosen[0][1:]) % 4}"
                file.write(json.dumps({"text": " ".join(chosen), "label": label}) + "\n")
        with data.open(encoding="utf-8") as file:
            head = [json.loads(line) for line in islice(file, 5000)]
        boostext.train(head, rounds=500, **SETTINGS).model.save(model)
        outputs = []
        for options in (["--threads", "1"], ["--workers", "2"]):
            began = time.perf_counter()
            command = [*COMMAND, "predict", str(model), str(data), "-q", *options]
            done = subprocess.run(command, capture_output=True, check=True)
            outputs.append(done.stdout)
            print(f"{' '.join(options)}: {time.perf_counter() - began:.1f} s", flush=True)
        assert outputs[0] == outputs[1], "results differ"


def faults(path: str, times: str = "20") -> None:
    """Kill a worker at a random time, go on from the checkpoint, and compare the models."""
    with tempfile.TemporaryDirectory() as folder:
        whole, broken = Path(folder, "whole.boostext"), Path(folder, "broken.boostext")
        train = ["train", path, "--preset", "paper", "--engine", "incremental", "--rounds", "400"]
        subprocess.run([*COMMAND, *train, "-q", "-o", str(whole)], check=True, capture_output=True)
        for number in range(int(times)):
            code, said, left = _killed([*train, "-o", str(broken), "--workers", "2"], number)
            print(
                f"{number}: exit {code}, {len(said)} line: {said[-1] if said else ''}", flush=True
            )
            assert code == 1, code
            assert len(said) == 1, said
            assert not left, "processes are left over"
            again = [*COMMAND, *train, "-q", "-o", str(broken), "--resume"]
            subprocess.run(again, check=True, capture_output=True)
            assert broken.read_bytes() == whole.read_bytes(), "models differ"
            broken.unlink()


def _killed(arguments: list[str], number: int) -> tuple[int, list[str], list[int]]:
    """Exit code, lines of errors, and processes that are left over."""
    process = subprocess.Popen(
        [*COMMAND, *arguments, "--progress", "on"],
        start_new_session=True,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        text=True,
    )
    draws = random.Random(number)
    lines: list[str] = []
    in_rounds = number % 3 != 0
    assert process.stderr is not None
    for line in process.stderr:
        lines.append(line)
        if ("round " in line) if in_rounds else ("workers, " in line):
            break
    time.sleep(draws.uniform(0, 2 if in_rounds else 1))
    workers = _workers(process.pid)
    os.kill(draws.choice(workers), signal.SIGKILL)
    lines += process.stderr.read().splitlines()
    code = process.wait(timeout=60)
    time.sleep(1)
    said = [line for line in lines if line.startswith(("Error", "Traceback", "distributed"))]
    return code, said, [pid for pid in workers if Path(f"/proc/{pid}").exists()]


def _workers(session: int) -> list[int]:
    found = []
    for entry in Path("/proc").iterdir():
        with contextlib.suppress(OSError, ValueError):
            fields = (entry / "stat").read_text("utf-8").rpartition(")")[2].split()
            if int(fields[3]) == session and "spawn_main" in (entry / "cmdline").read_text("utf-8"):
                found.append(int(entry.name))
    return found


if __name__ == "__main__":
    parts = {"rounds": rounds, "predict": predict, "faults": faults}
    if len(sys.argv) < 2 or sys.argv[1] not in parts:
        sys.exit(__doc__)
    parts[sys.argv[1]](*sys.argv[2:])
