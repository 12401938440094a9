"""Choose the documents of a pool to label next: uncertain ones that represent the others.

The pool is read once, and only the documents about which the model is most uncertain are kept, so
a pool of any size needs only bounded memory.
"""

from __future__ import annotations

import csv
import heapq
import io
import json
import math
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import chain, zip_longest
from operator import itemgetter
from random import Random
from typing import Any

import numpy as np

from boostext.arrays import Float64, Int32, Int64, Lists, Places
from boostext.corpus.documents import Attribute, Document
from boostext.errors import SettingsError
from boostext.evaluation.doubt import (
    MEASURES,
    committee_of,
    contenders,
    gives_probabilities,
    shares,
    vote_entropy,
)
from boostext.features.conditions import YES, Always, Occurs, spell_rule
from boostext.features.tokenizer import token_reader
from boostext.fields import count as in_words
from boostext.model.merged import by_condition
from boostext.model.model import Model
from boostext.model.predict import Contribution, Predictor, Scored, decisions, probabilities
from boostext.reports.outliers import task_of
from boostext.reports.similarity import Similarity

RESERVE = 10
"""How many candidates are kept per requested document, of which those that represent them best are
chosen.
"""
SAMPLE = 20
"""Number of documents of the pool that are drawn at random per requested document, by default."""
SHARP = 4
"""The power of the rank by which a candidate counts among those that are to be represented."""
PART = 250
"""Maximum number of documents that are chosen together; the cost of a choice grows with its square.
"""
DECIDING = 3
"""Number of deciding terms per document."""
GUESSES = 3
"""Maximum number of labels listed for a suggestion, most likely first."""

Fact = tuple[str, Attribute]
"""A text field and one of its tokens, or an attribute and its value."""

Doubt = Callable[[Scored], Float64]
"""Function from m scored documents to their uncertainty, shape (m,); higher is less certain."""


@dataclass(frozen=True, eq=False)
class Candidate:
    """A document that may be suggested.

    number: position among the scored documents, from 0. doubt: uncertainty of the model about it.
    """

    document: Document
    number: int
    doubt: float


@dataclass(frozen=True)
class Reason:
    """A term found in the document, and what it adds to the score of a label.

    asked: the text conditions whose matches should be highlighted.
    """

    label: str
    term: str
    votes: float
    asked: tuple[Occurs, ...] = ()


@dataclass(frozen=True, eq=False)
class Suggestion:
    """A document to label.

    rank: position in the list, from 1. given: the labels that the model predicts. guesses: the most
    likely labels with their probabilities, which are scaled so that those of all labels sum to 1 if
    documents have one label; a probability is None if the scores of the model cannot be converted
    to probabilities. doubt: uncertainty by the chosen measure; higher is less certain.
    reasons: the terms that decide between the two labels in question.
    """

    rank: int
    document: Document
    given: tuple[str, ...]
    guesses: tuple[tuple[str, float | None], ...]
    doubt: float
    reasons: tuple[Reason, ...]


class Pool:
    """Iterator over the unlabeled documents of a pool, which also counts the others.

    Parameters: listed, ids of documents that are already labeled elsewhere; all_open, whether to
    ignore the labels that documents have in the pool. The attributes labelled, listed, empty and
    open count the documents of each kind read so far. Empty documents have no text and no
    attribute, so that nobody can label them.
    """

    def __init__(
        self, documents: Iterable[Document], listed: Collection[str] = (), all_open: bool = False
    ) -> None:
        self._documents, self._listed, self._all_open = documents, listed, all_open
        self.labelled = self.listed = self.empty = self.open = 0

    def __iter__(self) -> Iterator[Document]:
        for document in self._documents:
            if document.labels and not self._all_open:
                self.labelled += 1
            elif document.id in self._listed:
                self.listed += 1
            elif _is_empty(document):
                self.empty += 1
            else:
                self.open += 1
                yield document


def _is_empty(document: Document) -> bool:
    has_text = any(text and not text.isspace() for text in document.texts.values())
    return not (has_text or document.attributes or document.scored)


def suggest(
    pool: Iterable[Document],
    predictor: Predictor,
    doubt: Doubt,
    count: int,
    spread: bool = True,
    sample: int = 0,
    seed: int = 0,
) -> list[Suggestion]:
    """Return at most `count` documents of the pool to label next.

    doubt: a function returned by `measure`. If spread is true, ten times as many of the most
    uncertain documents are candidates, and those that represent them best are chosen; see
    `representatives`. If it is false, the most uncertain ones are returned, the most uncertain
    first. sample: choose from this many times `count` documents, which are drawn at random with the
    seed; 0 chooses from all documents.
    """
    if sample:
        pool = drawn(pool, sample * count, seed)
    kept = count * RESERVE if spread else count
    found, scored = most_doubtful(predictor.batches(pool), doubt, kept)
    if spread:
        found = representatives(found, scored, predictor, count)
    return [_suggestion(rank, candidate, predictor) for rank, candidate in enumerate(found, 1)]


