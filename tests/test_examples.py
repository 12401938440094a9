"""The notebooks in examples/ run, and show what they come to."""

import ast
import json
from contextlib import chdir
from pathlib import Path
from pprint import pformat

import pytest

pytest.importorskip("pandas")
pytest.importorskip("sklearn")

EXAMPLES = Path(__file__).parent.parent / "examples"


def cells(path):
    """The cells of code: format 4 of notebooks is JSON."""
    notebook = json.loads(path.read_text(encoding="utf-8"))
    assert notebook["nbformat"] == 4
    return [cell for cell in notebook["cells"] if cell["cell_type"] == "code"]


def kept(cells):
    """What the cells show, but for tables, which every version of pandas draws in its own way."""
    outputs = (output for cell in cells for output in cell["outputs"])
    texts = ("".join(output.get("data", {}).get("text/plain", "")) for output in outputs)
    return [text for text in texts if text.startswith(("{", "<boostext"))]


def shown(cells):
    """What they show today, as Jupyter shows it: the value of the expression that ends a cell."""
    names = {}
    for cell in cells:
        tree = ast.parse("".join(cell["source"]))
        last = tree.body.pop() if isinstance(tree.body[-1], ast.Expr) else None
        exec(compile(tree, "cell", "exec"), names)  # noqa: S102 - our own notebook
        if last:
            value = eval(compile(ast.Expression(last.value), "cell", "eval"), names)  # noqa: S307
            draw = getattr(value, "_repr_html_", None)
            assert draw is None or draw()
            if isinstance(value, dict) or repr(value).startswith("<boostext"):
                yield pformat(value, sort_dicts=False)


@pytest.mark.parametrize("path", sorted(EXAMPLES.glob("*.ipynb")), ids=lambda path: path.stem)
def test_a_notebook_runs_and_shows_what_it_has_shown(path):
    made = cells(path)
    with chdir(EXAMPLES):
        assert list(shown(made)) == kept(made)
    assert kept(made)


def test_there_are_two_notebooks():
    assert {path.stem for path in EXAMPLES.glob("*.ipynb")} == {"mend_labels", "pipeline"}
