"""Golden runs as models: the slow program's own rules, and the documents they were made from."""

import json

import numpy as np

from boostext.boosting.rules import Rule
from boostext.corpus.documents import Document
from boostext.features.conditions import Occurs
from boostext.model.model import Model

CORPORA = ("single", "multi", "binary")
RUNS = ("mh-real", "mh-abstain", "mh-discrete", "mh-discrete-abstain")


def golden_model(folder, corpus, run):
    """The model, its documents, and the scores (m, k) they must have."""
    golden = json.loads((folder / f"{corpus}.golden.json").read_text(encoding="utf-8"))
    labels = tuple(golden["labels"])
    rules = tuple(
        Rule(
            Occurs("text", (found["term"],)),
            np.array([[0.0] * len(labels), found["absent"], found["present"]]),
            found["alpha"],
        )
        for found in golden["runs"][run]["rules"]
    )
    lines = (folder / f"{corpus}.jsonl").read_text(encoding="utf-8").splitlines()
    documents = [
        Document(str(i), {"text": record["text"]}, tuple(record["labels"]))
        for i, record in enumerate(map(json.loads, lines))
    ]
    model = Model(labels, corpus == "multi", rules)
    return model, documents, np.array(golden["runs"][run]["scores"])
