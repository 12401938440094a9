"""`boostext.train`: data in any form to a model, and what is known of how it came about."""

from __future__ import annotations

import functools
import logging
import math
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING, Any

from boostext.atomic import Kind, check_own, check_writable, make_parent
from boostext.boosting.engines.choose import Maker, made_here
from boostext.compiled import notice, on_compile
from boostext.corpus.corrections import Corrections
from boostext.corpus.documents import Document
from boostext.corpus.readers import read_documents
from boostext.corpus.sources import BadRecords
from boostext.errors import BoostextError, SettingsError, WorkerError
from boostext.features.selection import SYMBOLS
from boostext.fields import count
from boostext.library.classifier import Classifier
from boostext.library.crossval import in_words
from boostext.library.data import (
    Given,
    Paths,
    can_be_read_again,
    corrections_of,
    given_data,
    paths_of,
    reading_again,
    report_corrections,
    report_reading,
    some,
)
from boostext.library.tuning import Tuning, table, tuned
from boostext.library.watch import StopRequest, Watch, interrupts
from boostext.model.file import MODEL_FILE, read_model, write_model
from boostext.model.model import Model
from boostext.model.prior import influence
from boostext.presets import PRESETS, Choices, Preset
from boostext.reports.page.content import Read, nothing_read
from boostext.training.choosing import decided
from boostext.training.columns import described, with_validation
from boostext.training.crossval import CrossValidation, remarks_before
from boostext.training.held_out import (
    check_held_out,
    finished,
    settled,
    wants_cross_validation,
    with_knowledge,
)
from boostext.training.jobs import Jobs
from boostext.training.knowing import prior_of, unlabelled_documents
from boostext.training.plan import Plan, command_line
from boostext.training.run import Hooks, Moment, Prepared, Trained, check_patience, learn, prepare
from boostext.training.sizes import (
    MB,
    SAMPLE,
    check_beforehand,
    check_memory,
    extent_of,
    memory_of,
    memory_of_machine,
    sampled,
    sizes_of,
    text_size,
)
from boostext.training.sizes import sizes as in_one_line
from boostext.training.summary import (
    Summary,
    remarks,
    summary,
    threshold_words,
    training_json,
    warnings,
)

if TYPE_CHECKING:
    from boostext.distributed.engine import WorkerPool
    from boostext.distributed.reading import RemoteData

LOG = logging.getLogger("boostext")
LARGE = 4
"""How many times the size of a sample data must have for a dry run to read only the sample."""
WHOLE = {"whole": True}
"""Marks a message that is a command for copying, which is not shortened."""


@dataclass(frozen=True)
class Step:
    """The state of a training after a round.

    round, rounds: the number of the round, and the maximum. bound: the bound on the training loss.
    valid: the measure for early stopping on the validation data, or None if it was not computed.
    """

    round: int
    rounds: int
    bound: float
    valid: float | None


@dataclass(frozen=True, eq=False)
class Result:
    """A trained model with the details of its training, as returned by `boostext.train`.

    model: the model. trained: the rounds and the features. account: records that were left out or
    interpreted when the data was read. cross: the cross-validation, if one was done. read: function
    that reads documents again, for reports.
    """

    model: Classifier
    trained: Trained
    account: BadRecords
    cross: CrossValidation | None = None
    read: Read = nothing_read

    @cached_property
    def summary(self) -> Summary:
        """All figures of the training."""
        return summary(self.trained)

    @property
    def measures(self) -> dict[str, float]:
        """The main measures by name; those that are not known are left out.

        They are the measure for early stopping on the training and on the validation data, the
        baseline (the same measure if the most frequent label is always predicted), and the Hamming
        loss and one-error on the training data.
        """
        summary = self.summary
        values = {
            f"training {summary.measure}": summary.training,
            f"validation {summary.measure}": summary.validation,
            f"baseline {summary.measure}": summary.baseline,
            "training hamming-loss": summary.hamming_loss,
            "training one-error": summary.one_error,
        }
        return {name: value for name, value in values.items() if not math.isnan(value)}

    @property
    def interrupted(self) -> bool:
        """Whether the training was stopped early by Ctrl-C."""
        return self.trained.interrupted

    def doubts(self) -> Iterator[str]:
        """Yield warnings if the model has no rules, or is no better than the baseline."""
        summary = self.summary
        if not len(self.trained.prepared.corpus):
            return
        if not summary.rounds:
            text = self.trained.prepared.plan.text
            words = text.analyzer == "word" and not text.token_pattern and not text.punctuation
            yield (
                f"{summary.stopped}: the model has no rules, and all its scores are 0; "
                "boostext check lists texts with the same terms and different labels"
                + (f"; {SYMBOLS}" if words else "")
            )
        elif not summary.helps:
            yield (
                f"the model is not better than always answering {summary.majority!r} "
                f"({summary.measure} {summary.baseline:.4f})"
            )

    def to_dict(self) -> dict[str, Any]:
        """Return what `boostext train --json` prints, without the name of the model file."""
        return training_json(self.trained, self.summary, self.account)

    def __reduce__(self) -> tuple[Any, ...]:
        # the function that reads documents again works in this process only
        return type(self), (self.model, self.trained, self.account, self.cross)

    def __repr__(self) -> str:
        summary = ", ".join(f"{name} {value:.4f}" for name, value in self.measures.items())
        return f"<boostext.Result: {self.model!r}; {summary}>"

    def _repr_html_(self) -> str:
        return self.model._repr_html_()


