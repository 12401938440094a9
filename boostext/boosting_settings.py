"""The settings of training: the algorithm, its weak learner, and their parameters."""

from __future__ import annotations

from dataclasses import dataclass

from boostext import fields
from boostext.algorithms import ALGORITHMS, LEARNER_SETTINGS, LEARNERS, Algorithm
from boostext.errors import SettingsError
from boostext.fields import Group, label_factor, setting

OF_LEARNERS = tuple(name for names in LEARNER_SETTINGS.values() for name in names)
SILENT_OUTSIDE = ("stump", "per label", "committee")
"""Learners whose rules may abstain if their condition does not hold."""


@dataclass(frozen=True)
class BoostingSettings(Group):
    """What is learned. The model keeps these settings; with data and `seed` they determine it."""

    algorithm: str = setting("mh", "Boosting algorithm.", choices=tuple(ALGORITHMS))
    learner: str = setting(
        "auto",
        "Rules of a round: one condition (stump), several conditions with one vote if all of "
        "them hold and another otherwise (rules), a tree, the next rule of an alternating tree "
        "(adtree), or several conditions that abstain unless all of them hold (conjunction).",
        choices=("auto", *LEARNERS),
    )
    index: str = setting(
        "z",
        "Criterion for choosing conditions: the Z of the algorithm, or a measure of purity.",
        choices=("z", "gini", "entropy", "kearns-mansour"),
    )
    resample: bool = setting(
        False,
        "Choose rules on a sample that is drawn in proportion to the weights of the examples, "
        "instead of on the weighted examples.",
        negative=True,
    )
    task: str = setting(
        "auto",
        "Whether each document has exactly one label, or any number. auto depends on the data.",
        choices=("auto", "single", "multi"),
    )
    votes: str = setting(
        "auto",
        "Votes of any size, which express confidence (real), or votes of the same size "
        "(discrete). auto is the choice in the publication of the algorithm.",
        choices=("auto", "real", "discrete"),
    )
    alpha: str = setting(
        "auto",
        "How the size of votes is computed. For mr and m2: by a bound, exactly or numerically, "
        "and for real votes by a bound or by Newton's method. For the others: numerically, to "
        "minimize the loss. For discrete votes of rules that may abstain: also conservatively, as "
        "proposed by Freund and Schapire.",
        choices=("auto", "bound", "exact", "numeric", "newton", "conservative"),
    )
    abstain: bool = setting(
        False,
        "Rules abstain if their term is absent. Rules about numbers abstain on one side of their "
        "threshold.",
        negative=True,
    )
    prior_rule: bool = setting(
        False,
        "The first rule has no condition: its votes represent the frequencies of the labels.",
        negative=True,
    )
    unknown: str = setting(
        "abstains",
        "What rules do if a value is missing: they abstain, or they have votes for this case.",
        choices=("abstains", "votes"),
    )
    bins: int = setting(
        0,
        "Number of parts, of about the same number of documents, into which thresholds divide a "
        "numeric column. 0 tries a threshold between any two values, which is slow if there are "
        "very many.",
        low=0,
    )
    unknown_categories: bool = setting(
        True,
        "Treat a missing category as unknown. Otherwise it is treated as different from all "
        "values.",
        negative=True,
    )
    rounds: int = setting(
        1000,
        "Number of rules to learn. auto (or 0) chooses it by cross-validation.",
        parse="rounds",
        low=0,
    )
    smoothing: float | str = setting(
        "1/m",
        "Constant that is added to weights when votes are computed: a number or, for m documents "
        "and k labels, a multiple of 1/m such as 0.2/m, ss99 for 1/(2mk), or bt00 for 1/(mk).",
        parse="smoothing",
    )
    start: str = setting(
        "uniform",
        "Initial weights of the examples. balanced gives half of the weight of an example to its "
        "own labels.",
        choices=("uniform", "balanced"),
    )
    class_weight: tuple[str, ...] = setting(
        (),
        "LABEL=FACTOR multiplies the weights of the documents with this label; repeat it for "
        "several labels. balanced gives each label the same total weight.",
    )
    coloring: str = setting(
        "random",
        "How oc and ecoc divide the labels into two groups in each round.",
        choices=("random", "even", "climbed"),
    )
    coding: str = setting(
        "spread",
        "How the output code of mo is generated.",
        choices=("random", "spread", "one-per-label", "exhaustive"),
    )
    code_length: int = setting(
        0, "Number of columns of the code; 0 is 10 log2 of the number of labels.", low=0
    )
    code: tuple[str, ...] = setting(
        (), "One row of your own output code, such as LABEL=+-+-. Repeat it for every label."
    )
    decoding: str = setting(
        "loss",
        "How the scores of the columns determine a label: the one with the smallest loss, or the "
        "one with the nearest row.",
        choices=("loss", "hamming"),
    )
    shrinkage: float = setting(
        1.0,
        "Learning rate: all votes except those of the prior rule are multiplied by it.",
        above=0,
        high=1,
    )
    term_fraction: float = setting(
        1.0,
        "Fraction of the conditions, drawn at random, that can be chosen in a round.",
        above=0,
        high=1,
    )
    rarity: float = setting(
        0.0,
        "Preference for rare terms: gains are multiplied by this power of ln(m/df).",
        low=0,
        high=16,
    )
    reuse: float = setting(
        1.0,
        "Factor by which the gain of a condition is multiplied for each time that it was chosen.",
        above=0,
        high=1,
    )
    terms: int = setting(
        0,
        "Maximum number of distinct conditions; once it is reached, rules reuse them. 0 means no "
        "limit.",
        low=0,
    )
    threshold: float = setting(
        0.0,
        "Score above which a label is predicted, if documents may have several.",
        low=-1e6,
        high=1e6,
    )
    max_literals: int = setting(
        0,
        "Maximum number of conditions in a rule of the learners rules and conjunction; 0 means 4.",
        low=0,
        high=64,
    )
    grow_fraction: float = setting(
        0.667,
        "Fraction of the data on which such a rule is grown; it is pruned on the rest. 1 turns "
        "pruning off.",
        above=0,
        high=1,
    )
    default_rule: bool = setting(
        True,
        "Conjunctions only: in each round, a rule without conditions competes as well.",
        negative=True,
    )
    rules_for: str = setting(
        "",
        "Conjunctions only: learn only rules that vote for this label, except for the default "
        "rule.",
    )
    tree_depth: int = setting(
        0, "Depth of trees. 0 means 3 levels for tree, and no limit for adtree.", low=0, high=64
    )
    rules_per_round: int = setting(
        5, "Number of rules whose votes mh-kr averages.", low=1, high=10_000
    )
    finish: float = setting(
        0.0,
        "Share of the loss that is left when rules are no longer learned one by one. A last round "
        "then updates the votes of all terms at once, as parallel does; if rounds come to their "
        "end before, it is the last of them. 0 learns all rules one by one.",
        low=0,
        high=1,
    )
    updates: int = setting(
        20,
        "Number of times that a round of parallel, or the last round of --finish, updates the "
        "votes of all terms, at most.",
        low=1,
        high=10_000,
    )
    seed: int = setting(0, "Seed for random numbers.", low=0, high=2**32 - 1)

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
        """Raise an error if the algorithm does not support the settings, with those it supports."""
        of = f" --votes {self.votes_name()}" * bool(row.real_alpha)
        for name, who, values in (("votes", "", tuple(row.votes)), ("alpha", of, self._alphas())):
            value = getattr(self, name)
            ways = " or ".join("auto" if way == "own" else way for way in values)
            if value not in ("auto", *values):
                raise SettingsError(
                    f"{self.algorithm}{who} goes with --{name} {ways}, not with {value}"
                )
        ours = {f.name for f in self.fields() if getattr(self, f.name) != f.default}
        learner = self.learner_name()
        if learner not in row.learners:
            ways = " or ".join(name for name in row.learners if name in LEARNERS)
            raise SettingsError(
                f"{self.algorithm} goes with --learner {ways or 'auto'}, not with {learner}"
            )
        theirs = {
            *LEARNER_SETTINGS[learner],
            *(LEARNER_SETTINGS["parallel"] if self.finish else ()),
        }
        for name in sorted(ours & set(OF_LEARNERS) - theirs):
            able = [n for n, names in LEARNER_SETTINGS.items() if name in names]
            rows = [n for n, r in ALGORITHMS.items() if r.learners[0] in able]
            option = f"--{name.replace('_', '-')}"
            asked = " or ".join(n for n in able if n in LEARNERS and len(row.learners) > 1)
            more = f", and --learner {asked}" * bool(asked)
            more += ", and any with --finish" * (name in LEARNER_SETTINGS["parallel"])
            raise SettingsError(
                f"{self._who()} does not go with {option}; {', '.join(rows)} do{more}"
            )
        refused = {
            "--abstain": self.abstain and not (row.abstains and learner in SILENT_OUTSIDE),
            "--index": self.index != "z" and learner not in LEARNERS,
            "--resample": self.resample and (row.loss == "resampled" or learner not in LEARNERS),
            "--rules-for": bool(self.rules_for) and not row.signed,
            "--start balanced": self.start == "balanced" and not row.balanced,
            "--shrinkage": self.shrinkage != 1 and not row.shrinks,
            "--prior-rule": self.prior_rule and not row.prior,
            "--finish": self.finish > 0 and not (row.finishes and self.votes_name() == "real"),
        }
        for option, wrong in refused.items():
            if wrong:
                raise SettingsError(f"{self._who()} does not go with {option}; use mh")

    def _who(self) -> str:
        return self.algorithm + f" --learner {self.learner}" * (self.learner != "auto")

    def learner_name(self) -> str:
        """The weak learner: the one that is set, or the algorithm's default."""
        return ALGORITHMS[self.algorithm].learners[0] if self.learner == "auto" else self.learner

    def votes_name(self) -> str:
        """real or discrete: the one that is set, or the algorithm's default."""
        return next(iter(ALGORITHMS[self.algorithm].votes)) if self.votes == "auto" else self.votes

    def alpha_name(self) -> str:
        """How votes are scaled: the method that is set, or the algorithm's default."""
        return self._alphas()[0] if self.alpha == "auto" else self.alpha

    def _alphas(self) -> tuple[str, ...]:
        """The methods to scale votes, the default first."""
        row = ALGORITHMS[self.algorithm]
        return row.real_alpha if row.real_alpha and self.votes_name() == "real" else row.alpha

    def speaking(self) -> tuple[float, float, float]:
        """1 for each block (unknown, no, yes) that votes, 0 for one that abstains."""
        return float(self.unknown == "votes"), float(not self.abstain), 1.0

    def smoothing_value(self, m: float, k: int) -> float:
        """Return epsilon for m examples and k labels.

        Source: SF12 s9.2.6 for 1/m; SS99 s4.2 and s10 for 1/(2mk); BT00 for 1/(mk).
        """
        if not isinstance(self.smoothing, str):
            return self.smoothing
        if share := fields.SHARE_OF_M.fullmatch(self.smoothing):
            return float(share[1]) / m
        return {"ss99": 1 / (2 * m * k), "bt00": 1 / (m * k)}[self.smoothing]
