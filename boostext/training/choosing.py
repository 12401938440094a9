"""Choose the settings that the plan leaves open from facts about the data (see `presets`).

The plans that tuning tries are generated here as well.
"""

from __future__ import annotations

import operator
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import chain, islice
from typing import Any

from boostext import fields
from boostext.corpus.documents import Document, RemoteDocument
from boostext.errors import SettingsError
from boostext.features.unicode_classes import class_letters
from boostext.presets import MANY, NUMBERS, OF_RULES, Choices, Facts, by_facts
from boostext.settings import Group
from boostext.text_settings import LETTERS
from boostext.training.plan import CLOSED, Plan, command_line

MOST_DOCUMENTS, MOST_CHARACTERS = 100_000, 1 << 26
"""How much of the data is examined: from the first document until either limit is reached."""
SAMPLED = 200
"""Number of evenly spaced texts that are examined to see whether the language uses spaces."""


def decided(
    documents: Iterable[Document],
    plan: Plan,
    whole: Callable[[Iterable[Document]], Iterable[Document]] = lambda documents: documents,
) -> tuple[Iterable[Document], Plan, Choices]:
    """The same documents, the plan with nothing left open, and the choices by name.

    A limited number of documents is read ahead and kept in memory. If they have no texts, only
    settings that concern attributes are chosen. whole: gets the texts of documents that come
    without them.
    """
    if not plan.open:
        return documents, plan, {}
    rest = iter(documents)
    head = list(_head(rest))
    following = list(islice(rest, 1))
    facts = facts_of(list(whole(head)), plan, complete=not following)
    numbers = NUMBERS if any(document.attributes for document in head) else {}
    choices = {**(by_facts(facts) if facts else _without_facts(len(head), plan)), **numbers}
    chosen = {name: value for name, value in choices.items() if name in plan.open}
    if "analyzer" in choices and not ("analyzer" in chosen and _takes(plan, analyzer="char")):
        chosen.pop("analyzer", None)
        chosen.update({"punctuation": True} if "punctuation" in plan.open else {})
    if chosen.get("punctuation") and not _takes(plan, punctuation=True):
        del chosen["punctuation"]
    share = fields.SHARE_OF_M.fullmatch(str(chosen.get("smoothing", "")))
    if facts and share and any(document.weight != 1 for document in head):
        chosen["smoothing"] = float(share[1]) / facts.documents
    return chain(head, following, rest), changed(replace(plan, open=frozenset()), chosen), chosen


def _without_facts(documents: int, plan: Plan) -> Choices:
    """What prior knowledge needs to learn from documents that all have no label."""
    return {"min_df": 2} if plan.known.knowledge and documents >= MANY else {}


def _takes(plan: Plan, **settings: Any) -> bool:
    """Whether the plan's other text settings allow these. Words to leave out require words."""
    try:
        changed = replace(plan.text, **settings)
    except SettingsError:
        return False
    return changed.analyzer == "word" or not plan.text.stop_words


def _head(documents: Iterator[Document]) -> Iterator[Document]:
    characters = 0
    for document in islice(documents, MOST_DOCUMENTS):
        yield document
        if isinstance(document, RemoteDocument):
            characters += document.characters
        characters += sum(map(len, document.texts.values()))
        if characters >= MOST_CHARACTERS:
            return


def facts_of(documents: Sequence[Document], plan: Plan, complete: bool = True) -> Facts | None:
    """Facts about documents with labels; None if no document has a text.

    A document of weight 2 counts twice; weights below 1 do not reduce the number of documents. If
    tokens are characters, spaces do not separate them. complete: whether these are all the
    documents of the data.
    """
    used = [document for document in documents if document.labels and document.weight > 0]
    times = [document.weight for document in used]
    lengths = (sum(map(len, document.texts.values())) for document in used)
    characters = sum(map(operator.mul, times, lengths)) / max(sum(times), 1e-300)
    if not characters:
        return None
    task = plan.boosting.task
    several = task == "multi" or (task == "auto" and any(len(d.labels) > 1 for d in used))
    labels = {label for document in used for label in document.labels}
    count = max(round(sum(times)), len(used))
    unspaced = 1.0 if plan.text.analyzer == "char" else _unspaced(used)
    known = bool(plan.known.knowledge)
    others = len(documents) - len(used) if known else 0
    return Facts(
        count,
        len(labels),
        several,
        characters,
        unspaced,
        complete,
        known,
        others,
        words=not _lets_letters(plan),
        stumps=not _lets_parallel(plan),
    )


def _lets_letters(plan: Plan) -> bool:
    """Whether n-grams of letters may be chosen for texts with spaces: the user has not asked for
    other terms, nor for a model of few terms, which is for people to read.
    """
    free = {"analyzer", "ngrams", "letters", "punctuation", "counts"} <= plan.open
    free = free and not any(name.endswith(LETTERS) for name in plan.data.text)
    return (
        free and _takes(plan, analyzer="char") and not (plan.text.per_field or plan.boosting.terms)
    )


def _lets_parallel(plan: Plan) -> bool:
    """Whether the votes of all terms may be learned at once: the user has not changed a setting of
    rules that are learned one by one.
    """
    chosen_singly = plan.boosting.terms > 0 or plan.boosting.term_fraction < 1
    return not chosen_singly and plan.open >= OF_RULES


def _unspaced(documents: Sequence[Document]) -> float:
    """The share of letters in a sample of texts that are single tokens."""
    sampled = documents[:: max(1, len(documents) // SAMPLED)]
    texts = (text for document in sampled for text in document.texts.values())
    letters = "".join(text.translate(class_letters()) for text in texts)
    single = letters.count("s")
    return single / max(single + letters.count("w"), 1)


def changed(plan: Plan, choices: Choices) -> Plan:
    """The plan with some settings of text, boosting and stopping changed."""

    def of(group: Group) -> dict[str, Any]:
        return {f.name: choices[f.name] for f in group.fields() if f.name in choices}

    return replace(
        plan,
        text=replace(plan.text, **of(plan.text)),
        boosting=replace(plan.boosting, **of(plan.boosting)),
        stop=replace(plan.stop, **of(plan.stop)),
    )


def chosen_by(documents: Sequence[Document], plan: Plan) -> tuple[Choices, ...]:
    """The choices that follow from the data, as one trial of a search; empty if nothing is open.

    The number of rounds and the threshold are not included, because the search finds them.
    """
    _, _, chosen = decided(documents, plan)
    found = {k: v for k, v in chosen.items() if k not in ("rounds", "threshold")}
    return (found,) if found else ()


# Candidates of tuning ------------------------------------------------------------------------


@dataclass(frozen=True)
class Candidate:
    """A plan to try. settings: the options in which it differs from other plans of the search."""

    plan: Plan
    settings: str


def candidates(
    plan: Plan, trials: Iterable[Choices], given: Collection[str] = ()
) -> Iterator[Candidate]:
    """The plans of the trials, without duplicates. `given` names settings that are not changed.

    Trials that are incompatible with the rest of the plan are skipped; SettingsError if all are.
    """
    seen: set[str] = set()
    refusal: SettingsError | None = None
    for trial in trials:
        try:
            made = changed(plan, {k: v for k, v in trial.items() if k not in given})
        except SettingsError as error:
            refusal = error
            continue
        settings = command_line(replace(made, boosting=replace(made.boosting, rounds=1000)))
        settings = settings.removeprefix(CLOSED).strip() or "(the papers' learner)"
        if settings not in seen:
            seen.add(settings)
            yield Candidate(made, settings)
    if refusal and not seen:
        raise refusal