def train(
    data: Any,
    labels: Any = None,
    valid: Any = None,
    *,
    valid_labels: Any = None,
    preset: str | None = None,
    labels_from: Paths = (),
    new_labels: bool = False,
    progress: Callable[[Step], None] | None = None,
    workers: int | str | None = None,
    client: Any = None,
    **settings: Any,
) -> Result:
    """Learn a model from labelled data. `docs/python.md` lists the accepted forms of data.

    labels: the labels of each item, in order, or the name of the column that contains them. valid,
    valid_labels: validation data, on which the number of rounds is chosen. preset: "paper",
    "readable" or "accurate", for settings that are not given; by default they depend on the data.
    labels_from: files of corrected labels, which may contain new labels if new_labels is true.
    progress: function that is called after every round. workers: number of processes, or address of
    a Dask scheduler; client: a Dask Client instead. settings: the options of `boostext train` by
    name, as values or as text.

    Ctrl-C ends the training after the current round and returns the model so far. Raises
    BoostextError and its subclasses, and TypeError for data of an unsupported type.

    >>> import boostext
    >>> texts = ["my bill is wrong", "the bill again", "we move house", "I move"]
    >>> result = boostext.train(texts, ["bill", "bill", "move", "move"], rounds=10)
    >>> result.model.predict(["a bill"]), result.measures["training error"]
    (['bill'], 0.0)
    """
    chosen = preset_of(preset)
    plan = plan_of(preset, settings)
    tuning = Tuning(chosen.search, frozenset(settings)) if chosen.search else None
    with interrupts() as stop:
        return run(
            data,
            labels,
            plan,
            valid=valid,
            valid_labels=valid_labels,
            tuning=tuning,
            corrections=corrections_of(labels_from, new_labels),
            watch=_Steps(stop, progress),
            workers=workers if client is None else client,
        )


class _Steps(Watch):
    """Calls the function for progress after every round."""

    def __init__(self, stop: StopRequest, progress: Callable[[Step], None] | None) -> None:
        super().__init__(stop)
        self._progress, self._rounds = progress, 0

    def learning(self, prepared: Prepared) -> None:
        self._rounds = prepared.plan.boosting.rounds

    def round(self, moment: Moment) -> None:
        if self._progress is not None:
            made = moment.round
            self._progress(Step(made.number, self._rounds, made.bound, moment.valid))


def plan_of(preset: str | None, settings: Mapping[str, Any]) -> Plan:
    """Return the plan of some settings; the data determines what they and the preset leave open."""
    plan = Plan.of(**{**preset_of(preset).settings, **settings})
    return plan.opened(preset, settings)


def decided_by(paths: Sequence[str], plan: Plan) -> tuple[Plan, Choices]:
    """Return the plan with the settings that the data determines, and these settings by name."""
    documents = read_documents(paths, plan.reading, BadRecords(), labelled=False)
    _, plan, chosen = decided(documents, described(paths, plan))
    return plan, chosen


def preset_of(name: str | None) -> Preset:
    """Return the preset of that name, or one without settings for None."""
    if name is not None and name not in PRESETS:
        raise SettingsError(f"preset is {name!r}; expected one of {', '.join(PRESETS)}")
    return PRESETS[name] if name else Preset("")


