"""Choosing settings for `boostext tune` and `boostext train`, and telling what was tried."""

from __future__ import annotations

import json
import threading
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from itertools import chain
from pathlib import Path

import click

from boostext.atomic import Kind, check_own, check_writable, replacing
from boostext.cli.progress import Progress
from boostext.cli.reading import (
    announce_stdin,
    make_parent,
    some,
    spare,
    tell_bad,
    tell_corrections,
)
from boostext.cli.talk import Talk
from boostext.compiled import on_compile
from boostext.corpus.corrections import Corrections
from boostext.corpus.documents import Document
from boostext.corpus.readers import read_documents
from boostext.corpus.sources import BadRecords
from boostext.fields import count
from boostext.library.config import write_config
from boostext.library.signals import Stopped, StopRequest, stop_request
from boostext.presets import PRESETS, Search
from boostext.training.columns import described
from boostext.training.knowing import unlabelled_documents
from boostext.training.plan import Plan, command_line
from boostext.training.trial_log import FIRST
from boostext.training.tuning import Heat, Hooks, Outcome, Status, Tuned, tune

FOUND = "# Found by boostext tune:"
"""How a file of settings begins."""
MOST_ROWS = 20
"""Trials that a terminal shows; --json has all."""


@dataclass(frozen=True)
class Wish:
    """How to tune. search: None is the whole grid. given: settings that are not tried."""

    search: Search | None
    given: frozenset[str]
    budget: float | None
    trials: Path


@dataclass(frozen=True)
class Job:
    """What one call of `boostext tune` is to do."""

    data: tuple[str, ...]
    plan: Plan
    wish: Wish
    output: str
    resume: bool
    progress: str
    as_json: bool
    corrections: Corrections = field(default_factory=Corrections)
    force: bool = False


SETTINGS = Kind("a file of settings that tune wrote", lambda head: head.startswith(FOUND.encode()))
TRIALS = Kind("a record of trials", lambda head: head.startswith(FIRST.encode()))


def wish(
    preset: str | None, whole: bool, given: frozenset[str], budget: float | None, trials: Path
) -> Wish | None:
    """None where nothing is to be tuned. whole: the grid, whatever the preset would try."""
    search = PRESETS[preset].search if preset else None
    if whole or search:
        return Wish(None if whole else search, given, budget, trials)
    return None


def run(job: Job, talk: Talk) -> None:
    """Tune, write the settings, and tell."""
    spare((*job.data, *job.corrections.paths), job.output)
    make_parent(job.output)
    kind = None if job.force else SETTINGS
    check_writable(job.output, kind)
    check_own(job.wish.trials, None if job.force else TRIALS)
    with stop_request() as stop:
        bad = BadRecords()
        documents = read_all(job.data, job.plan, bad, talk, job.progress, job.corrections)
        plan = described(job.data, job.plan)
        found = tuned(documents, plan, job.wish, job.resume, stop, talk, job.progress)
        with replacing(job.output, kind) as file:
            file.write(as_yaml(found).encode("utf-8"))
        job.wish.trials.unlink(missing_ok=True)
    if job.as_json:
        click.echo(json.dumps({"config": job.output, **found.to_dict()}, ensure_ascii=False))
    elif not talk.quiet:
        click.echo("\n".join([*table(found), f"{job.output}: {command_line(found.plan)}"]))


def corrected(
    paths: tuple[str, ...], plan: Plan, bad: BadRecords, corrections: Corrections
) -> Iterator[Document]:
    """The documents to learn from; those without a label field only if corrections may give it, or
    there is knowledge of them.
    """
    labelled = not (corrections or plan.known.knowledge)
    read = read_documents(paths, plan.reading, bad, labelled=labelled)
    return chain(corrections.applied(some(read, paths, bad)), unlabelled_documents(plan, bad))


