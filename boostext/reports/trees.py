"""Rules with preconditions as trees, drawn as text or exported for Graphviz.

A split tests one condition and has a branch for each of its outcomes (yes, no, unknown). A branch
has votes and may contain further splits. The score of a document is the sum of the votes of all
branches that it reaches.
"""

from __future__ import annotations

import itertools
from collections import deque
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field

import numpy as np
from rich.text import Text

from boostext.arrays import Float64
from boostext.boosting.rules import Rule
from boostext.features.conditions import (
    NO,
    UNKNOWN,
    YES,
    Always,
    Condition,
    spell,
)
from boostext.fields import count
from boostext.model.model import Model
from boostext.reports.escape import one_line
from boostext.reports.layout import HEAD, QUIET, Page, shorten, signed, stack
from boostext.reports.rules import text_field_count
from boostext.reports.tables import key_to_bars, strongest

NAMES = {YES: "yes", NO: "no", UNKNOWN: "unknown"}
DOT_LABELS = 4
MOST_SPLITS = 20_000
"""Maximum number of splits in a drawing. A small file can hold rules with many preconditions."""


@dataclass(eq=False)
class Split:
    """A test of one condition.

    rounds: the rounds that learned rules for this split; empty if it is only a precondition of
    other rules. branches: the branches by block (YES, NO or UNKNOWN).
    """

    condition: Condition
    rounds: list[int]
    branches: dict[int, Branch]


@dataclass(eq=False)
class Branch:
    """An outcome of a split, or the root of a tree.

    votes: (k,), summed over rules. splits: the splits that are tested in this branch. left_out: of
    the root of a tree, the number of rules that are not in it because there are too many splits.
    """

    votes: Float64
    splits: list[Split] = field(default_factory=list)
    left_out: int = 0


def is_flat(model: Model) -> bool:
    """Return whether no rule has a precondition, so that a table is a better display than trees."""
    return not any(rule.precondition for rule in model.rules)


def forest(model: Model, limit: int | None = None) -> list[Branch]:
    """Return the roots of the trees of the first `limit` rounds, or of all rounds.

    The result is a single tree of all rules, or one tree per round if a round learns several rules.
    Every document reaches the root of each tree. Rules that need more splits than MOST_SPLITS in
    all are left out.
    """
    numbered = [
        (number, rule)
        for number, rule in zip(model.rule_rounds, model.rules, strict=True)
        if limit is None or number <= limit
    ]
    splits: Splits = {}
    if not model.round_sizes:
        return [_tree(numbered, model.width, splits)] if numbered else []
    rounds: dict[int, list[tuple[int, Rule]]] = {}
    for number, rule in numbered:
        rounds.setdefault(number, []).append((number, rule))
    return [_tree(rules, model.width, splits) for rules in rounds.values()]


Splits = dict[tuple[int, Condition], Split]
"""The splits of all trees, by the id of the branch above and the condition."""


def _tree(numbered: Iterable[tuple[int, Rule]], width: int, splits: Splits) -> Branch:
    root = Branch(np.zeros(width))

    def split(here: Branch, condition: Condition) -> Split:
        key = (id(here), condition)
        if key not in splits:
            splits[key] = Split(condition, [], {b: Branch(np.zeros(width)) for b in NAMES})
            here.splits.append(splits[key])
        return splits[key]

    for number, rule in numbered:
        here = root
        if len(splits) + len(rule.precondition) > MOST_SPLITS:
            root.left_out += 1
            continue
        for condition, block in rule.precondition:
            here = split(here, condition).branches[block]
        if isinstance(rule.condition, Always):
            here.votes = here.votes + rule.votes[YES]
            continue
        made = split(here, rule.condition)
        made.rounds.append(number)
        for block, part in made.branches.items():
            part.votes = part.votes + rule.votes[block]
    return root


# Text drawings -------------------------------------------------------------------------------


def tree_drawing(model: Model, limit: int, page: Page, wanted: Sequence[int] = ()) -> Text:
    """Draw the splits with their branches below them.

    The votes of a branch are drawn as bars for the labels with the largest absolute votes. wanted:
    indices of the labels to show; by default all of them.
    """
    trees = forest(model, limit)
    if not trees:
        return Text("No rules.")
    chosen = list(wanted) or list(range(model.width))
    drawing = _Drawing(model, chosen, _greatest_vote(trees, chosen), page)
    lines = [key_to_bars(drawing.full, page)]
    for number, tree in enumerate(trees, 1):
        if model.round_sizes:
            lines.append(Text(f"round {number}", HEAD))
        lines += drawing.tree(tree)
    if left_out := sum(tree.left_out for tree in trees):
        more = f"{count(left_out, 'rule')} with too many conditions to draw; --json has all"
        lines.append(Text(more, QUIET))
    return stack(lines)


def _greatest_vote(trees: Iterable[Branch], chosen: list[int]) -> float:
    """Return the largest absolute vote for the chosen labels, which is drawn as a full bar."""
    return max(
        (float(np.abs(part.votes[chosen]).max()) for tree in trees for part in _branches(tree)),
        default=0.0,
    )


