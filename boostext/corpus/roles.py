"""The roles of the fields of a record, and how messages refer to them."""

from __future__ import annotations

import difflib
import shlex
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass

from boostext.corpus.sources import Source
from boostext.settings import DataSettings

DEFAULTS = DataSettings()


@dataclass(frozen=True)
class Roles:
    """The settings about fields, in the form that the readers use.

    texts: empty if the records have only attributes (`--text ""`). alternatives: only the first
    label field that is present is used, instead of all of them. id, weight: "" if no field has the
    role. no_attributes: attributes that are not named are left out (`--attribute ""`). required:
    fields that a record must have in addition to texts and labels. labelled: labels are required.
    bare: only the texts and the named attributes are read, and everything else is ignored.
    """

    texts: tuple[str, ...]
    labels: tuple[str, ...]
    alternatives: bool
    id: str
    weight: str
    required: frozenset[str]
    attributes: tuple[str, ...]
    no_attributes: bool
    labelled: bool
    bare: bool = False

    @staticmethod
    def of(settings: DataSettings, labelled: bool) -> Roles:
        """A weight field that is also named as an attribute is an attribute, unless named twice."""
        weight_named = settings.weight != DEFAULTS.weight
        taken = settings.weight in settings.attribute and not weight_named
        named = {settings.id} - {DEFAULTS.id} | {settings.weight} - {DEFAULTS.weight}
        return Roles(
            texts=tuple(name for name in settings.text if name),
            labels=settings.label,
            alternatives=settings.label == DEFAULTS.label,
            id=settings.id,
            weight="" if taken else settings.weight,
            required=frozenset(named - {""}) if labelled else frozenset(),
            attributes=tuple(name for name in settings.attribute if name),
            no_attributes="" in settings.attribute,
            labelled=labelled,
            bare=not settings.label,
        )

    def label_fields(self, found: Collection[str]) -> list[str]:
        """The label fields that are present and used, in the order of the settings."""
        present = [name for name in self.labels if name in found]
        return present[:1] if self.alternatives else present


def named_roles(settings: DataSettings) -> dict[str, tuple[str, ...]]:
    """option -> names of the label, id and weight fields that differ from the default names."""
    given = {"--label": settings.label, "--id": (settings.id,), "--weight": (settings.weight,)}
    usual = {"--label": DEFAULTS.label, "--id": (DEFAULTS.id,), "--weight": (DEFAULTS.weight,)}
    return {
        option: names
        for option, names in given.items()
        if names and names != usual[option] and any(names)
    }


def missing(what: str, option: str, wanted: Sequence[str], found: Iterable[str]) -> str:
    """A message with the names that were wanted and found, and the most similar one, quoted."""
    names = [name for name in found if name]
    looked = " or ".join(map(shown, wanted))
    there = ", ".join(map(shown, names[:20])) + (", ..." if len(names) > 20 else "")
    near = [n for w in wanted for n in difflib.get_close_matches(w, names[:1000], 1)]
    hint = (
        f"; did you mean {option} {shlex.quote(near[0])}?"
        if near
        else f"; name the right one with {option}"
    )
    return f"no {what} {looked} (there are: {there or 'none'}){hint}"


def shown(value: object, limit: int = 60) -> str:
    """A value quoted for a message: shortened, and with control characters escaped."""
    text = value if isinstance(value, str) else str(value)
    return repr(text if len(text) <= limit else text[: limit - 3] + "...")


def label_set(labels: Iterable[str], source: Source, line: int) -> tuple[str, ...]:
    """The labels without duplicates, in the given order; DataError if one is empty."""
    distinct = tuple(dict.fromkeys(labels))
    if "" in distinct:
        raise source.fault(line, "an empty label; remove it, or give it a name")
    return distinct


def default_id(given: str, source: Source, number: int) -> str:
    """The id of a record, or FILENAME:NUMBER if it has none."""
    return given or f"{source.name}:{number}"
