"""Prediction with an exported model, which needs only the standard library.

`boostext export --to python` copies the source of this module to the exported file, after the
source of the tokenizer and of the search for terms.
"""

from __future__ import annotations

import base64
import gzip
import json
import math
import sys
from bisect import bisect_right
from collections.abc import Iterable, Mapping, Sequence
from types import SimpleNamespace
from typing import Any

from boostext.features.attributes import category, number
from boostext.features.lookup import TermTree

Document = Mapping[str, Any]


def unpacked(data: str) -> dict[str, Any]:
    """Decode a model from JSON that is compressed by gzip and encoded by base64."""
    model: dict[str, Any] = json.loads(gzip.decompress(base64.b64decode(data)))
    return model


class Blocks:
    """Finds the conditions that documents meet, and those that are unknown.

    model: the fields, their settings, and the conditions, as in `boostext.reports.portable`.
    """

    def __init__(self, model: Mapping[str, Any]) -> None:
        self._unknown_categories = model["unknown_categories"]
        self._trees = {field["name"]: _tree(field) for field in model["fields"]}
        self._texts = {field["name"]: field["text"] for field in model["fields"]}
        self._columns: dict[str, list[tuple[int, Any]]] = {"category": [], "number": []}
        self._always = []
        for place, (kind, *asked) in enumerate(model["conditions"]):
            if kind == "term":
                field, tokens, at_least = asked
                tree = self._trees[field]
                term = ["".join(tokens)] if tree.settings.analyzer == "char" else tokens
                tree.add(tuple(term), at_least, place)
            elif kind == "always":
                self._always.append(place)
            else:
                self._columns[kind].append((place, asked))

    def of(self, document: Document) -> tuple[list[int], list[int]]:
        """Return the indices of the conditions that hold, and of those that are unknown, sorted."""
        yes, unknown = list(self._always), []
        for name, tree in self._trees.items():
            yes += tree.met(document.get("texts", {}).get(self._texts[name], ""))
        attributes = document.get("attributes", {})
        scored = document.get("scored", {})
        words = {f"{n}:{word}": v for n, held in scored.items() for word, v in held.items()}
        for place, (column, wanted) in self._columns["category"]:
            value = category(attributes.get(column))
            if value == wanted:
                yes.append(place)
            elif value is None and self._unknown_categories:
                unknown.append(place)
        for place, (column, threshold) in self._columns["number"]:
            known = number(attributes.get(column, words.get(column)))
            if math.isnan(known):
                unknown.append(place)
            elif known >= threshold:
                yes.append(place)
        return sorted(yes), sorted(unknown)


class Standalone:
    """An exported model, ready for prediction.

    A document is a text, or a dictionary: {"texts": {field: text}, "attributes": {column: value},
    "scored": {column: {word: value}}}. labels: the names of the labels.
    """

    def __init__(self, model: Mapping[str, Any]) -> None:
        """model: the decoded model, as returned by `unpacked`."""
        self.labels: list[str] = model["labels"]
        self._model = model
        self._blocks = Blocks(model)
        self._prior = Known(model["prior"], model) if model["prior"] else None

    def predict(self, document: Document | str) -> list[str]:
        """Return the predicted labels of a document."""
        scores = self.scores(document)
        return self._given(scores, self._probabilities(scores))

    def scores(self, document: Document | str) -> list[float]:
        """Return the score of each label, in the order of `labels`."""
        document = self._read(document)
        yes, unknown = self._blocks.of(document)
        model = self._model
        sums = _added(model["base"], _total(yes, model["yes"], len(model["base"])))
        if model["unknown"] is not None:
            sums = _added(sums, _total(unknown, model["unknown"], len(sums)))
        met, open_to = set(yes), set(unknown)

        def block(place: int) -> int:
            return 2 if place in met else 0 if place in open_to else 1

        for literals, place, votes in model["guarded"]:
            if all(block(asked) == wanted for asked, wanted in literals):
                sums = _added(sums, votes[block(place)])
        sums = _decoded(sums, model["code"], model["decoding"]) if model["code"] else sums
        return _added(self._prior.scores(document), sums) if self._prior else sums

    def probabilities(self, document: Document | str) -> list[float] | None:
        """Return the probability of each label, in the order of `labels`.

        The result is None if the scores of the model cannot be converted to probabilities.
        """
        return self._probabilities(self.scores(document))

    def _probabilities(self, scores: Sequence[float]) -> list[float] | None:
        model = self._model
        if not model["curves"]:
            return [_sigmoid(model["link"] * f) for f in scores] if model["link"] else None
        probabilities = [_on(curve, f) for curve, f in zip(model["curves"], scores, strict=True)]
        if model["multilabel"]:
            return probabilities
        powers = [
            c ** curve["power"] for c, curve in zip(probabilities, model["curves"], strict=True)
        ]
        total = sum(powers)
        return [p / total if total > 0 else 1 / len(powers) for p in powers]

    def _given(self, scores: Sequence[float], probabilities: Sequence[float] | None) -> list[str]:
        model = self._model
        likely = probabilities if probabilities and model["curves"] else scores
        if not model["multilabel"]:
            best = max(range(len(scores)), key=lambda j: (likely[j], scores[j], -j))
            return [self.labels[best]]
        if model["thresholds"]:
            pairs = zip(self.labels, scores, model["thresholds"], strict=True)
            return [label for label, score, threshold in pairs if score > threshold]
        least = 0.5 if model["curves"] else 0.0
        return [label for label, f in zip(self.labels, likely, strict=True) if f > least]

    def _read(self, document: Document | str) -> Document:
        if isinstance(document, str):
            return {"texts": {self._model["fields"][0]["text"]: document}}
        return document


