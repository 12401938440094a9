"""A model as a file of knowledge: a beginning for people to edit, and for models of other data."""

from __future__ import annotations

import re
from collections.abc import Iterator

import numpy as np

from boostext.errors import SettingsError
from boostext.features.conditions import Equals, Occurs
from boostext.knowledge.chances import LEAST
from boostext.knowledge.knowledge import Knowledge, Told, When
from boostext.model.model import Model
from boostext.model.predict import link_of
from boostext.reports.terms import TermRow, label_terms, term_rows
from boostext.strict_yaml import quoted

_PLAIN = re.compile(r"[A-Za-z][A-Za-z0-9]*([ _.-][A-Za-z0-9]+)*")
_WORDS_OF_YAML = re.compile(r"(?i)true|false|null|yes|no|on|off|y|n")


def knowledge_file(model: Model, top: int) -> Iterator[str]:
    """Lines of YAML: the `top` strongest terms for each label, after the knowledge that it had.

    A term makes a label as likely as its votes do where nothing else is known. SettingsError for
    models whose scores are no log odds.
    """
    if not link_of(model):
        raise SettingsError(
            f"scores of {model.boosting.algorithm} are not log odds, so that votes are no "
            "probabilities; a model of mh or logistic can be written as knowledge"
        )
    known = model.prior.knowledge if model.prior else Knowledge()
    shares = {label: share for label, share in known.labels if share is not None}
    yield f"# The {top} strongest terms for each label of a model of {len(model.rules):,} rules.\n"
    yield "labels:\n"
    for label in model.labels:
        share = f" {shares[label]:g}" if label in shares else ""
        yield f"  {_text(label)}:{share}\n"
    yield "rules:\n"
    for told in (*known.rules, *learned_rules(model, top)):
        yield f"  - if: {_when(told.when)}\n"
        yield f"    then: {_then(told)}\n"
        if told.unless:
            yield f"    unless: {_when(told.unless)}\n"
    yield from _restraints(known)


def learned_rules(model: Model, top: int) -> Iterator[Told]:
    """A rule for each term that is among the strongest of some label, the most telling first."""
    rows = [row for row in term_rows(model) if _stands_alone(row)]
    spoken: dict[str, set[str]] = {}
    for found in label_terms(rows, model.labels, top):
        spoken.setdefault(found.term, set()).add(found.label)
    share = min(max(1 / len(model.labels), LEAST), 0.5)
    base, link = np.log(share / (1 - share)), link_of(model)
    for row in rows:
        odds = base + link * row.difference
        chances = np.clip(1 / (1 + np.exp(-odds)), LEAST, 1 - LEAST)
        if not model.multilabel:
            chances = chances / max(1.0, float(chances.sum()))
        labels = [(label, round(float(chances[j]), 3)) for j, label in enumerate(model.labels)
                  if label in spoken.get(row.term, ())]  # fmt: skip
        if labels:
            yield Told(When(any=(row.term,)), tuple(labels))


def _stands_alone(row: TermRow) -> bool:
    return not row.before and isinstance(row.levels[0].asked, Occurs | Equals)


def _when(when: When) -> str:
    if when.any and not (when.all or when.none):
        return _list(when.any)
    parts = ((name, terms) for name, terms in when._asdict().items() if terms)
    return f"{{{', '.join(f'{name}: {_list(terms)}' for name, terms in parts)}}}"


def _list(terms: tuple[str, ...]) -> str:
    return _text(terms[0]) if len(terms) == 1 else f"[{', '.join(map(_text, terms))}]"


def _then(told: Told) -> str:
    return f"{{{', '.join(f'{_text(label)}: {chance:g}' for label, chance in told.then)}}}"


def _restraints(known: Knowledge) -> Iterator[str]:
    if known.forbid:
        yield "forbid:\n"
    for forbidden in known.forbid:
        labels = (
            f", labels: [{', '.join(map(_text, forbidden.labels))}]" if forbidden.labels else ""
        )
        yield f"  - {{term: {_text(forbidden.term)}{labels}}}\n"
    if known.only:
        yield "only:\n"
    sides: dict[str, list[str]] = {}
    for one in known.only:
        sides.setdefault(one.term, []).append(f"{'+' if one.sign > 0 else '-'}{one.label}")
    for term, labels_of in sides.items():
        yield f"  {_text(term)}: [{', '.join(map(quoted, labels_of))}]\n"


def _text(text: str) -> str:
    """Without quotes where YAML takes it for a text as it stands."""
    plain = _PLAIN.fullmatch(text) and not _WORDS_OF_YAML.fullmatch(text)
    return text if plain else quoted(text)
