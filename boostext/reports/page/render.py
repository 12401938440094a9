"""report.html, drawn from its content by the templates beside the reports."""

from __future__ import annotations

import base64
import hashlib
from collections.abc import Sequence
from functools import cache
from importlib.resources import files
from typing import Any

from jinja2 import Environment, PackageLoader, StrictUndefined
from markupsafe import Markup

from boostext.reports.bars import signed
from boostext.reports.page.content import Content, Limits
from boostext.reports.page.data import shown
from boostext.reports.page.sections import page_values

MOST_BYTES = 1_900_000


def report_page(content: Content) -> str:
    """The whole page; what it shows of each kind is cut until it is below 2 MB."""
    limits = Limits()
    while True:
        page = _drawn(page_values(content, limits))
        if len(page.encode("utf-8", "backslashreplace")) <= MOST_BYTES or limits.rules == 1:
            return page
        limits = limits.smaller()


SCRIPTS = ("report.js", "errors.js", "arguing.js", "predictor.js", "box.js")


def _drawn(values: dict[str, Any]) -> str:
    style = asset("report.css")
    script = Markup("").join(map(asset, SCRIPTS))
    return (
        environment()
        .get_template("report.html")
        .render(**values, script=script, style=style, policy=policy([script], [style]))
    )


@cache
def environment() -> Environment:
    """Templates that escape whatever they are given, and fail on names that are not there."""
    made = Environment(
        loader=PackageLoader("boostext.reports", "templates"), autoescape=True,
        undefined=StrictUndefined, trim_blocks=True, lstrip_blocks=True,
    )  # fmt: skip
    made.filters |= {"shown": shown, "signed": signed, "count": "{:,}".format}
    return made


def asset(name: str) -> Markup:
    """A file of ours, as it is."""
    return Markup((files("boostext.reports") / "templates" / name).read_text(encoding="utf-8"))


def policy(scripts: Sequence[str], styles: Sequence[str]) -> str:
    """What a browser may do with the page: run and style by these very texts, load nothing."""
    ran = " ".join(f"'{_hash(text)}'" for text in scripts) or "'none'"
    styled = " ".join(f"'{_hash(text)}'" for text in styles)
    return (
        f"default-src 'none'; img-src data:; script-src {ran}; style-src {styled}; "
        "base-uri 'none'; form-action 'none'"
    )


def _hash(text: str) -> str:
    digest = hashlib.sha256(text.encode("utf-8")).digest()
    return f"sha256-{base64.b64encode(digest).decode('ascii')}"
