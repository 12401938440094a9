"""The loop of docs/labeling.md, with somebody who knows the labels."""

import csv
import json
import re
from pathlib import Path

from tests.test_readme import RUNS, typed

ROOT = Path(__file__).parents[1]
PAGE = (ROOT / "docs" / "labeling.md").read_text(encoding="utf-8")


def known():
    lines = (ROOT / "sample_data" / "calls.train.jsonl").read_text(encoding="utf-8").splitlines()
    return {row["id"]: row for row in map(json.loads, lines)}


def label(path, ids, rows):
    """What a person saves."""
    with path.open("w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file)
        writer.writerow(["id", "label"])
        writer.writerows((id, name) for id in ids for name in rows[id]["labels"] or [""])


def suggested(page):
    data = re.search(r'<script type="application/json" id="data">(.*?)</script>', page, re.DOTALL)
    return [row["id"] for row in json.loads(data[1])["rows"]]


def run(folder, command):
    done = typed(command, folder)
    assert done.returncode == 0, done.stderr
    return done


def test_the_loop_goes_round(tmp_path):
    rows = known()
    texts = ({"id": row["id"], "text": row["text"]} for row in rows.values())
    pool = tmp_path / "pool.jsonl"
    pool.write_text("".join(json.dumps(row) + "\n" for row in texts), encoding="utf-8")
    train, suggest, again, mend = RUNS.findall(PAGE)
    label(tmp_path / "first.csv", list(rows)[:100], rows)
    run(tmp_path, train)
    run(tmp_path, suggest)
    chosen = suggested((tmp_path / "next.html").read_text(encoding="utf-8"))
    assert len(chosen) == 50
    assert not set(chosen) & set(list(rows)[:100])
    label(tmp_path / "second.csv", chosen, rows)
    run(tmp_path, again)
    after = suggested((tmp_path / "next.html").read_text(encoding="utf-8"))
    assert not set(after) & set(chosen)
    said = run(tmp_path, mend)
    assert "5 of 150" in said.stdout
