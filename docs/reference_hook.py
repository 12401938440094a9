"""Pages of the site that are made from the code when it is built: commands, settings, Python.

`mkdocs.yml` names this file as a hook. Nothing that it makes is kept in the repository.
"""

from __future__ import annotations

import inspect
import re
import textwrap
from collections.abc import Iterator
from typing import Any

import click
from mkdocs.structure.files import File

import boostext
from boostext import fields
from boostext.cli import COMMANDS, main
from boostext.cli.options import SECTIONS, SettingOption
from boostext.settings import ALL_GROUPS


def on_files(files: Any, config: Any) -> Any:
    """Add the pages of the reference."""
    for name, lines in (("commands", commands()), ("settings", settings()), ("python", python())):
        path = f"reference/{name}.md"
        files.append(File.generated(config, path, content="\n".join(lines) + "\n"))
    return files


def on_page_markdown(markdown: str, page: Any, config: Any, files: Any) -> str:
    """Links that leave the folder of the pages lead to the repository."""
    up = "../" * page.file.src_uri.count("/") + "../"
    outside = re.compile(rf"\]\({re.escape(up)}([^)#]+)")
    return outside.sub(rf"]({config.repo_url}/blob/main/\1", markdown)


# Commands ------------------------------------------------------------------------------------


def commands() -> Iterator[str]:
    """What every command is for, and its own options."""
    yield "# Commands"
    yield ""
    yield (
        "Options that several commands share are on the page of [settings](settings.md). "
        "`boostext COMMAND --help` shows the options that most people need, `--help-all` all."
    )
    context = click.Context(main, info_name="boostext")
    for name in COMMANDS:
        command = main.get_command(context, name)
        assert command is not None, name
        yield from _command(command, click.Context(command, info_name=name, parent=context))


def _command(command: click.Command, context: click.Context) -> Iterator[str]:
    text, _, examples = inspect.cleandoc(command.help or "").partition("\b")
    usage = " ".join([context.command_path, *command.collect_usage_pieces(context)])
    yield from ("", f"## {context.info_name}", "", "```text", usage, "```", "", text.strip(), "")
    if examples.strip():
        shown = textwrap.dedent(examples.strip().partition("\n")[2])
        yield from ("```sh", shown, "```", "")
    own = [p for p in command.params if isinstance(p, click.Option)]
    yield from ("| option | meaning |", "|---|---|")
    for option in own:
        record = option.get_help_record(context)
        if record is not None and not isinstance(option, SettingOption):
            yield f"| {_code(record[0])} | {_cell(record[1])} |"
    sections = dict.fromkeys(p.section for p in own if isinstance(p, SettingOption))
    if sections:
        links = (f"[{name}](settings.md#{_anchor(name)})" for name in sections)
        yield from ("", f"Also the settings of {', '.join(links)}.")


# Settings ------------------------------------------------------------------------------------


def settings() -> Iterator[str]:
    """Every setting with its values, its default and its meaning."""
    yield "# Settings"
    yield ""
    yield (
        "A setting is an option of the command line (`--min-df 3`), a key of a file for `--config` "
        "(`min-df: 3`), and an argument in Python (`min_df=3`)."
    )
    for group in ALL_GROUPS:
        yield from ("", f"## {SECTIONS[group]}", "")
        yield from ("| setting | default | meaning |", "|---|---|---|")
        for field in group.options():
            default = fields.to_plain(field, field.default)
            values = " ".join(f"`{choice}`" for choice in field.metadata["choices"])
            plain = (
                ", ".join(map(str, default)) if isinstance(default, list) else str(default).lower()
            )
            shown = f"`{plain}`" if plain else ""
            meaning = _cell(field.metadata["help"]) + (f" Values: {values}" if values else "")
            yield f"| `{fields.option_name(field)}` | {shown} | {meaning} |"


# Python --------------------------------------------------------------------------------------


def python() -> Iterator[str]:
    """The names of the package with their docstrings."""
    yield "# Python"
    yield ""
    yield "[Working from Python](../python.md) tells how these go together."
    for name in boostext.__all__:
        value = getattr(boostext, name)
        if not isinstance(value, str):
            yield from _documented(f"boostext.{name}", value, "##")
    from boostext.sklearn import BoostextClassifier, find_label_issues

    yield from _documented("boostext.sklearn.BoostextClassifier", BoostextClassifier, "##")
    yield from _documented("boostext.sklearn.find_label_issues", find_label_issues, "##")


def _documented(name: str, value: Any, heading: str) -> Iterator[str]:
    yield from ("", f"{heading} {name.rpartition('.')[2]}", "")
    if not (inspect.isclass(value) and issubclass(value, BaseException)):
        yield from ("```python", f"{name}{_signature(value)}", "```", "")
    yield from _docstring(value)
    if inspect.isclass(value):
        for member, method in vars(value).items():
            plain = inspect.isfunction(method) and not member.startswith("_")
            if plain and inspect.getdoc(method):
                yield from _documented(f"{value.__name__}.{member}", method, f"{heading}#")


def _signature(value: Any) -> str:
    signature = inspect.signature(value)
    shown = [
        parameter.replace(annotation=inspect.Parameter.empty)
        for parameter in signature.parameters.values()
        if parameter.name not in ("self", "cls")
    ]
    empty = inspect.Signature.empty
    text = str(signature.replace(parameters=shown, return_annotation=empty))
    return text if len(text) < 80 else text.replace(", ", ",\n    ").replace("(", "(\n    ", 1)


def _docstring(value: Any) -> Iterator[str]:
    """As Markdown: examples are blocks of code."""
    for block in re.split(r"\n\n", inspect.getdoc(value) or ""):
        if block.lstrip().startswith(">>>") or block.startswith("    "):
            yield from ("```python", textwrap.dedent(block), "```", "")
        else:
            yield from (_escaped(block), "")


# Markdown ------------------------------------------------------------------------------------


def _code(text: str) -> str:
    return f"`{text.replace('|', '¦')}`"


def _cell(text: str) -> str:
    return _escaped(" ".join(text.split())).replace("|", "\\|")


def _escaped(text: str) -> str:
    """Stars and angle brackets are meant as they are."""
    parts = re.split(r"(`[^`]*`)", text)
    return "".join(
        part if part.startswith("`") else re.sub(r"([*<_])", r"\\\1", part) for part in parts
    )


def _anchor(heading: str) -> str:
    return re.sub(r"[^a-z]+", "-", heading.lower()).strip("-")
