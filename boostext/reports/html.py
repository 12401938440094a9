"""HTML output: templates, the content security policy of a page, and data for scripts."""

from __future__ import annotations

import base64
import hashlib
import json
import re
from collections.abc import Sequence
from functools import cache
from importlib.resources import files
from typing import TYPE_CHECKING, Any

from markupsafe import Markup

if TYPE_CHECKING:
    from jinja2 import Environment

ESCAPED = re.compile(
    "[<>&\u061c\u200e\u200f\u2028\u2029\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069]"
)
"""Characters that could end a script element or change the text direction."""


@cache
def environment() -> Environment:
    """Return the Jinja environment of the templates.

    Values are escaped, and an undefined name is an error.
    """
    # jinja2 is slow to import, and only pages and notebooks need it
    from jinja2 import Environment, PackageLoader, StrictUndefined

    from boostext.reports.layout import signed

    made = Environment(
        loader=PackageLoader("boostext.reports", "templates"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    made.filters |= {"shown": shown, "signed": signed, "count": "{:,}".format}
    return made


def asset(name: str) -> Markup:
    """Return a script or a style sheet from the folder of the templates, without escaping it."""
    return Markup((files("boostext.reports") / "templates" / name).read_text(encoding="utf-8"))


def policy(scripts: Sequence[str], styles: Sequence[str]) -> str:
    """Return a content security policy that allows only these inline scripts and styles.

    They are identified by their SHA-256 digests. A page with this policy cannot load anything.
    """
    script_sources = " ".join(f"'{_digest(text)}'" for text in scripts) or "'none'"
    style_sources = " ".join(f"'{_digest(text)}'" for text in styles)
    return (
        f"default-src 'none'; img-src data:; script-src {script_sources}; "
        f"style-src {style_sources}; base-uri 'none'; form-action 'none'"
    )


def _digest(text: str) -> str:
    digest = hashlib.sha256(text.encode("utf-8")).digest()
    return f"sha256-{base64.b64encode(digest).decode('ascii')}"


def script_json(value: Any) -> str:
    """Serialize a value as JSON that is safe within a script element of an HTML page.

    Raises ValueError if the value contains NaN or infinity.
    """
    text = json.dumps(value, ensure_ascii=False, separators=(",", ":"), allow_nan=False)
    return ESCAPED.sub(lambda match: f"\\u{ord(match[0]):04x}", text)


def shown(text: str, width: int = 60) -> str:
    """Return a name as one line without control characters, shortened to at most `width` cells.

    Only the beginning of a long name is processed.
    """
    from boostext.reports.layout import PIPE_WIDTH, UNICODE, Page, shorten

    return shorten(text[: 8 * width], width, Page(PIPE_WIDTH, UNICODE))
