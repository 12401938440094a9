"""Settings chosen on the training data alone, and what was tried."""

from __future__ import annotations

import logging
import threading
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from boostext.atomic import Kind, check_own, check_writable
from boostext.corpus.documents import Document
from boostext.errors import WorkerError
from boostext.fields import count
from boostext.library.config import write_config
from boostext.library.watch import Watch
from boostext.presets import PRESETS, Search
from boostext.training.jobs import Jobs
from boostext.training.plan import Plan
from boostext.training.trial_log import begins_trials
from boostext.training.tuning import Heat, Hooks, Outcome, Status, Tuned, tune

LOG = logging.getLogger("boostext")
FOUND = "# Found by boostext tune:"
"""How a file of settings begins."""
MOST_ROWS = 20
"""Trials that a terminal shows; --json has all."""
SETTINGS = Kind("a file of settings that tune wrote", lambda head: head.startswith(FOUND.encode()))
TRIALS = Kind("a record of trials", begins_trials)


@dataclass(frozen=True)
class Tuning:
    """How to tune. search: None is the whole grid. given: settings that are not tried. budget:
    seconds, which decide how many trials there are. trials: a file that keeps what was tried.
    """

    search: Search | None
    given: frozenset[str] = frozenset()
    budget: float | None = None
    trials: Path | None = None

    @staticmethod
    def wanted(
        preset: str | None, whole: bool, given: frozenset[str], budget: float | None, trials: Path
    ) -> Tuning | None:
        """None where nothing is to be tuned. whole: the grid, whatever the preset would try."""
        search = PRESETS[preset].search if preset else None
        if whole or search:
            return Tuning(None if whole else search, given, budget, trials)
        return None

    def prepare(self, resume: bool, force: bool) -> None:
        """See that the trials can be kept; those of an earlier run go, unless it is resumed."""
        if self.trials is None:
            return
        check_own(self.trials, None if force else TRIALS)
        check_writable(self.trials)
        if not resume and self.trials.exists():
            LOG.info(f"{self.trials} is from tuning that did not finish; --resume continues it")
            self.trials.unlink()

    def done(self) -> None:
        """The trials are not needed any more."""
        if self.trials is not None:
            self.trials.unlink(missing_ok=True)


def tuned(
    documents: Sequence[Document],
    plan: Plan,
    wanted: Tuning,
    watch: Watch,
    jobs: Jobs | None = None,
) -> Tuned:
    """Try settings; Stopped where the user ended it, with the trials so far kept. jobs: where the
    trials run, by default in threads.
    """
    one_at_a_time = threading.Lock()

    def tell(status: Status) -> None:
        with one_at_a_time:
            watch.tuning(status, wanted.budget)

    kept = f"; {wanted.trials} holds what was tried, and --resume continues"
    watch.stop.patient = True
    try:
        found = tune(
            documents,
            plan,
            wanted.search,
            wanted.given,
            wanted.budget,
            wanted.trials,
            Hooks(lambda heats: LOG.info(intended(heats)), tell, watch.stop),
            jobs,
        )
    except WorkerError as error:
        there = wanted.trials is not None and wanted.trials.exists()
        raise WorkerError(f"{error}{kept if there else ''}") from None
    finally:
        watch.stop.patient = False
    watch.stop.check(f"stopped{kept if wanted.trials else ''}")
    return found


def intended(heats: Sequence[Heat]) -> str:
    """What the trials will cost, before they begin."""
    told = [f"{heat.trials} for {heat.steps:,} rules in {heat.folds} folds" for heat in heats]
    return (
        f"trying {count(heats[0].trials, 'choice')} of settings: {', of these '.join(told)}; where "
        "votes are shrunk, rules are as many times more"
    )


@dataclass(frozen=True, eq=False)
class Chosen:
    """The settings that tuning chose. found: all that was tried, the best first."""

    found: Tuned

    @property
    def settings(self) -> dict[str, Any]:
        """Those that differ from the defaults: `boostext.train(data, **chosen.settings)`."""
        return {
            declared.name: value
            for group in self.found.plan.groups
            for declared in group.options()
            if (value := getattr(group, declared.name)) != declared.default
        }

    def to_dict(self) -> dict[str, Any]:
        """As `boostext tune --json` prints it, without the name of the file."""
        return self.found.to_dict()

    def to_yaml(self) -> str:
        """The chosen settings as --config reads them."""
        best = self.found.outcomes[0].best
        head = (
            f"{FOUND} {self.found.measure} {best.value:.4f} on documents held out, the "
            f"best of {count(len(self.found.outcomes), 'trial')}.\n"
        )
        return head + write_config(self.found.plan.groups)


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
