"""Trees drawn for people and for Graphviz: every vote once, in its place, and nothing escapes."""

import re

import numpy as np

from boostext.boosting.rules import Rule
from boostext.features.conditions import NO, YES, Always, AtLeast, Literal, Occurs
from boostext.model.model import Model
from boostext.reports import trees
from boostext.reports.layout import Page
from boostext.reports.trees import _branches, dot, forest, is_flat, tree_drawing
from tests.reports.models import HOSTILE

WORD, AGE = Occurs("text", ("bill",)), AtLeast("age", 30.0)


def rule(condition, no, yes, *before):
    return Rule(condition, np.array([[0.0, 0.0], no, yes]), 1.0, tuple(before))


def model_of(*rules, labels=("x", "y"), sizes=()):
    return Model(labels, False, rules, round_sizes=sizes)


def alternating():
    return model_of(
        rule(Always(), [0, 0], [0.1, -0.1]),
        rule(WORD, [-0.5, 0.25], [1.0, -1.0]),
        rule(AGE, [0.0, 0.5], [0.75, 0.0], Literal(WORD, YES)),
        rule(WORD, [-0.5, 0.0], [0.5, 0.0]),
    )


def text_of(drawing):
    return [line.rstrip() for line in drawing.plain.split("\n")]


def test_rules_stand_below_the_block_that_they_need():
    """A full bar is 1.5, the sum of the two rules about `bill`; x first where it is for."""
    assert text_of(tree_drawing(alternating(), 10, Page(60)))[1:] == [
        "every document  ▃▃ +0.10 x ░░ -0.10 y",
        "2,4 bill",
        "  yes  ██ +1.50 x ▒▒ -1.00 y",
        "    3 age >= 30",
        "      yes  ▅▅ +0.75 x",
        "      no   ▃▃ +0.50 y",
        "  no   ▃▃ +0.25 y ▒▒ -1.00 x",
    ]


def test_every_vote_is_in_the_forest_once():
    model = alternating()
    total = sum(part.votes for tree in forest(model) for part in _branches(tree))
    np.testing.assert_allclose(total, sum(r.votes.sum(axis=0) for r in model.rules))


def test_rounds_of_several_rules_are_a_tree_each():
    model = model_of(
        rule(WORD, [0.5, 0.0], [0, 0]),
        rule(AGE, [1, 0], [0, 1], Literal(WORD, YES)),
        rule(WORD, [-0.5, 0.0], [0, 1]),
        sizes=(2, 1),
    )
    assert len(forest(model)) == 2
    lines = text_of(tree_drawing(model, 10, Page(60)))
    assert [line for line in lines if line.startswith("round")] == ["round 1", "round 2"]
    assert len(forest(model, 1)) == 1


def test_votes_after_a_full_conjunction_stand_in_its_block():
    """What decision rules say where all holds is a rule about every document under them."""
    (tree,) = forest(model_of(rule(Always(), [0, 0], [1, 2], Literal(WORD, NO))))
    assert tree.splits[0].branches[NO].votes.tolist() == [1, 2]
    assert not tree.splits[0].branches[YES].votes.any()


def test_plain_rules_are_flat():
    assert is_flat(model_of(rule(WORD, [0, 0], [1, 2])))
    assert not is_flat(alternating())


def test_a_chain_of_a_thousand_rules_is_drawn():
    chain, rules = (), []
    for n in range(1000):
        condition = Occurs("text", (f"w{n}",))
        rules.append(rule(condition, [-1, 0], [1, 0], *chain))
        chain = (*chain, Literal(condition, NO))
    model = model_of(*rules[::10])
    lines = text_of(tree_drawing(model, 5000, Page(60)))
    assert all(len(line) <= 60 for line in lines)
    assert "".join(dot(model, 5000)).count("->") > 1000


def test_a_rule_with_too_many_conditions_is_left_out_of_drawings(monkeypatch):
    """A model of 3 MB may hold a rule with 300,000 preconditions."""
    monkeypatch.setattr(trees, "MOST_SPLITS", 3)
    deep = rule(WORD, [-1, 0], [1, 0], *[Literal(Always(), YES)] * 4)
    model = model_of(rule(AGE, [0, 0.5], [0.75, 0]), deep)
    lines = text_of(tree_drawing(model, 10, Page(60)))
    assert lines[1] == "1 age >= 30"
    assert lines[-1] == "1 rule with too many conditions to draw; --json has all"
    assert "  // 1 rule with too many conditions to draw\n" in list(dot(model, 10))


def test_a_dot_file_has_every_split_and_its_blocks():
    lines = list(dot(alternating(), 10))
    assert lines[0] == "digraph boostext {\n"
    assert lines[-1] == "}\n"
    boxes = [line for line in lines if "shape=box" in line]
    assert [re.search('label="(.*)"', line)[1] for line in boxes] == [
        "2, 4: bill",
        "3: age >= 30",
    ]
    assert sum('label="yes"' in line for line in lines) == 2


def test_nothing_hostile_leaves_its_label_in_a_dot_file():
    word = Occurs("text", (HOSTILE + '"];x[label="',))
    model = model_of(rule(word, [0, 0], [1.0, 2.0]), labels=('a"\n]', HOSTILE))
    for line in dot(model, 10):
        assert line.count("\n") == 1
        bare = re.sub(r'"(?:[^"\\]|\\.)*"', "", line)
        assert re.fullmatch(r"[\w\s{}\[\];=,>-]*", bare)
