"""Values for the part of a page in which a text is typed and its labels are shown."""

from __future__ import annotations

from typing import Any

from markupsafe import Markup

from boostext.features.conditions import AtLeast, Equals, Occurs
from boostext.model.merged import merge_rules
from boostext.model.model import Model, known_conditions
from boostext.reports.html import script_json, shown
from boostext.reports.portable.plain_model import Packed

COLUMNS, VALUES = 60, 300
"""Maximum numbers of attributes with an input field, and of categories that one offers."""


def box_values(model: Model, pack: Packed) -> dict[str, Any]:
    """Return the values for the template `predict_box`.

    Labels are shortened for display; the names of fields and attributes are unchanged, because the
    script needs them.
    """
    columns, fields = columns_asked(model), fields_asked(model)
    names = {
        "fields": fields,
        "columns": list(columns.items()),
        "labels": [shown(label, 40) for label in model.labels],
    }
    return {
        "fields": fields,
        "columns": columns,
        "kept": pack.kept,
        "total": pack.total,
        "json": Markup(script_json({"data": pack.data})),
        "names": Markup(script_json(names)),
    }


def fields_asked(model: Model) -> list[str]:
    """Return the text fields that the conditions of a model use.

    If there are no conditions on attributes either, all text fields are returned.
    """
    conditions = (*merge_rules(model).conditions, *known_conditions(model))
    asked = {condition.field for condition in conditions if isinstance(condition, Occurs)}
    used = {text for name, text in model.text.term_fields(model.data.text).items() if name in asked}
    return [name for name in model.data.text if name in used or not columns_asked(model)]


def columns_asked(model: Model) -> dict[str, list[str]]:
    """Return the attributes that a model uses, with the values of categories.

    The list of values is empty for numeric attributes.
    """
    columns: dict[str, list[str]] = {}
    for condition in (*merge_rules(model).conditions, *sorted(known_conditions(model), key=str)):
        if isinstance(condition, Equals | AtLeast) and (
            condition.column in columns or len(columns) < COLUMNS
        ):
            values = columns.setdefault(condition.column, [])
            if isinstance(condition, Equals) and len(values) < VALUES:
                values.append(condition.value)
    return columns