def _branches(root: Branch) -> Iterator[Branch]:
    ahead = [root]
    while ahead:
        part = ahead.pop()
        yield part
        ahead += [part for split in part.splits for part in split.branches.values()]


@dataclass(frozen=True, eq=False)
class _Drawing:
    model: Model
    chosen: list[int]
    full: float
    page: Page

    def tree(self, root: Branch) -> Iterator[Text]:
        if root.votes[self.chosen].any():
            yield self._line("", "every document", root.votes)
        yield from self._splits(root)

    def _splits(self, root: Branch) -> Iterator[Text]:
        # An explicit stack is used because trees may be deeper than the recursion limit of Python.
        fields = text_field_count(self.model)
        ahead: list[tuple[int, Split]] = [(0, split) for split in reversed(root.splits)]
        held: list[tuple[int, int, Branch]] = []
        while ahead or held:
            while held and (not ahead or ahead[-1][0] <= held[-1][0]):
                yield from self._branch(ahead, *held.pop())
            if not ahead:
                continue
            depth, split = ahead.pop()
            name = "" if self.model.round_sizes else _numbers(split.rounds)
            indent = self._indent(depth)
            line = f"{name}{spell(split.condition, fields)}"
            yield Text(indent + shorten(line, self.page.width - len(indent), self.page))
            parts = [(depth, block, part) for block, part in split.branches.items()]
            held += reversed([p for p in parts if p[2].splits or p[2].votes[self.chosen].any()])

    def _branch(
        self, ahead: list[tuple[int, Split]], depth: int, block: int, part: Branch
    ) -> Iterator[Text]:
        yield self._line(self._indent(depth) + "  ", NAMES[block], part.votes)
        ahead += [(depth + 1, split) for split in reversed(part.splits)]

    def _indent(self, depth: int) -> str:
        """Return an indent of four spaces per level, at most half of the page width."""
        return " " * min(4 * depth, self.page.width // 2)

    def _line(self, indent: str, name: str, votes: Float64) -> Text:
        left = indent + f"{name:<3}  "
        labels = [self.model.columns[j] for j in self.chosen]
        line = Text(left, QUIET)
        if votes[self.chosen].any():
            draw = strongest(labels, self.full, len(left), self.page)
            line.append_text(draw(votes[self.chosen]))
        return line


def _numbers(rounds: Sequence[int]) -> str:
    """Return the rounds of a split as text such as "1,5,9+ ", or "" if it has no rules."""
    numbers = ",".join(map(str, rounds[:3])) + "+" * (len(rounds) > 3)
    return numbers and f"{numbers} "


# Graphviz ------------------------------------------------------------------------------------


def dot(model: Model, limit: int, wanted: Sequence[int] = ()) -> Iterator[str]:
    """Yield the lines of a DOT file.

    Splits are boxes, and branches are ellipses that list the largest absolute votes. limit and
    wanted are as in `tree_drawing`.
    """
    chosen = list(wanted) or list(range(model.width))
    labels = [model.columns[j] for j in chosen]
    fields = text_field_count(model)
    yield "digraph boostext {\n"
    yield "  node [fontname=sans];\n"
    yield "  edge [fontname=sans];\n"
    numbers = itertools.count()
    for tree in forest(model, limit):
        ahead = deque([(next(numbers), tree)])
        yield _ellipse(ahead[0][0], tree.votes[chosen], labels)
        while ahead:
            above, part = ahead.popleft()
            for split in part.splits:
                box = next(numbers)
                name = ", ".join(map(str, split.rounds))
                text = (f"{name}: " if name else "") + spell(split.condition, fields)
                yield f"  n{box} [shape=box, label={_quoted(text)}];\n"
                yield f"  n{above} -> n{box} [style=dotted];\n"
                for block, below in split.branches.items():
                    if below.splits or below.votes[chosen].any():
                        ahead.append((next(numbers), below))
                        yield _ellipse(ahead[-1][0], below.votes[chosen], labels)
                        yield f"  n{box} -> n{ahead[-1][0]} [label={_quoted(NAMES[block])}];\n"
        if tree.left_out:
            yield f"  // {count(tree.left_out, 'rule')} with too many conditions to draw\n"
    yield "}\n"


def _ellipse(number: int, votes: Float64, labels: Sequence[str]) -> str:
    order = np.argsort(-np.abs(votes), kind="stable")[:DOT_LABELS].tolist()
    lines = [f"{labels[j]} {signed(float(votes[j]))}" for j in order if votes[j]]
    text = "\\n".join(_escaped(line) for line in lines)
    return f'  n{number} [shape=ellipse, label="{text}"];\n'


def _quoted(text: str) -> str:
    return f'"{_escaped(text)}"'


def _escaped(text: str) -> str:
    return one_line(text).replace("\\", "\\\\").replace('"', '\\"')
