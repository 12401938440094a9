"""The algorithms: each is a row of choices, and no more than that.

A new row made of existing choices is a new algorithm: it trains, predicts and is explained like
the others. Columns name entries of the tables in `boostext/boosting/`: what a loss, a vote, a view
does is written there, with its source.
"""

from __future__ import annotations

from dataclasses import dataclass, replace


@dataclass(frozen=True)
class Algorithm:
    """loss: scores to weights (LOSSES). votes: `--votes` to a key of VOTES, the default first.

    coded: labels become the columns of an output code (CODINGS), and back at prediction.
    colored: each round sees the labels in two colors (COLORINGS).
    one_label: every example must have exactly one label.
    abstains, balanced, shrinks, prior: `--abstain`, `--start balanced`, `--shrinkage`,
    `--prior-rule` are allowed.
    learners: what the rules of a round may be (keys of GROWERS), the default first.
    alpha: allowed ways to size votes, the default first; "own" is the one in VOTES. real_alpha: of
    real votes, where these have ways of their own.
    link: probability = 1 / (1 + exp(-link f)); 0 where scores are no log odds: shares of votes,
    losses of codes, ranks.
    signed: a score above 0 speaks for its label; not where scores are shares of votes or losses.
    bounds: what the product of Z bounds, "" for nothing. stops: said when no rule is left.
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


REAL, DISCRETE, MARGIN = {"real": "real"}, {"discrete": "discrete"}, {"real": "margin"}
PLURALITY, MAJORITY = {"discrete": "plurality"}, {"discrete": "majority"}
HEDGED, COLOR = {"discrete": "hedged"}, {"discrete": "color"}
EXP, LOG = "exponential", "logistic"
SIZED = ("bound", "exact", "numeric")

LEARNERS = ("stump", "rules", "tree", "adtree", "conjunction")
"""What can be asked for by name: one condition; several, with a vote where all hold and another
elsewhere; a decision tree; the next rule of an alternating tree; several, silent elsewhere.
"""
WHOLE = LEARNERS[:3]
"""Rules that vote on every document: what votes that all count alike are made for."""
OWN, OF_ONE_SIZE = ("own", "numeric"), ("own", "numeric", "conservative")

MH = Algorithm(
    EXP, REAL | DISCRETE, abstains=True, balanced=True, prior=True, learners=LEARNERS,
    alpha=OF_ONE_SIZE, real_alpha=OWN,
)  # fmt: skip
LOGISTIC = replace(MH, loss=LOG, votes=REAL, link=1)
MARGINS = replace(
    MH, votes=MARGIN, abstains=False, shrinks=False, link=1, alpha=("own",), real_alpha=()
)
MR = Algorithm(
    "ranking", DISCRETE | REAL, prior=True, learners=LEARNERS, alpha=SIZED,
    real_alpha=("newton", "bound"), link=0, bounds="ranking loss",
)  # fmt: skip
OC = Algorithm(
    "wrong labels", HEDGED, colored=True, one_label=True, learners=LEARNERS, link=0, signed=False,
    bounds="ranking loss",
)  # fmt: skip
M1 = Algorithm(
    "example", PLURALITY, one_label=True, learners=LEARNERS, link=0, signed=False, bounds="error",
    stops="no rule is right on more than half of the weight",
)  # fmt: skip
BAGGING = Algorithm(
    "resampled", MAJORITY, one_label=True, learners=WHOLE, shrinks=False, link=0, signed=False,
    bounds="",
)  # fmt: skip
CODES = Algorithm(
    EXP, REAL | DISCRETE, coded=True, one_label=True, prior=True, learners=LEARNERS,
    alpha=OF_ONE_SIZE, real_alpha=OWN, link=0, signed=False,
)  # fmt: skip


def _paired(row: Algorithm, learner: str) -> Algorithm:
    """A row with one learner, which votes as its papers have it."""
    return replace(row, learners=(learner,), abstains=False)


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
}
"""Those from slipper to trees are pairs of an algorithm and a learner that have names of their
own.
"""

LEARNER_SETTINGS: dict[str, tuple[str, ...]] = {
    "stump": (),
    "conjunction": ("max_literals", "grow_fraction", "default_rule", "rules_for"),
    "rules": ("max_literals", "grow_fraction"),
    "adtree": ("tree_depth",),
    "tree": ("tree_depth",),
    "per label": (),
    "committee": ("rules_per_round",),
}
"""The settings that each learner alone looks at."""
