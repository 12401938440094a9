"""All settings with default, help and range, for the command line, YAML files and the library.

Settings are frozen dataclasses. `check()` of each raises an error for values that are out of range
or cannot be combined. Only this module and the tables that it names compare these strings.
"""

from __future__ import annotations

import codecs
from dataclasses import dataclass

from boostext.boosting_settings import BoostingSettings as BoostingSettings
from boostext.errors import SettingsError
from boostext.fields import Group as Group  # the base class, re-exported with the groups below
from boostext.fields import condition_of, goal_of, setting
from boostext.text_settings import TextSettings as TextSettings

NOTATIONS = ("idna", "punycode", "raw_unicode_escape", "unicode_escape", "utf_7")
"""Codecs that encode text as ASCII; no file uses them, and some produce lone surrogates."""

COLUMN_KINDS = ("number", "decimal-comma", "category")


@dataclass(frozen=True)
class DataSettings(Group):
    """How records are read. The model keeps these settings, so prediction reads the same fields."""

    format: str = setting(
        "auto",
        "Format of the data. auto follows from the ending of each file.",
        choices=(
            "auto",
            "jsonl",
            "json",
            "parquet",
            "arrow",
            "rasa",
            "vw",
            "csv",
            "tsv",
            "fasttext",
            "lines",
            "folders",
            "stem",
        ),
    )
    text: tuple[str, ...] = setting(
        ("text",),
        "Field that contains the text, such as text or data.text. Repeat it for several fields.",
    )
    label: tuple[str, ...] = setting(
        ("labels", "label"),
        "Field or column that contains the labels. Repeat it for several columns.",
    )
    id: str = setting("id", "Field that contains the id of the document.")
    weight: str = setting("weight", "Field that contains the weight of the document.")
    attribute: tuple[str, ...] = setting(
        (),
        "Another field that rules may use, as a category or a number. Repeat it for several "
        "fields.",
    )
    label_sep: str = setting(
        "",
        "Separator between several labels in a cell, such as ';'. By default labels are not split.",
    )
    label_columns: str = setting(
        "auto",
        "Contents of several label columns: labels, or 0 and 1 (or no and yes) for the label that "
        "is the name of the column. auto depends on the first record that has one of them.",
        choices=("auto", "labels", "one-hot"),
        flags={"one-hot": "one-hot", "no-one-hot": "labels"},
    )
    literal_labels: bool = setting(
        False,
        "Use labels exactly as they are written: spaces around them are kept, 1.0 and 1 are "
        "different labels, and a list such as ['a', 'b'] is a single label.",
        negative=True,
    )
    missing: tuple[str, ...] = setting(
        (),
        "Another mark of missing values, besides nan, NULL, None, NA, N/A, \\N, - and similar "
        "ones. Repeat it for several marks; an empty one ('') removes the built-in marks.",
    )
    attribute_type: tuple[str, ...] = setting(
        (),
        "Type of one attribute: NAME=number, NAME=decimal-comma or NAME=category. By default, "
        "the type of most of its values is used. Repeat it for several attributes.",
    )
    known_types: tuple[str, ...] = setting((), "Types that columns had in training.", hidden=True)
    delimiter: str = setting(
        "",
        "Character that separates the columns of a CSV file. By default it depends on the format.",
    )
    header: bool = setting(
        True,
        "The first row of CSV and TSV files contains the names of the columns. Otherwise the "
        "columns are called 1, 2, 3 and so on.",
        negative=True,
    )
    quotes: bool = setting(
        True,
        "Fields of CSV and TSV files may be enclosed in quotation marks. Otherwise quotation "
        "marks are part of the text.",
        negative=True,
    )
    names: str = setting(
        "", "File that describes the columns of stem data. By default it is STEM.names."
    )
    names_dialect: str = setting(
        "boostexter",
        "Syntax of stem files; that of jboost has backslash escapes and // comments.",
        choices=("boostexter", "jboost"),
    )
    schema: tuple[str, ...] = setting((), "The lines of the column description.", hidden=True)
    single_precision: bool = setting(
        False, "Round numbers to 32 bits, as icsiboost does.", negative=True
    )
    endings: tuple[str, ...] = setting((), "The endings of the training files.", hidden=True)
    answers: str = setting(
        "accepted",
        "Which records in exports of annotation programs are read: all of them, or only those "
        "that were not rejected, skipped or left unconfirmed.",
        choices=("accepted", "all"),
    )
    where: tuple[str, ...] = setting(
        (),
        "Read only the records for which FIELD=VALUE or FIELD!=VALUE is true. If it is repeated, "
        "all conditions must hold; several values for the same field are alternatives.",
    )
    encoding: str = setting("utf-8", "Character encoding of the files.")
    encoding_errors: str = setting(
        "strict", "What to do with bytes that are not valid text.", choices=("strict", "replace")
    )
    skip_bad: bool = setting(
        False,
        "Leave out bad records and list them, instead of stopping at the first one.",
        negative=True,
    )
    max_record: int = setting(
        16,
        "Maximum size of a record in MB, after decompression. A longer record is a bad record.",
        low=1,
        high=1024,
    )

    def check(self) -> None:
        super().check()
        if len(self.delimiter.replace("\\t", "\t")) > 1 or self.delimiter in ("\n", "\r", '"'):
            raise SettingsError(
                f"delimiter is {self.delimiter!r}; expected one character, such as ';'"
            )
        column_kinds(self)
        for text in self.where:
            condition_of(text)
        try:
            "".encode(self.encoding)  # also raises an error for codecs that are not text encodings
            known = codecs.lookup(self.encoding).name.replace("-", "_") not in NOTATIONS
        except (LookupError, ValueError):
            known = False
        if not known:
            raise SettingsError(
                f"encoding is {self.encoding!r}, which is not known; "
                "expected a name like utf-8, cp1252 or gb18030"
            )