def run(
    data: Any,
    labels: Any,
    plan: Plan,
    *,
    valid: Any = None,
    valid_labels: Any = None,
    tuning: Tuning | None = None,
    corrections: Corrections | None = None,
    old: Model | None = None,
    checkpoint: Callable[[Model], None] | None = None,
    watch: Watch | None = None,
    workers: Any = None,
    reports: bool = False,
) -> Result:
    """Do all steps of a training, for `boostext.train` and the command.

    tuning: how to choose settings first, if at all. old: a model to continue from. checkpoint:
    function that receives the model so far from time to time. watch: receives the progress, and may
    stop the training. workers: see distributed.cluster.Asked; or a WorkerPool; None or "" means
    this process. reports: whether reports are written, for which this process reads the documents.
    """
    watch, account, mended = watch or Watch(), BadRecords(), corrections or Corrections()
    with working(workers, plan, rules=tuning is None) as pool:
        if pool is None and labels is None:
            check_beforehand(paths_of(data), plan, memory_of_machine())
        here = labels is not None or tuning is not None or bool(mended) or reports
        remote = None if here or pool is None else pool.reading(paths_of(data), plan, account)
        given = (
            training_data(data, labels, plan, account, mended, watch)
            if remote is None
            else _remote_data(remote, watch)
        )
        if tuning is not None:
            given, plan = _tuned(given, plan, tuning, account, mended, watch, jobs_of(pool))
        held = None
        if valid is not None:
            held = given_data(valid, plan.reading, account, valid_labels).documents
        prepared = read(given, plan, account, held, mended, tuning is not None, remote)
        if pool is None:
            check_memory(prepared)
        chosen = tuning is not None or bool(plan.open)
        make = pool.make_for(prepared, chosen) if pool is not None else made_here
        prepared, cross = settle(prepared, watch, jobs_of(pool), old)
        trained = learned(prepared, cross, watch, old, checkpoint, make)
        if not len(prepared.corpus):
            LOG.info("no document has a label: the model is the knowledge alone")
        again = _reading(data, labels, trained)
        result = Result(Classifier(trained.model), trained, account, cross, again)
        if remote is not None:
            _ = result.summary  # while the workers are still connected
            remote.close()
        return result


def _remote_data(remote: RemoteData, watch: Watch) -> Given:
    """Return the documents that workers read, without their texts."""
    documents = some(remote.documents(), remote.paths, remote.account)
    return Given(tuple(remote.paths), watch.documents(documents))


def _tuned(
    given: Given,
    plan: Plan,
    tuning: Tuning,
    account: BadRecords,
    mended: Corrections,
    watch: Watch,
    jobs: Jobs | None,
) -> tuple[Given, Plan]:
    """Return the documents as a list, and the plan with the best settings for them."""
    documents = list(given.documents)
    report_reading(account)
    report_corrections(mended)
    found = tuned(documents, described(given.paths, plan), tuning, watch, jobs)
    for line in table(found):
        LOG.info(line)
    LOG.info(f"chosen: {command_line(found.plan)}", extra=WHOLE)
    return replace(given, documents=documents), found.plan


def training_data(
    data: Any,
    labels: Any,
    plan: Plan,
    account: BadRecords,
    corrections: Corrections,
    watch: Watch,
) -> Given:
    """Return the documents to learn from, which can be read once.

    Documents without a field for labels are accepted only if there are corrections or prior
    knowledge.
    """
    labelled = not (corrections or plan.known.knowledge)
    given = given_data(data, plan.reading, account, labels, labelled=labelled)
    prior = prior_of(plan)
    every = prior is not None and prior.speaks  # it is about documents without labels, too
    read = corrections.applied(some(given.documents, given.paths, account), every=every)
    documents = watch.documents(chain(read, unlabelled_documents(plan, account)))
    return replace(given, documents=documents)


def read(
    given: Given,
    plan: Plan,
    account: BadRecords,
    valid: Iterable[Document] | None = None,
    corrections: Corrections | None = None,
    again: bool = False,
    remote: RemoteData | None = None,
) -> Prepared:
    """Extract the features of documents, and log what was found.

    valid: validation data; None for the files in the plan, or those that belong to a stem. again:
    whether the documents were read before, so that nothing is logged. remote: the data on workers.
    """
    check_validation(plan, valid is not None)
    found = plan if valid is not None else with_validation(given.paths, plan)
    if found != plan:
        LOG.info(f"using the validation data of the stem: {', '.join(found.stop.valid)}")
    plan, mended = found, corrections or Corrections()
    LOG.info(f"threads {plan.threads}, seed {plan.boosting.seed}")
    _compiling()
    if valid is None and plan.stop.valid:
        valid = read_documents(plan.stop.valid, plan.data, account)
    prepared = prepare(given.documents, described(given.paths, plan), valid, remote=remote)
    if remote is not None:
        remote.release()
    plan = prepared.plan.as_read(account)
    prepared = replace(prepared, plan=plan, corrected=mended.changed)
    if not again:
        report_reading(account)
        report_corrections(mended)
    if notice():
        LOG.info(notice())
    LOG.info(in_one_line(prepared))
    for remark in remarks(prepared):
        LOG.info(remark)
    for warning in warnings(prepared):
        LOG.warning(warning)
    return prepared


