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
        "Format of the data. auto goes by the ending of each file.",
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
        "Field that holds the text, such as text or data.text. Repeat it for several fields.",
    )
    label: tuple[str, ...] = setting(
        ("labels", "label"), "Field or column that holds the labels. Repeat it for several columns."
    )
    id: str = setting("id", "Field that holds the id of the document.")
    weight: str = setting("weight", "Field that holds the weight of the document.")
    attribute: tuple[str, ...] = setting(
        (),
        "Another field that rules may ask for, as a category or a number. Repeat it for several.",
    )
    label_sep: str = setting(
        "",
        "Separator that splits a label into several, such as ';'. By default labels are not split.",
    )
    label_columns: str = setting(
        "auto",
        "What several label columns hold: labels, or 0 and 1 (or no and yes) for the label that "
        "the column is named after. auto goes by the first record that fills one of them.",
        choices=("auto", "labels", "one-hot"),
        flags={"one-hot": "one-hot", "no-one-hot": "labels"},
    )
    literal_labels: bool = setting(
        False,
        "Take labels exactly as they stand: with blanks around them, 1.0 and 1 as different "
        "labels, and a list such as ['a', 'b'] as one label.",
        negative=True,
    )
    missing: tuple[str, ...] = setting(
        (),
        "Another mark of a missing value, besides nan, NULL, None, NA, N/A, \\N, - and the like. "
        "Repeat it for several; an empty one ('') removes all of these.",
    )
    attribute_type: tuple[str, ...] = setting(
        (),
        "Type of one attribute: NAME=number, NAME=decimal-comma or NAME=category. By default an "
        "attribute has the type of most of its values. Repeat it for several.",
    )
    known_types: tuple[str, ...] = setting((), "Types that columns had in training.", hidden=True)
    delimiter: str = setting(
        "", "Character that separates the columns of a CSV. By default it depends on the format."
    )
    header: bool = setting(
        True,
        "The first row of CSV and TSV files names the columns. Without it, columns are named 1, "
        "2, 3 and so on.",
        negative=True,
    )
    quotes: bool = setting(
        True,
        "Quotation marks enclose the fields of CSV and TSV files. Without it, they are part of "
        "the text.",
        negative=True,
    )
    names: str = setting(
        "", "File that describes the columns of stem data. By default it is STEM.names."
    )
    names_dialect: str = setting(
        "boostexter",
        "How stem files are written; jboost has backslash escapes and // comments.",
        choices=("boostexter", "jboost"),
    )
    schema: tuple[str, ...] = setting((), "The lines of the column description.", hidden=True)
    single_precision: bool = setting(
        False, "Round numbers to 32 bits, as icsiboost does.", negative=True
    )
    endings: tuple[str, ...] = setting((), "The endings of the training files.", hidden=True)
    answers: str = setting(
        "accepted",
        "Which records of annotation programs are read: all, or those that were not rejected, "
        "skipped or left unconfirmed.",
        choices=("accepted", "all"),
    )
    where: tuple[str, ...] = setting(
        (),
        "Read only the records for which FIELD=VALUE or FIELD!=VALUE is true. Repeat it: all "
        "conditions must hold; of several values for one field, any.",
    )
    encoding: str = setting("utf-8", "Character encoding of the files.")
    encoding_errors: str = setting(
        "strict", "What to do with bytes that are not valid text.", choices=("strict", "replace")
    )
    skip_bad: bool = setting(
        False,
        "Leave out bad records, count them and list them, instead of stopping at the first one.",
        negative=True,
    )
    max_record: int = setting(
        16,
        "Size in MB of the longest record, compressed or not. A longer record is a bad one.",
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
        (), "File of labelled data on which the number of rounds is chosen. Repeat it for several."
    )
    valid_fraction: float = setting(
        0.0,
        "Share of the training data, drawn at random, to hold out as validation data.",
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
        0, "Stop when so many rounds have brought no improvement; 0 runs all rounds.", low=0
    )
    folds: int = setting(
        5, "Number of parts of the data that cross-validation holds out in turn.", low=2, high=1000
    )
    splits: int = setting(
        1,
        "Number of times that cross-validation divides the data anew; scores are averaged.",
        low=1,
        high=100,
    )
    group: str = setting(
        "",
        "Field by which documents are held out together, such as a caller. Rules do not ask for "
        "it.",
    )
    calibrate: str = setting(
        "none",
        "Fit probabilities on held-out documents, those of the validation data or of "
        "cross-validation.",
        choices=("none", "sigmoid", "isotonic"),
    )
    tune_thresholds: str = setting(
        "",
        "Choose thresholds on held-out documents: micro-f1 gives one for all labels; f1, f2 or "
        "f0.5 (with more or less weight on recall) give one for each, and so does precision=P, for "
        "the most recall at that precision.",
    )

    def check(self) -> None:
        super().check()
        if self.tune_thresholds:
            goal_of(self.tune_thresholds)


@dataclass(frozen=True)
class RunSettings(Group):
    """How the work is done. None of these settings changes the model."""

    threads: int = setting(
        0, "Number of threads; 0 uses all that this process may use.", low=0, high=1024
    )
    engine: str = setting(
        "auto",
        "How rules are searched: by computing all anew (plain), or only what has changed "
        "(incremental).",
        choices=("auto", "plain", "incremental"),
    )
    checkpoint_every: float = setting(300.0, "Seconds between checkpoints; 0 writes none.", low=0)


@dataclass(frozen=True)
class KnowledgeSettings(Group):
    """Prior knowledge. The model keeps the content of the files, not their names."""

    knowledge: str = setting(
        "", "File of prior knowledge: rules, shares of labels, forbidden terms."
    )
    knowledge_weight: float | str = setting(
        "auto",
        "How much the knowledge about a document counts beside its labels. auto makes it less "
        "the more documents there are, and 0 does not use it.",
        parse="number_or_auto",
        low=0,
    )
    unlabelled: tuple[str, ...] = setting(
        (),
        "File of documents without labels, of which only the knowledge counts. Repeat it for "
        "several.",
    )

    def check(self) -> None:
        super().check()
        if self.unlabelled and not self.knowledge:
            raise SettingsError("--unlabelled documents take part by --knowledge FILE; give both")
        if self.knowledge_weight != "auto" and not self.knowledge:
            raise SettingsError("--knowledge-weight is about --knowledge FILE; give both")

    def weight(self, documents: int) -> float:
        """Return eta; auto is (FEW_TOLD / documents)^3, at most 1.

        It decreases this fast for two reasons: boosting also starts from the prior knowledge, and
        labels that are learned without error finally have almost no weight, so that even a small
        weight of the knowledge would dominate them.
        """
        if isinstance(self.knowledge_weight, str):
            return min(1.0, FEW_TOLD / max(documents, 1)) ** 3
        return float(self.knowledge_weight)


FEW_TOLD = 16
"""Number of documents up to which prior knowledge has the same weight as labels, unless the weight
is given. It was the best value on the sample calls and on bbc-news with 50, 200 and 1,000 labels.
"""

ALL_GROUPS = (
    DataSettings,
    TextSettings,
    BoostingSettings,
    KnowledgeSettings,
    StopSettings,
    RunSettings,
)
