"""Exported models say what the model says: in JavaScript, and in Python with nothing installed."""

import functools
import itertools
import json
import math
import random
import shutil
import subprocess
import sys
from dataclasses import replace

import numpy as np
import pytest

from boostext.boosting.rules import Rule
from boostext.corpus.documents import Document
from boostext.corpus.readers import read_documents
from boostext.errors import SettingsError
from boostext.features.conditions import NO, YES, Always, AtLeast, Equals, Literal, Occurs
from boostext.features.ngrams import EXPERTS
from boostext.features.tokenizer import Tokenizer
from boostext.knowledge.knowledge import Knowledge, KnowledgeRule, When
from boostext.model.calibration import Isotonic, Sigmoid
from boostext.model.model import Model, asked_attributes
from boostext.model.predict import Predictor, decide, probabilities
from boostext.model.prior import Prior
from boostext.reports.portable.box import columns_asked, fields_asked
from boostext.reports.portable.exports import EXPORTS, to_javascript, to_python
from boostext.settings import BoostingSettings, DataSettings, TextSettings
from tests.features.texts import CHARACTERS

LABELS = ("A", "</script>", "日本", "\u202eturned", '"\\')
SETTINGS = {
    "words": TextSettings(ngrams=(1, 2)),
    "sparse": TextSettings(expert="sparse", ngrams=(1, 3), lowercase=False, punctuation=True),
    "letters": TextSettings(analyzer="char", ngrams=(1, 3)),
    "both": TextSettings(ngrams=(1, 2), stop_words=("the",), letters=4),
    "pairs": TextSettings(expert="icsi-sparse", ngrams=(1, 4)),
    "full": TextSettings(expert="full", ngrams=(1, 2), stop_words=("the", "a", "日")),
}
COUNT = 4_000
SIGMOIDS = tuple(Sigmoid(1.5, 0.1, 1.0 + j / 4) for j in range(5))


@pytest.fixture(scope="session")
def many_texts(pytestconfig):
    """Of the sample corpora, of all that is treated apart, and of any character there is."""
    rng = random.Random(1)
    folder = pytestconfig.rootpath / "sample_data"
    paths = [str(folder / name) for name in ("calls.test.jsonl", "tickets-ja.test.jsonl")]
    texts = [
        text
        for document in read_documents(paths, DataSettings())
        for text in document.texts.values()
    ]
    longer = [
        " ".join(texts[:40]),
        "Σ" * 3000,
        "e\u0301" * 2000,
        "ａΣ\u0301 " * 900,
        "\u1112\u1161" * 1500,
    ]
    texts += longer
    while len(texts) < COUNT:
        drawn = "".join(rng.choices(CHARACTERS, k=rng.randrange(1, 30)))
        wild = "".join(
            chr(rng.choice((rng.randrange(0x3000), rng.randrange(0x110000))))
            for _ in range(rng.randrange(1, 12))
        )
        texts.append(rng.choice((drawn, wild, drawn + wild)))
    # halves of a character beside each other are one, as in every JSON
    return tuple(json.loads(json.dumps(text)) for text in texts[:COUNT])


@functools.cache
def conditions_of(texts, settings):
    rng = random.Random(2)
    texts = rng.sample(texts, 1500)
    return [
        Occurs(field, term, rng.choice((1, 1, 2)))
        for field in settings.term_fields(["text"])
        for term in terms_of(texts, settings.of_field(field), rng)
    ]


def terms_of(texts, settings, rng):
    tokenizer = Tokenizer(settings)
    expert = EXPERTS["ngram" if settings.analyzer == "char" else settings.expert]
    found = {}
    for text in texts:
        for term in expert(tokenizer.tokens(text), *settings.ngrams):
            found[("".join(term),) if settings.analyzer == "char" else term] = None
    return rng.sample(list(found), min(600, len(found)))


def model_with(settings, texts, multilabel=True, **changes):
    votes = np.random.default_rng(3)
    rules = [Rule(c, votes.normal(size=(3, len(LABELS)))) for c in conditions_of(texts, settings)]
    rules += [Rule(Always(), votes.normal(size=(3, len(LABELS))))]
    return Model(LABELS, multilabel, tuple(rules), text=settings, **changes)


def documents_of(texts):
    return [Document(str(i), {"text": text}) for i, text in enumerate(texts)]


def plain(document):
    return {
        "texts": dict(document.texts),
        "attributes": dict(document.attributes),
        "scored": {name: dict(words) for name, words in document.scored.items()},
    }


NODE = """
import * as model from "./model.mjs";
import { readFileSync } from "node:fs";
const documents = JSON.parse(readFileSync("documents.json", "utf8"));
const said = (d) => [model.predict(d), model.scores(d), model.probabilities(d)];
console.log(JSON.stringify(documents.map(said)));
"""
PYTHON = """
import json, runpy, sys
m = runpy.run_path("model.py")
documents = json.load(open("documents.json"))
print(json.dumps([[m["predict"](d), m["scores"](d), m["probabilities"](d)] for d in documents]))
"""


