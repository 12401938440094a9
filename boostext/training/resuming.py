"""Check that a model can be resumed: the same data and settings must have led to it."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from boostext import __version__, fields
from boostext.boosting.rules import Round
from boostext.corpus.corpus import Corpus
from boostext.errors import SettingsError
from boostext.model.model import EARLIER, Model
from boostext.model.prior import Prior
from boostext.settings import Group
from boostext.training.plan import Plan


def check_same_work(old: Model, corpus: Corpus, plan: Plan, prior: Prior | None = None) -> None:
    """Raise SettingsError with every difference, old -> new.

    The number of rounds may be greater, and the threshold may differ, as no rule depends on it.
    """
    now = replace(plan.boosting, threshold=old.boosting.threshold)
    differences = [
        *_differences(old.text, plan.text),
        *_differences(old.boosting, now, grows="rounds"),
    ]
    if old.data.text != plan.data.text:
        differences.append(f"text: {list(old.data.text)} -> {list(plan.data.text)}")
    if difference := _of_knowledge(old.prior, prior):
        differences.append(difference)
    if old.provenance.version != __version__:
        differences.append(f"boostext version: {old.provenance.version} -> {__version__}")
    if old.provenance.digest != corpus.digest:
        count = f"{old.provenance.documents} documents -> {len(corpus)}"
        why = f" ({EARLIER})" if old.provenance.documents == len(corpus) else ""
        differences.append(f"training data: {count}, contents differ{why}")
    if old.labels != corpus.labels:
        differences.append(
            f"labels: {len(old.labels)} -> {len(corpus.labels)}, or in another order"
        )
    if old.provenance.edited:
        differences.append("the model was edited by hand")
    if not len(old.history.gain) == len(old.history.z) == old.round_count:
        differences.append("the model does not contain the gain and Z of each of its rounds")
    if differences:
        raise SettingsError(
            f"cannot resume because something has changed: {'; '.join(differences)}; "
            "change it back, or train without --resume"
        )


def check_same_code(old: Model, code: Sequence[str]) -> None:
    """Raise SettingsError if the model has another output code."""
    if tuple(code) != old.code:
        raise SettingsError(
            "cannot resume: the output code of the model is not the one of these settings; train "
            "without --resume"
        )


def check_same_round(old: Model, made: Round) -> None:
    """Raise SettingsError if a repeated round of the model has another effect on this data.

    A rule, vote or precondition that differs from what was learned gives other weights and so
    another Z. Small differences are allowed, as rounding differs between engines.
    """
    rounds = old.history.z
    if made.number > len(rounds) or math.isclose(made.z, rounds[made.number - 1], rel_tol=1e-9):
        return
    raise SettingsError(
        f"cannot resume: round {made.number} of the model multiplies the loss on this data by "
        f"{made.z:.6g}, but when it was learned by {rounds[made.number - 1]:.6g}; train "
        "without --resume"
    )


def _of_knowledge(old: Prior | None, new: Prior | None) -> str:
    """How prior knowledge differs; "" if it does not."""
    if (old is None) != (new is None):
        return "knowledge: none -> some" if old is None else "knowledge: some -> none"
    if old is None or new is None:
        return ""
    if old.knowledge != new.knowledge:
        return "knowledge: its rules, labels or terms have changed"
    if old.weight != new.weight:
        return f"knowledge-weight: {old.weight:g} -> {new.weight:g}"
    if (old.unlabelled, old.digest) != (new.unlabelled, new.digest):
        return f"documents without labels: {old.unlabelled} -> {new.unlabelled}, contents differ"
    return "" if old.old_digest == new.old_digest else "knowledge: another model in from:"


def _differences(old: Group, new: Group, grows: str = "") -> list[str]:
    return [
        f"{fields.option_name(f)}: {_shown(f, before)} -> {_shown(f, after)}"
        for f in new.fields()
        if (before := getattr(old, f.name)) != (after := getattr(new, f.name))
        and not (f.name == grows and after > before)
    ]


def _shown(declared: Any, value: Any) -> str:
    if fields.kind(declared) == "word_file":
        return f"{len(value)} words"
    return str(fields.to_plain(declared, value))
