"""The parts of a training, one by one, for `stages`."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path

from ours import load_kernels

from boostext.boosting.rounds import Booster
from boostext.boosting.rules import Round
from boostext.corpus.corpus import Corpus, CorpusBuilder
from boostext.corpus.documents import Document
from boostext.corpus.readers import read_documents
from boostext.features.extract import extract
from boostext.features.matrix import FeatureMatrix
from boostext.model.file import write_model
from boostext.model.model import Model
from boostext.settings import BoostingSettings, DataSettings, TextSettings

__all__ = ["booster", "corpus", "documents", "features", "load_kernels", "write"]


def documents(path: Path) -> Iterator[Document]:
    return read_documents([str(path)], DataSettings())


def corpus(found: Sequence[Document]) -> Corpus:
    builder = CorpusBuilder()
    for document in found:
        builder.add(document)
    return builder.corpus()


def features(found: Sequence[Document]) -> FeatureMatrix:
    return extract(found, TextSettings(), ("text",), (), 1)


def booster(found: FeatureMatrix, examples: Corpus) -> Booster:
    settings = BoostingSettings(rounds=2000)
    return Booster(
        found,
        examples.label_sets,
        len(examples.labels),
        examples.weights,
        settings,
        "incremental",
        1,
    )


def write(rounds: Sequence[Round], examples: Corpus, path: Path) -> None:
    rules = tuple(made.rule for made in rounds)
    write_model(Model(examples.labels, multilabel=False, rules=rules), path)
