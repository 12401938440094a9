"""The algorithms. Each is defined by a row of choices and nothing else.

A new row of existing choices is a new algorithm, which trains, predicts and is explained like the
others. The values refer to the tables in `boostext/boosting/`, which define each loss, vote and
view and cite its source.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

EXP, LOG = "exponential", "logistic"
"""The losses of algorithms whose scores are log odds."""


@dataclass(frozen=True)
class Algorithm:
    """The choices that define an algorithm.

    loss: converts scores to weights (LOSSES). votes: maps values of `--votes` to keys of VOTES, the
    default first.
    coded: labels become the columns of an output code (CODINGS), which prediction decodes.
    colored: each round divides the labels into two colors (COLORINGS).
    one_label: every example must have exactly one label.
    abstains, balanced, shrinks, prior: whether `--abstain`, `--start balanced`, `--shrinkage` and
    `--prior-rule` are allowed.
    learners: the allowed weak learners (keys of GROWERS), the default first.
    alpha: the allowed methods to scale votes, the default first; "own" is the one in VOTES.
    real_alpha: those for real votes, if they differ.
    link: probability = 1 / (1 + exp(-link f)); 0 if scores are not log odds, such as shares of
    votes, losses of codes, or ranks.
    signed: whether a positive score favors its label; not so for shares of votes and losses.
    bounds: what the product of Z is a bound of, "" for nothing. stops: the message if no rule is
    left.
    """

    loss: str
    votes: dict[str, str]
    coded: bool = False
    colored: bool = False
    one_label: bool = False
    abstains: bool = False
    balanced: bool = False
    shrinks: bool = True
    prior: bool = False
    learners: tuple[str, ...] = ("stump",)
    alpha: tuple[str, ...] = ("own",)
    real_alpha: tuple[str, ...] = ()
    link: float = 2.0
    signed: bool = True
    bounds: str = "Hamming loss"
    stops: str = "no condition helps"

    @property
    def all_at_once(self) -> bool:
        """Whether a round has a rule for every condition."""
        return self.learners == ("parallel",)

    @property
    def finishes(self) -> bool:
        """Whether `--finish` is allowed: whether scores are log odds that votes are added to."""
        return self.loss in (EXP, LOG) and self.link > 0 and self.shrinks and not self.all_at_once


REAL, DISCRETE, MARGIN = {"real": "real"}, {"discrete": "discrete"}, {"real": "margin"}
PLURALITY, MAJORITY = {"discrete": "plurality"}, {"discrete": "majority"}
HEDGED, COLOR = {"discrete": "hedged"}, {"discrete": "color"}
SIZED = ("bound", "exact", "numeric")

LEARNERS = ("stump", "rules", "tree", "adtree", "conjunction")
"""The weak learners that can be requested by name: a single condition; several conditions, with one
vote if all hold and another otherwise; a decision tree; the next rule of an alternating decision
tree; and several conditions that abstain unless all hold.
"""
WHOLE = LEARNERS[:3]
"""Learners whose rules vote on every document, as votes with equal weights require."""
OWN, OF_ONE_SIZE = ("own", "numeric"), ("own", "numeric", "conservative")

MH = Algorithm(
    EXP,
    REAL | DISCRETE,
    abstains=True,
    balanced=True,
    prior=True,
    learners=LEARNERS,
    alpha=OF_ONE_SIZE,
    real_alpha=OWN,
)
LOGISTIC = replace(MH, loss=LOG, votes=REAL, link=1)
MARGINS = replace(
    MH, votes=MARGIN, abstains=False, shrinks=False, link=1, alpha=("own",), real_alpha=()
)
MR = Algorithm(
    "ranking",
    DISCRETE | REAL,
    prior=True,
    learners=LEARNERS,
    alpha=SIZED,
    real_alpha=("newton", "bound"),
    link=0,
    bounds="ranking loss",
)
OC = Algorithm(
    "wrong labels",
    HEDGED,
    colored=True,
    one_label=True,
    learners=LEARNERS,
    link=0,
    signed=False,
    bounds="ranking loss",
)
M1 = Algorithm(
    "example",
    PLURALITY,
    one_label=True,
    learners=LEARNERS,
    link=0,
    signed=False,
    bounds="error",
    stops="no rule is right on more than half of the weight",
)
BAGGING = Algorithm(
    "resampled",
    MAJORITY,
    one_label=True,
    learners=WHOLE,
    shrinks=False,
    link=0,
    signed=False,
    bounds="",
)
CODES = Algorithm(
    EXP,
    REAL | DISCRETE,
    coded=True,
    one_label=True,
    prior=True,
    learners=LEARNERS,
    alpha=OF_ONE_SIZE,
    real_alpha=OWN,
    link=0,
    signed=False,
)


def _paired(row: Algorithm, learner: str) -> Algorithm:
    """Return a row with a single learner, which votes as in its papers."""
    return replace(row, learners=(learner,), abstains=False)


PARALLEL = replace(_paired(MH, "parallel"), votes=REAL, prior=False, alpha=("own",), real_alpha=())
ALGORITHMS = {
    "mh": MH,
    "logistic": LOGISTIC,
    "adaboost-r": MARGINS,
    "mr": MR,
    "m2": replace(MR, one_label=True),
    "mo": CODES,
    "logistic-codes": replace(CODES, loss=LOG, votes=REAL),
    "oc": OC,
    "ecoc": replace(OC, loss="constant", votes=COLOR, learners=WHOLE, shrinks=False, bounds=""),
    "m1": M1,
    "bagging": BAGGING,
    "arc-x4": replace(BAGGING, loss="arc-x4"),
    "slipper": _paired(MH, "conjunction"),
    "decrules": _paired(MH, "rules"),
    "decrules-r": _paired(MARGINS, "rules"),
    "adtree": _paired(MH, "adtree"),
    "adtree-logistic": _paired(LOGISTIC, "adtree"),
    "trees": _paired(MH, "tree"),
    "mp": replace(MH, learners=("per label",), alpha=("own",), real_alpha=()),
    "mh-kr": replace(MH, learners=("committee",), alpha=("own",), real_alpha=()),
    "parallel": PARALLEL,
    "parallel-logistic": replace(PARALLEL, loss=LOG, link=1),
}
"""The algorithms from slipper to trees combine an algorithm and a learner under a common name."""

LEARNER_SETTINGS: dict[str, tuple[str, ...]] = {
    "stump": (),
    "conjunction": ("max_literals", "grow_fraction", "default_rule", "rules_for"),
    "rules": ("max_literals", "grow_fraction"),
    "adtree": ("tree_depth",),
    "tree": ("tree_depth",),
    "per label": (),
    "committee": ("rules_per_round",),
    "parallel": ("updates",),
}
"""The settings that only one learner uses."""
