"""Every setting, declared once: default, help, range. Feeds the command line, YAML and the API.

Settings are frozen dataclasses; `check()` of each refuses what is out of range or does not go
together. Nothing outside this module and the tables it names compares these strings.
"""

from __future__ import annotations

import codecs
from dataclasses import dataclass

from boostext import fields
from boostext.algorithms import ALGORITHMS, GROWER_SETTINGS, Algorithm
from boostext.errors import SettingsError
from boostext.fields import Group as Group  # the groups below, and what takes any of them
from boostext.fields import condition_of, goal_of, label_factor, setting
from boostext.text_settings import TextSettings as TextSettings

OF_GROWERS = tuple(name for names in GROWER_SETTINGS.values() for name in names)
NOTATIONS = ("idna", "punycode", "raw_unicode_escape", "unicode_escape", "utf_7")
"""Codecs that write text within ASCII; no file is in them, and some give halves of characters."""

COLUMN_KINDS = ("number", "decimal-comma", "category")


@dataclass(frozen=True)
class DataSettings(Group):
    """How records are read. Kept in the model, so that prediction reads the same fields."""

    format: str = setting(
        "auto", "How the data is written; by the file's ending unless said.",
        choices=("auto", "jsonl", "json", "csv", "tsv", "fasttext", "lines", "folders", "stem"),
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


@dataclass(frozen=True)
class BoostingSettings(Group):
    """What is learned. Kept in the model; with the data and `seed` it fixes every byte of it."""

    algorithm: str = setting("mh", "Boosting algorithm.", choices=tuple(ALGORITHMS))
    task: str = setting(
        "auto", "One label an example, or several; auto goes by the data.",
        choices=("auto", "single", "multi"),
    )  # fmt: skip
    votes: str = setting(
        "auto", "Votes with a confidence, or of one size; auto is the algorithm's first.",
        choices=("auto", "real", "discrete"),
    )  # fmt: skip
    alpha: str = setting(
        "auto", "How votes are sized. mr, m2: by a bound, exactly or numerically, real ones by a "
        "bound or newton's method. Grown rules: numerically, by the least loss, in place of auto.",
        choices=("auto", "bound", "exact", "numeric", "newton"),
    )  # fmt: skip
    abstain: bool = setting(False, "Rules are silent where the term is absent.", negative=True)
    prior_rule: bool = setting(
        False, "The first rule votes by label alone, the same for every document.", negative=True
    )
    unknown: str = setting(
        "abstains", "Where a value is missing, a rule is silent or has a vote of its own.",
        choices=("abstains", "votes"),
    )  # fmt: skip
    bins: int = setting(
        0, "Thresholds split a numeric column into so many parts at most, of about as many "
        "documents each; 0 has one between any two values, slow where these are very many.", low=0,
    )  # fmt: skip
    unknown_categories: bool = setting(
        True, "A missing category is unknown; else it is simply none of the values.", negative=True
    )
    rounds: int = setting(
        1000, "Rules to learn, at most; auto (0) finds their number by cross-validation.",
        parse="rounds", low=0,
    )  # fmt: skip
    smoothing: float | str = setting(
        "1/m", "Added to block weights in votes: a number, 1/m, 0.2/m or the like, ss99 or bt00.",
        parse="smoothing",
    )  # fmt: skip
    start: str = setting(
        "uniform", "First weights; balanced gives the right label half of an example's weight.",
        choices=("uniform", "balanced"),
    )  # fmt: skip
    class_weight: tuple[str, ...] = setting(
        (), "LABEL=FACTOR on the weight of examples with the label; repeat. Or balanced: each "
        "label's examples weigh the same in sum.",
    )  # fmt: skip
    coloring: str = setting(
        "random", "How oc and ecoc color the labels in each round.",
        choices=("random", "even", "climbed"),
    )  # fmt: skip
    coding: str = setting(
        "spread", "How mo makes its output code.",
        choices=("random", "spread", "one-per-label", "exhaustive"),
    )  # fmt: skip
    code_length: int = setting(0, "Columns of the code; 0 is 10 log2 of the labels.", low=0)
    code: tuple[str, ...] = setting((), "A row of your own code as LABEL=+-+-; repeat.")
    decoding: str = setting(
        "loss", "From the code's columns to a label: least loss, or nearest row.",
        choices=("loss", "hamming"),
    )  # fmt: skip
    shrinkage: float = setting(
        1.0, "Factor on every vote, save those of the prior rule.", above=0, high=1
    )
    term_fraction: float = setting(
        1.0, "Random share of the conditions that may be chosen in a round.", above=0, high=1
    )
    rarity: float = setting(
        0.0, "Prefer rare terms: power of ln(m/df) in the choice.", low=0, high=16
    )
    reuse: float = setting(
        1.0, "Factor on a condition's gain for each time it was chosen before.", above=0, high=1
    )
    terms: int = setting(
        0, "Distinct conditions in all rules, at most; later rules return to them. 0 is no limit.",
        low=0,
    )  # fmt: skip
    threshold: float = setting(
        0.0, "Score above which a label is given, where there may be several.", low=-1e6, high=1e6
    )
    max_literals: int = setting(
        0, "Conditions in a rule of slipper or decrules, at most; 0 is 4.", low=0, high=64
    )
    grow_fraction: float = setting(
        0.667, "Share of the data to grow such a rule on; it is pruned on the rest. 1: not pruned.",
        above=0, high=1,
    )  # fmt: skip
    default_rule: bool = setting(
        True, "slipper: a rule about every document competes in each round.", negative=True
    )
    tree_depth: int = setting(
        0, "Levels of conditions: in trees 0 is 3, in adtree any number.", low=0, high=64
    )
    rules_per_round: int = setting(5, "Rules of which mh-kr votes the mean.", low=1, high=10_000)
    seed: int = setting(0, "Seed of whatever is random.", low=0, high=2**32 - 1)

    def check(self) -> None:
        super().check()
        self._check_row(ALGORITHMS[self.algorithm])
        if self.bins == 1:
            raise SettingsError("bins is 1, which no threshold makes; expected 2 or more, or 0")
        for given in self.class_weight:
            if given != "balanced":
                label_factor(given)
        if "balanced" in self.class_weight and len(self.class_weight) > 1:
            raise SettingsError("class-weight is either balanced or a list of LABEL=FACTOR")

    def _check_row(self, row: Algorithm) -> None:
        """Refuse what the algorithm cannot do, and say what it can."""
        of = f" --votes {self.votes_name()}" * bool(row.real_alpha)
        for name, who, values in (("votes", "", tuple(row.votes)), ("alpha", of, self._alphas())):
            value = getattr(self, name)
            ways = " or ".join("auto" if way == "own" else way for way in values)
            if value not in ("auto", *values):
                raise SettingsError(
                    f"{self.algorithm}{who} goes with --{name} {ways}, not with {value}"
                )
        ours = {f.name for f in self.fields() if getattr(self, f.name) != f.default}
        for name in sorted(ours & set(OF_GROWERS) - set(GROWER_SETTINGS[row.grower])):
            rows = (n for n, r in ALGORITHMS.items() if name in GROWER_SETTINGS[r.grower])
            option = f"--{name.replace('_', '-')}"
            raise SettingsError(f"{self.algorithm} does not go with {option}; {', '.join(rows)} do")
        refused = {
            "--abstain": self.abstain and not row.abstains,
            "--start balanced": self.start == "balanced" and not row.balanced,
            "--shrinkage": self.shrinkage != 1 and not row.shrinks,
            "--prior-rule": self.prior_rule and not row.prior,
        }
        for option, wrong in refused.items():
            if wrong:
                raise SettingsError(f"{self.algorithm} does not go with {option}; use mh")

    def votes_name(self) -> str:
        """real or discrete: as set, or the algorithm's first."""
        return next(iter(ALGORITHMS[self.algorithm].votes)) if self.votes == "auto" else self.votes

    def alpha_name(self) -> str:
        """How votes are sized: as set, or the algorithm's first way."""
        return self._alphas()[0] if self.alpha == "auto" else self.alpha

    def _alphas(self) -> tuple[str, ...]:
        """The ways to size votes, the first by default."""
        row = ALGORITHMS[self.algorithm]
        return row.real_alpha if row.real_alpha and self.votes_name() == "real" else row.alpha

    def speaking(self) -> tuple[float, float, float]:
        """1 for each block (unknown, no, yes) that votes, 0 for a silent one."""
        return float(self.unknown == "votes"), float(not self.abstain), 1.0

    def smoothing_value(self, m: int, k: int) -> float:
        """Epsilon for m examples and k labels. SF12-9 s9.2.6; SS99 s4.2; BT00 s3."""
        if not isinstance(self.smoothing, str):
            return self.smoothing
        if share := fields.SHARE_OF_M.fullmatch(self.smoothing):
            return float(share[1]) / m
        return {"ss99": 1 / (2 * m * k), "bt00": 1 / (m * k)}[self.smoothing]


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
        "", "Tune a threshold for each label on documents held out: f1, f2 or f0.5 (more or less "
        "weight on recall), or precision=P for the most recall at that precision.",
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


ALL_GROUPS = (DataSettings, TextSettings, BoostingSettings, StopSettings, RunSettings)
