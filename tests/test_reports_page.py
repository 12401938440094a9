"""docs/reports.md against the columns of the reports; run as a program, it writes the page."""

from pathlib import Path

from boostext.library.report_page import CONFUSION_COLUMNS
from boostext.library.reporting import BAD_COLUMNS, curve_columns
from boostext.reports.coverage import COVERAGE_COLUMNS
from boostext.reports.evaluation_files import (
    BIN_COLUMNS,
    MARGIN_COLUMNS,
    OUT_OF_FOLD_COLUMNS,
    POINT_COLUMNS,
)
from boostext.reports.explanations import EXPLANATION_COLUMNS
from boostext.reports.outliers import OUTLIER_COLUMNS
from boostext.reports.rules import RULE_COLUMNS
from boostext.reports.terms import TERM_COLUMNS

PAGE = Path(__file__).parent.parent / "docs" / "reports.md"
FILES = {
    "rules.tsv": (
        RULE_COLUMNS,
        (
            "Every rule, in the order in which they were learned. The columns "
            "below are followed by `no:LABEL` and `yes:LABEL`, the votes if the condition "
            "does not hold and if it does, and by `unknown:LABEL` for missing values."
        ),
    ),
    "terms.tsv": (
        TERM_COLUMNS,
        (
            "Every term with the sum of its rules, most influential first. The columns "
            "below are followed by `difference:LABEL`, how much its presence adds to the "
            "score of the label."
        ),
    ),
    "coverage.tsv": (
        COVERAGE_COLUMNS,
        "The documents that contain each term, and the labels of these documents.",
    ),
    "outliers.tsv": (
        OUTLIER_COLUMNS,
        (
            "The documents, the most likely label errors first. The last "
            "column, `source`, says how they were ranked."
        ),
    ),
    "margins.tsv": (MARGIN_COLUMNS, "The distribution of margins."),
    "reliability.tsv": (
        BIN_COLUMNS,
        "How often labels were right, by their probabilities (`crossval --report`).",
    ),
    "curve.tsv": (
        curve_columns("MEASURE"),
        "The measures after each number of rounds of the training.",
    ),
    "curve.tsv of a cross-validation": (
        POINT_COLUMNS,
        ("The measure after each number of rounds, over the folds (`crossval --report`)."),
    ),
    "out-of-fold.tsv": (
        OUT_OF_FOLD_COLUMNS,
        ("The out-of-fold score of each document and label (`crossval --report`)."),
    ),
    "confusions.tsv": (CONFUSION_COLUMNS, "The documents behind each confusion of two labels."),
    "bad.tsv": (BAD_COLUMNS, "Records that were left out (`--skip-bad`)."),
    "explanation.tsv": (
        EXPLANATION_COLUMNS,
        ("The parts of the scores of one document (`inspect --document ... -o DIR`)."),
    ),
}
HEAD = """# The files of a report

`boostext train --report DIR`, `boostext inspect MODEL DATA -o DIR` and `boostext.report(result, "DIR")` write the page `report.html` and tables whose columns are separated by tabs. Within a field, a tab is written as `\\t`, a line end as `\\n` and a backslash as `\\\\`; several names in one field are joined by `|`. `--json` prints the same rows as objects with these names as keys, and `to_dicts()` returns them in Python.
"""  # noqa: E501


def page():
    """The page as the columns have it."""
    parts = [HEAD]
    for name, (columns, told) in FILES.items():
        lines = [f"| `{c.name}` | {c.meaning} |" for c in columns if c.tsv]
        parts.append("\n".join([f"## {name}\n\n{told}\n\n| column | meaning |\n|---|---|", *lines]))
    return "\n\n".join(part.strip() for part in parts) + "\n"


def test_the_page_has_the_columns_of_every_report():
    assert PAGE.read_text(encoding="utf-8") == page()


if __name__ == "__main__":
    PAGE.write_text(page(), encoding="utf-8")
