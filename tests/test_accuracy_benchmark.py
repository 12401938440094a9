"""benchmarks/accuracy.py runs on generated texts; each figure is one row, with its times."""

import json
from pathlib import Path

import pytest

from tests import forked

SCRIPT = Path(__file__).resolve().parents[1] / "benchmarks" / "accuracy.py"


def figures(*arguments):
    done = forked.run(SCRIPT, "--json", *arguments)
    assert done.returncode == 0, done.stderr
    return [json.loads(line) for line in done.stdout.splitlines()]


def test_the_default_is_measured_with_its_terms_and_seconds():
    (figure,) = figures("--smoke", "--only", "default")
    assert (figure["corpus"], figure["method"]) == ("generated", "default")
    assert figure["measure"] == "error"
    assert figure["value"] < 0.2
    assert 71 < figure["size"] < 2000, "words and n-grams of letters, of 70 words"
    assert figure["seconds"] > 0


@pytest.mark.parametrize(
    ("several", "methods"),
    [(False, ["svm-words", "svm-pairs", "svm-300"]), (True, ["svm-letters", "bayes"])],
)
def test_linear_models_meet_the_same_documents(tmp_path, several, methods):
    pytest.importorskip("sklearn")
    for part in ("train", "test"):
        rows = (
            {"text": f"own{n % 3} own{n % 2}z", "labels": [f"l{n % 3}", f"m{n % 2}"][: 1 + several]}
            for n in range(60)
        )
        lines = "".join(json.dumps(row) + "\n" for row in rows)
        (tmp_path / f"{part}.jsonl").write_text(lines, encoding="utf-8")
    found = figures(*(word for name in methods for word in ("--only", name)), tmp_path)
    assert [figure["method"] for figure in found] == methods
    assert {figure["measure"] for figure in found} == {"micro-f1" if several else "error"}
    assert found[0]["value"] == (1.0 if several else 0.0)
    for figure in found:
        compared = figure["method"] == "svm-300"
        assert (figure["times"] is not None) == compared, "against the SVM of words or pairs"
        assert 0 < figure["cpu"] < 60
        assert figure["seconds"] > 0
