"""Alternating decision trees: a rule hangs under any block of any rule before it.

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
"""Levels to which block weights are kept and subtracted; below they are summed anew."""

Literals = tuple[tuple[int, int], ...]


@dataclass(eq=False)
class Node:
    """A precondition. order: by creation, the first of equals wins. parts: its rules' blocks."""

    order: int
    literals: Literals
    documents: Numbers
    weight: float
    splits: list[tuple[Node, ...]] = field(default_factory=list)


def alternating_tree(state: GrowerState, number: int) -> Growth | None:
    """The precondition and condition of least Z; it votes in blocks NO and YES.

    For real votes Z = W(precondition fails) + 2 sum over blocks and labels of sqrt(W+ W-). The
    first rule votes by label alone. With `tree_depth` d a rule has fewer than d conditions before
    its own.
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
    """The tree of preconditions: all documents, and each speaking block of each rule once."""
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
    """Best gains of all preconditions; those that weigh too little to win are passed over.

    subtle: weights are on a grid, so that a block summed and one found by subtraction are equal to
    the last bit, and pieces of conditions can be looked at one after the other.
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
        """The first precondition within TIE of the best, and its first best condition."""
        for node in nodes:
            if self.values.get(node.order, -np.inf) >= self.best - TIE and np.isfinite(self.best):
                tables = self.state.plain.tables.tables(self.flat, node.documents)
                (gains,) = gains_of(tables, len(self.state.members), [self.state.gain])
                values = self.state.preferred(gains, self.open_to)
                return node.literals, first_of_best(values, self.state.preference)
        return None

    def _hopeless(self, node: Node) -> bool:
        """Whether neither the node nor any below can win: no gain is above the weight."""
        return node.weight * self.most < self.best - TIE

    def _listed(self, node: Node, piece: int, yes: Float64, depth: int) -> None:
        """Take in one piece of the listed conditions; yes (c, 2k): under this precondition."""
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
        """Weights under each block of a rule that may win; the largest by subtraction."""
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
