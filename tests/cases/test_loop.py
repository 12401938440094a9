"""Faults met in the field, of labels, listings, corrections and messages: a row for each case.

A row is what was at hand, what was typed, and what must and must not be said. Files are made from
their text; `m` is a model of BASE where a row has it.
"""

import json
from dataclasses import dataclass, field

import pytest
from click.testing import CliRunner

from boostext.cli import main

WORDS = {"billing": "bill invoice", "moving": "boxes house", "tech": "router broken"}


def jsonl(*rows):
    return "".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows)


def calls(count=60):
    """Labelled texts, the third of which tells its label."""
    for n in range(count):
        label = list(WORDS)[n % 3]
        word = WORDS[label].split()[n // 3 % 2]
        yield {"id": f"d{n}", "text": f"{word} please {n % 7}", "label": label}


BASE = jsonl(*calls())


@dataclass(frozen=True)
class Case:
    """files: name -> content. calls: commands, one after the other; the last one is looked at."""

    calls: tuple[str, ...]
    said: tuple[str, ...]
    unsaid: tuple[str, ...] = ()
    files: dict[str, str] = field(default_factory=dict)
    code: int = 0


TRAIN = "train base.jsonl -o m -q --rounds 30"
STRANGE = jsonl(
    {"text": "bill please", "label": "Billing"}, {"text": "boxes please", "label": "moving "}
)
HIDDEN = jsonl(
    *(
        {"text": f"word{n}", "label": label}
        for n, label in enumerate(["x", "x\u200b", "tech", "\ufefftech"])
    )
)
COMPOSED = jsonl(
    {"text": "a", "label": "caf\u00e9"},
    {"text": "b", "label": "cafe\u0301"},
    {"text": "c", "label": "\ufb01ne"},
    {"text": "d", "label": "fine"},
    {"text": "e", "label": "a b"},
    {"text": "f", "label": "a\u00a0b"},
)
EMOJI = jsonl({"text": "\U0001f600", "label": "pos"}, {"text": "\U0001f621", "label": "neg"})
MIXED = jsonl({"text": "so \U0001f600", "label": "pos"}, {"text": "so \U0001f621", "label": "neg"})
MARKS = jsonl(
    {"text": "My bill is wrong.", "label": "a"}, {"text": "my BILL, is wrong!!", "label": "b"}
)

CASES = {
    # 19: labels that look alike
    "19 evaluate": Case(
        (TRAIN, "evaluate m u.jsonl --literal-labels"),
        ("misses: 'Billing' (1)", "'moving ' (1)", "'Billing' looks like the model's 'billing'"),
        files={"u.jsonl": STRANGE},
    ),
    "19 check --test": Case(
        ("check base.jsonl --test u.jsonl --literal-labels",),
        ("'Billing' looks like 'billing' in the training data", "'moving ' looks like 'moving'"),
        files={"u.jsonl": STRANGE},
    ),
    "19 train --valid": Case(
        ("train base.jsonl --valid u.jsonl -o m --rounds 3",),
        ("validation label 'Billing' looks like 'billing' in the training data",),
        files={"u.jsonl": STRANGE},
    ),
    "19 invisible, check": Case(
        ("check z.jsonl",),
        (r"'x' (1), 'x\u200b' (1)", r"'\ufefftech' (1)"),
        ("\u200b", "\ufeff"),
        files={"z.jsonl": HIDDEN},
    ),
    "19 invisible, train": Case(
        ("train z.jsonl -o m --rounds 2",),
        ("look alike", r"'x' (1), 'x\u200b' (1)"),
        ("\u200b",),
        files={"z.jsonl": HIDDEN},
    ),
    "19 normal forms": Case(
        ("check z.jsonl",),
        ("'café' (1)", r"'cafe\u0301' (1)", r"'\ufb01ne' (1)", "'fine' (1)", r"'a\xa0b' (1)"),
        files={"z.jsonl": COMPOSED},
    ),
    "19 1 and 1.0": Case(
        ("check f.jsonl --literal-labels",),
        ("'1' (1), '1.0' (1)",),
        files={"f.jsonl": jsonl({"text": "a", "label": "1"}, {"text": "b", "label": "1.0"})},
    ),
    # 20: what the learner does not see
    "20 no token, train": Case(
        ("train e.jsonl -o m",),
        ("emoji and punctuation count with --punctuation",),
        files={"e.jsonl": EMOJI},
        code=1,
    ),
    "20 the option that is named": Case(
        ("train e.jsonl -o m --punctuation --rounds 3",),
        ("error on the training data 0.0000",),
        files={"e.jsonl": EMOJI},
    ),
    "20 no rule, train": Case(
        ("train e.jsonl -o m",),
        ("no condition helps", "count with --punctuation"),
        files={"e.jsonl": MIXED},
    ),
    "20 no token, check": Case(
        ("check e.jsonl",),
        ("2 documents with a text without any token", "with --punctuation"),
        files={"e.jsonl": EMOJI},
    ),
    "20 no token, check with the option": Case(
        ("check e.jsonl --punctuation",),
        ("2 documents",),
        ("without any token",),
        files={"e.jsonl": EMOJI},
    ),
    "20 the same to the learner": Case(
        ("check p.jsonl",),
        ("the same text with different labels: 1 group of 2 documents",),
        files={"p.jsonl": MARKS},
    ),
    "20 emoji apart": Case(
        ("check e.jsonl",),
        ("the same text with different labels: 1 group",),
        files={"e.jsonl": MIXED},
    ),
    "20 not the same with the option": Case(
        ("check e.jsonl --punctuation",),
        ("2 documents",),
        ("the same text",),
        files={"e.jsonl": MIXED},
    ),
    # 21: small things
    "21 score is not cut": Case(
        (TRAIN, "predict m --document bill --explain 1"),
        ("score", "billing, probability"),
        ("sco…",),
    ),
    "21 every bad record": Case(
        ("train base.jsonl bad.jsonl --skip-bad -o m --rounds 2",),
        ("3 bad records left out:", "bad.jsonl:1:", "bad.jsonl:2:", "bad.jsonl:4:"),
        files={"bad.jsonl": "x\n{\n" + jsonl({"text": "a", "label": "tech"}) + "[\n"},
    ),
    "21 many bad records": Case(
        ("train base.jsonl bad.jsonl --skip-bad -o m --rounds 2",),
        ("14 bad records left out:", "bad.jsonl:10:", "and 4 more"),
        ("bad.jsonl:11:",),
        files={"bad.jsonl": "x\n" * 14},
    ),
    "21 one document": Case(
        ("crossval one.jsonl",),
        ("but there is 1 document;",),
        ("1 documents",),
        files={"one.jsonl": jsonl({"text": "a", "label": "x"})},
        code=2,
    ),
    "21 how outliers were found, weights": Case(
        (TRAIN, "inspect m base.jsonl --top 1 --source weights"),
        ("by boosting weight (weights)",),
    ),
    "21 how outliers were found, cv": Case(
        (TRAIN, "inspect m base.jsonl --top 1 --source cv"),
        ("by cross-validation (cv)",),
    ),
    "21 how outliers were found, JSON": Case(
        (TRAIN, "inspect m base.jsonl --source cv --json"),
        ('"source": "cv"',),
    ),
    "21 stdout by another name": Case(
        ("convert base.jsonl /dev/stdout --to csv",),
        ("id,text,label", "d1,boxes please 1,moving"),
    ),
    "21 a model is no device": Case(
        ("train base.jsonl -o /dev/stdout",),
        ("is a device, and no file",),
        code=1,
    ),
    # the correction loop
    "corrections, train": Case(
        ("train base.jsonl -o m --rounds 2 --labels-from a.csv --labels-from b.jsonl",),
        (
            "labels of 2 documents from a.csv, b.jsonl, 1 of them changed",
            "1 id that no document has: 'gone'",
            "1 id with other labels in an earlier file: 'd0'; the last file wins",
        ),
        files={
            "a.csv": "id,label\nd0,tech\nd1,moving\ngone,tech\n",
            "b.jsonl": jsonl({"id": "d0", "labels": ["moving"]}),
        },
    ),
    "corrections, a new label": Case(
        ("train base.jsonl -o m --labels-from a.csv",),
        ("a.csv:2: no document has the label 'biling', did you mean 'billing'?", "--new-labels"),
        files={"a.csv": "id,label\nd1,biling\n"},
        code=1,
    ),
    "corrections, a new label is wanted": Case(
        ("check base.jsonl --labels-from a.csv --new-labels",),
        ("labels (4)",),
        files={"a.csv": "id,label\nd1,biling\n"},
    ),
    "corrections, an id twice": Case(
        ("check t.jsonl --labels-from a.csv",),
        ("1 id given to several documents: 'i'; all of them were changed",),
        files={
            "t.jsonl": jsonl(*({"id": "i", "text": t, "label": t} for t in "ab")),
            "a.csv": "id,label\ni,b\n",
        },
    ),
    "corrections, no id": Case(
        ("check base.jsonl --labels-from a.csv",),
        ("a.csv:1: no column id",),
        files={"a.csv": "name,label\nd1,tech\n"},
        code=1,
    ),
    "corrections, an empty id": Case(
        ("check base.jsonl --labels-from a.csv",),
        ("a.csv:2: an empty id",),
        files={"a.csv": "id,label\n,tech\n"},
        code=1,
    ),
    "corrections, a half-filled list": Case(
        ("check base.jsonl --labels-from a.csv",),
        ("labels of 1 document from a.csv, 1 of them changed; 1 with an empty label left",),
        ("with no label",),
        files={"a.csv": "id,label,likeliest\nd0,tech,billing\nd1,,moving\n"},
    ),
    "corrections, a pool without labels": Case(
        ("train pool.jsonl -o m --rounds 1 --labels-from a.csv",),
        ("labels of 2 documents",),
        files={
            "pool.jsonl": jsonl(*({"id": i, "text": i} for i in "abc")),
            "a.csv": "id,label\na,x\nb,y\n",
        },
    ),
    "corrections, evaluate": Case(
        (TRAIN, "evaluate m d.jsonl --labels-from a.csv"),
        ("error 0.0000",),
        files={
            "d.jsonl": jsonl({"id": "e", "text": "bill please 0", "label": "moving"}),
            "a.csv": "id,label\ne,billing\n",
        },
    ),
    "corrections, prune": Case(
        (
            "train base.jsonl -o m -q --preset paper --rounds 9 --labels-from a.csv",
            "prune m base.jsonl --terms 3 -o s --labels-from a.csv",
        ),
        ("s: ", "over 3 terms"),
        files={"a.csv": "id,label\nd0,tech\n"},
    ),
    "corrections, prune without them": Case(
        (
            "train base.jsonl -o m -q --rounds 9 --labels-from a.csv",
            "prune m base.jsonl --terms 3 -o s",
        ),
        ("the labels of 1 document were corrected for training; give the same --labels-from",),
        files={"a.csv": "id,label\nd0,tech\n"},
        code=1,
    ),
    "no corrections, prune with other data": Case(
        (TRAIN, "prune m d.jsonl --terms 3 -o s"),
        ("name its training data",),
        ("--labels-from",),
        files={"d.jsonl": BASE[: BASE.index("\n") + 1] + BASE},
        code=1,
    ),
    "corrections, inspect the small model": Case(
        (
            "train base.jsonl -o m -q --rounds 9 --labels-from a.csv",
            "prune m base.jsonl --terms 3 -o s --labels-from a.csv",
            "inspect s base.jsonl",
        ),
        ("the labels of 1 document were corrected",),
        files={"a.csv": "id,label\nd0,tech\n"},
    ),
    "corrections, inspect without them": Case(
        ("train base.jsonl -o m -q --rounds 9 --labels-from a.csv", "inspect m base.jsonl"),
        ("or not their labels: the labels of 1 document were corrected", "same --labels-from FILE"),
        files={"a.csv": "id,label\nd0,tech\n"},
    ),
    "corrections, inspect with others": Case(
        (
            "train base.jsonl -o m -q --rounds 9 --labels-from a.csv",
            "inspect m base.jsonl --labels-from b.csv",
        ),
        ("the labels of 1 document were corrected for training",),
        files={"a.csv": "id,label\nd0,tech\n", "b.csv": "id,label\nd1,tech\n"},
    ),
    "no corrections, inspect other data": Case(
        (TRAIN, "inspect m d.jsonl"),
        ("not the very documents",),
        ("--labels-from", "corrected"),
        files={"d.jsonl": BASE[: BASE.index("\n") + 1]},
    ),
    "corrections that change nothing, inspect": Case(
        ("train t.jsonl -o m -q --rounds 3 --labels-from a.csv", "inspect m t.jsonl"),
        ("margins of all documents",),
        ("not the very documents",),
        files={
            "t.jsonl": BASE + jsonl({"id": "two", "text": "a", "labels": ["moving", "tech"]}),
            "a.csv": "id,label\ntwo,tech\ntwo,moving\n",
        },
    ),
    "corrections, inspect": Case(
        (
            "train base.jsonl -o m -q --rounds 9 --labels-from a.csv",
            "inspect m base.jsonl --labels-from a.csv --json",
        ),
        ('"given": ["tech"]',),
        ("not the very documents",),
        files={"a.csv": "id,label\nd0,tech\n"},
    ),
    "corrections, convert": Case(
        ("convert base.jsonl - --labels-from a.csv",),
        ('"id": "d1"', "labels of 1 document"),
        files={"a.csv": "id,label\nd1,tech\n"},
    ),
    "corrections, tune": Case(
        ("tune base.jsonl -o t.yaml --rounds 2 --preset accurate --labels-from a.csv",),
        ("labels of 1 document from a.csv",),
        files={"a.csv": "id,label\nd1,tech\n"},
    ),
    "corrections, crossval": Case(
        ("crossval base.jsonl --rounds 2 --labels-from a.csv",),
        ("labels of 1 document from a.csv",),
        files={"a.csv": "id,label\nd1,tech\n"},
    ),
    "corrections from outliers.tsv": Case(
        (
            "train base.jsonl -o m -q --rounds 20 --report r",
            "check base.jsonl --labels-from r/outliers.tsv",
        ),
        ("labels of 60 documents from r/outliers.tsv",),
    ),
    "corrections from predictions": Case(
        (TRAIN, "check base.jsonl --labels-from p.csv"),
        ("labels of 1 document from p.csv, 1 of them changed", "2: 1"),
        files={"p.csv": "id,labels,label1,score1\nd0,billing|tech,billing,2.5\n"},
    ),
}


@pytest.mark.parametrize("case", CASES.values(), ids=CASES)
def test_a_case_from_the_field(case, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    for name, content in {"base.jsonl": BASE, **case.files}.items():
        (tmp_path / name).write_text(content, encoding="utf-8")
    *before, last = case.calls
    for call in before:
        done = CliRunner().invoke(main, call.split(" "))
        assert done.exit_code == 0, done.output
    done = CliRunner().invoke(main, last.split(" "))
    said = " ".join(done.output.split())
    assert done.exit_code == case.code, said
    for words in case.said:
        assert " ".join(words.split()) in said, said
    for words in case.unsaid:
        assert words not in done.output


def test_a_mended_corpus_is_written_and_learned_from(tmp_path, monkeypatch):
    """The round: outliers, accepted in the listing, become labels of a new corpus."""
    monkeypatch.chdir(tmp_path)
    rows = list(calls())
    rows[0]["label"] = "tech"  # wrong: its text is of billing
    (tmp_path / "base.jsonl").write_text(jsonl(*rows), encoding="utf-8")
    run = CliRunner().invoke
    assert run(main, ["train", "base.jsonl", "-o", "m", "--report", "r", "-q"]).exit_code == 0
    head, *lines = (tmp_path / "r" / "outliers.tsv").read_text("utf-8").splitlines()
    accepted = [line for line in lines if line.split("\t")[1] == "d0"]
    assert len(accepted) == 1
    (tmp_path / "fix.tsv").write_text("\n".join([head, *accepted]) + "\n", encoding="utf-8")
    done = run(main, ["convert", "base.jsonl", "new.jsonl", "--labels-from", "fix.tsv"])
    assert done.exit_code == 0, done.output
    mended = [json.loads(line) for line in (tmp_path / "new.jsonl").open(encoding="utf-8")]
    assert mended[0]["labels"] == ["billing"]
    assert [r["labels"] for r in mended[1:]] == [[r["label"]] for r in rows[1:]]
    with_fix = ["train", "base.jsonl", "-o", "a", "-q", "--labels-from", "fix.tsv", "--rounds", "9"]
    assert run(main, with_fix).exit_code == 0
    assert run(main, ["train", "new.jsonl", "-o", "b", "-q", "--rounds", "9"]).exit_code == 0
    predicted = [run(main, ["predict", name, "base.jsonl"]).stdout for name in "ab"]
    assert predicted[0] == predicted[1]
