"""Conjunctions, trees and several rules a round, on the command line from end to end."""

import json
import re

import pytest

from boostext.algorithms import ALGORITHMS

GROWN = [name for name, row in ALGORITHMS.items() if row.learners[0] != "stump"]


@pytest.fixture(scope="module", params=GROWN)
def trained(request, run, corpus, tmp_path_factory):
    """The algorithm, its model, and what training said."""
    folder = tmp_path_factory.mktemp(request.param)
    model = folder / "m.boostext"
    done = run(
        "train",
        corpus,
        "-o",
        model,
        "--algorithm",
        request.param,
        "--rounds",
        6,
        "--report",
        folder / "report",
    )
    assert done.exit_code == 0, done.stderr
    return request.param, model, done.stdout, folder / "report"


def test_training_counts_rules_and_rounds(trained, run):
    _, model, said, _ = trained
    told = re.search(r": (\d+) rules?(?: in (\d+) rounds?)? over", said)
    shown = json.loads(run("inspect", model, "--json", "--top", 1000).stdout)
    assert int(told[1]) == shown["model"]["rules"]
    if told[2]:
        assert int(told[2]) == max(row["number"] for row in shown["rules"])


def test_the_trace_has_a_line_a_round(trained):
    _, _, _, report = trained
    lines = [json.loads(line) for line in (report / "trace.jsonl").read_text("utf-8").splitlines()]
    assert [line["number"] for line in lines] == list(range(1, len(lines) + 1))


def test_inspection_shows_every_rule(trained, run):
    _, model, _, _ = trained
    done = run("inspect", model, "--top", 100)
    assert done.exit_code == 0, done.stderr
    assert "votes for" in done.stdout


def test_a_dot_file_is_whole(trained, run):
    _, model, _, _ = trained
    said = run("inspect", model, "--dot").stdout
    assert said.startswith("digraph boostext {\n")
    assert said.endswith("}\n")
    assert said.count("{") == said.count("}")


def test_explained_votes_add_up_to_the_score(trained, run, corpus):
    """The loudest rules, and the rest, of each label."""
    _, model, _, _ = trained
    done = run("predict", model, corpus, "--explain", 50, "--output", "jsonl", "--all-scores")
    assert done.exit_code == 0, done.stderr
    for line in done.stdout.splitlines():
        result = json.loads(line)
        for label, told in result["explanation"].items():
            said = sum(rule["votes"] for rule in told["rules"]) + told["rest"]
            assert said == pytest.approx(result["scores"][label], abs=1e-9)


def test_an_explanation_is_drawn(trained, run, corpus):
    _, model, _, _ = trained
    done = run("predict", model, corpus, "--explain", 3)
    assert done.exit_code == 0, done.stderr
    assert "score" in done.stdout