def column_kinds(data: DataSettings) -> dict[str, str]:
    """Return the COLUMN_KINDS of attributes whose type is given or known from training."""
    kinds = {}
    for given in (*data.known_types, *data.attribute_type):
        name, _, kind = given.rpartition("=")
        if not name or kind not in COLUMN_KINDS:
            raise SettingsError(
                f"attribute-type is {given!r}; expected NAME=KIND, where KIND is one of "
                + ", ".join(COLUMN_KINDS)
            )
        kinds[name] = kind
    return kinds


MONITORS = (
    "error",
    "one-error",
    "hamming-loss",
    "ranking-loss",
    "micro-f1",
    "macro-f1",
    "log-loss",
)


@dataclass(frozen=True)
class StopSettings(Group):
    """Settings of what held-out documents determine: rounds, probabilities, thresholds.

    These documents are validation data, or the folds that cross-validation holds out in turn.
    """

    valid: tuple[str, ...] = setting(
        (),
        "File of labelled data on which the number of rounds is chosen. Repeat it for several.",
    )
    valid_fraction: float = setting(
        0.0,
        "Fraction of the training data, drawn at random, that is held out as validation data.",
        low=0,
        high=0.9,
    )
    monitor: str = setting(
        "auto",
        "Measure on the validation data. auto is error, or micro-f1 if documents have several "
        "labels.",
        choices=("auto", *MONITORS),
    )
    patience: int = setting(
        0, "Stop after this number of rounds without an improvement; 0 runs all rounds.", low=0
    )
    folds: int = setting(
        5, "Number of parts of the data that cross-validation holds out in turn.", low=2, high=1000
    )
    splits: int = setting(
        1,
        "Number of random splits of the data for cross-validation; scores are averaged.",
        low=1,
        high=100,
    )
    group: str = setting(
        "",
        "Field whose value groups documents that are held out together, such as the caller. Rules "
        "do not use it.",
    )
    calibrate: str = setting(
        "none",
        "Method for calibrating probabilities on held-out documents, from the validation data or "
        "from cross-validation.",
        choices=("none", "sigmoid", "isotonic"),
    )
    tune_thresholds: str = setting(
        "",
        "Choose thresholds on held-out documents: micro-f1 gives a single threshold; f1, f2 or "
        "f0.5 (with more or less weight on recall) give one for each label, and so does "
        "precision=P, with the highest recall at this precision.",
    )

    def check(self) -> None:
        super().check()
        if self.tune_thresholds:
            goal_of(self.tune_thresholds)


@dataclass(frozen=True)
class RunSettings(Group):
    """How the work is done. None of these settings changes the model."""

    threads: int = setting(0, "Number of threads; 0 uses all available ones.", low=0, high=1024)
    engine: str = setting(
        "auto",
        "How rules are searched: by computing everything again in each round (plain), or only "
        "what has changed (incremental).",
        choices=("auto", "plain", "incremental"),
    )
    checkpoint_every: float = setting(300.0, "Seconds between checkpoints; 0 writes none.", low=0)


@dataclass(frozen=True)
class KnowledgeSettings(Group):
    """Prior knowledge. The model keeps the content of the files, not their names."""

    knowledge: str = setting(
        "", "File of prior knowledge: rules, frequencies of labels, forbidden terms."
    )
    knowledge_weight: float | str = setting(
        "auto",
        "Weight of the knowledge about a document, relative to its labels. auto decreases with "
        "the number of documents, and combines knowledge and labels in the way that is best by "
        "cross-validation; 0 does not use the knowledge.",
        parse="number_or_auto",
        low=0,
        high=1e6,
    )
    unlabelled: tuple[str, ...] = setting(
        (),
        "File of documents without labels, for which only the knowledge is used. Repeat it for "
        "several files.",
    )

    def check(self) -> None:
        super().check()
        if self.unlabelled and not self.knowledge:
            raise SettingsError("--unlabelled has no effect without --knowledge FILE; give both")
        if self.knowledge_weight != "auto" and not self.knowledge:
            raise SettingsError(
                "--knowledge-weight has no effect without --knowledge FILE; give both"
            )

    def weight(self, documents: int, labels: int) -> float:
        """Return eta; auto is (FEW * labels / documents)^3, at most 1.

        It decreases this fast for two reasons: boosting also starts from the prior knowledge, and
        labels that are learned without error finally have almost no weight, so that even a small
        weight of the knowledge would dominate them.
        """
        if isinstance(self.knowledge_weight, str):
            return min(1.0, FEW * labels / max(documents, 1)) ** 3
        return float(self.knowledge_weight)


FEW = 3
"""Number of documents for each label up to which prior knowledge has the same weight as labels,
unless the weight is given. It was the best of 2, 3 and 5 on the sample calls, bbc-news and
20newsgroups with 50, 100 and 200 labels.
"""

ALL_GROUPS = (
    DataSettings,
    TextSettings,
    BoostingSettings,
    KnowledgeSettings,
    StopSettings,
    RunSettings,
)
