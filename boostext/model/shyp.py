"""The .shyp file of BoosTexter and icsiboost: rules with their votes. Its .names has the rest.

    2                                      number of rules

       1.000000000000 Text:SGRAM:text:wrong#bill       alpha, column, term
    -0.2 0.3                               votes if the term does not occur
    0.7 -1.1                               votes if it occurs

       1.000000000000 Text:THRESHOLD:minutes:
    (three lines of votes: unknown, below, at or above; then the threshold)

For a category the term is its index, from 0, among the values in the .names. A packed file has
one rule per condition: alphas are added, and votes are averaged with the alphas as weights. The
score is the sum of alpha * vote.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np

from boostext.arrays import Float64
from boostext.atomic import NOTHING, Kind, replacing
from boostext.boosting.rules import Rule
from boostext.corpus.files import numbered_lines
from boostext.corpus.schema import (
    CONTINUOUS,
    EXPERTS,
    NOMINAL,
    TEXT,
    Column,
    Schema,
    kept_schema,
    read_schema,
    schema_lines,
    with_columns,
    with_schema,
)
from boostext.corpus.sources import BadRecords, Source
from boostext.corpus.stems import is_file, names_file
from boostext.errors import ModelError, SettingsError
from boostext.features.conditions import (
    NO,
    UNKNOWN,
    YES,
    Always,
    AtLeast,
    Condition,
    Equals,
    Occurs,
)
from boostext.model.model import Model, check_model
from boostext.settings import BoostingSettings, DataSettings, TextSettings

ICSIBOOST_TEXT = TextSettings(lowercase=False, token_pattern="[^ ]+", simplest_name=False)
"""The tokenization of icsiboost: texts are split at spaces and not changed otherwise."""
HEADER = re.compile(r"\s*(\S+)\s+Text:([A-Z]+):(.*)")
NUMBER = re.compile(r"[-+]?[0-9]+(?:\.[0-9]*)?(?:[eE][-+]?[0-9]+)?")
LONGEST_COUNT = 9
HASH = re.compile(r"(?<=.)#(?=[^#])")
"""The separator between the words of a term; a word may itself begin or end with it, as in `c#`."""


# Reading -------------------------------------------------------------------------------------


def read_shyp(
    path: str, schema: Schema, text: TextSettings = ICSIBOOST_TEXT, multilabel: bool = False
) -> Model:
    """Read the model in a .shyp file, packed or not.

    schema: that of the .names. text: replaces the options -N and -W for columns without them.
    multilabel: whether examples have several labels, which the file does not record.
    Raises ModelError with the file and the line of the error.
    """
    text = with_columns(text, schema)
    lines = _Lines(path)
    rules = tuple(_rules(lines, _Terms(schema, text), len(schema.labels)))
    model = Model(
        labels=schema.labels,
        multilabel=multilabel,
        rules=rules,
        data=with_schema(DataSettings(single_precision=True), schema),
        text=text,
        boosting=BoostingSettings(
            rounds=max(len(rules), 1), smoothing="ss99", unknown="votes", unknown_categories=False
        ),
    )
    check_model(model)
    return model


class _Lines:
    """The lines of a file that are not blank, with the current line number."""

    def __init__(self, path: str) -> None:
        self.path, self.line = path, 0
        source = Source(path, path, BadRecords())
        self._lines = ((number, text) for number, text, _ in numbered_lines(source, DataSettings()))

    def next(self, wanted: str) -> str:
        """Return the next line. At the end of the file, the error names what was expected."""
        for number, text in self._lines:
            self.line = number
            if text.strip():
                return text.rstrip("\r\n")
        raise self.fault(f"the file ends here; expected {wanted}")

    def fault(self, message: str) -> ModelError:
        place = f"{self.path}:{self.line}" if self.line else self.path
        return ModelError(f"{place}: {message}")

    def ended(self) -> bool:
        for number, text in self._lines:
            self.line = number
            if text.strip():
                return False
        return True

    def numbers(self, count: int, wanted: str) -> Float64:
        """Read a line of `count` finite numbers."""
        parts = self.next(wanted).split()
        values = [float(part) if NUMBER.fullmatch(part) else math.nan for part in parts]
        if len(values) != count or not all(map(math.isfinite, values)):
            raise self.fault(f"expected {wanted}: {count} number{'s' * (count != 1)}")
        return np.array(values)


@dataclass(frozen=True)
class _Terms:
    """Convert what follows `Text:SGRAM:` to a condition, according to the schema."""

    schema: Schema
    text: TextSettings

    def column(self, name: str, kinds: Sequence[str]) -> Column:
        for column in self.schema.columns:
            if column.name == name and column.kind in kinds:
                return column
        raise ValueError(f"the .names has no column {name!r} of type {' or '.join(kinds)}")

    def listed(self, rest: str) -> Condition:
        name, colon, term = rest.partition(":")
        column = self.column(name, (TEXT, NOMINAL)) if colon else self.column(rest, ())
        if column.kind == TEXT:
            if not term:
                raise ValueError("the term is empty")
            return Occurs(name, split_term(term, self.text.of_field(name)))
        if not re.fullmatch(r"[0-9]{1,9}", term.strip()) or int(term) >= len(column.values):
            raise ValueError(
                f"{term[:40]!r} is not a place among the {len(column.values)} values that the "
                f".names has for {name!r}, from 0"
            )
        return Equals(name, column.values[int(term)])


def split_term(term: str, settings: TextSettings) -> tuple[str, ...]:
    """Split `wrong#bill` into two words if terms have several; `c#` and `#1` are single words."""
    if settings.ngrams[1] == 1:
        return (term,)
    return tuple(HASH.split(term, maxsplit=settings.ngrams[1] - 1))


def _rules(lines: _Lines, terms: _Terms, label_count: int) -> Iterator[Rule]:
    written = lines.next("the number of rules").strip()
    if not re.fullmatch(f"[0-9]{{1,{LONGEST_COUNT}}}", written):
        raise lines.fault(f"{written[:40]!r} is not a number of rules; expected a .shyp file")
    for number in range(1, int(written) + 1):
        yield _rule(lines, terms, label_count, f"rule {number} of {written}")
    if not lines.ended():
        raise lines.fault(f"more follows after {written} rules, as many as the first line says")


def _rule(lines: _Lines, terms: _Terms, k: int, which: str) -> Rule:
    header = HEADER.fullmatch(lines.next(which))
    if not header or header[2] not in READERS or not NUMBER.fullmatch(header[1]):
        raise lines.fault(f"expected {which}, as in `1.0 Text:SGRAM:column:term`")
    try:
        alpha = float(header[1])
        if not math.isfinite(alpha):
            raise lines.fault("expected an alpha that is a finite number")
        with np.errstate(over="ignore"):
            rule = READERS[header[2]](lines, terms, header[3], alpha, k)
        if not np.isfinite(rule.votes).all():
            raise lines.fault("a vote times alpha is not a finite number")
        return rule
    except ValueError as error:
        raise lines.fault(str(error)) from None


def _term_rule(lines: _Lines, terms: _Terms, rest: str, alpha: float, k: int) -> Rule:
    condition = terms.listed(rest)
    votes = np.zeros((3, k))
    votes[NO] = alpha * lines.numbers(k, "votes where the term is absent")
    votes[YES] = alpha * lines.numbers(k, "votes where the term is there")
    if isinstance(condition, Equals):
        votes[UNKNOWN] = votes[NO]
    return Rule(condition, votes, alpha)


def _threshold_rule(lines: _Lines, terms: _Terms, rest: str, alpha: float, k: int) -> Rule:
    column = terms.column(rest.strip().removesuffix(":"), (CONTINUOUS,))
    blocks = ("unknown", "below the threshold", "at or above it")
    votes = np.stack([alpha * lines.numbers(k, f"votes where it is {block}") for block in blocks])
    threshold = float(lines.numbers(1, "the threshold")[0])
    return Rule(AtLeast(column.name, threshold), votes, alpha)


READERS = {"SGRAM": _term_rule, "THRESHOLD": _threshold_rule}


# Writing -------------------------------------------------------------------------------------


def shyp_text(model: Model, packed: bool = False) -> str:
    """Return the .shyp of a model. Raises SettingsError if the format cannot represent it."""
    terms = (model.text.of_field(name) for name in model.text.term_fields(model.data.text))
    if model.code or any(each.analyzer == "char" for each in terms):
        what = "votes about columns of a code" if model.code else "n-grams of characters"
        raise SettingsError(f"a .shyp has votes about labels and terms of words; no {what}")
    if model.prior and model.prior.speaks:
        raise SettingsError(
            "a .shyp holds learned rules alone; this model also has prior knowledge (--knowledge)"
        )
    if any(rule.precondition for rule in model.rules):
        raise SettingsError("a .shyp knows no conjunctions and no trees: its rules ask one thing")
    writer = _Writer(shyp_schema(model), model.text)
    rules = tuple(_oblivious(model.rules))
    rules = pack(rules) if packed else rules
    return f"{len(rules)}\n\n" + "".join(map(writer.rule, rules))


def _oblivious(rules: Sequence[Rule]) -> Iterator[Rule]:
    """Convert rules on every document to rules on the first term with equal votes in all blocks."""
    asked = next((rule.condition for rule in rules if rule.condition != Always()), None)
    for rule in rules:
        if rule.condition == Always():
            if asked is None:
                raise SettingsError("a .shyp cannot hold a model whose only rule is about no term")
            rule = replace(rule, condition=asked, votes=np.repeat(rule.votes[[YES]], 3, axis=0))
        yield rule


def names_text(model: Model) -> str:
    """Return the .names for the .shyp. Both files are needed to read the model."""
    return "\n".join(schema_lines(shyp_schema(model))) + "\n"


def shyp_schema(model: Model) -> Schema:
    """Return labels and columns of the .names; text columns state how their terms were made.

    Raises SettingsError for rules on attributes if the model was not trained on a stem: only a
    .names defines the index of a category and the position of a column in a line.
    """
    schema = kept_schema(model.data)
    if schema is None:
        if not all(isinstance(rule.condition, Occurs | Always) for rule in model.rules):
            raise SettingsError(
                "a .shyp needs the .names of all columns where rules ask for attributes; convert "
                "the data to a stem and train on that"
            )
        schema = Schema(model.labels, tuple(Column(name, TEXT) for name in model.data.text))
    columns = tuple(_with_expert(column, model.text, schema) for column in schema.columns)
    return Schema(model.labels, columns)


def _with_expert(column: Column, text: TextSettings, schema: Schema) -> Column:
    """Return the column with options for its n-grams, if it does not have them already."""
    own = text.of_field(column.name)
    written = with_columns(ICSIBOOST_TEXT, schema).of_field(column.name)
    if column.kind != TEXT or (own.expert, own.ngrams[1]) == (written.expert, written.ngrams[1]):
        return column
    expert = next((name for name, ours in EXPERTS.items() if ours == own.expert), "ngram")
    kept = {**dict(column.options), "expert_type": expert, "expert_length": str(own.ngrams[1])}
    return replace(column, options=tuple(kept.items()))


def pack(rules: Sequence[Rule]) -> tuple[Rule, ...]:
    """Merge rules into one per condition, in order of first choice; add votes and alphas."""
    packed: dict[Condition, Rule] = {}
    for rule in rules:
        before = packed.get(rule.condition)
        if before is not None:
            rule = replace(rule, votes=before.votes + rule.votes, alpha=before.alpha + rule.alpha)
        packed[rule.condition] = rule
    return tuple(packed.values())


@dataclass(frozen=True)
class _Writer:
    schema: Schema
    text: TextSettings

    def rule(self, rule: Rule) -> str:
        alpha = rule.alpha or 1.0
        votes = rule.votes / alpha
        match rule.condition:
            case AtLeast(column, threshold):
                if all(column != own.name for own in self.schema.columns):
                    raise SettingsError(
                        f"a .shyp cannot hold a rule about {column!r}, a word of a scored text; "
                        "call that column `ignore` in the .names, and train again"
                    )
                head, blocks, tail = f"THRESHOLD:{column}:", votes, f"{threshold:.10f}\n\n"
            case condition:
                if isinstance(condition, Equals) and (votes[UNKNOWN] != votes[NO]).any():
                    raise SettingsError(
                        f"a .shyp cannot say what a missing {condition.column!r} votes, other than "
                        "absence; train with --no-unknown-categories"
                    )
                head, blocks, tail = f"SGRAM:{self.term(condition)}", votes[[NO, YES]], ""
        lines = "".join("".join(f"{vote:.10f} " for vote in row) + "\n\n" for row in blocks)
        return f"   {alpha:.12f} Text:{head}\n\n{lines}{tail}\n"

    def term(self, condition: Condition) -> str:
        """Return column:term, which is read back as exactly the same condition."""
        text = ""
        if isinstance(condition, Occurs) and None not in condition.term:
            text = f"{condition.field}:" + "#".join(token or "" for token in condition.term)
        elif isinstance(condition, Equals):
            values = self._values()[condition.column]
            if condition.value in values:
                text = f"{condition.column}:{values.index(condition.value)}"
        try:
            same = bool(text) and _Terms(self.schema, self.text).listed(text) == condition
        except ValueError:
            same = False
        if not same or re.search(r"[\s\x00]", text.partition(":")[2]):
            raise SettingsError(
                f"a .shyp cannot hold the condition {condition}: it knows no counts, gaps, "
                "undeclared values, or words with blanks or # in them"
            )
        return text

    def _values(self) -> Mapping[str, tuple[str, ...]]:
        return {column.name: column.values for column in self.schema.columns}


# Stems ---------------------------------------------------------------------------------------


def read_stem_model(
    path: str,
    settings: DataSettings | None = None,
    text: TextSettings = ICSIBOOST_TEXT,
    multilabel: bool = False,
) -> Model:
    """Read the model in STEM.shyp, with the .names next to it or the one named in the settings."""
    chosen = settings or DataSettings()
    schema = read_schema(names_file(path, chosen), chosen)
    return read_shyp(path, schema, text, multilabel)


def write_stem_model(
    model: Model, path: str, packed: bool = False, kind: Kind | None = None
) -> None:
    """Write STEM.shyp, and STEM.names unless one with the same content exists.

    kind: the kind of file that STEM.shyp may replace; None allows any file.

    Raises SettingsError if the format cannot represent the model or another STEM.names exists.
    """
    content = shyp_text(model, packed)
    names = str(Path(path).with_suffix(".names"))
    kept = is_file(names)
    if kept and read_schema(names, DataSettings()) != shyp_schema(model):
        raise SettingsError(
            f"{names} is there already and says something else; write the model to another folder "
            "or name"
        )
    with ExitStack() as both:
        if not kept:
            both.enter_context(replacing(names, NOTHING)).write(names_text(model).encode("utf-8"))
        both.enter_context(replacing(path, kind)).write(content.encode("utf-8"))


def lost_in_shyp(model: Model) -> Iterator[str]:
    """Yield a message for each part of the model that a .shyp does not represent."""
    if any(
        (own := model.text.of_field(name)).lowercase or own.token_pattern != "[^ ]+"
        for name in model.data.text
        if name
    ):
        yield (
            "icsiboost splits texts at spaces and keeps their case: give it texts whose tokens are "
            "those of this model, with single spaces between"
        )
    if model.thresholds:
        yield "the tuned thresholds are left out; icsiboost gives labels with a score above 0"
