"""From nothing to a model, as docs/knowledge.md tells it, with somebody who knows the labels."""

import json
import re
from pathlib import Path

from boostext.corpus.documents import Document
from boostext.model.file import read_model
from boostext.model.predict import Predictor
from tests.cli import conftest
from tests.test_labeling_page import known, label, suggested
from tests.test_readme import RUNS

run = conftest.run

ROOT = Path(__file__).parents[1]
PAGE = (ROOT / "docs" / "knowledge.md").read_text(encoding="utf-8")
MOST = 500
"""Documents of the pool."""
FEW_ROUNDS = "--rounds 60"
"""Instead of 200, which every held-out fold would learn as well."""


def error(rows):
    predictor = Predictor(read_model("calls.boostext"))
    asked = [row for row in rows if row["labels"]]
    wrong = 0
    for row, best in zip(asked, _best(predictor, asked), strict=True):
        wrong += predictor.model.labels[best] not in row["labels"]
    return wrong / len(asked)


def _best(predictor, rows):
    documents = [Document(row["id"], {"text": row["text"]}) for row in rows]
    return predictor.batch_scores(documents).argmax(axis=1).tolist()


def test_from_nothing_to_a_model(run, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    everything = list(known().values())
    rows, others = {r["id"]: r for r in everything[:MOST]}, everything[MOST : 2 * MOST]
    texts = ({"id": row["id"], "text": row["text"]} for row in rows.values())
    Path("pool.jsonl").write_text("".join(json.dumps(t) + "\n" for t in texts), encoding="utf-8")
    written = re.search(r"```yaml\n(labels: \[AreaCode.*?)```", PAGE, re.DOTALL)
    Path("known.yaml").write_text(written[1], encoding="utf-8")
    steps = [block.strip().splitlines() for block in RUNS.findall(PAGE)]
    errors, chosen = [], []

    def go(lines):
        for line in lines:
            line = line.replace("--rounds 200", FEW_ROUNDS)
            done = run(*line.removeprefix("boostext ").split())
            assert done.exit_code == 0, (line, done.stderr)
        return done

    assert "collect -> Collect 0.9" in go(steps[0]).stdout
    for number, step in enumerate(steps[1:]):
        said = go(step)
        errors.append(error(others))
        if number < 2:
            ids = suggested(Path("next.html").read_text(encoding="utf-8"))
            assert not set(ids) & set(chosen)
            chosen += ids
            label(Path(("first.csv", "second.csv")[number]), ids, rows)
        if number == 2:
            assert "5 of 300" in said.stdout
            label(Path("corrections.csv"), chosen[:5], rows)
    assert [len(chosen), len(errors)] == [300, 4]
    assert min(errors[:2]) > errors[2]
