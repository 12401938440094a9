"""Convert prior knowledge to and from plain data, for both written forms of a model."""

from __future__ import annotations

from collections.abc import Sequence

from boostext.errors import ModelError
from boostext.knowledge.knowledge import Forbidden, Knowledge, KnowledgeRule, OneSided, When
from boostext.model.model import Model
from boostext.model.plain import Plain, number, objects, only, take, texts
from boostext.model.prior import Prior

_NAMES = (
    "weight",
    "unlabelled",
    "digest",
    "labels",
    "rules",
    "forbid",
    "only",
    "old",
    "scale",
    "apart",
)


def prior_to_plain(prior: Prior) -> Plain:
    """Return prior knowledge as plain data, the inverse of `prior_from`; omit empty parts."""
    from boostext.model.json_form import model_to_plain  # it imports this module

    knowledge = prior.knowledge
    parts: Plain = {
        "labels": [[label, share] for label, share in knowledge.labels],
        "rules": [_rule_to_plain(rule) for rule in knowledge.rules],
        "forbid": [{"term": f.term, "labels": list(f.labels)} for f in knowledge.forbid],
        "only": [{"term": o.term, "label": o.label, "sign": o.sign} for o in knowledge.only],
        "old": model_to_plain(prior.old) if prior.old else None,
    }
    of_documents: Plain = {"unlabelled": prior.unlabelled, "digest": prior.digest}
    more = of_documents if prior.unlabelled else {}
    more |= {"scale": prior.scale} if prior.scale != 1 else {}
    more |= {"apart": True} if prior.apart else {}
    return {"weight": prior.weight, **more, **{k: v for k, v in parts.items() if v}}


def _rule_to_plain(rule: KnowledgeRule) -> Plain:
    plain: Plain = {"if": _when_to_plain(rule.when), "then": [list(pair) for pair in rule.then]}
    return plain | ({"unless": _when_to_plain(rule.unless)} if rule.unless else {})


def _when_to_plain(when: When) -> Plain:
    return {name: list(terms) for name, terms in when._asdict().items() if terms}


def prior_from(record: Plain) -> Prior:
    """Read prior knowledge from plain data. Raises ModelError."""
    only(record, _NAMES, "the knowledge")
    knowledge = Knowledge(
        labels=tuple(_share(pair) for pair in _list(record, "labels")),
        rules=tuple(map(_rule_from, _objects(record, "rules"))),
        forbid=tuple(map(_forbidden_from, _objects(record, "forbid"))),
        only=tuple(map(_one_sided_from, _objects(record, "only"))),
    )
    return Prior(
        knowledge,
        number(record, "weight"),
        _old(take(record, "old", dict)) if "old" in record else None,
        take(record, "unlabelled", int) if "unlabelled" in record else 0,
        take(record, "digest", str) if "digest" in record else "",
        number(record, "scale") if "scale" in record else 1.0,
        take(record, "apart", bool) if "apart" in record else False,
    )


def _old(record: Plain) -> Model:
    from boostext.model.json_form import model_from_plain

    try:
        return model_from_plain(record)
    except RecursionError:
        raise ModelError("its knowledge begins with a model that is nested too deeply") from None


def _rule_from(record: Plain) -> KnowledgeRule:
    only(record, ("if", "then", "unless"), "a rule of the knowledge")
    unless = _when_from(take(record, "unless", dict)) if "unless" in record else None
    then = tuple(_share(pair) for pair in take(record, "then", list))
    if not then or any(probability is None for _, probability in then):
        raise ModelError("a rule of the knowledge has no probabilities")
    return KnowledgeRule(
        _when_from(take(record, "if", dict)),
        tuple((label, float(p or 0)) for label, p in then),
        unless,
    )


def _when_from(record: Plain) -> When:
    only(record, When._fields, "a condition of the knowledge")
    return When(**{name: texts(record, name) for name in record})


def _forbidden_from(record: Plain) -> Forbidden:
    only(record, ("term", "labels"), "a forbidden term")
    return Forbidden(take(record, "term", str), texts(record, "labels"))


def _one_sided_from(record: Plain) -> OneSided:
    only(record, ("term", "label", "sign"), "a one-sided term")
    sign = take(record, "sign", int)
    if sign not in (-1, 1):
        raise ModelError(f"a one-sided term has sign {sign}; expected 1 or -1")
    return OneSided(take(record, "term", str), take(record, "label", str), sign)


def _share(pair: object) -> tuple[str, float | None]:
    """Read a pair [label, probability], whose probability is null if it is not known."""
    if not (isinstance(pair, list) and len(pair) == 2):
        raise ModelError("a label of the knowledge is not [label, probability]")
    label, share = pair
    if share is None:
        return take({"label": label}, "label", str), None
    value = number({"probability": share}, "probability")
    if not 0 <= value <= 1:
        raise ModelError(f"a probability of the knowledge is {value:g}; expected 0 to 1")
    return take({"label": label}, "label", str), value


def _list(record: Plain, name: str) -> Sequence[object]:
    return list(take(record, name, list)) if name in record else ()


def _objects(record: Plain, name: str) -> Sequence[Plain]:
    return tuple(objects(record, name)) if name in record else ()
