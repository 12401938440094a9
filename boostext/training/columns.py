"""Determine the content of columns from the .names file of a stem or from their values."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from boostext.corpus.alike import remembered
from boostext.corpus.column_types import CATEGORY, ColumnType, as_number, column_type
from boostext.corpus.corpus import Corpus
from boostext.corpus.notes import Notes
from boostext.corpus.readers import format_of
from boostext.corpus.roles import shown
from boostext.corpus.schema import (
    NOMINAL,
    kept_schema,
    read_schema,
    with_columns,
    with_schema,
)
from boostext.corpus.stems import VALIDATION, is_file, names_file, stem_file
from boostext.errors import DataError, SettingsError
from boostext.settings import column_kinds
from boostext.training.plan import Plan


def described(paths: Sequence[str], plan: Plan) -> Plan:
    """Add to the plan what the model keeps about the files at `paths`.

    This is the column description of stems, so that prediction needs no .names file, and the
    endings, so that similar files are read with the same settings.
    """
    files = [stem_file(path) for path in paths]
    plan = replace(plan, data=remembered(files, plan.data))
    stems = [path for path in files if format_of(path, plan.data) == "stem"]
    if not stems or plan.data.schema:
        return plan
    schemas = [read_schema(names_file(path, plan.data), plan.data) for path in stems]
    if any(schema != schemas[0] for schema in schemas):
        raise SettingsError(
            f"the .names files of {', '.join(stems)} differ; train on stems with the same columns"
        )
    schema = schemas[0]
    data = with_schema(plan.data, schema)
    return replace(plan, data=data, text=with_columns(plan.text, schema))


def with_validation(paths: Sequence[str], plan: Plan) -> Plan:
    """Use the .dev file of a stem as validation data, unless the plan has validation data."""
    stems = [path for path in paths if stem_file(path) != path]
    found = tuple(dev for path in stems if is_file(dev := stem_file(path, VALIDATION)))
    if not found or plan.stop.valid or plan.stop.valid_fraction:
        return plan
    return replace(plan, stop=replace(plan.stop, valid=found))


def declared_labels(plan: Plan) -> tuple[str, ...] | None:
    """The labels in the order of the column description; None if there is none."""
    schema = kept_schema(plan.data)
    return schema.labels if schema else None


def declared_categories(plan: Plan) -> dict[str, Sequence[str]]:
    """column declared to contain categories -> its values in the order of the description"""
    schema = kept_schema(plan.data)
    columns = schema.columns if schema else ()
    described = {column.name: column.values for column in columns if column.kind == NOMINAL}
    given = (name for name, kind in column_kinds(plan.data).items() if kind == CATEGORY)
    return {**dict.fromkeys(given, ()), **described}


def with_known_types(plan: Plan, corpus: Corpus, notes: Notes) -> Plan:
    """Add the detected types of columns to the plan, so that prediction reads them the same way.

    notes: records strings in columns of numbers. DataError if it is not clear whether commas are
    decimal commas.
    """
    given = {*column_kinds(plan.data), *declared_categories(plan)}
    if plan.data.schema:
        return plan
    known = []
    for name, values in corpus.attributes.items():
        found = column_type(values) if name not in given else ColumnType(CATEGORY)
        if found.ambiguous:
            place = next(
                i for i, value in enumerate(values) if as_number(value, found.kind) != value
            )
            raise DataError(
                corpus.origins[place].path,
                corpus.origins[place].line,
                f"attribute {shown(name)} is {shown(values[place])}, whose comma may be a decimal "
                f"comma or separate thousands; add --attribute-type {name}=decimal-comma, or "
                f"{name}=category",
            )
        if found.strays:
            place = found.first_stray
            example = f"{name}: {values[place]}"
            notes.add("text for a number", example, corpus.origins[place], found.strays)
        if found.doubt:
            place = next(i for i, value in enumerate(values) if isinstance(value, str))
            notes.add(found.doubt, f"{name}: {values[place]}", corpus.origins[place], len(values))
        if found.kind != CATEGORY and any(value is not None for value in values):
            known.append(f"{name}={found.kind}")
    return replace(plan, data=replace(plan.data, known_types=tuple(known)))
