"""The notebooks in examples/ run, and show what they come to."""

from pathlib import Path

import pytest

nbclient = pytest.importorskip("nbclient")
nbformat = pytest.importorskip("nbformat")
pytest.importorskip("ipykernel")
pytest.importorskip("sklearn")

EXAMPLES = Path(__file__).parent.parent / "examples"


def told(notebook):
    """What cells show, but for tables, which every version of pandas draws in its own way."""
    outputs = (output for cell in notebook.cells for output in cell.get("outputs", ()))
    texts = (output.get("data", {}).get("text/plain", "") for output in outputs)
    return [text for text in texts if text.startswith(("{", "<boostext"))]


@pytest.mark.parametrize("path", sorted(EXAMPLES.glob("*.ipynb")), ids=lambda path: path.stem)
def test_a_notebook_runs_and_shows_what_it_has_shown(path):
    kept, again = (nbformat.read(path, as_version=4) for _ in range(2))
    where = {"metadata": {"path": str(EXAMPLES)}}
    nbclient.NotebookClient(again, timeout=300, resources=where).execute()
    assert told(again) == told(kept)
    assert told(kept)


def test_there_are_two_notebooks():
    assert {path.stem for path in EXAMPLES.glob("*.ipynb")} == {"mend_labels", "pipeline"}
