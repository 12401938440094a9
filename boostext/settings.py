"""Every setting, declared once: default, help, range. Feeds the command line, YAML and the API.

Settings are frozen dataclasses; `check()` of each refuses what is out of range or does not go
together. Nothing outside this module and the tables it names compares these strings.
"""

from __future__ import annotations

import codecs
from dataclasses import dataclass

from boostext.boosting_settings import BoostingSettings as BoostingSettings
from boostext.errors import SettingsError
from boostext.fields import Group as Group  # the groups below, and what takes any of them
from boostext.fields import condition_of, goal_of, setting
from boostext.text_settings import TextSettings as TextSettings

NOTATIONS = ("idna", "punycode", "raw_unicode_escape", "unicode_escape", "utf_7")
"""Codecs that write text within ASCII; no file is in them, and some give halves of characters."""

COLUMN_KINDS = ("number", "decimal-comma", "category")


@dataclass(frozen=True)
class DataSettings(Group):
    """How records are read. Kept in the model, so that prediction reads the same fields."""

    format: str = setting(
        "auto", "How the data is written; by the file's ending unless said.",
        choices=("auto", "jsonl", "json", "parquet", "arrow", "rasa", "vw", "csv", "tsv",
                 "fasttext", "lines", "folders", "stem"),
    )  # fmt: skip
    text: tuple[str, ...] = setting(
        ("text",), "Field with the text, such as text or data.text; repeat for several fields."
    )
    label: tuple[str, ...] = setting(
        ("labels", "label"), "Field or column with the labels; repeat for several columns."
    )
    id: str = setting("id", "Field with the document's id.")
    weight: str = setting("weight", "Field with the document's weight.")
    attribute: tuple[str, ...] = setting((), "Further field to keep as an attribute; repeat.")
    label_sep: str = setting(
        "", "Splits a label into several, such as ';'; by default nothing does."
    )
    label_columns: str = setting(
        "auto", "Several label columns hold labels, or 0 or 1 (no or yes) for the label that each "
        "is named after; auto goes by the first record that fills one.",
        choices=("auto", "labels", "one-hot"), flags={"one-hot": "one-hot", "no-one-hot": "labels"},
    )  # fmt: skip
    literal_labels: bool = setting(
        False, "Labels as they stand: with blanks around them, 1.0 and not 1, and lists such as "
        "['a', 'b'] as one label.", negative=True,
    )  # fmt: skip
    missing: tuple[str, ...] = setting(
        (), "Further mark of a missing value, besides nan, NULL, None, NA, N/A, \\N, - and "
        "the like; repeat. An empty one ('') takes these back.",
    )  # fmt: skip
    attribute_type: tuple[str, ...] = setting(
        (), "NAME=number, NAME=decimal-comma or NAME=category for one attribute; by default a "
        "column is what most of its values are. Repeat.",
    )  # fmt: skip
    known_types: tuple[str, ...] = setting((), "Types that columns had in training.", hidden=True)
    delimiter: str = setting("", "Column separator of CSV; by the format unless said.")
    header: bool = setting(
        True, "The first row of CSV and TSV names the columns; else they are 1, 2, 3 ...",
        negative=True,
    )  # fmt: skip
    quotes: bool = setting(
        True, "Quotes enclose fields of CSV and TSV; else they are text.", negative=True
    )
    names: str = setting("", "Column description of stem data; STEM.names unless said.")
    names_dialect: str = setting(
        "boostexter", "How stems are written; jboost has backslash escapes and // comments.",
        choices=("boostexter", "jboost"),
    )  # fmt: skip
    schema: tuple[str, ...] = setting((), "The lines of the column description.", hidden=True)
    single_precision: bool = setting(
        False, "Numbers are rounded to 32 bits, as in icsiboost.", negative=True
    )
    endings: tuple[str, ...] = setting((), "The endings of the training files.", hidden=True)
    answers: str = setting(
        "accepted", "Which records of annotation programs are read: without those that were "
        "rejected, skipped or not confirmed, or all.", choices=("accepted", "all"),
    )  # fmt: skip
    where: tuple[str, ...] = setting(
        (), "FIELD=VALUE or FIELD!=VALUE; only records of which it is true are read. Repeat: all "
        "must be true, and of several values for one field any.",
    )  # fmt: skip
    encoding: str = setting("utf-8", "Encoding of the files.")
    encoding_errors: str = setting(
        "strict", "What to do with bytes that are not text.", choices=("strict", "replace")
    )
    skip_bad: bool = setting(False, "Leave out bad records, count and list them.", negative=True)
    max_record: int = setting(
        16,
        "MB that one record may have, compressed or not; a longer one is a bad record.",
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
            "".encode(self.encoding)  # also refuses codecs that make no text of bytes
            known = codecs.lookup(self.encoding).name.replace("-", "_") not in NOTATIONS
        except (LookupError, ValueError):
            known = False
        if not known:
            raise SettingsError(
                f"encoding is {self.encoding!r}, which is not known; "
                "expected a name like utf-8, cp1252 or gb18030"
            )


def column_kinds(data: DataSettings) -> dict[str, str]:
    """Attribute -> one of COLUMN_KINDS, for those whose type is given, or known from training."""
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
    "error", "one-error", "hamming-loss", "ranking-loss", "micro-f1", "macro-f1", "log-loss",
)  # fmt: skip