def check_validation(plan: Plan, validates: bool) -> None:
    """Raise SettingsError if the settings for validation contradict each other."""
    validates = validates or bool(plan.stop.valid or plan.stop.valid_fraction)
    check_patience(plan, validates)
    check_held_out(plan, validates)


@functools.cache
def _compiling() -> None:
    on_compile(lambda: LOG.info("compiling; this is only needed in the first run ..."))


def settle(
    prepared: Prepared, watch: Watch, jobs: Jobs | None = None, old: Model | None = None
) -> tuple[Prepared, CrossValidation | None]:
    """Choose settings by cross-validation if the plan requires it, and log the result.

    old: a model to continue from, whose prior knowledge keeps its influence.
    """
    for remark in remarks_before(prepared) if wants_cross_validation(prepared) else ():
        LOG.info(remark)
    before = prepared.known
    if old is None:
        prepared = with_knowledge(prepared, watch.cross_validating, jobs=jobs)
    elif old.prior is not None and before is not None:
        prepared = prepared.knowing(old.prior.scale, old.prior.apart)
    if prepared.known is not before and prepared.known is not None:
        LOG.info(f"chosen by cross-validation: {influence(prepared.known.prior)}")
    prepared, found = settled(prepared, watch.cross_validating, jobs=jobs)
    if "threshold" in prepared.chosen:
        LOG.info(threshold_words(prepared))
    if found is not None:
        LOG.info(in_words(found))
    return prepared, found


def prepared_for(given: Given, plan: Plan) -> tuple[Prepared, CrossValidation | None]:
    """Call `read` and `settle`, for the estimator."""
    return settle(read(given, plan, BadRecords()), Watch())


def learned(
    prepared: Prepared,
    found: CrossValidation | None,
    watch: Watch | None = None,
    old: Model | None = None,
    checkpoint: Callable[[Model], None] | None = None,
    make: Maker = made_here,
) -> Trained:
    """Learn the rules, and calibrate the model if the plan requires it.

    old: a model to continue from. make: function that creates the engine.
    """
    watch = watch or Watch()

    def after(moment: Moment) -> None:
        watch.stop.patient = True  # from now on there are rules to save
        watch.round(moment)

    watch.learning(prepared)
    trained = learn(prepared, Hooks(after, watch.stop, checkpoint), old, make=make)
    return finished(trained, found, LOG.warning)


@contextmanager
def working(workers: Any, plan: Plan, rules: bool = False) -> Iterator[WorkerPool | None]:
    """Connect to the workers and yield a WorkerPool, or None without workers.

    workers: see `run`; a WorkerPool is yielded unchanged. rules: whether they will learn the rules
    of plan, which is not possible for every algorithm.
    """
    if workers is None or workers == "":
        yield None
        return
    from boostext.distributed.cluster import connected
    from boostext.distributed.engine import WorkerPool

    if rules:
        WorkerPool.check_learner(plan.boosting)
    if isinstance(workers, WorkerPool):
        yield workers
        return
    with connected(workers, plan.run.threads) as cluster:
        LOG.info(str(cluster))
        yield WorkerPool(cluster)


def jobs_of(pool: WorkerPool | None) -> Jobs | None:
    """Return where folds and trials run; None means in threads of this process."""
    return None if pool is None else pool.jobs


def _reading(data: Any, labels: Any, trained: Trained) -> Read:
    """Return a function that reads documents again, if the data can be read more than once."""
    settings, corpus = trained.prepared.plan.reading, trained.prepared.corpus
    if not can_be_read_again(data, labels):
        return nothing_read

    def again() -> Iterable[Document]:
        return given_data(data, settings, BadRecords(), labels, labels is not None).documents

    return reading_again(again, corpus)


