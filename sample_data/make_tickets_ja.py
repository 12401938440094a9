"""Write the Japanese support tickets beside this script; the same bytes each time.

    python sample_data/make_tickets_ja.py [FOLDER]

tickets-ja.train.jsonl and tickets-ja.test.jsonl are letters to a web shop with what they are about:
one thing, two or three, or nothing (labels: []). There are no spaces between words.
"""

from __future__ import annotations

import json
import random
import sys
from collections.abc import Sequence
from pathlib import Path

from grammar import Grammar, expand, pick_weighted, read_grammar

HERE = Path(__file__).resolve().parent
SEED = 7
TRAIN, TEST = 300, 80

# Whole numbers, so that their sum is the same everywhere.
LABELS = {"請求": 22, "配送": 22, "ログイン": 16, "返品": 14, "不具合": 12, "解約": 9, "要望": 7}
SIZES = {"0": 3, "1": 67, "2": 26, "3": 4}

Ticket = tuple[str, list[str]]


def make_ticket(rng: random.Random, grammar: Grammar) -> Ticket:
    size = int(pick_weighted(rng, SIZES))
    labels: list[str] = []
    while len(labels) < size:
        label = pick_weighted(rng, LABELS)
        if label not in labels:
            labels.append(label)
    sentences = [expand(rng, grammar, label) for label in labels or ["礼"]]
    if rng.random() < 0.45:
        sentences.insert(0, expand(rng, grammar, "挨拶"))
    if rng.random() < 0.2:
        sentences.append(expand(rng, grammar, "番号"))
    if rng.random() < 0.5:
        sentences.append(expand(rng, grammar, "結び"))
    return "".join(sentences), labels


def write_tickets(path: Path, tickets: Sequence[Ticket], first: int) -> None:
    with path.open("w", encoding="utf-8", newline="\n") as file:
        for number, (text, labels) in enumerate(tickets, first):
            record = {"id": f"ticket-{number:03d}", "text": text, "labels": labels}
            file.write(json.dumps(record, ensure_ascii=False) + "\n")


def main(folder: Path) -> None:
    rng = random.Random(SEED)
    grammar = read_grammar(HERE / "tickets-ja.grammar")
    tickets = [make_ticket(rng, grammar) for _ in range(TRAIN + TEST)]
    write_tickets(folder / "tickets-ja.train.jsonl", tickets[:TRAIN], 1)
    write_tickets(folder / "tickets-ja.test.jsonl", tickets[TRAIN:], TRAIN + 1)


if __name__ == "__main__":
    main(Path(sys.argv[1]) if len(sys.argv) > 1 else HERE)
