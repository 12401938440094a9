"""Measure what training and prediction on workers cost, and check what they promise.

    python benchmarks/workers.py equality FOLDER [ROUNDS]  models with 0, 1, 2, 3 and 5 workers
    python benchmarks/workers.py rounds FILE [ROUNDS]      time of a round, and bytes that are sent
    python benchmarks/workers.py memory FILE [ROUNDS]      memory of all processes over many rounds
    python benchmarks/workers.py large [DOCUMENTS]         a corpus too large for one process
    python benchmarks/workers.py predict [TEXTS]           one process and two workers
    python benchmarks/workers.py faults FILE [TIMES]       workers that are killed by SIGKILL

FOLDER contains the corpora of `equality` by name, such as 20newsgroups/train.jsonl.gz. FILE is a
training file. Each part fails if results are not equal byte for byte.
"""

from __future__ import annotations

import contextlib
import hashlib
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

import numpy as np

import boostext
from boostext.distributed import engine
from boostext.distributed.cluster import Cluster
from boostext.distributed.engine import WorkerPool
from boostext.model.file import model_bytes
from boostext.training.sizes import extent_of

SETTINGS: dict[str, Any] = {"preset": "paper", "engine": "incremental"}
COMMAND = [sys.executable, "-m", "boostext"]
SAMPLE = Path(__file__).parent.parent / "sample_data"
CORPORA: dict[str, dict[str, Any]] = {
    "calls": {"ngrams": "1-2"},
    "reuters-r90": {},
    "debian-section-en": {},
    "20newsgroups": {"ngrams": "1-3"},
}
"""Corpora with one or several labels, with attributes, and with n-grams, and their settings."""
LIMIT = 2 << 30
"""Bytes of memory of each process in `large`."""


def equality(folder: str, count: str = "300") -> None:
    """Compare the models of one process and of 1, 2, 3 and 5 workers."""
    for name, settings in CORPORA.items():
        path = SAMPLE / "calls.train.jsonl" if name == "calls" else Path(folder, name)
        if path.is_dir():
            path /= "train.jsonl.gz"
        stops: list[dict[str, Any]] = [{}, {"valid_fraction": 0.1, "patience": 20}]
        for stop in stops:
            models = []
            for workers in ("", 1, 2, 3, 5):
                chosen = {**SETTINGS, **settings, **stop, "rounds": int(count)}
                result = boostext.train(str(path), workers=workers, **chosen)
                models.append(model_bytes(result.trained.model))
            same = "equal" if len(set(models)) == 1 else "DIFFERENT"
            kept = len(result.trained.model.rules)
            told = "early stopping" if stop else "all rounds"
            print(f"{name}, {told}: {same} models of {kept} rules", flush=True)
            assert same == "equal", name


def rounds(path: str, count: str = "2000") -> None:
    """Milliseconds of a round, and bytes of the documents that it sends."""
    sent: list[tuple[int, int]] = []
    schedule = engine.DistributedEngine._schedule

    def counting(self: Any, applied: Any, owner: int) -> float:
        size = 0 if applied.documents is None else applied.documents.nbytes
        sent.append((size, len(self._actors)))
        return schedule(self, applied, owner)

    engine.DistributedEngine._schedule = counting  # type: ignore[method-assign]
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


def memory(path: str, count: str = "5000") -> None:
    """Print the memory of this process, which runs the scheduler as well, and of its workers."""

    def told(step: boostext.Step) -> None:
        if step.round % (int(count) // 10) == 0:
            mine = _resident(os.getpid())
            others = [f"{_resident(pid):,}" for pid in _workers(os.getsid(0))]
            print(f"round {step.round}: {mine:,} MB; workers {', '.join(others)} MB", flush=True)

    boostext.train(path, rounds=int(count), workers=2, progress=told, **SETTINGS)


def large(documents: str = "520000") -> None:
    """Train on three workers of LIMIT bytes, on a corpus that one such process refuses."""
    import resource

    from dask.distributed import Client, LocalCluster

    with tempfile.TemporaryDirectory() as folder:
        data = Path(folder, "large.jsonl")
        _write_large(data, int(documents))
        print(f"{data.stat().st_size >> 20:,} MB of text", flush=True)
        command = [*COMMAND, "train", str(data), "-o", f"{folder}/m.boostext", "--preset", "paper"]
        began = time.perf_counter()
        alone = subprocess.run(
            command,
            capture_output=True,
            text=True,
            check=False,
            preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_AS, (LIMIT, LIMIT)),
        )
        spent = time.perf_counter() - began
        print(f"one process: exit {alone.returncode} after {spent:.0f} s: {alone.stderr[-500:]}")
        sizes = boostext.sizes(str(data), workers=3, **SETTINGS)
        print(f"dry run: {sizes}", flush=True)
        with (
            LocalCluster(n_workers=3, threads_per_worker=1, memory_limit=LIMIT) as cluster,
            Client(cluster) as client,
        ):
            pids = list(client.run(os.getpid).values())
            at_round = list[float]()

            def told(step: boostext.Step) -> None:
                at_round.append(time.perf_counter())
                if step.round == 1:
                    print(f"peaks after reading: {_peaks(pids)} MB", flush=True)
                    for pid in pids:  # from here on, the peak is that of the rounds
                        Path(f"/proc/{pid}/clear_refs").write_text("5", "ascii")

            began = time.perf_counter()
            result = boostext.train(str(data), rounds=200, client=client, progress=told, **SETTINGS)
            print(f"{len(result.trained.rounds)} rounds, first after {at_round[0] - began:.0f} s")
            median = statistics.median(b - a for a, b in pairwise(at_round))
            print(f"median of a round {1000 * median:.1f} ms")
            print(f"peaks in the rounds: {_peaks(pids)} MB; formula ", end="")
            extent = extent_of(result.trained.prepared)
            print(f"{WorkerPool(Cluster(client)).memory(extent) >> 20} MB")


