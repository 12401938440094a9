"""Rows and files need no drawing library."""

import subprocess
import sys

ROWS = ("rules", "terms", "outliers", "objections", "columns", "coverage", "explanations", "folder")


def test_rows_and_their_files_do_not_import_rich():
    names = ", ".join(f"boostext.reports.{name}" for name in ROWS)
    code = f"import sys, {names}; sys.exit('rich' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0
