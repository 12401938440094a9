"""What single changes of the learner do to the error on held-out parts of the training data.

    python benchmarks/variants.py DIR ...              corpora: folders with a train.jsonl
    python benchmarks/variants.py --only counts DIR    one change; may be repeated
    python benchmarks/variants.py --rounds 4000 DIR    longer trials

A fifth of the training file is held out, the same for every change; test files are not read. The
first row is what the others change: words, rules that abstain, a prior rule, rarity 1, reuse 0.5,
shrinkage 0.5. Values are the best on the way, and the last: error, or micro-F1 for several labels.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

from boostext.corpus.readers import read_documents
from boostext.evaluation.folds import make_folds
from boostext.training.choosing import changed
from boostext.training.courses import Course, Split, split
from boostext.training.plan import Plan
from boostext.training.run import prepare

BASE: Mapping[str, Any] = {
    "min_df": 2,
    "abstain": True,
    "prior_rule": True,
    "rarity": 1.0,
    "reuse": 0.5,
    "shrinkage": 0.5,
}
VARIANTS: Mapping[str, Mapping[str, Any]] = {
    "base": {},
    "papers": {"rarity": 0.0, "reuse": 1.0, "shrinkage": 1.0},
    "both sides": {"abstain": False, "prior_rule": False},
    "rarity 0.5": {"rarity": 0.5},
    "rarity 2": {"rarity": 2.0},
    "shrinkage 1": {"shrinkage": 1.0},
    "shrinkage 0.25": {"shrinkage": 0.25},
    "smoothing 0.2/m": {"smoothing": "0.2/m"},
    "smoothing bt00": {"smoothing": "bt00"},
    "reuse 0.3": {"reuse": 0.3},
    "balanced start": {"start": "balanced"},
    "half the terms": {"term_fraction": 0.5},
    "counts": {"counts": (1, 2, 3, 5, 8)},
    "pairs": {"ngrams": (1, 2)},
    "pairs, marks": {"ngrams": (1, 2), "punctuation": True},
    "gaps": {"ngrams": (1, 3), "expert": "sparse"},
    "letters": {"analyzer": "char", "ngrams": (1, 5)},
    "letters, rarity 0": {"analyzer": "char", "ngrams": (1, 5), "rarity": 0.0},
    "mp": {"algorithm": "mp"},
    "mp, 10/m": {"algorithm": "mp", "rarity": 0.5, "smoothing": "10/m"},
    "logistic": {"algorithm": "logistic"},
}
"""name -> settings that differ from BASE"""
AVERAGED = "averaged"
"""Scores are the mean of those after each round of the second half, measured with the base."""


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("folders", nargs="+", type=Path)
    parser.add_argument("--only", action="append", choices=[*VARIANTS, AVERAGED], default=[])
    parser.add_argument("--rounds", type=int, default=2000)
    options = parser.parse_args()
    for folder in options.folders:
        for name in options.only or [*VARIANTS, AVERAGED]:
            show(folder, name, options.rounds)


def show(folder: Path, name: str, rounds: int) -> None:
    begin = time.process_time()
    plan = changed(Plan.of(), {**BASE, **VARIANTS.get(name, {})})
    plan = replace(plan, boosting=replace(plan.boosting, rounds=rounds))
    part = held_out(folder, plan)
    course = Course(part, plan.boosting)
    if name == AVERAGED:
        print(f"{folder.name:<18} {name:<18} {averaged(course, part, rounds):14.2f}", flush=True)
        return
    list(course.go_on(rounds))
    best = (max if part.prepared.multilabel else min)(course.marks, key=lambda m: m.value)
    last = course.marks[-1]
    print(
        f"{folder.name:<18} {name:<18} {100 * best.value:6.2f} {100 * last.value:7.2f}"
        f"  {best.round:>6} rules {best.terms:>6} terms {time.process_time() - begin:6.1f} s",
        flush=True,
    )


def held_out(folder: Path, plan: Plan) -> Split:
    paths = [str(path) for path in sorted(folder.glob("train.jsonl*"))]
    prepared = prepare(read_documents(paths, plan.data), plan)
    return split(prepared, make_folds(prepared.corpus.label_sets, 5, 0), 0)


def averaged(course: Course, part: Split, rounds: int) -> float:
    """Value of the mean score over the marks of the second half."""
    total, count = np.zeros((len(part.held), len(part.gold.labels))), 0
    for last in range(rounds // 2, rounds + 1, max(rounds // 40, 1)):
        list(course.go_on(last))
        total, count = total + course.scores(), count + 1
    value, _ = course.value_of(total / count)
    return 100 * value


if __name__ == "__main__":
    main()