def sizes(
    data: Any,
    labels: Any = None,
    *,
    preset: str | None = None,
    labels_from: Paths = (),
    new_labels: bool = False,
    watch: Watch | None = None,
    workers: Any = None,
    **settings: Any,
) -> dict[str, int]:
    """Return what `boostext train --dry-run` prints: the size of the data, and memory in megabytes.

    The memory is that of a training in this process, or on each of the workers. The data is read,
    but nothing is learned. Of files with more than 64 MB of text only a sample is read, and all
    numbers are estimates. The parameters are those of `boostext.train`.
    """
    plan = plan_of(preset, settings)
    mended = corrections_of(labels_from, new_labels)
    return sizes_for(data, labels, plan, mended, watch, workers)


def sizes_for(
    data: Any,
    labels: Any,
    plan: Plan,
    corrections: Corrections,
    watch: Watch | None = None,
    workers: Any = None,
) -> dict[str, int]:
    """Do the work of `sizes`, for a plan."""
    account, watch = BadRecords(), watch or Watch()
    with working(workers, plan) as pool:
        paths = list(paths_of(data)) if labels is None and not corrections else []
        if pool is not None:
            paths = pool.files(paths)
        extent = sampled(paths, plan) if text_size(paths) > LARGE * SAMPLE else None
        if extent is not None:
            LOG.info("all sizes are estimates from a sample of the data")
            facts = {**extent.facts(), "peak_memory_mb": sum(memory_of(extent)) // MB}
        else:
            remote = pool.reading(paths, plan, account) if pool is not None and paths else None
            given = (
                training_data(data, labels, plan, account, corrections, watch)
                if remote is None
                else _remote_data(remote, watch)
            )
            prepared = read(given, plan, account, corrections=corrections, remote=remote)
            extent, facts = extent_of(prepared), sizes_of(prepared)
        if pool is not None:
            del facts["peak_memory_mb"]
            facts["memory_per_worker_mb"] = pool.memory(extent) // MB
        return facts


# The file of a model ---------------------------------------------------------------------------


@dataclass
class ModelPlace:
    """The files in which a training saves its model and its checkpoint.

    kind: the kind of file that may be replaced; None for any. saved: whether the model has been
    saved.
    """

    output: str
    kind: Kind | None = MODEL_FILE
    saved: bool = False

    @property
    def checkpoint(self) -> Path:
        return Path(f"{self.output}.checkpoint")

    def check(self) -> None:
        """Check that the files can be written, before the training begins."""
        make_parent(self.output)
        check_writable(self.output, self.kind)
        check_own(self.checkpoint, self.kind)

    def start(self, resume: bool) -> Model | None:
        """Return the model to continue from, if that is requested and there is one."""
        if not resume:
            if self.checkpoint.exists():
                LOG.info(
                    f"{self.checkpoint} is from a training that did not finish; "
                    "--resume continues it"
                )
            return None
        for path in (self.checkpoint, Path(self.output)):
            if path.exists():
                old = read_model(path)
                LOG.info(f"continuing from {path}, {count(len(old.rules), 'rule')}")
                return old
        LOG.info(f"neither {self.checkpoint} nor {self.output} exists; starting from the beginning")
        return None

    def keep(self, model: Model) -> None:
        """Write a checkpoint. If that fails, the previous one is kept, and a warning is logged."""
        try:
            write_model(model, self.checkpoint, self.kind)
        except BoostextError as error:
            LOG.warning(f"the checkpoint was not written, but training continues: {error}")

    @contextmanager
    def keeping(self) -> Iterator[Callable[[Model], None]]:
        """Context manager that yields `keep`, and names the saved files if workers are lost."""
        try:
            yield self.keep
        except WorkerError as error:
            if self.checkpoint.exists():
                there = (
                    f"{self.checkpoint} contains the rules so far; --resume continues from them, "
                    "with any number of workers or without workers"
                )
            elif self.saved:
                there = f"{self.output} contains the complete model"
            else:
                raise
            raise WorkerError(f"{error}; {there}") from None

    def save(self, trained: Trained) -> None:
        """Save the model; if training was stopped, also a checkpoint with all rules so far."""
        write_model(trained.model, self.output, self.kind)
        self.saved = True
        if trained.interrupted and len(trained.whole.rules) > len(trained.model.rules):
            write_model(trained.whole, self.checkpoint, self.kind)
        else:
            self.checkpoint.unlink(missing_ok=True)
