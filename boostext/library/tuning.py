"""Choice of settings on the training data alone, with a record of the trials."""

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
from boostext.training.tuning import Hooks, Intent, Outcome, Status, Tuned, tune
from boostext.training.tuning_parts import FOLDS

LOG = logging.getLogger("boostext")
FOUND = "# Found by boostext tune:"
"""The beginning of a file of settings."""
MOST_ROWS = 20
"""Maximum number of trials shown on a terminal; --json has all of them."""
SETTINGS = Kind("a file of settings that tune wrote", lambda head: head.startswith(FOUND.encode()))
TRIALS = Kind("a record of trials", begins_trials)


@dataclass(frozen=True)
class Tuning:
    """Options for tuning.

    search: what to search, or None for the whole grid. given: names of settings that are not
    changed. budget: limit of the CPU time in seconds, which determines the number of trials; None
    lets the size of the data decide. trials: file in which trials are recorded.
    """

    search: Search | None
    given: frozenset[str] = frozenset()
    budget: float | None = None
    trials: Path | None = None

    @staticmethod
    def wanted(
        preset: str | None, whole: bool, given: frozenset[str], budget: float | None, trials: Path
    ) -> Tuning | None:
        """Return the options, or None if nothing is tuned. whole: search the whole grid."""
        search = PRESETS[preset].search if preset else None
        if whole or search:
            return Tuning(None if whole else search, given, budget, trials)
        return None

    def prepare(self, resume: bool, force: bool) -> None:
        """Check that the trials can be recorded, and delete old ones unless they are resumed."""
        if self.trials is None:
            return
        check_own(self.trials, None if force else TRIALS)
        check_writable(self.trials)
        if not resume and self.trials.exists():
            LOG.info(f"{self.trials} is from tuning that did not finish; --resume continues it")
            self.trials.unlink()

    def done(self) -> None:
        """Delete the record of the trials."""
        if self.trials is not None:
            self.trials.unlink(missing_ok=True)


def tuned(
    documents: Sequence[Document],
    plan: Plan,
    wanted: Tuning,
    watch: Watch,
    jobs: Jobs | None = None,
) -> Tuned:
    """Try settings, and return the results.

    jobs: where the trials run, by default in threads. Raises Stopped if the user stops the run; the
    trials so far are then kept.
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
            Hooks(lambda intent: LOG.info(intended(intent)), tell, watch.stop),
            jobs,
        )
    except WorkerError as error:
        there = wanted.trials is not None and wanted.trials.exists()
        raise WorkerError(f"{error}{kept if there else ''}") from None
    finally:
        watch.stop.patient = False
    watch.stop.check(f"stopped{kept if wanted.trials else ''}")
    return found


def intended(intent: Intent) -> str:
    """Return what a bracket is going to do, and what it costs, as text."""
    first, longest = intent.heats[0], intent.heats[-1]
    steps = dict.fromkeys(heat.steps for heat in intent.heats)
    lengths = ", ".join(f"{step:,}" for step in steps)
    folds = f"{first.folds} of {FOLDS} parts"
    more = f", the best ones on {longest.folds}" if longest.folds > first.folds else ""
    return (
        f"trying {count(intent.trials, 'choice')} of settings in about {seconds(intent.seconds)} "
        f"of CPU time: for {lengths} rules on {folds}{more}; where votes are shrunk, rules are as "
        "many times more"
    )


def seconds(number: float) -> str:
    """Return a time with the accuracy of an estimate."""
    exact = number if number < 1 else float(f"{number:.2g}" if number < 100 else f"{number:.1g}")
    return f"{max(exact, 1):.0f} s" if exact < 120 else f"{exact / 60:.0f} minutes"


@dataclass(frozen=True, eq=False)
class Chosen:
    """The settings that tuning chose. found: all results, the best first."""

    found: Tuned

    @property
    def settings(self) -> dict[str, Any]:
        """The settings that differ from the defaults, for `boostext.train(data, **settings)`."""
        return {
            declared.name: value
            for group in self.found.plan.groups
            for declared in group.options()
            if (value := getattr(group, declared.name)) != declared.default
        }

    def to_dict(self) -> dict[str, Any]:
        """Return what `boostext tune --json` prints, without the name of the file."""
        return self.found.to_dict()

    def to_yaml(self) -> str:
        """Return the chosen settings as a file for --config."""
        best = self.found.outcomes[0].best
        head = (
            f"{FOUND} {self.found.measure} {best.value:.4f} on documents held out, the "
            f"best of {count(len(self.found.outcomes), 'trial')}.\n"
        )
        return head + write_config(self.found.plan.groups)


def table(found: Tuned) -> list[str]:
    """Return the results as lines of a table, the best first."""
    rows = [[found.measure, "rounds", "terms", "seconds", "settings"]]
    rows += [_cells(outcome) for outcome in found.outcomes[:MOST_ROWS]]
    widths = [max(len(row[j]) for row in rows) for j in range(4)]
    lines = [
        "  ".join([*(cell.rjust(n) for cell, n in zip(row, widths, strict=False)), row[4]])
        for row in rows
    ]
    more = len(found.outcomes) - MOST_ROWS
    if more > 0:
        lines.append(f"and {count(more, 'more trial')}")
    return lines


def _cells(outcome: Outcome) -> list[str]:
    best = outcome.best
    reached = f"{best.round}/{outcome.marks[-1].round}"
    settings = outcome.candidate.settings
    return [f"{best.value:.4f}", reached, str(best.terms), f"{outcome.seconds:.0f}", settings]