def in_node(model, documents, folder, size=50_000_000):
    if not shutil.which("node"):
        pytest.skip("no node here")
    (folder / "model.mjs").write_text(to_javascript(model, "m", size).text, encoding="utf-8")
    (folder / "run.mjs").write_text(NODE, "utf-8")
    return answered(["node", "run.mjs"], documents, folder)


def in_python(model, documents, folder, size=50_000_000):
    (folder / "model.py").write_text(to_python(model, "m", size).text, encoding="utf-8")
    return answered([sys.executable, "-I", "-S", "-c", PYTHON], documents, folder)


def answered(command, documents, folder):
    (folder / "documents.json").write_text(json.dumps([plain(d) for d in documents]), "utf-8")
    done = subprocess.run(command, cwd=folder, capture_output=True, timeout=300, check=False)
    assert done.returncode == 0, done.stderr.decode()
    return json.loads(done.stdout)


def said(model, documents):
    """Labels, scores and probabilities of every document, as the model itself gives them."""
    predictor = Predictor(model)
    for document in documents:
        scores = predictor.score(document)
        labels = [model.labels[j] for j in decide(scores, model)]
        yield labels, scores.tolist(), probabilities(scores[None], model)[0].tolist()


def assert_same(model, documents, found):
    assert_equal(list(said(model, documents)), documents, found)


def assert_equal(expected, documents, found):
    assert len(found) == len(documents)
    for ours, document, (labels, scores, likely) in zip(expected, documents, found, strict=True):
        assert same(scores, ours[1]), (document, scores, ours[1])
        assert labels == ours[0]
        assert likely is None or same(likely, ours[2]), (document, likely, ours[2])


def same(some, others):
    """Numbers as good as equal; `pytest.approx` of so many lists takes longer than the models."""
    return len(some) == len(others) and all(
        math.isclose(a, b, rel_tol=1e-9, abs_tol=1e-9) for a, b in zip(some, others, strict=True)
    )


@pytest.fixture(scope="module")
def case(many_texts):
    """case(name): a model with these settings, documents, and what it says of them."""

    @functools.cache
    def made(name):
        model = model_with(SETTINGS[name], many_texts, multilabel=name != "words")
        documents = documents_of(many_texts if name == "words" else many_texts[::4])
        return model, documents, list(said(model, documents))

    return made


@pytest.mark.parametrize("name", SETTINGS)
@pytest.mark.parametrize("place", [in_node, in_python])
def test_texts_of_all_scripts_get_the_same_labels_and_scores(name, place, case, tmp_path):
    model, documents, expected = case(name)
    assert_equal(expected, documents, place(model, documents, tmp_path))


@pytest.mark.parametrize("place", [in_node, in_python])
def test_attributes_preconditions_and_what_is_unknown(place, tmp_path):
    rng = np.random.default_rng(4)
    young, red = AtLeast("age", 30.0), Equals("color", "3")
    word, low = AtLeast("w:free", 0.5), Equals("color", "1e-05")
    rules = [Rule(c, rng.normal(size=(3, 2))) for c in (young, red, word, low, Occurs("b", ("x",)))]
    rules += [
        Rule(Occurs("a", ("x",)), rng.normal(size=(3, 2)), 1.0, (Literal(young, YES),)),
        Rule(young, rng.normal(size=(3, 2)), 1.0, (Literal(red, NO), Literal(word, YES))),
    ]
    model = Model(("A", "B"), False, tuple(rules), DataSettings(text=("a", "b")))
    values = (None, 3.0, 29.5, 30.0, "3", "red", 1e-05, float(10**22))
    documents = [
        Document(
            str(n),
            {"a": "x" * (n % 2), "b": "x y"[n % 3 :]},
            attributes={"age": age, "color": color},
            scored={"w": {"free": score}} if score is not None else {},
        )
        for n, (age, color, score) in enumerate(
            (a, c, s) for a in values for c in values for s in (None, 0.4, 0.5)
        )
    ]
    assert_same(model, documents, place(model, documents, tmp_path))


@pytest.mark.parametrize("place", [in_node, in_python])
@pytest.mark.parametrize(
    "changes",
    [
        {"multilabel": True, "thresholds": (0.5, -0.5, 0.0, 1.0, 2.0)},
        {"multilabel": False, "calibration": SIGMOIDS},
        {"multilabel": True, "calibration": (Isotonic((-1.0, 0.5, 2.0), (0.1, 0.4, 0.9)),) * 5},
        {"multilabel": False, "code": ("+----", "-+---", "--+--", "---+-", "----+")},
        {
            "multilabel": False,
            "code": ("+----", "-+---", "--+--", "---+-", "----+"),
            "boosting": BoostingSettings(algorithm="mo", decoding="hamming"),
        },
    ],
    ids=["thresholds", "sigmoid", "isotonic", "loss", "hamming"],
)
def test_thresholds_chances_and_codes(changes, place, many_texts, tmp_path):
    model = model_with(TextSettings(), many_texts, **changes)
    documents = documents_of(many_texts[:300])
    assert_same(model, documents, place(model, documents, tmp_path))


