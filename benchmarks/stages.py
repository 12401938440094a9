"""Where the processor time of one training goes, stage by stage, in one process and one thread.

python benchmarks/stages.py        20newsgroups words, 2,000 rounds
"""

from __future__ import annotations

import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from rows import WORDS, Bench

ROUNDS = 2000


def main() -> None:
    stages = Stages()
    stages.take("starting Python", lambda: None)
    with tempfile.TemporaryDirectory() as folder:
        path = Bench(Path(folder), 1, 1, threads=1).corpus(WORDS.corpus).train
        stages.leave_out()
        _train(path, Path(folder) / "model.boostext", stages)
    print("| stage | s | share |\n|---|---|---|")
    total = sum(stages.seconds.values())
    for name, seconds in [*stages.seconds.items(), ("all", total)]:
        print(f"| {name} | {seconds:.2f} | {100 * seconds / total:.0f} % |")


class Stages:
    """Processor seconds by stage; the first has all since the process began."""

    def __init__(self) -> None:
        self.seconds: dict[str, float] = {}
        self._last = 0.0

    def take(self, name: str, work: Callable[[], Any]) -> Any:
        made = work()
        now = time.process_time()
        self.seconds[name] = now - self._last
        self._last = now
        return made

    def leave_out(self) -> None:
        """What was done since the last stage is none."""
        self._last = time.process_time()


def _train(path: Path, model: Path, stages: Stages) -> None:
    """What `boostext train` does, each part to its end before the next begins."""
    program = stages.take("importing the program, NumPy and SciPy", _program)
    stages.take("loading kernels", program.load_kernels)
    documents = stages.take("reading JSONL", lambda: list(program.documents(path)))
    corpus = stages.take("ids, labels, snippets, digest", lambda: program.corpus(documents))
    features = stages.take("texts to conditions", lambda: program.features(documents))
    booster = stages.take("building the engine", lambda: program.booster(features, corpus))
    rounds = stages.take(f"{ROUNDS:,} rounds", lambda: list(booster.rounds()))
    stages.take("writing the model", lambda: program.write(rounds, corpus, model))


def _program() -> Any:
    """boostext's parts, imported here so that importing them is a stage."""
    import program

    import boostext.library.training  # noqa: F401

    return program


if __name__ == "__main__":
    main()
