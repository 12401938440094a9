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
    "rules.tsv": (RULE_COLUMNS, ("Every rule, in the order learned. After these columns come "
                  "`no:LABEL` and `yes:LABEL`, the votes where the condition does not hold and "
                  "where it does, and `unknown:LABEL` where a value is missing.")),
    "terms.tsv": (TERM_COLUMNS, ("Every term with all its rules, most influential first. After "
                  "these columns comes `difference:LABEL`, what its presence adds to each score.")),
    "coverage.tsv": (COVERAGE_COLUMNS, "What each term does by itself in the documents."),
    "outliers.tsv": (OUTLIER_COLUMNS, ("Documents by how doubtful their labels are, the most "
                     "doubtful first. The last column, `source`, says how that was found.")),
    "margins.tsv": (MARGIN_COLUMNS, "The distribution of margins."),
    "reliability.tsv": (BIN_COLUMNS, "How often probabilities came true (`crossval --report`)."),
    "curve.tsv": (curve_columns("MEASURE"), "The course of the training."),
    "curve.tsv of a cross-validation": (POINT_COLUMNS, ("The measure over the folds (`crossval "
                                        "--report`).")),
    "out-of-fold.tsv": (OUT_OF_FOLD_COLUMNS, ("Each document and label with its score out of fold "
                        "(`crossval --report`).")),
    "confusions.tsv": (CONFUSION_COLUMNS, "The documents behind each confusion of two labels."),
    "bad.tsv": (BAD_COLUMNS, "Records that were left out (`--skip-bad`)."),
    "explanation.tsv": (EXPLANATION_COLUMNS, ("Why one document has its scores (`inspect "
                        "--document ... -o DIR`).")),
}  # fmt: skip
HEAD = """# The files of a report

`boostext train --report DIR`, `boostext inspect MODEL DATA -o DIR` and `boostext.report(result, "DIR")` write tables with tabs between the columns, beside the page `report.html`. In a field, a tab is written `\\t`, a line end `\\n` and a backslash `\\\\`; several names in one field are joined by `|`. The same rows, as objects with these names as keys, are what `--json` prints and what `to_dicts()` gives in Python.
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
