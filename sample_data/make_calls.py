"""Write the help-desk calls beside this script; the same bytes each time.

    python sample_data/make_calls.py [FOLDER]

calls.train.jsonl and calls.test.jsonl are calls to a telephone operator with what the caller wants.
In the training calls PLANTED labels are wrong on purpose; planted.tsv says which.
"""

from __future__ import annotations

import json
import random
import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from grammar import Grammar, expand, pick, pick_weighted, read_grammar

HERE = Path(__file__).resolve().parent
SEED = 19
TRAIN, TEST, PLANTED = 2000, 500, 30

# Whole numbers, so that their sum is the same everywhere; about 7 % of the calls ask two things.
KINDS = {
    "Collect": 205,
    "CallingCard": 165,
    "BillingCredit": 120,
    "DialForMe": 95,
    "ThirdNumber": 70,
    "Rate": 65,
    "PersonToPerson": 55,
    "AreaCode": 45,
    "Other": 45,
    "DirectoryHelp": 35,
    "NewService": 25,
    "TimeCharge": 20,
    "RepairLine": 20,
    "HowToDial": 20,
    "TimeOfDay": 12,
    "Collect+PersonToPerson": 10,
    "CallingCard+PersonToPerson": 8,
    "BillingCredit+DialForMe": 9,
    "CallingCard+DialForMe": 6,
    "ThirdNumber+PersonToPerson": 5,
    "Rate+DialForMe": 5,
    "AreaCode+DirectoryHelp": 5,
    "TimeCharge+CallingCard": 4,
    "TimeCharge+ThirdNumber": 3,
    "Rate+HowToDial": 4,
    "AreaCode+Rate": 3,
    "BillingCredit+RepairLine": 5,
}
VAGUE = 0.16


@dataclass(frozen=True)
class Call:
    """clear: says what is wanted in plain words, and nothing that points elsewhere."""

    text: str
    labels: tuple[str, ...]
    clear: bool = False


def stall(rng: random.Random, grammar: Grammar, text: str) -> str:
    """Now and then an `uh`, a word said twice, or a small word swallowed."""
    words = []
    for word in text.split():
        chance = rng.random()
        if chance < 0.035:
            words.append(expand(rng, grammar, "stall"))
        elif chance < 0.05 and len(word) < 6:
            words.append(word)
        elif chance < 0.06 and word in ("a", "the", "to", "my", "of"):
            continue
        words.append(word)
    return " ".join(words)


def around(rng: random.Random, grammar: Grammar, text: str, aside: bool) -> str:
    """A greeting, a false start, something beside the point, a please."""
    before = [expand(rng, grammar, "open")] if rng.random() < 0.35 else []
    if rng.random() < 0.10:
        before.append(expand(rng, grammar, "stall"))
    if rng.random() < 0.08:
        before.append(expand(rng, grammar, "restart"))
    after = [expand(rng, grammar, "close")] if rng.random() < 0.25 else []
    if aside:
        place = before if rng.random() < 0.4 else after
        place.append(expand(rng, grammar, "aside"))
    return " ".join([*before, text, *after])


def make_call(rng: random.Random, grammar: Grammar) -> Call:
    kind = pick_weighted(rng, KINDS)
    vague = f"{kind}.vague" in grammar and rng.random() < VAGUE
    text = expand(rng, grammar, f"{kind}.vague" if vague else kind)
    swerves = rng.random() < 0.025
    if swerves:
        other = expand(rng, grammar, pick_weighted(rng, KINDS))
        text = f"{other} {expand(rng, grammar, 'swerve')} {text}"
    aside = rng.random() < 0.18
    text = around(rng, grammar, stall(rng, grammar, text), aside)
    labels = tuple(kind.split("+"))
    clear = len(labels) == 1 and not (vague or swerves or aside) and len(text.split()) >= 5
    return Call(text, labels, clear)


def make_calls(rng: random.Random, grammar: Grammar) -> Iterator[Call]:
    """Only the shortest calls may come twice, as they do at a real desk."""
    seen: set[str] = set()
    while True:
        call = make_call(rng, grammar)
        if call.text not in seen or len(call.text.split()) <= 4:
            seen.add(call.text)
            yield call


def plant(rng: random.Random, calls: Sequence[Call]) -> dict[int, Call]:
    """PLANTED clear calls, by number, with a label that is not theirs."""
    # a number to dial could well be dialed collect, so those calls contradict no label
    clear = [n for n, call in enumerate(calls) if call.clear and call.labels != ("DialForMe",)]
    wrong: dict[int, Call] = {}
    while len(wrong) < PLANTED:
        number = clear[int(rng.random() * len(clear))]
        label = pick(rng, [kind for kind in KINDS if "+" not in kind])
        if number not in wrong and label not in calls[number].labels:
            wrong[number] = replace(calls[number], labels=(label,))
    return dict(sorted(wrong.items()))


def call_id(number: int) -> str:
    return f"call-{number + 1:04d}"


def write_calls(path: Path, calls: Sequence[Call], first: int) -> None:
    with path.open("w", encoding="utf-8", newline="\n") as file:
        for number, call in enumerate(calls, first):
            record = {"id": call_id(number), "text": call.text, "labels": call.labels}
            file.write(json.dumps(record, ensure_ascii=False) + "\n")


def write_planted(path: Path, wrong: dict[int, Call], calls: Sequence[Call]) -> None:
    with path.open("w", encoding="utf-8", newline="\n") as file:
        file.write("id\tgiven\tright\n")
        for number, call in wrong.items():
            file.write(f"{call_id(number)}\t{call.labels[0]}\t{calls[number].labels[0]}\n")


def main(folder: Path) -> None:
    rng = random.Random(SEED)
    source = make_calls(rng, read_grammar(HERE / "calls.grammar"))
    calls = [next(source) for _ in range(TRAIN + TEST)]
    wrong = plant(rng, calls[:TRAIN])
    given = [wrong.get(number, call) for number, call in enumerate(calls[:TRAIN])]
    write_calls(folder / "calls.train.jsonl", given, 0)
    write_calls(folder / "calls.test.jsonl", calls[TRAIN:], TRAIN)
    write_planted(folder / "planted.tsv", wrong, calls)


if __name__ == "__main__":
    main(Path(sys.argv[1]) if len(sys.argv) > 1 else HERE)