# Measures of uncertainty ---------------------------------------------------------------------


def usual_sample(model: Model) -> int:
    """Return SAMPLE, or 0 for the whole pool if no rule of the model has a term.

    The most uncertain texts of a large pool are odd ones, which teach little; those of attributes
    alone are not.
    """
    return SAMPLE if any(isinstance(rule.condition, Occurs) for rule in model.rules) else 0


def measure(
    name: str, predictor: Predictor, committee: Sequence[Model] = (), seed: int = 0
) -> Doubt:
    """Return the uncertainty measure of that name: margin, best, entropy, votes or random.

    committee: additional models that vote; allowed only with "votes". Raises SettingsError if
    "best" or "entropy" is requested for a model without probabilities, if a committee is given
    with another measure, if a model of the committee has different labels, or if the committee has
    one member only.
    """
    if committee and name != "votes":
        raise SettingsError("--committee names models that vote; it goes with --by votes alone")
    if name == "random":
        generator = np.random.default_rng(seed)
        return lambda found: generator.random(len(found.documents))
    model = predictor.model
    if name == "votes":
        return _votes(model, committee, predictor.threads)
    if name in ("best", "entropy") and not gives_probabilities(model):
        raise SettingsError(
            f"scores of {model.boosting.algorithm} are not probabilities; use --by margin, or "
            "train with --calibrate sigmoid"
        )
    return lambda found: MEASURES[name](found.scores, model)


def _votes(model: Model, others: Sequence[Model], threads: int) -> Doubt:
    """Return the measure of disagreement between several stages of the model and other models."""
    for other in others:
        if set(other.labels) != set(model.labels):
            raise SettingsError("a model of --committee has other labels than MODEL")
    members = [Predictor(member, threads) for member in (*committee_of(model), *others)]
    if len(members) == 1:
        raise SettingsError(
            f"the model has {in_words(model.round_count, 'round')}, so no two of its stages can "
            "disagree; name models that vote with --committee, or use --by margin"
        )
    places = []
    for member in members:
        places.append(Places(member.model.labels).of(model.labels))

    def doubt(found: Scored) -> Float64:
        given = [
            decisions(member.batch_scores(found.documents), member.model)[:, place]
            for member, place in zip(members, places, strict=True)
        ]
        return vote_entropy(given, model.multilabel)

    return doubt


# Selection -----------------------------------------------------------------------------------


def drawn(pool: Iterable[Document], count: int, seed: int) -> list[Document]:
    """Return `count` documents drawn at random, or all of them if there are fewer.

    They are in the order of the pool, and only so many documents are kept in memory.
    """
    key = Random(seed).random
    keyed = ((key(), number, document) for number, document in enumerate(pool))
    kept = heapq.nsmallest(count, keyed, key=itemgetter(0, 1))
    return [document for _, _, document in sorted(kept, key=itemgetter(1))]


def most_doubtful(found: Iterable[Scored], doubt: Doubt, count: int) -> tuple[list[Candidate], int]:
    """Return the `count` most uncertain documents, most uncertain first, and the number of all.

    Ties are broken in favour of the document that was read earlier.
    """
    heap: list[tuple[float, int, Candidate]] = []
    number = 0
    for batch in found:
        values = doubt(batch)
        least = heap[0][0] if len(heap) >= count else -math.inf
        for i in np.flatnonzero(values > least).tolist():
            candidate = Candidate(batch.documents[i], number + i, float(values[i]))
            entry = (candidate.doubt, -candidate.number, candidate)
            if len(heap) < count:
                heapq.heappush(heap, entry)
            else:
                heapq.heappushpop(heap, entry)
        number += len(batch.documents)
    kept = sorted(heap, key=lambda entry: (-entry[0], -entry[1]))
    return [candidate for _, _, candidate in kept], number


def deciding_terms(
    document: Document, first: int, second: int, predictor: Predictor
) -> tuple[Contribution, ...]:
    """Return the terms of the document that discriminate most between the two contending labels.

    If documents may have several labels, there is a single contender, and these are the terms that
    change its score most. Votes on every document say nothing about this one.
    """
    rows = [
        row
        for row in predictor.contributions(document)
        if row.block == YES and (row.precondition or not isinstance(row.condition, Always))
    ]

    def weight(row: Contribution) -> float:
        difference = row.votes[first] - (row.votes[second] if second != first else 0.0)
        return abs(float(difference))

    return tuple(sorted((row for row in rows if weight(row)), key=lambda row: -weight(row)))[
        :DECIDING
    ]


