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
    grower: where rules may stand: "stump" is one condition for all documents, others are in
    GROWERS.
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
    grower: str = "stump"
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

MH = Algorithm(EXP, REAL | DISCRETE, abstains=True, balanced=True, prior=True)
MR = Algorithm(
    "ranking", DISCRETE | REAL, prior=True, alpha=SIZED, real_alpha=("newton", "bound"), link=0,
    bounds="ranking loss",
)  # fmt: skip
OC = Algorithm(
    "wrong labels", HEDGED, colored=True, one_label=True, link=0, signed=False,
    bounds="ranking loss",
)  # fmt: skip
M1 = Algorithm(
    "example", PLURALITY, one_label=True, link=0, signed=False, bounds="error",
    stops="no rule is right on more than half of the weight",
)  # fmt: skip
BAGGING = Algorithm(
    "resampled", MAJORITY, one_label=True, shrinks=False, link=0, signed=False, bounds=""
)
CODES = Algorithm(
    EXP, REAL | DISCRETE, coded=True, one_label=True, prior=True, link=0, signed=False
)

GROWN = Algorithm(
    EXP, REAL, balanced=True, prior=True, alpha=("own", "numeric"), grower="conjunction"
)
LISTS = replace(GROWN, votes=REAL | DISCRETE, grower="decision rule")

ALGORITHMS = {
    "mh": MH,
    "logistic": replace(MH, loss=LOG, votes=REAL, link=1),
    "adaboost-r": Algorithm(EXP, MARGIN, balanced=True, shrinks=False, prior=True, link=1),
    "mr": MR,
    "m2": replace(MR, one_label=True),
    "mo": CODES,
    "logistic-codes": replace(CODES, loss=LOG, votes=REAL),
    "oc": OC,
    "ecoc": replace(OC, loss="constant", votes=COLOR, shrinks=False, bounds=""),
    "m1": M1,
    "bagging": BAGGING,
    "arc-x4": replace(BAGGING, loss="arc-x4"),
    "slipper": GROWN,
    "decrules": LISTS,
    "decrules-r": replace(LISTS, votes=MARGIN, shrinks=False, alpha=("own",), link=1),
    "adtree": replace(GROWN, grower="alternating tree"),
    "adtree-logistic": replace(GROWN, loss=LOG, grower="alternating tree", link=1),
    "trees": replace(GROWN, grower="decision tree"),
    "mp": replace(MH, grower="per label"),
    "mh-kr": replace(MH, grower="committee"),
}

GROWER_SETTINGS: dict[str, tuple[str, ...]] = {
    "stump": (),
    "conjunction": ("max_literals", "grow_fraction", "default_rule"),
    "decision rule": ("max_literals", "grow_fraction"),
    "alternating tree": ("tree_depth",),
    "decision tree": ("tree_depth",),
    "per label": (),
    "committee": ("rules_per_round",),
}
"""The settings that each grower alone looks at."""
