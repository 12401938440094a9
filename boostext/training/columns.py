"""Stems: their .names file says which columns there are, so the settings follow from it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

from boostext.corpus.alike import remembered
from boostext.corpus.readers import format_of
from boostext.corpus.schema import (
    NOMINAL,
    kept_schema,
    read_schema,
    with_columns,
    with_schema,
)
from boostext.corpus.stems import VALIDATION, is_file, names_file, stem_file
from boostext.errors import SettingsError
from boostext.training.plan import Plan


def described(paths: Sequence[str], plan: Plan) -> Plan:
    """The plan with what the model keeps of the files at `paths`.

    That is the column description of stems, so that prediction needs no .names file, and the
    endings, so that files like these are read as these were.
    """
    files = [stem_file(path) for path in paths]
    plan = replace(plan, data=remembered(files, plan.data))
    stems = [path for path in files if format_of(path, plan.data) == "stem"]
    if not stems or plan.data.schema:
        return plan
    schemas = [read_schema(names_file(path, plan.data), plan.data) for path in stems]
    if any(schema != schemas[0] for schema in schemas):
        raise SettingsError(
            f"the .names files of {', '.join(stems)} differ; train on stems of the same columns"
        )
    schema = schemas[0]
    data = with_schema(plan.data, schema)
    return replace(plan, data=data, text=with_columns(plan.text, schema))


def with_validation(paths: Sequence[str], plan: Plan) -> Plan:
    """The plan with the .dev of a bare stem as validation data, unless the plan has its own."""
    stems = [path for path in paths if stem_file(path) != path]
    found = tuple(dev for path in stems if is_file(dev := stem_file(path, VALIDATION)))
    if not found or plan.stop.valid or plan.stop.valid_fraction:
        return plan
    return replace(plan, stop=replace(plan.stop, valid=found))


def declared_labels(plan: Plan) -> tuple[str, ...] | None:
    """The labels in the order of the description; None where there is none."""
    schema = kept_schema(plan.data)
    return schema.labels if schema else None


def declared_categories(plan: Plan) -> Mapping[str, Sequence[str]]:
    """Column -> its values in the order of the description."""
    schema = kept_schema(plan.data)
    columns = schema.columns if schema else ()
    return {column.name: column.values for column in columns if column.kind == NOMINAL}
