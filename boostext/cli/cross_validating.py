"""What is told of a cross-validation, while it runs and of what came of it."""

from __future__ import annotations

from collections.abc import Callable

from boostext.cli.progress import Progress
from boostext.cli.reading import count
from boostext.cli.talk import Talk
from boostext.errors import SettingsError
from boostext.training.audit import Audit, audit, effort
from boostext.training.crossval import CrossValidation
from boostext.training.run import Prepared


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


def audited(source: str, prepared: Prepared, mode: str, talk: Talk) -> tuple[str, Audit | None]:
    """Where outliers come from, and the audit if it is that: `auto` does without on great data, or
    where there are too few documents for the folds, and says so.
    """
    if source not in ("auto", "cv"):
        return source, None
    asked = effort(prepared)
    if source == "auto" and asked.is_great:
        talk.say(
            "outliers by weight: judging every document by what is learned without it would take "
            "minutes here; --outliers cv does it all the same"
        )
        return "weights", None
    times = f", {asked.splits} times over" if asked.splits > 1 else ""
    talk.say(
        f"judging the labels in all folds of a cross-validation: of each of {asked.folds} parts of "
        f"the documents, by what is learned without it{times}"
    )
    progress = Progress("off" if talk.quiet else mode)

    def tell(done: int, total: int) -> None:
        progress.tell(lambda: f"labels judged in {done} of {total} parts")

    try:
        return "cv", audit(prepared, tell)
    except SettingsError as error:
        if source == "cv":
            raise
        talk.say(f"outliers by weight: {error}")
        return "weights", None
    finally:
        progress.finish()
