"""boostext: text categorization by boosting readable one-term rules.

    import boostext

    result = boostext.train(["calls.jsonl"], rounds=300, ngrams="1-2")
    result.model.save("calls.boostext")
    model = boostext.load("calls.boostext")
    model.predict(["my bill is wrong"])
    boostext.outliers(result)

Names are imported when they are first used: `import boostext` alone does not import numpy.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from boostext.corpus.documents import Document
    from boostext.errors import BoostextError
    from boostext.library.classifier import Classifier, load
    from boostext.library.conversion import convert, export
    from boostext.library.inspection import find_document, find_terms, inspect, outliers
    from boostext.library.measuring import compare, evaluate, tune_thresholds
    from boostext.library.pruning import prune
    from boostext.library.tasks import check, crossval, report, suggest, tune
    from boostext.library.training import Result, Step, sizes, train
    from boostext.library.watch import Watch
    from boostext.model.predict import Predictor

__version__ = "0.1.0"
_PLACES = {
    "errors": ["BoostextError"],
    "corpus.documents": ["Document"],
    "model.predict": ["Predictor"],
    "library.classifier": ["Classifier", "load"],
    "library.conversion": ["convert", "export"],
    "library.inspection": ["find_document", "find_terms", "inspect", "outliers"],
    "library.measuring": ["compare", "evaluate", "tune_thresholds"],
    "library.pruning": ["prune"],
    "library.tasks": ["check", "crossval", "report", "suggest", "tune"],
    "library.training": ["Result", "Step", "sizes", "train"],
    "library.watch": ["Watch"],
}
"""For each module, the names that it provides."""
_MODULES = {name: module for module, names in _PLACES.items() for name in names}
__all__ = [
    "BoostextError",
    "Classifier",
    "Document",
    "Predictor",
    "Result",
    "Step",
    "Watch",
    "__version__",
    "check",
    "compare",
    "convert",
    "crossval",
    "evaluate",
    "export",
    "find_document",
    "find_terms",
    "inspect",
    "load",
    "outliers",
    "prune",
    "report",
    "sizes",
    "suggest",
    "train",
    "tune",
    "tune_thresholds",
]


def __getattr__(name: str) -> object:
    if name in _MODULES:
        return getattr(import_module(f"boostext.{_MODULES[name]}"), name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def __dir__() -> list[str]:
    return __all__
