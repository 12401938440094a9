"""What is learned: the algorithm, its weak learner, and every number that they go by."""

from __future__ import annotations

from dataclasses import dataclass

from boostext import fields
from boostext.algorithms import ALGORITHMS, LEARNER_SETTINGS, LEARNERS, Algorithm
from boostext.errors import SettingsError
from boostext.fields import Group, label_factor, setting

OF_LEARNERS = tuple(name for names in LEARNER_SETTINGS.values() for name in names)
SILENT_OUTSIDE = ("stump", "per label", "committee")
"""Learners whose rules may be silent where their condition does not hold."""


@dataclass(frozen=True)
class BoostingSettings(Group):
    """What is learned. Kept in the model; with the data and `seed` it fixes every byte of it."""

    algorithm: str = setting("mh", "Boosting algorithm.", choices=tuple(ALGORITHMS))
    learner: str = setting(
        "auto", "The rule of a round: one condition, several with one vote where all hold and one "
        "elsewhere, a tree, the next rule of an alternating tree, or several, silent elsewhere.",
        choices=("auto", *LEARNERS),
    )  # fmt: skip
    index: str = setting(
        "z", "What conditions are chosen by: the algorithm's own Z, or an index of purity.",
        choices=("z", "gini", "entropy", "kearns-mansour"),
    )  # fmt: skip
    resample: bool = setting(
        False, "Choose rules on examples drawn by their weights, as many as there are, and not on "
        "the weights themselves.", negative=True,
    )  # fmt: skip
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
        "bound or newton's method. Others: numerically, by the least loss, in place of auto; votes "
        "of one size that may be silent also in Freund and Schapire's conservative way.",
        choices=("auto", "bound", "exact", "numeric", "newton", "conservative"),
    )  # fmt: skip
    abstain: bool = setting(
        False, "Rules are silent where the term is absent, those of numbers on one side of their "
        "threshold.", negative=True,
    )  # fmt: skip
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
        "1/m", "Added to block weights in votes: a number, or for m documents and k labels 1/m, "
        "0.2/m or the like, ss99 (1/(2mk)) or bt00 (1/(mk)).",
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
        0,
        "Conditions in a rule of the learners rules and conjunction, at most; 0 is 4.",
        low=0,
        high=64,
    )
    grow_fraction: float = setting(
        0.667, "Share of the data to grow such a rule on; it is pruned on the rest. 1: not pruned.",
        above=0, high=1,
    )  # fmt: skip
    default_rule: bool = setting(
        True, "Conjunctions: a rule about every document competes in each round.", negative=True
    )
    rules_for: str = setting(
        "",
        "Conjunctions: only such as speak for this label; the default rule is free.",
    )
    tree_depth: int = setting(
        0, "Levels of conditions: in a tree 0 is 3, in an adtree any number.", low=0, high=64
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
        learner = self.learner_name()
        if learner not in row.learners:
            ways = " or ".join(name for name in row.learners if name in LEARNERS)
            raise SettingsError(
                f"{self.algorithm} goes with --learner {ways or 'auto'}, not with {learner}"
            )
        for name in sorted(ours & set(OF_LEARNERS) - set(LEARNER_SETTINGS[learner])):
            able = [n for n, names in LEARNER_SETTINGS.items() if name in names]
            rows = [n for n, r in ALGORITHMS.items() if r.learners[0] in able]
            option = f"--{name.replace('_', '-')}"
            asked = " or ".join(n for n in able if n in LEARNERS and len(row.learners) > 1)
            more = f", and --learner {asked}" * bool(asked)
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
        }
        for option, wrong in refused.items():
            if wrong:
                raise SettingsError(f"{self._who()} does not go with {option}; use mh")

    def _who(self) -> str:
        return self.algorithm + f" --learner {self.learner}" * (self.learner != "auto")

    def learner_name(self) -> str:
        """The weak learner: as set, or the algorithm's first."""
        return ALGORITHMS[self.algorithm].learners[0] if self.learner == "auto" else self.learner

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

    def smoothing_value(self, m: float, k: int) -> float:
        """Epsilon for m examples and k labels.

        Source: SF12 s9.2.6 for 1/m; SS99 s4.2 and s10 for 1/(2mk); BT00 for 1/(mk).
        """
        if not isinstance(self.smoothing, str):
            return self.smoothing
        if share := fields.SHARE_OF_M.fullmatch(self.smoothing):
            return float(share[1]) / m
        return {"ss99": 1 / (2 * m * k), "bt00": 1 / (m * k)}[self.smoothing]