def representatives(
    candidates: Sequence[Candidate], scored: int, predictor: Predictor, count: int
) -> list[Candidate]:
    """Return at most `count` candidates that represent all of them best.

    Each candidate is represented by the most similar one that is returned, and what is maximised is
    the sum of these similarities, where a candidate counts by its uncertainty: by the power SHARP
    of its rank among all the `scored` documents, from 1 for the most uncertain to 0. Similarity is
    the cosine of the words and attributes. A near duplicate of an earlier candidate counts with it,
    and is returned only after all that are none. More than PART documents are chosen in several
    parts, from candidates of all ranks, whose choices take turns in the result.
    Source: Wei, Iyer & Bilmes 2015 (facility location).
    """
    if not candidates:
        return []
    read = token_reader(predictor.model.text)
    number: dict[Fact, int] = {}
    facts: list[Int32] = []
    for candidate in candidates:
        own = {number.setdefault(fact, len(number)) for fact in _facts(candidate.document, read)}
        facts.append(np.array(sorted(own), np.int32))
    similar = Similarity(Lists.of(by_condition(Lists.of(facts), len(number))), len(facts))
    leaders = _leaders(similar, facts)
    everyone = np.arange(len(facts))
    ranks = _ranks([candidate.doubt for candidate in candidates], scored)
    weights: Float64 = np.bincount(leaders, ranks**SHARP, len(facts)).astype(np.float64)
    first, near = everyone[leaders == everyone], everyone[leaders != everyone]
    wanted = min(count, len(first))
    parts = -(-wanted // PART)
    chosen = [
        similar.covering(some := first[n::parts], weights[some], len(range(n, wanted, parts)))
        for n in range(parts)
    ]
    order = [i for turn in zip_longest(*chosen) for i in turn if i is not None]
    return [candidates[i] for i in (*order, *near[: count - wanted].tolist())]


def _ranks(doubts: Sequence[float], scored: int) -> Float64:
    """Return 1 for the most uncertain of the `scored` documents to 0, and the mean rank for ties.

    doubts: those of the most uncertain documents, in descending order.
    """
    _, group, sizes = np.unique(-np.array(doubts), return_inverse=True, return_counts=True)
    mean = np.cumsum(sizes) - (sizes + 1) / 2
    return np.asarray(1 - mean[group] / max(scored, 1))


def _leaders(similar: Similarity, facts: Sequence[Int32]) -> Int64:
    """Return for each candidate the first one of which it is a duplicate or a near duplicate.

    This is the candidate itself if there is none. Every leader is its own leader. facts: those of
    each candidate, in ascending order.
    """
    leaders = np.full(len(facts), -1)
    seen: dict[bytes, int] = {}
    for i, own in enumerate(facts):
        if leaders[i] < 0:  # candidates without any telling word have no near duplicates
            leaders[i] = seen.setdefault(own.tobytes(), i)
        if leaders[i] == i:
            near = similar.near(i)
            leaders[near[leaders[near] < 0]] = i
    return leaders


def _facts(document: Document, read: Callable[[str, str], str]) -> Iterator[Fact]:
    """Return the tokens and attributes of a document. read: as `token_reader` returns."""
    lines = ((name, read(name, text)) for name, text in document.texts.items())
    tokens = ((name, token) for name, line in lines for token in line.split())
    words = ((name, word) for name, scores in document.scored.items() for word in scores)
    return chain(tokens, words, document.attributes.items())


def _suggestion(rank: int, candidate: Candidate, predictor: Predictor) -> Suggestion:
    model, document = predictor.model, candidate.document
    # computed again, as the scores of all candidates may take much memory
    scores = predictor.batch_scores([document])
    best = np.argsort(-scores[0], kind="stable")[:GUESSES].tolist()
    likely = None
    if gives_probabilities(model):
        chances = probabilities(scores, model)
        likely = (chances if model.multilabel or len(model.labels) < 2 else shares(chances))[0]
    given = np.flatnonzero(decisions(scores, model)[0]).tolist()
    first, second = (int(n[0]) for n in contenders(scores, model))
    return Suggestion(
        rank,
        document,
        tuple(model.labels[j] for j in given),
        tuple((model.labels[j], None if likely is None else float(likely[j])) for j in best),
        candidate.doubt,
        tuple(_reasons(document, first, second, predictor)),
    )


def _reasons(document: Document, first: int, second: int, predictor: Predictor) -> Iterator[Reason]:
    """Yield each deciding term with the contending label to which it adds most.

    If there is a single contender, the votes may be negative.
    """
    model = predictor.model
    for row in deciding_terms(document, first, second, predictor):
        votes = row.votes
        label = first if votes[first] >= votes[second] else second
        spelled = spell_rule(row.precondition, row.condition, len(model.data.text))
        met = [row.condition, *(c for c, block in row.precondition if block == YES)]
        asked = tuple(condition for condition in met if isinstance(condition, Occurs))
        yield Reason(model.labels[label], spelled, float(votes[label]), asked)


# Output formats ------------------------------------------------------------------------------


def json_records(rows: Sequence[Suggestion], measure: str) -> list[dict[str, Any]]:
    """Return one record per suggestion, which can be labeled and then read as data again.

    A record has the id, the texts and the attributes of the document; everything about the
    suggestion is under the separate key "suggestion".
    """
    records = []
    for row in rows:
        attributes = {**row.document.attributes, **row.document.scored}
        record: dict[str, Any] = {"id": row.document.id, **row.document.texts}
        record |= {"attributes": attributes} if attributes else {}
        records.append(record | {"suggestion": _record(row, measure)})
    return records


def json_lines(rows: Sequence[Suggestion], model: Model, measure: str) -> Iterator[str]:
    """Yield one line of JSON per suggestion; see `json_records`."""
    for record in json_records(rows, measure):
        yield json.dumps(record, ensure_ascii=False) + "\n"


def _record(row: Suggestion, measure: str) -> dict[str, Any]:
    record: dict[str, Any] = {"rank": row.rank, "labels": list(row.given)}
    record["likeliest"] = [label for label, _ in row.guesses]
    record["probabilities"] = [probability for _, probability in row.guesses]
    if measure != "random":
        record[measure] = doubt_shown(row.doubt, measure)
    record["reasons"] = [{"label": r.label, "term": r.term, "votes": r.votes} for r in row.reasons]
    return record


def doubt_shown(doubt: float, measure: str) -> float:
    """Return the uncertainty as it is reported.

    Differences are reported without sign, so lower is less certain; other measures are unchanged.
    """
    return abs(doubt) if measure in ("margin", "best") else doubt


def csv_lines(
    rows: Sequence[Suggestion], model: Model, measure: str, delimiter: str = ","
) -> Iterator[str]:
    """Yield the lines of a CSV file with one row per suggestion.

    The columns are the id, the texts, an empty label to fill in, the most likely label and its
    probability, the measure, and the reasons. Once the labels are filled in, the file can be
    passed to --labels-from.
    """
    line = io.StringIO()
    writer = csv.writer(line, lineterminator="\n", delimiter=delimiter)
    doubt = [measure] if measure != "random" else []
    yield _written(
        writer,
        line,
        ["id", *model.data.text, "label", "likeliest", "probability", *doubt, "reasons"],
    )
    for row in rows:
        label, probability = row.guesses[0]
        yield _written(
            writer,
            line,
            [
                row.document.id,
                *(row.document.texts.get(name, "") for name in model.data.text),
                "",
                label,
                "" if probability is None else f"{probability:.6g}",
                *([f"{doubt_shown(row.doubt, measure):.6g}"] if doubt else []),
                "; ".join(f"{r.term} {r.votes:+.2f} {r.label}" for r in row.reasons),
            ],
        )


def _written(writer: Any, line: io.StringIO, cells: Sequence[str]) -> str:
    line.seek(0)
    line.truncate()
    writer.writerow(cells)
    return line.getvalue()


def label_studio_tasks(rows: Sequence[Suggestion], model: Model, measure: str) -> Iterator[str]:
    """Yield a JSON list of Label Studio tasks that include the predictions of the model."""
    yield "["
    for number, row in enumerate(rows):
        task = task_of(
            {
                "text": "\n\n".join(filter(None, row.document.texts.values())),
                "id": row.document.id,
                "origin": str(row.document.origin),
                "rank": row.rank,
                "terms": [reason.term for reason in row.reasons],
            },
            row.given,
            row.guesses[0][1],
        )
        yield (",\n" if number else "\n") + json.dumps(task, ensure_ascii=False)
    yield "\n]\n"


def labeling_page(rows: Sequence[Suggestion], model: Model, measure: str) -> Iterator[str]:
    """Yield an HTML page on which the documents can be labeled."""
    # jinja2 is slow to import and only pages need it, so this import is local.
    from boostext.reports.page.labeling import page

    yield from page(rows, model)


FORMATS: Mapping[str, Callable[[Sequence[Suggestion], Model, str], Iterator[str]]] = {
    "jsonl": json_lines,
    "csv": csv_lines,
    "tsv": partial(csv_lines, delimiter="\t"),
    "label-studio": label_studio_tasks,
    "html": labeling_page,
}
"""Maps each format to a function of the suggestions, the model and the name of the measure.

The function yields the output text in pieces.
"""
