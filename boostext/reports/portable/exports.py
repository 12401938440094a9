"""Export of a model to a self-contained file that makes predictions, for `boostext export`."""

from __future__ import annotations

import ast
import inspect
from collections.abc import Callable, Mapping
from dataclasses import dataclass

from markupsafe import Markup

from boostext import __version__
from boostext.atomic import PAGE, Kind
from boostext.features import attributes, lookup, ngrams, normalize, tokenizer, unicode_classes
from boostext.fields import count
from boostext.model.model import Model
from boostext.reports.escape import one_line
from boostext.reports.html import asset, environment, policy, shown
from boostext.reports.portable import standalone
from boostext.reports.portable.box import box_values
from boostext.reports.portable.plain_model import Packed, check_for_javascript, packed


@dataclass(frozen=True)
class Exported:
    """An exported model.

    text: contents of the file. kept, total: number of conditions included, and of those in the
    model.
    """

    text: str
    kept: int
    total: int


def to_javascript(model: Model, title: str, most_bytes: int) -> Exported:
    """Return a JavaScript module without dependencies, for browsers and Node."""
    check_for_javascript(model)
    pack = packed(model, most_bytes, unicode_classes=True)
    lines = [f"// {_about(model, title, pack)}", asset("predictor.js"), _EXPORTS % pack.data]
    return Exported("\n".join(lines), pack.kept, pack.total)


_EXPORTS = """
const ready = predictor(await unpacked("%s"));
export const labels = ready.labels;
export const predict = ready.predict;
export const scores = ready.scores;
export const probabilities = ready.probabilities;
export const explain = ready.explain;
"""


def to_html(model: Model, title: str, most_bytes: int) -> Exported:
    """Return a self-contained HTML page with an input field for the text to classify."""
    check_for_javascript(model)
    pack = packed(model, most_bytes, unicode_classes=True)
    script = Markup("").join(map(asset, ("report.js", "predictor.js", "box.js")))
    style = asset("report.css")
    drawn = (
        environment()
        .get_template("predict.html")
        .render(
            title=shown(title, 80),
            about=_about(model, title, pack),
            box=box_values(model, pack),
            script=script,
            style=style,
            policy=policy([script], [style]),
            version=__version__,
        )
    )
    return Exported(drawn, pack.kept, pack.total)


def _about(model: Model, title: str, pack: Packed) -> str:
    """Return a one-line description of the file, without control characters."""
    note = (
        f"{one_line(title)}: {count(len(model.rules), 'rule')} for "
        f"{count(len(model.labels), 'label')}, "
        f"exported by boostext {__version__}"
    )
    if pack.kept < pack.total:
        note += (
            f"; of its {pack.total:,} conditions the {pack.kept:,} that matter most, so that the "
            "file is not too large: scores differ from the model's"
        )
    return note


# Python ---------------------------------------------------------------------------------------

SOURCES = (
    unicode_classes,
    normalize,
    ngrams.only_alone,
    ngrams.spread,
    tokenizer,
    lookup.parts,
    lookup.Node,
    lookup._walk,
    lookup.TermTree,
    attributes.category,
    attributes.number,
    standalone,
)
"""Modules and functions whose source code is copied to an exported Python file."""

_HEAD = '''"""%s

    python %s "a text"      prints labels and scores as JSON; without a text, of each input line

or import it: predict(text), scores(text), probabilities(text), labels.
Needs Python 3.11 and no package.
"""

from __future__ import annotations

import dataclasses
from collections import Counter
from dataclasses import dataclass, field
from itertools import pairwise
'''

_TAIL = """
_ready = Standalone(unpacked(_DATA))
labels = _ready.labels
predict, scores, probabilities = _ready.predict, _ready.scores, _ready.probabilities

if __name__ == "__main__":
    run(_ready)
"""


def to_python(model: Model, title: str, most_bytes: int) -> Exported:
    """Return a Python file with the prediction code and the model.

    The file needs only the standard library.
    """
    pack = packed(model, most_bytes, unicode_classes=False)
    about = _about(model, title, pack).replace("\\", "/").replace('"', "'")
    constants = f"LONG = {lookup.LONG}  # used by TermTree"
    parts = [_HEAD % (about, "FILE.py"), constants, *map(_source, SOURCES)]
    lines = [f'    "{pack.data[n : n + 96]}"' for n in range(0, len(pack.data), 96)]
    return Exported(
        "\n\n".join([*parts, "\n".join(["_DATA = (", *lines, ")"]), _TAIL]), pack.kept, pack.total
    )


def _source(part: object) -> str:
    """Return the source code without imports from boostext, whose names are in the same file."""
    text = inspect.getsource(part)  # type: ignore[arg-type]  # modules and functions have sources
    lines: list[str | None] = list(text.splitlines())
    for node in ast.parse(text).body:
        if isinstance(node, ast.ImportFrom):
            room = (node.module or "").split(".")[0]
            if room in ("boostext", "__future__"):
                last = node.end_lineno or node.lineno
                lines[node.lineno - 1 : last] = [None] * (last - node.lineno + 1)
    return "\n".join(line for line in lines if line is not None)


CODE = Kind("a model exported by boostext", lambda head: b"exported by boostext " in head)
EXPORTS: Mapping[str, tuple[Kind, Callable[[Model, str, int], Exported]]] = {
    "html": (PAGE, to_html),
    "javascript": (CODE, to_javascript),
    "python": (CODE, to_python),
}
"""Maps each value of --to to the kind of file that may be replaced, and the export function."""
