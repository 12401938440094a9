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
HIDDEN = jsonl(*({"text": f"word{n}", "label": label}
                 for n, label in enumerate(["x", "x\u200b", "tech", "\ufefftech"])))  # fmt: skip
COMPOSED = jsonl(
    {"text": "a", "label": "caf\u00e9"}, {"text": "b", "label": "cafe\u0301"},
    {"text": "c", "label": "\ufb01ne"}, {"text": "d", "label": "fine"},
    {"text": "e", "label": "a b"}, {"text": "f", "label": "a\u00a0b"},
)  # fmt: skip
EMOJI = jsonl({"text": "\U0001f600", "label": "pos"}, {"text": "\U0001f621", "label": "neg"})
MIXED = jsonl({"text": "so \U0001f600", "label": "pos"}, {"text": "so \U0001f621", "label": "neg"})
MARKS = jsonl(
    {"text": "My bill is wrong.", "label": "a"}, {"text": "my BILL, is wrong!!", "label": "b"}
)

CASES = {
    # 19: labels that look alike
    "19 evaluate": Case(
        (TRAIN, "evaluate m u.jsonl --literal-labels"),
        ("misses: 'Billing' (1)", "'moving ' (1)", "'Billing' is like the model's 'billing'"),
        files={"u.jsonl": STRANGE},
    ),
    "19 check --test": Case(
        ("check base.jsonl --test u.jsonl --literal-labels",),
        ("'Billing' is like 'billing' of the training data", "'moving ' is like 'moving'"),
        files={"u.jsonl": STRANGE},
    ),
    "19 train --valid": Case(
        ("train base.jsonl --valid u.jsonl -o m --rounds 3",),
        ("validation label 'Billing' is like 'billing' of the training data",),
        files={"u.jsonl": STRANGE},
    ),
    "19 invisible, check": Case(
        ("check z.jsonl",), (r"'x' (1), 'x\u200b' (1)", r"'\ufefftech' (1)"), ("\u200b", "\ufeff"),
        files={"z.jsonl": HIDDEN},
    ),
    "19 invisible, train": Case(
        ("train z.jsonl -o m --rounds 2",), ("look alike", r"'x' (1), 'x\u200b' (1)"), ("\u200b",),
        files={"z.jsonl": HIDDEN},
    ),
    "19 normal forms": Case(
        ("check z.jsonl",),
        ("'café' (1)", r"'cafe\u0301' (1)", r"'\ufb01ne' (1)", "'fine' (1)", r"'a\xa0b' (1)"),
        files={"z.jsonl": COMPOSED},
    ),
    "19 1 and 1.0": Case(
        ("check f.jsonl --literal-labels",), ("'1' (1), '1.0' (1)",),
        files={"f.jsonl": jsonl({"text": "a", "label": "1"}, {"text": "b", "label": "1.0"})},
    ),
    # 20: what the learner does not see
    "20 no token, train": Case(
        ("train e.jsonl -o m",), ("emoji and punctuation count with --punctuation",),
        files={"e.jsonl": EMOJI}, code=1,
    ),
    "20 the option that is named": Case(
        ("train e.jsonl -o m --punctuation --rounds 3",), ("error on the training data 0.0000",),
        files={"e.jsonl": EMOJI},
    ),
    "20 no rule, train": Case(
        ("train e.jsonl -o m",), ("no condition helps", "count with --punctuation"),
        files={"e.jsonl": MIXED},
    ),
    "20 no token, check": Case(
        ("check e.jsonl",),
        ("2 documents with a text in which training sees nothing", "with --punctuation"),
        files={"e.jsonl": EMOJI},
    ),
    "20 no token, check with the option": Case(
        ("check e.jsonl --punctuation",), ("2 documents",), ("sees nothing",),
        files={"e.jsonl": EMOJI},
    ),
    "20 the same to the learner": Case(
        ("check p.jsonl",), ("the same text with other labels: 1 group of 2 documents",),
        files={"p.jsonl": MARKS},
    ),
    "20 emoji apart": Case(
        ("check e.jsonl",), ("the same text with other labels: 1 group",),
        files={"e.jsonl": MIXED},
    ),
    "20 not the same with the option": Case(
        ("check e.jsonl --punctuation",), ("2 documents",), ("the same text",),
        files={"e.jsonl": MIXED},
    ),
}  # fmt: skip


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