def read_all(
    paths: tuple[str, ...], plan: Plan, bad: BadRecords, talk: Talk, mode: str,
    corrections: Corrections,
) -> list[Document]:  # fmt: skip
    """All documents, which tuning reads again for every way to make terms."""
    announce_stdin(paths, talk)
    progress = Progress("off" if talk.quiet else mode)
    try:
        documents = list(progress.counting(corrected(paths, plan, bad, corrections)))
    finally:
        progress.finish()
    tell_bad(bad, talk)
    tell_corrections(corrections, talk)
    return documents


def tuned(
    documents: Sequence[Document],
    plan: Plan,
    wanted: Wish,
    resume: bool,
    stop: StopRequest,
    talk: Talk,
    mode: str,
) -> Tuned:
    """Tune with a live line; Stopped where the user ended it, with the trials so far kept."""
    _prepare_trials(wanted.trials, resume, talk)
    progress = Progress("off" if talk.quiet else mode)
    on_compile(lambda: talk.say("compiling, which only the first run needs ..."))
    one_at_a_time = threading.Lock()

    def tell(status: Status) -> None:
        with one_at_a_time:
            progress.tell(lambda: line(status, wanted.budget))

    stop.patient = True
    try:
        found = tune(
            documents, plan, wanted.search, wanted.given, wanted.budget, wanted.trials,
            Hooks(lambda heats: talk.say(intended(heats)), tell, stop),
        )  # fmt: skip
    finally:
        progress.finish()
        stop.patient = False
    if stop():
        raise Stopped(
            stop.signal_number,
            f"stopped; {wanted.trials} holds what was tried, and --resume goes on from there",
        )
    return found


def _prepare_trials(path: Path, resume: bool, talk: Talk) -> None:
    check_writable(path)
    if resume or not path.exists():
        return
    talk.say(f"{path} is from tuning that did not end; --resume would go on there")
    path.unlink()


def intended(heats: Sequence[Heat]) -> str:
    """What the trials will cost, before they begin."""
    told = [f"{heat.trials} for {heat.steps:,} rules in {heat.folds} folds" for heat in heats]
    return (
        f"trying {count(heats[0].trials, 'choice')} of settings: {', of these '.join(told)}; where "
        "votes are shrunk, rules are as many times more"
    )


def line(status: Status, budget: float | None) -> str:
    """What a person wants to know while tuning goes on."""
    spent = f"{status.seconds:.0f} s" + (f" of {budget:.0f}" if budget else "")
    told = [f"tuning {spent}"]
    if status.best:
        told.append(f"best {status.best.best.value:.4f}")
    told.append(f"round {status.mark.round}/{status.last} {status.mark.value:.4f}")
    return "  ".join([*told, status.settings])


# The end -------------------------------------------------------------------------------------


def table(found: Tuned) -> list[str]:
    """What was tried, the best first."""
    rows = [[found.measure, "rounds", "terms", "seconds", "settings"]]
    rows += [_cells(outcome) for outcome in found.outcomes[:MOST_ROWS]]
    widths = [max(len(row[j]) for row in rows) for j in range(4)]
    told = [
        "  ".join([*(cell.rjust(n) for cell, n in zip(row, widths, strict=False)), row[4]])
        for row in rows
    ]
    more = len(found.outcomes) - MOST_ROWS
    if more > 0:
        told.append(f"and {count(more, 'more trial')}")
    return told


def _cells(outcome: Outcome) -> list[str]:
    best = outcome.best
    reached = f"{best.round}/{outcome.marks[-1].round}"
    settings = outcome.candidate.settings
    return [f"{best.value:.4f}", reached, str(best.terms), f"{outcome.seconds:.0f}", settings]


def as_yaml(found: Tuned) -> str:
    """The chosen settings as --config reads them."""
    best = found.outcomes[0].best
    head = (
        f"{FOUND} {found.measure} {best.value:.4f} on documents held out, the "
        f"best of {count(len(found.outcomes), 'trial')}.\n"
    )
    return head + write_config(found.plan.groups)
