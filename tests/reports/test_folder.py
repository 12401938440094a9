"""The report folder."""

import os
import sys

import pytest

from boostext.errors import BoostextError
from boostext.reports.folder import check_folder, report_folder, write_reports


def test_reports_are_written_and_other_files_left_alone(tmp_path):
    (tmp_path / "notes.txt").write_text("mine", encoding="utf-8")
    (tmp_path / "terms.tsv").write_text("old", encoding="utf-8")
    places = write_reports(tmp_path, {"rules.tsv": ["a\n", "กข\n"], "terms.tsv": iter(["new\n"])})
    assert [place.name for place in places] == ["rules.tsv", "terms.tsv"]
    assert (tmp_path / "rules.tsv").read_bytes() == "a\nกข\n".encode()
    assert (tmp_path / "terms.tsv").read_text(encoding="utf-8") == "new\n"
    assert {path.name for path in tmp_path.iterdir()} == {"notes.txt", "rules.tsv", "terms.tsv"}


def test_a_missing_folder_is_made(tmp_path):
    check_folder(tmp_path / "out" / "report")
    assert (tmp_path / "out" / "report").is_dir()


def test_checking_leaves_nothing_behind(tmp_path):
    check_folder(tmp_path)
    assert list(tmp_path.iterdir()) == []


def test_only_what_was_made_for_a_report_and_stayed_empty_goes_again(tmp_path):
    (tmp_path / "mine").mkdir()
    with pytest.raises(BoostextError), report_folder(tmp_path / "mine" / "new" / "report"):
        raise BoostextError("no data")
    assert list((tmp_path / "mine").iterdir()) == []
    with pytest.raises(BoostextError), report_folder(tmp_path / "mine"):
        raise BoostextError("no data")
    with report_folder(tmp_path / "new"):
        write_reports(tmp_path / "new", {"rules.tsv": ["a\n"]})
    assert {path.name for path in tmp_path.iterdir()} == {"mine", "new"}
    with report_folder(None):
        pass


def test_a_failure_half_way_leaves_every_old_report(tmp_path):
    (tmp_path / "rules.tsv").write_text("old", encoding="utf-8")

    def broken():
        yield "half\n"
        raise BoostextError("the disk is gone")

    with pytest.raises(BoostextError):
        write_reports(tmp_path, {"rules.tsv": ["new\n"], "terms.tsv": broken()})
    assert [path.name for path in tmp_path.iterdir()] == ["rules.tsv"]
    assert (tmp_path / "rules.tsv").read_text(encoding="utf-8") == "old"


def test_half_a_character_is_spelled(tmp_path):
    write_reports(tmp_path, {"outliers.tsv": ["\ud800\n"]})
    assert (tmp_path / "outliers.tsv").read_bytes() == b"\\ud800\n"


def test_a_file_in_the_place_of_the_folder_is_an_error(tmp_path):
    (tmp_path / "report").write_text("", encoding="utf-8")
    with pytest.raises(BoostextError, match="is not a folder"):
        check_folder(tmp_path / "report")
    with pytest.raises(BoostextError, match="not a folder"):
        check_folder(tmp_path / "report" / "deeper")


def test_a_folder_in_the_place_of_a_report_is_an_error(tmp_path):
    (tmp_path / "trace.jsonl").mkdir()
    with pytest.raises(BoostextError, match=r"trace\.jsonl"):
        check_folder(tmp_path)


@pytest.mark.skipif(
    sys.platform == "win32" or os.geteuid() == 0, reason="nothing is write-protected for this user"
)
def test_a_write_protected_folder_is_an_error(tmp_path):
    tmp_path.chmod(0o500)
    with pytest.raises(BoostextError, match="cannot be written"):
        check_folder(tmp_path)


def test_stdout_is_no_folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    with pytest.raises(BoostextError, match="cannot go to stdout"), report_folder("-"):
        pass
    assert list(tmp_path.iterdir()) == []
