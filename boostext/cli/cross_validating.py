"""What is told of a cross-validation, while it runs and of what came of it."""

from __future__ import annotations

from collections.abc import Callable

from boostext.cli.progress import Progress
from boostext.fields import count
from boostext.training.crossval import CrossValidation


def told_by(progress: Progress) -> Callable[[int, int], None]:
    """Tells how many rounds of all folds are done."""

    def tell(done: int, total: int) -> None:
        progress.tell(lambda: f"cross-validation: {done:,} of {total:,} rounds in all folds")

    return tell


def found_words(found: CrossValidation) -> str:
    """The best number of rounds, and the measure there."""
    best = [point for point in found.curve if point.round == found.best]
    if not best:
        return "cross-validation: no rule in any fold"
    return (
        f"cross-validation: {found.measure} {best[0].mean:.4f} (folds differ by "
        f"{best[0].spread:.4f}) after {count(found.best, 'round')}, the best of "
        f"{count(found.curve[-1].round, 'round')}"
    )


def folds_told_by(progress: Progress) -> Callable[[int, int], None]:
    """Tells in how many parts of the documents labels are judged."""

    def tell(done: int, total: int) -> None:
        progress.tell(lambda: f"labels judged in {done} of {total} parts")

    return tell