def knowing(multilabel, old):
    """A model whose knowledge asks for all kinds of conditions, some in no rule of its own."""
    labels, either = ("A", "B", "C"), {"A": 0.5, "B": None, "C": None}
    rules = (
        KnowledgeRule(When(any=("refund", "a:how ? much")), (("A", 0.9),)),
        KnowledgeRule(
            When(all=("please", "color = red")), (("B", 0.6), ("C", 0.3)), When(any=("not",))
        ),
        KnowledgeRule(When(any=("age >= 30",), none=("x (>= 2)",)), (("C", 0.999),)),
        KnowledgeRule(When(none=("refund",)), (("A", 0.0),)),
    )
    votes = np.random.default_rng(5).normal(size=(3, 3)) / 4
    prior = Prior(Knowledge(tuple(either.items()), rules), 0.5, old, scale=0.25 if old else 1.0)
    data = DataSettings(text=("a", "b"))
    rule = Rule(Occurs("b", ("x",)), votes)
    return Model(labels, multilabel, (rule,), data, prior=prior)


@pytest.mark.parametrize("place", [in_node, in_python])
def test_prior_knowledge_and_the_older_models_in_it(place, tmp_path):
    documents = [
        Document(str(n), {"a": a, "b": b}, attributes={"age": age, "color": color})
        for n, (a, b, age, color) in enumerate(
            itertools.product(
                ("", "how very much", "please refund", "please do not"),
                ("", "x", "x x refund"),
                (None, 29.5, 30.0),
                (None, "red"),
            )
        )
    ]
    plain_one = replace(knowing(False, None), labels=("B", "new", "A"), prior=None)
    old = knowing(True, replace(plain_one, rules=tuple(plain_one.rules) * 40))
    assert_same(old, documents, place(old, documents, tmp_path))
    model = knowing(False, old)
    assert_same(model, documents, place(model, documents, tmp_path))
    assert columns_asked(model) == {"age": [], "color": ["red"]}
    assert asked_attributes(model) == ("age", "color")


def test_of_a_great_model_the_strongest_conditions_are_kept(many_texts, tmp_path):
    """Documents without the others count as if the model did not know them: base stays whole."""
    model = model_with(TextSettings(), many_texts)
    whole = to_python(model, "m", 50_000_000)
    small = to_python(model, "m", 20_000)
    assert whole.kept == whole.total
    assert 0 < small.kept < small.total
    assert "that matter most" in small.text.splitlines()[0]
    assert len(small.text) < len(whole.text)
    (empty,) = in_python(model, documents_of([""]), tmp_path, 20_000)
    assert empty[1] == pytest.approx(Predictor(model).score(Document("", {})).tolist())


def test_exports_are_the_same_every_time(many_texts):
    model = model_with(TextSettings(), many_texts)
    for _, make in EXPORTS.values():
        assert make(model, "m", 50_000).text == make(model, "m", 50_000).text


def test_a_pattern_for_tokens_is_refused_where_it_would_not_be_read():
    model = Model(("A",), True, (), text=TextSettings(token_pattern=r"\S+"))
    for name in ("html", "javascript"):
        with pytest.raises(SettingsError, match="--to python"):
            EXPORTS[name][1](model, "m", 50_000)
    assert to_python(model, "m", 50_000).text


def test_titles_cannot_end_a_comment(tmp_path):
    model = replace(Model(("A", "B"), True, ()), labels=("A", "B"))
    title = '"""\nimport os\n*/ \u2028 alert(1) \\'
    (tmp_path / "m.py").write_text(to_python(model, title, 50_000).text, encoding="utf-8")
    compiled = subprocess.run(
        [sys.executable, "-I", "-S", "m.py", "x"], cwd=tmp_path, check=False, capture_output=True
    )
    assert compiled.returncode == 0, compiled.stderr
    assert json.loads(compiled.stdout)["labels"] == []
    text = to_javascript(model, title, 50_000).text
    assert text.splitlines()[1].startswith("// Prediction with a boostext model")


def test_a_box_has_what_the_model_asks_for():
    rules = (
        Rule(Equals("color", "red"), np.ones((3, 2))),
        Rule(AtLeast("age", 3.0), np.ones((3, 2))),
    )
    model = Model(("A", "B"), True, rules)
    assert fields_asked(model) == []
    assert columns_asked(model) == {"color": ["red"], "age": []}
    assert fields_asked(replace(model, rules=())) == ["text"]
