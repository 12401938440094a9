"""Stems and .shyp models from the command line: what their users do, with as little to say."""

import pytest

from boostext.corpus.readers import read_documents
from boostext.settings import DataSettings

NAMES = "billing, moved.\ntext: text: expert_length=2.\nminutes: continuous.\n"
DATA = "wrong bill again, 3, billing.\nI moved, ?, moved.\nnew house, 9, moved.\nthe bill, 1, billing.\n"


@pytest.fixture
def stem(tmp_path, monkeypatch):
    """calls.names, .data and .test, in the current folder."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "calls.names").write_text(NAMES, "utf-8")
    (tmp_path / "calls.data").write_text(DATA, "utf-8")
    (tmp_path / "calls.test").write_text("a bill, 2, billing.\nwe moved, 8, moved.\n", "utf-8")
    return tmp_path
