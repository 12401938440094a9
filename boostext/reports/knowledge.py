"""Prior knowledge as text for people, and as a file that is made from the terms of a model."""

from __future__ import annotations

import re
from collections.abc import Iterator

import numpy as np

from boostext.errors import SettingsError
from boostext.features.conditions import Equals, Occurs
from boostext.knowledge.knowledge import Knowledge, KnowledgeRule, When
from boostext.knowledge.probabilities import LEAST
from boostext.model.model import Model
from boostext.model.predict import link_of
from boostext.model.prior import Prior, prior_in_short
from boostext.reports.terms import TermRow, label_terms, term_rows
from boostext.strict_yaml import quoted

_PLAIN = re.compile(r"[A-Za-z][A-Za-z0-9]*([ _.-][A-Za-z0-9]+)*")
_WORDS_OF_YAML = re.compile(r"(?i)true|false|null|yes|no|on|off|y|n")


def prior_lines(prior: Prior) -> Iterator[str]:
    """Yield the lines that describe the prior knowledge of a model."""
    knowledge = prior.knowledge
    yield f"knowledge: {prior_in_short(prior)}"
    known = [f"{label} {share:g}" for label, share in knowledge.labels if share is not None]
    if known:
        yield f"  labels: {', '.join(known)}"
    yield from (f"  {rule_line(rule)}" for rule in knowledge.rules)
    for forbidden in knowledge.forbid:
        labels = f" for {', '.join(forbidden.labels)}" if forbidden.labels else ""
        yield f"  forbidden{labels}: {forbidden.term}"
    for one in knowledge.only:
        yield f"  {one.term}: only {'for' if one.sign > 0 else 'against'} {one.label}"


def rule_line(rule: KnowledgeRule) -> str:
    """Return a rule of the knowledge as text, such as "collect -> Collect 0.9"."""
    then = ", ".join(f"{label} {probability:g}" for label, probability in rule.then)
    return f"{rule} -> {then}"


# Knowledge files -----------------------------------------------------------------------------


def knowledge_file(model: Model, top: int) -> Iterator[str]:
    """Yield the lines of a knowledge file made from a model, which is YAML.

    The file contains the prior knowledge of the model, followed by rules for the `top` strongest
    terms of each label. It can be edited, and used to train models on other data. The probability
    of a label in a rule is the one that the votes of the term give if nothing else is known. Raises
    SettingsError if the scores of the model are not log odds.
    """
    if not link_of(model):
        raise SettingsError(
            f"the scores of {model.boosting.algorithm} are not log odds, so its votes cannot be "
            "converted to probabilities; use a model of mh or logistic"
        )
    known = model.prior.knowledge if model.prior else Knowledge()
    shares = {label: share for label, share in known.labels if share is not None}
    yield f"# The {top} strongest terms for each label of a model of {len(model.rules):,} rules.\n"
    yield "labels:\n"
    for label in model.labels:
        share = f" {shares[label]:g}" if label in shares else ""
        yield f"  {_text(label)}:{share}\n"
    yield "rules:\n"
    for rule in (*known.rules, *learned_rules(model, top)):
        yield f"  - if: {_when(rule.when)}\n"
        yield f"    then: {_then(rule)}\n"
        if rule.unless:
            yield f"    unless: {_when(rule.unless)}\n"
    yield from _restraints(known)


def learned_rules(model: Model, top: int) -> Iterator[KnowledgeRule]:
    """Yield a rule for each term among the `top` strongest of any label, most influential first."""
    rows = [row for row in term_rows(model) if _stands_alone(row)]
    labels_by_term: dict[str, set[str]] = {}
    for found in label_terms(rows, model.labels, top):
        labels_by_term.setdefault(found.term, set()).add(found.label)
    share = min(max(1 / len(model.labels), LEAST), 0.5)
    base, link = np.log(share / (1 - share)), link_of(model)
    for row in rows:
        odds = base + link * row.difference
        probabilities = np.clip(1 / (1 + np.exp(-odds)), LEAST, 1 - LEAST)
        if not model.multilabel:
            probabilities = probabilities / max(1.0, float(probabilities.sum()))
        labels = [
            (label, round(float(probabilities[j]), 3))
            for j, label in enumerate(model.labels)
            if label in labels_by_term.get(row.term, ())
        ]
        if labels:
            yield KnowledgeRule(When(any=(row.term,)), tuple(labels))


def _stands_alone(row: TermRow) -> bool:
    return not row.before and isinstance(row.levels[0].asked, Occurs | Equals)


def _when(when: When) -> str:
    if when.any and not (when.all or when.none):
        return _list(when.any)
    parts = ((name, terms) for name, terms in when._asdict().items() if terms)
    return f"{{{', '.join(f'{name}: {_list(terms)}' for name, terms in parts)}}}"


def _list(terms: tuple[str, ...]) -> str:
    return _text(terms[0]) if len(terms) == 1 else f"[{', '.join(map(_text, terms))}]"


def _then(rule: KnowledgeRule) -> str:
    return (
        f"{{{', '.join(f'{_text(label)}: {probability:g}' for label, probability in rule.then)}}}"
    )


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
    """Return the text as YAML, without quotes if it is a plain string in YAML."""
    plain = _PLAIN.fullmatch(text) and not _WORDS_OF_YAML.fullmatch(text)
    return text if plain else quoted(text)
