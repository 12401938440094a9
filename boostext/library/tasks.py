"""What the commands do over results, models and data, beside those that measure or inspect."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, fields
from pathlib import Path
from typing import Any

from boostext.atomic import NOTHING, Kind, replacing
from boostext.corpus import checks
from boostext.corpus.checks import Findings
from boostext.corpus.corrections import Corrections
from boostext.corpus.readers import check_names
from boostext.corpus.sources import BadRecords
from boostext.errors import SettingsError
from boostext.features.tokenizer import token_reader
from boostext.fields import count as in_words
from boostext.knowledge.checking import KnowledgeCheck
from boostext.knowledge.reading import read_knowledge
from boostext.library.classifier import Classifier
from boostext.library.crossval import CrossValidated, check_plan, held_out_in_turn
from boostext.library.data import (
    IN_MEMORY,
    Paths,
    corrections_of,
    given_data,
    model_data,
    paths_of,
    report_corrections,
    report_interpretation,
    report_reading,
    some,
)
from boostext.library.inspection import as_folder
from boostext.library.judging import audited
from boostext.library.reporting import Report, write_training_report
from boostext.library.training import (
    Result,
    jobs_of,
    plan_of,
    preset_of,
    read,
    training_data,
    working,
)
from boostext.library.tuning import Chosen, Tuning, tuned
from boostext.library.watch import Watch, interrupts
from boostext.model.model import Model
from boostext.reports.folder import ReportFolder
from boostext.reports.suggestions import (
    FORMATS,
    Pool,
    Suggestion,
    json_records,
    measure,
    usual_sample,
)
from boostext.reports.suggestions import suggest as choose
from boostext.training.columns import described
from boostext.training.knowing import older_model
from boostext.training.plan import Plan

# After a training ----------------------------------------------------------------------------


def report(
    result: Result,
    folder: str | Path | ReportFolder,
    *,
    source: str = "auto",
    title: str = "model",
    checked: Mapping[str, tuple[str, ...]] | None = None,
    retrain: str = "",
    watch: Watch | None = None,
    workers: Any = None,
    client: Any = None,
) -> list[Path]:
    """Write the report of a training to a folder, and return the paths of its files.

    source: how likely label errors are found, see `outliers`. title: title of the page. checked:
    labels by id of documents that have been checked, which are not listed. retrain: the command for
    training again that the page shows. watch: receives the progress. workers: number of processes
    for the cross-validation, or address of a Dask scheduler; client: a Dask Client instead.
    """
    prepared, judging = result.trained.prepared, (watch or Watch()).judging
    with working(workers if client is None else client, prepared.plan) as pool:
        source, audit = audited(source, prepared, judging, jobs_of(pool))
    with as_folder(folder) as place:
        assert place is not None, "a folder was named"
        wanted = Report(
            place,
            source,
            audit,
            result.cross,
            title,
            result.read,
            retrain,
            checked or {},
        )
        return write_training_report(wanted, result.trained, result.account)


# Settings tried on parts of the data -----------------------------------------------------------


def crossval(
    data: Any,
    labels: Any = None,
    *,
    preset: str | None = None,
    labels_from: Paths = (),
    new_labels: bool = False,
    watch: Watch | None = None,
    workers: Any = None,
    client: Any = None,
    **settings: Any,
) -> CrossValidated:
    """Measure settings by cross-validation.

    See `boostext.train` for data, labels, preset ("paper" or None) and settings, which include
    folds, splits and group. watch: receives the progress. workers: number of processes for the
    folds, or address of a Dask scheduler; client: a Dask Client instead. Raises SettingsError if
    the data cannot be divided into these folds.
    """
    if preset_of(preset).search:
        raise SettingsError(
            f"preset {preset} tries several settings, but crossval measures a single choice; use "
            "the preset with tune, and crossval with the settings that it finds"
        )
    plan, mended = plan_of(preset, settings), corrections_of(labels_from, new_labels)
    check_plan(plan)
    watch, account = watch or Watch(), BadRecords()
    with working(workers if client is None else client, plan) as pool:
        given = training_data(data, labels, plan, account, mended, watch)
        prepared = read(given, plan, account, corrections=mended)
        return held_out_in_turn(prepared, watch.cross_validating, jobs_of(pool))


def tune(
    data: Any,
    labels: Any = None,
    *,
    preset: str | None = None,
    budget: float | None = None,
    labels_from: Paths = (),
    new_labels: bool = False,
    workers: Any = None,
    client: Any = None,
    **settings: Any,
) -> Chosen:
    """Choose settings on the training data alone, by trials on parts of it.

    preset: "readable" or "accurate" tries a few settings; by default the whole grid is searched.
    budget: limit in seconds of CPU time, which are counted from the work that is done, not timed;
    it determines the number of trials. workers: number of processes for the trials, or address of
    a Dask scheduler; client: a Dask Client instead. settings: settings that are not changed.
    """
    chosen = preset_of(preset)
    plan = plan_of(preset, settings)
    tuning = Tuning(chosen.search, frozenset(settings), budget)
    mended = corrections_of(labels_from, new_labels)
    with interrupts() as stop:
        asked = workers if client is None else client
        return tune_with(data, labels, plan, tuning, mended, Watch(stop), asked)


def tune_with(
    data: Any,
    labels: Any,
    plan: Plan,
    tuning: Tuning,
    corrections: Corrections,
    watch: Watch,
    workers: Any = None,
) -> Chosen:
    """Do the work of `tune`, for a plan."""
    account = BadRecords()
    with working(workers, plan) as pool:
        given = training_data(data, labels, plan, account, corrections, watch)
        documents = list(given.documents)
        report_reading(account)
        report_corrections(corrections)
        plan = described(given.paths, plan)
        return Chosen(tuned(documents, plan, tuning, watch, jobs_of(pool)))


# Data ----------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Checked(Findings):
    """The result of `boostext.check`.

    known: the comparison of prior knowledge with the documents, if a knowledge file was given.
    """

    known: KnowledgeCheck | None = None

    def to_dict(self) -> dict[str, object]:
        """Return what `boostext check --json` prints."""
        found = Findings(**{field.name: getattr(self, field.name) for field in fields(Findings)})
        return found.to_dict() | ({"knowledge": self.known.to_dict()} if self.known else {})


def check(
    data: Any,
    labels: Any = None,
    *,
    test: Any = None,
    test_labels: Any = None,
    labels_from: Paths = (),
    new_labels: bool = False,
    watch: Watch | None = None,
    **settings: Any,
) -> Checked:
    """Return the contents of the data and possible problems: labels, sizes and equal texts.

    Bad records are counted, and do not stop the check. test: data to compare with. labels_from,
    new_labels: corrections of labels. settings: settings for reading data and extracting terms, and
    knowledge, a file of rules that are compared with the data. watch: receives the progress.
    """
    plan, mended = (
        Plan.of(**{"skip_bad": True, **settings}),
        corrections_of(labels_from, new_labels),
    )
    account = BadRecords()
    given = given_data(data, plan.data, account, labels, labelled=False)
    other = None
    if test is not None:
        other = given_data(test, plan.data, BadRecords(), test_labels, labelled=False).documents
    watch, known = watch or Watch(), None
    documents = watch.documents(mended.applied(given.documents, every=True))
    if plan.known.knowledge:
        knowledge = read_knowledge(plan.known.knowledge)
        older_model(Path(plan.known.knowledge), knowledge.old)
        known = KnowledgeCheck(knowledge, plan.text, plan.data.text)
        documents = known.watch(documents)
    found = checks.check(documents, account, other, token_reader(plan.text))
    report_interpretation(account)
    report_corrections(mended)
    check_names(account, given.paths[0] if given.paths else IN_MEMORY)
    return Checked(**vars(found), known=known)


@dataclass(frozen=True, eq=False)
class Suggested:
    """Documents to label next, in the order in which `suggest` chose them.

    measure: the measure of uncertainty. pool: the pool, with the numbers of its documents.
    """

    rows: list[Suggestion]
    model: Model
    measure: str
    pool: Pool

    def to_dicts(self) -> list[dict[str, Any]]:
        """Return one record for each suggestion, as in the lines of `boostext suggest`."""
        return json_records(self.rows, self.measure)

    def summary(self, output: str | None = None) -> list[str]:
        """Return lines with the numbers of documents that were left out, and of suggestions.

        output: the file to which the suggestions were written.
        """
        pool, where = self.pool, f" written to {output}" if output else ""
        reasons = {"that already have a label": pool.labelled}
        reasons["that have a label in --labels-from"] = pool.listed
        reasons["that are empty"] = pool.empty
        left_out = [f"{in_words(n, 'document')} left out {why}" for why, n in reasons.items() if n]
        open_ones = in_words(pool.open, "document")
        return [*left_out, f"{in_words(len(self.rows), 'suggestion')} of {open_ones}{where}"]

    def text(self, form: str = "jsonl") -> Iterator[str]:
        """Yield the output in pieces. form: "jsonl", "csv", "tsv", "label-studio" or "html"."""
        return FORMATS[form](self.rows, self.model, self.measure)

    def write(self, path: str | Path, form: str, kind: Kind | None = NOTHING) -> None:
        """Write a file, completely or not at all. kind: what may be replaced; None for any file."""
        with replacing(path, kind) as file:
            for piece in self.text(form):
                file.write(piece.encode("utf-8", "backslashreplace"))


ENDINGS = {
    ".jsonl": "jsonl",
    ".csv": "csv",
    ".tsv": "tsv",
    ".json": "label-studio",
    ".html": "html",
}


def suggestion_format(path: str | None) -> str:
    """Return the format for the ending of a file, or "jsonl" for None, which means stdout."""
    ending = Path(path).suffix.lower() if path else ".jsonl"
    if ending not in ENDINGS:
        raise SettingsError(
            f"the ending {ending or '(none)'} of {path} is not that of a format; expected "
            f"{', '.join(ENDINGS)}, or give --to ({', '.join(ENDINGS.values())})"
        )
    return ENDINGS[ending]


def suggest(
    model: Classifier,
    pool: Any,
    *,
    count: int = 50,
    by: str = "margin",
    spread: bool = True,
    sample: int | None = None,
    committee: Sequence[Classifier] = (),
    labels_from: Paths = (),
    include_labelled: bool = False,
    seed: int = 0,
    **reading: Any,
) -> Suggested:
    """Return the documents of a pool to label next, about which the model is least certain.

    by: "margin", "best", "entropy", "votes" or "random", as for the command. spread: whether to
    choose, of ten times as many of the most uncertain documents, those that represent all of them
    best, instead of the most uncertain ones; without effect on by="random". sample: choose from
    this many times `count` documents, which are drawn at random; 0 for all documents, which is the
    default with include_labelled and if no rule of the model has a term, and 20 otherwise.
    committee: additional models that vote, for by="votes". labels_from: files with the documents
    that already have a label. include_labelled: also suggest documents that have a label in the
    pool. reading: settings of the data by name.
    """
    doubt = measure(by, model.predictor, [member.content for member in committee], seed)
    read = model_data(model.content, pool, None, reading, labelled=False)
    listed = set(corrections_of(labels_from).given)
    open_ones = Pool(some(read, paths_of(pool), BadRecords()), listed, include_labelled)
    if sample is None:
        sample = 0 if include_labelled else usual_sample(model.content)
    spread = spread and by != "random"
    rows = choose(open_ones, model.predictor, doubt, count, spread, sample, seed)
    return Suggested(rows, model.content, by, open_ones)