def _write_large(path: Path, documents: int) -> None:
    """Write documents of 400 tokens and one of four labels.

    The frequencies of 60,000 words follow the law of Zipf and Mandelbrot. A fortieth of the words
    is three times as frequent with one of the labels.
    """
    draws = np.random.default_rng(1)
    words = np.array([f"{number:x}" for number in range(60_000)])
    rank = np.arange(len(words))
    shares = (rank + 30.0) ** -0.9
    marked = [(rank % 40 == 10 * label + 7) & (rank > 50) for label in range(4)]
    sums = [np.cumsum(np.where(mark, 3 * shares, shares)) for mark in marked]
    with path.open("w", encoding="ascii") as file:
        for number in range(documents // 250):
            label = number % 4
            drawn = sums[label][-1] * draws.random((250, 400))
            for row in np.searchsorted(sums[label], drawn):
                file.write(f'{{"text": "{" ".join(words[row])}", "label": "l{label}"}}\n')


def _resident(pid: int, field: str = "VmRSS") -> int:
    """Return the memory of a process in megabytes."""
    lines = Path(f"/proc/{pid}/status").read_text("utf-8").splitlines()
    return next(int(line.split()[1]) for line in lines if line.startswith(field)) >> 10


def _peaks(pids: list[int]) -> list[int]:
    return [_resident(pid, "VmHWM") for pid in pids]


def predict(texts: str = "1000000") -> None:
    """Seconds for short texts, in one process with one thread and by two workers.

    Seconds of CPU of all processes together are given as well, since other programs that run at
    the same time change them less.
    """
    import resource

    draws = random.Random(0)
    words = [f"w{n}" for n in range(5000)]
    with tempfile.TemporaryDirectory() as folder:
        data, model = Path(folder, "texts.jsonl"), Path(folder, "m.boostext")
        with data.open("w", encoding="utf-8") as file:
            for number in range(int(texts)):
                chosen = draws.choices(words, k=12)
                label = f"l{int(chosen[0][1:]) % 4}"
                record = {"id": str(number), "text": " ".join(chosen), "label": label}
                file.write(json.dumps(record) + "\n")
        with data.open(encoding="utf-8") as file:
            head = [json.loads(line) for line in islice(file, 5000)]
        boostext.train(head, rounds=500, **SETTINGS).model.save(model)
        outputs = []
        for options in (["--threads", "1"], ["--workers", "2"]):
            before = resource.getrusage(resource.RUSAGE_CHILDREN)
            began = time.perf_counter()
            command = [*COMMAND, "predict", str(model), str(data), "-q", *options]
            result = Path(folder, options[0])
            with result.open("wb") as file:
                process = subprocess.Popen(command, stdout=file, start_new_session=True)
            seen: dict[int, list[int]] = {}
            while process.poll() is None:
                for pid in [process.pid, *_workers(process.pid)]:
                    with contextlib.suppress(OSError, StopIteration):
                        seen.setdefault(pid, []).append(_resident(pid))
                time.sleep(0.5)
            spent = time.perf_counter() - began
            used = resource.getrusage(resource.RUSAGE_CHILDREN)
            cpu = used.ru_utime + used.ru_stime - before.ru_utime - before.ru_stime
            outputs.append(hashlib.sha256(result.read_bytes()).hexdigest())
            ids = (json.loads(line)["id"] for line in result.open(encoding="utf-8"))
            assert all(int(id) == number for number, id in enumerate(ids)), "order"
            told = [f"{sizes[len(sizes) // 3]} {sizes[-2]}" for sizes in seen.values() if sizes[2:]]
            print(
                f"{' '.join(options)}: exit {process.returncode}, {spent:.1f} s, {cpu:.1f} s of"
                f" CPU; MB after a third and at the end, of each process: {', '.join(told)}",
                flush=True,
            )
        assert outputs[0] == outputs[1], "results differ"


def faults(path: str, times: str = "20") -> None:
    """Kill a worker at a random time, go on from the checkpoint, and compare the models."""
    with tempfile.TemporaryDirectory() as folder:
        whole, broken = Path(folder, "whole.boostext"), Path(folder, "broken.boostext")
        train = ["train", path, "--preset", "paper", "--engine", "incremental", "--rounds", "2000"]
        # so often that workers are also killed while a checkpoint is written
        often = ["--checkpoint-every", "0.01"]
        subprocess.run([*COMMAND, *train, "-q", "-o", str(whole)], check=True, capture_output=True)
        for number in range(int(times)):
            code, said, left = _killed(
                [*train, *often, "-o", str(broken), "--workers", "2"], number
            )
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
    parts = {part.__name__: part for part in (equality, rounds, memory, large, predict, faults)}
    if len(sys.argv) < 2 or sys.argv[1] not in parts:
        sys.exit(__doc__)
    parts[sys.argv[1]](*sys.argv[2:])
