"""Alternating decision trees, in which a rule applies below any block of any earlier rule.

Source: Freund & Mason 1999; SF12 Algorithm 9.4.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field

import numpy as np

from boostext.arrays import Float64
from boostext.boosting.choice import TIE, first_of_best
from boostext.boosting.engines.tables import gains_of
from boostext.boosting.growers.state import GrowerState, helps
from boostext.boosting.membership import ALWAYS
from boostext.boosting.reach import Numbers
from boostext.boosting.rules import SILENT, Growth, Place
from boostext.errors import SettingsError
from boostext.features.conditions import UNKNOWN

DEEPEST = 12
"""Levels of the tree down to which the block weights of a branch may be computed by subtraction.

Below them, block weights are always summed over documents, so that not too many are kept.
"""

Literals = tuple[tuple[int, int], ...]


@dataclass(eq=False)
class Node:
    """A precondition, below which rules may be added.

    order: the number of nodes created before it; the first among equally good nodes is chosen.
    literals: the conditions that must hold, with their blocks. documents: those that meet them.
    weight: the sum of the weights of these documents. splits: for each rule with this
    precondition, the nodes of the blocks in which it votes.
    """

    order: int
    literals: Literals
    documents: Numbers
    weight: float
    splits: list[tuple[Node, ...]] = field(default_factory=list)


def alternating_tree(state: GrowerState, number: int) -> Growth | None:
    """Learn the rule whose precondition and condition minimise Z; None if no rule lowers the loss.

    For real votes, Z = W(precondition fails) + 2 sum over blocks and labels of sqrt(W+ W-). The
    rule of round 1 has no condition and gives all documents the same votes. With a `tree_depth`
    of d, a precondition has fewer than d conditions.
    """
    if number == 1:
        root = state.always()
        if helps(root.gain):
            return root
    nodes = _nodes(state)
    search = _Search(state, number)
    search.below(nodes[0])
    found = search.winner(nodes)
    if found is None:
        return None
    literals, condition = found
    unknown = 2 if state.speaks[UNKNOWN] else SILENT
    return state.hypothesis([Place(literals, condition)], [(unknown, 0, 1)])


def _nodes(state: GrowerState) -> list[Node]:
    """Return the preconditions that a new rule may have, the root first.

    They are the root, which all documents meet, and each block in which an earlier rule votes, as
    far as `tree_depth` allows. Raises SettingsError if a rule of a resumed model has a precondition
    that is not one of them.
    """
    weights = state.flat().sum(axis=1)
    deepest = state.settings.tree_depth or state.settings.rounds + 1
    root = Node(0, (), state.everything(), 1.0)
    nodes: dict[Literals, Node] = {(): root}
    reach = state.reach
    for literals, condition in dict.fromkeys(state.places):
        if condition == ALWAYS or len(literals) + 1 >= deepest:
            continue
        if literals not in nodes:
            raise SettingsError(
                "cannot resume: a rule of the model hangs under conditions that no rule before it "
                "makes a branch of the tree; train anew without --resume"
            )
        blocks = reach.blocks(literals, condition)
        split = []
        for block in np.flatnonzero(state.speaks).tolist():
            documents = np.sort(blocks[block])
            key = (*literals, (condition, block))
            nodes[key] = Node(len(nodes), key, documents, float(weights[documents].sum()))
            split.append(nodes[key])
        nodes[literals].splits.append(tuple(split))
    return list(nodes.values())


class _Search:
    """The search for the largest gain among all preconditions and conditions.

    Preconditions whose documents have too little weight for the largest gain are skipped.

    subtle: weights are rounded to a grid, so that block weights are equal to the last bit whether
    they are summed over documents or found by subtraction, and whether the conditions are searched
    at once or in several pieces.
    """

    def __init__(self, state: GrowerState, number: int) -> None:
        self.state = state
        self.flat, self.open_to = state.flat(), state.open_to(number)
        self.preference = state.preference
        self.may_win = self.open_to & (self.preference > 0)
        self.most = float(self.preference.max(initial=0.0))
        self.best = -np.inf
        self.values: dict[int, float] = {}

    def below(self, root: Node) -> None:
        for piece in range(len(self.state.plain.tables.starts)):
            yes = self.state.plain.tables.listed(self.flat, root.documents, piece)
            self._listed(root, piece, yes, 0)
        if self.state.members.columns:
            self._numeric(root)

    def winner(self, nodes: list[Node]) -> tuple[Literals, int] | None:
        """Return the first precondition whose gain is within TIE of the best, and its condition.

        If several conditions are equally good, the first is returned.
        """
        for node in nodes:
            if self.values.get(node.order, -np.inf) >= self.best - TIE and np.isfinite(self.best):
                tables = self.state.plain.tables.tables(self.flat, node.documents)
                (gains,) = gains_of(tables, len(self.state.members), [self.state.gain])
                values = self.state.preferred(gains, self.open_to)
                return node.literals, first_of_best(values, self.state.preference)
        return None

    def _hopeless(self, node: Node) -> bool:
        """Return whether neither the node nor any below it can have the largest gain.

        No gain is larger than the weight of the documents of a node.
        """
        return node.weight * self.most < self.best - TIE

    def _listed(self, node: Node, piece: int, yes: Float64, depth: int) -> None:
        """Compute the gains of one piece of the listed conditions, for the node and those below it.

        yes: (c, 2k), the weights of the documents of the node for which each of the c conditions
        holds.
        """
        search = self.state.plain.tables
        start = search.starts[piece]
        unknown = search.unknown(self.flat, node.documents)
        total = self.flat[node.documents].sum(axis=0)
        self._take(node, start, self.state.gain(search.with_rest(start, yes, unknown, total)))
        for split in node.splits:
            for child, table in self._tables(node, split, piece, yes, depth):
                self._listed(child, piece, table, depth + 1)

    def _tables(
        self, node: Node, split: tuple[Node, ...], piece: int, yes: Float64, depth: int
    ) -> Iterator[tuple[Node, Float64]]:
        """Yield the blocks of a rule that may have the largest gain, with their weights (c, 2k).

        The weights of the block with the most documents are found by subtraction where that is
        less work than summing them.
        """
        search = self.state.plain.tables
        hopeful = [child for child in split if not self._hopeless(child)]
        largest = max(hopeful, key=lambda child: len(child.documents), default=None)
        if largest is None:
            return
        others = [child for child in hopeful if child is not largest]
        rest = np.setdiff1d(node.documents, largest.documents, assume_unique=True)
        if depth < DEEPEST and len(rest) < len(largest.documents):
            table = yes - search.listed(self.flat, rest, piece)
        else:
            table = search.listed(self.flat, largest.documents, piece)
        yield largest, table
        for child in others:
            yield child, search.listed(self.flat, child.documents, piece)

    def _numeric(self, node: Node) -> None:
        total = self.flat[node.documents].sum(axis=0)
        for start, W in self.state.plain.tables.cut_tables(self.flat, node.documents, total):
            self._take(node, start, self.state.gain(W))
        for split in node.splits:
            for child in split:
                if not self._hopeless(child):
                    self._numeric(child)

    def _take(self, node: Node, start: int, gains: Float64) -> None:
        part = slice(start, start + len(gains))
        values = np.where(self.may_win[part], gains * self.preference[part], -np.inf)
        value = float(values.max(initial=-np.inf))
        self.values[node.order] = max(value, self.values.get(node.order, -np.inf))
        self.best = max(self.best, value)