class Known:
    """Prior knowledge, which computes the scores f_0 to which the votes are added.

    See `boostext.knowledge.probabilities`, which computes the same.
    """

    def __init__(self, prior: Mapping[str, Any], model: Mapping[str, Any]) -> None:
        """prior: the part of the decoded model that describes prior knowledge."""
        self._prior, self._link, self._multilabel = prior, model["link"], model["multilabel"]
        self._blocks = Blocks(prior["found_by"])
        self._old = Standalone(prior["old"]) if prior["old"] else None

    def scores(self, document: Document) -> list[float]:
        """Return the score f_0 of each label."""
        met = set(self._blocks.of(document)[0])
        low, least = self._prior["least"]
        base = self._start(document, least, 1 - low)
        odds = [math.log(p) - (math.log1p(-p) if self._multilabel else 0.0) for p in base]
        for (when, unless), add in zip(self._prior["rules"], self._prior["evidence"], strict=True):
            if _meets(when, met) and not (unless and _meets(unless, met)):
                odds = _added(odds, add)
        if self._multilabel:
            found = [min(max(1 / (1 + math.exp(-f)), low), 1 - low) for f in odds]
        else:
            found = _kept_apart(odds, least, 1 - low)
        scale = self._prior["scale"]
        return [scale * ((math.log(p) - math.log1p(-p)) / self._link) for p in found]

    def _start(self, document: Document, least: float, most: float) -> list[float]:
        """Return the probability of each label before any rule."""
        before = self._old.probabilities(document) if self._old else None
        if before is None:
            return list(self._prior["start"])
        columns = self._prior["columns"]
        found = [before[column] if column >= 0 else 1 / len(columns) for column in columns]
        return [min(max(p, least), most) for p in found]


def _meets(when: Sequence[Sequence[Sequence[int]]], met: set[int]) -> bool:
    any_of, all_of, none_of = ([not met.isdisjoint(term) for term in terms] for terms in when)
    return (any(any_of) or not any_of) and all(all_of) and not any(none_of)


def _kept_apart(odds: Sequence[float], least: float, most: float) -> list[float]:
    """Return probabilities whose sum is 1, none of them less than the minimum."""
    greatest = max(odds)
    powers = [math.exp(f - greatest) for f in odds]
    probabilities = kept = [power / sum(powers) for power in powers]
    low: set[int] = set()
    while fallen := {j for j, p in enumerate(kept) if p < least and j not in low}:
        low |= fallen
        rest = sum(p for j, p in enumerate(probabilities) if j not in low)
        scale = (1 - least * len(low)) / max(rest, 1e-300)
        kept = [least if j in low else p * scale for j, p in enumerate(probabilities)]
    return [min(p, most) for p in kept]


def _tree(field: Mapping[str, Any]) -> TermTree:
    settings = SimpleNamespace(**{**field, "ngrams": tuple(field["ngrams"])})
    return TermTree(settings)  # type: ignore[arg-type]  # it has all attributes that TermTree reads


def _total(places: Iterable[int], delta: Sequence[Sequence[float]], width: int) -> list[float]:
    total = [0.0] * width
    for place in places:
        total = _added(total, delta[place])
    return total


def _added(a: Sequence[float], b: Sequence[float]) -> list[float]:
    return [x + y for x, y in zip(a, b, strict=True)]


def _decoded(sums: Sequence[float], code: Sequence[str], decoding: str) -> list[float]:
    """Return the scores of labels, given the scores of the columns of an output code.

    Source: Schapire & Singer 1999, Figure 3.
    """
    rows = [[1 if sign == "+" else -1 for sign in row] for row in code]
    if decoding == "hamming":
        signs = [(f > 0) - (f < 0) for f in sums]
        return [
            -(len(row) - sum(s * r for s, r in zip(signs, row, strict=True))) / 2 for row in rows
        ]
    most = max(map(abs, sums))
    losses = (sum(math.exp(-r * f - most) for r, f in zip(row, sums, strict=True)) for row in rows)
    return [-(math.log(max(loss, 1e-300)) + most) for loss in losses]


def _sigmoid(odds: float) -> float:
    small = math.exp(-abs(odds))
    return 1 / (1 + small) if odds >= 0 else small / (1 + small)


def _on(curve: Mapping[str, Any], score: float) -> float:
    """Return the probability at a score, from a sigmoid or by linear interpolation."""
    if "slope" in curve:
        return _sigmoid(curve["slope"] * score + curve["intercept"])
    scores, probabilities = curve["scores"], curve["probabilities"]
    after = bisect_right(scores, score)
    if after in (0, len(scores)):
        return float(probabilities[min(after, len(scores) - 1)])
    rise = (probabilities[after] - probabilities[after - 1]) / (scores[after] - scores[after - 1])
    return float(rise * (score - scores[after - 1]) + probabilities[after - 1])


def run(predictor: Standalone) -> None:
    """Print one line of JSON for each text.

    The texts are the command-line arguments or, if there are none, the lines of standard input.
    """
    for stream in (sys.stdin, sys.stdout):
        stream.reconfigure(encoding="utf-8", errors="replace", newline="\n")  # type: ignore[union-attr]
    for text in sys.argv[1:] or (line.rstrip("\r\n") for line in sys.stdin):
        named = dict(zip(predictor.labels, predictor.scores(text), strict=True))
        print(json.dumps({"labels": predictor.predict(text), "scores": named}, ensure_ascii=False))