@dataclass(frozen=True)
class StopSettings(Group):
    """What documents that are not learned from decide: rounds, probabilities, thresholds.

    They are validation data, or the parts that cross-validation holds out in turn.
    """

    valid: tuple[str, ...] = setting((), "Labelled data to choose the number of rounds on; repeat.")
    valid_fraction: float = setting(
        0.0, "Random share of the training data to hold out for that.", low=0, high=0.9
    )
    monitor: str = setting(
        "auto", "Measure on validation data; auto is error, or micro-f1 for several labels.",
        choices=("auto", *MONITORS),
    )  # fmt: skip
    patience: int = setting(
        0, "Stop after so many rounds without a better one; 0 runs all rounds.", low=0
    )
    folds: int = setting(5, "Parts that cross-validation holds out in turn.", low=2, high=1000)
    splits: int = setting(
        1, "How often cross-validation cuts the data anew; scores are averaged.", low=1, high=100
    )
    group: str = setting(
        "", "Field whose documents of equal value are held out together; it is not learned from."
    )
    calibrate: str = setting(
        "none", "Fit probabilities to documents held out, by validation or cross-validation.",
        choices=("none", "sigmoid", "isotonic"),
    )  # fmt: skip
    tune_thresholds: str = setting(
        "", "Tune thresholds on documents held out: micro-f1 is one for all labels; f1, f2 or f0.5 "
        "(more or less weight on recall) one for each, as precision=P for the most recall at that "
        "precision.",
    )  # fmt: skip

    def check(self) -> None:
        super().check()
        if self.tune_thresholds:
            goal_of(self.tune_thresholds)


@dataclass(frozen=True)
class RunSettings(Group):
    """How the work is done; nothing here changes the model."""

    threads: int = setting(0, "Threads; 0 is what this process may use.", low=0, high=1024)
    engine: str = setting(
        "auto", "Search by recomputing all (plain) or only what changed (incremental).",
        choices=("auto", "plain", "incremental"),
    )  # fmt: skip
    checkpoint_every: float = setting(300.0, "Seconds between checkpoints; 0 writes none.", low=0)


@dataclass(frozen=True)
class KnowledgeSettings(Group):
    """What is known before there is data. The model keeps what the files say, not their names."""

    knowledge: str = setting("", "File of what people know: rules, label shares, forbidden terms.")
    knowledge_weight: float | str = setting(
        "auto", "How much a document's knowledge counts beside its labels; auto is less the more "
        "documents there are, 0 uses none.", parse="number_or_auto", low=0,
    )  # fmt: skip
    unlabelled: tuple[str, ...] = setting(
        (), "Documents without labels, which take part by the knowledge alone; repeat."
    )

    def check(self) -> None:
        super().check()
        if self.unlabelled and not self.knowledge:
            raise SettingsError("--unlabelled documents take part by --knowledge FILE; give both")
        if self.knowledge_weight != "auto" and not self.knowledge:
            raise SettingsError("--knowledge-weight is about --knowledge FILE; give both")

    def weight(self, documents: int) -> float:
        """eta; auto is (FEW_TOLD / documents)^3, at most 1.

        It falls that fast as the knowledge is also where boosting starts from, and as labels that
        are learned without an error weigh next to nothing in the end, whatever they are beside.
        """
        if isinstance(self.knowledge_weight, str):
            return min(1.0, FEW_TOLD / max(documents, 1)) ** 3
        return float(self.knowledge_weight)


FEW_TOLD = 16
"""Documents up to which their knowledge counts as much as their labels, unless its weight is given:
what was best on the sample calls and on bbc-news at 50, 200 and 1,000 labels.
"""

ALL_GROUPS = (
    DataSettings, TextSettings, BoostingSettings, KnowledgeSettings, StopSettings, RunSettings,
)  # fmt: skip
