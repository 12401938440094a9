"""Command-line options that are made from the settings, which are declared in boostext.settings."""

from __future__ import annotations

import dataclasses
import functools
import re
import shlex
import unicodedata
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from itertools import chain, zip_longest
from pathlib import Path
from typing import Any

import click

from boostext import fields
from boostext.cli.places import is_read
from boostext.cli.talk import Talk, logging_to
from boostext.compiled import spare_blas
from boostext.errors import SettingsError
from boostext.presets import OPEN, PRESETS
from boostext.settings import (
    BoostingSettings,
    DataSettings,
    Group,
    KnowledgeSettings,
    RunSettings,
    StopSettings,
    TextSettings,
)

NAMED = ("text", "label", "id", "weight", "attribute")
"""Fields of DataSettings that name a field of the records; --text is also --text-column."""

SECTIONS: dict[type[Group], str] = {
    DataSettings: "Data",
    TextSettings: "Text to terms",
    BoostingSettings: "Learning",
    KnowledgeSettings: "Prior knowledge",
    StopSettings: "Held-out data",
    RunSettings: "Work",
}
"""Maps groups of settings to their headings in the help."""

METAVARS = {
    "int": "N",
    "float": "X",
    "text": "TEXT",
    "texts": "TEXT",
    "ngram_range": "N-M",
    "integers": "N,N",
    "smoothing": "X|RULE",
    "frequency": "N|SHARE",
    "word_file": "FILE",
    "rounds": "N|auto",
    "number_or_auto": "X|auto",
}
"""Maps types of values to their placeholders in the help."""

PLACES = ("FILE", "DIR", "MODEL", "MODEL2")
"""Placeholders of options that name a file or folder."""
Command = Callable[..., Any]


class SettingOption(click.Option):
    """An option with the section of the help to which it belongs."""

    def __init__(self, *args: Any, section: str, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.section = section


WIDEST = 110
"""Maximum width of help texts; a narrower terminal determines it."""
COMMON = {
    *("--text", "--label", "--attribute", "--ngrams", "--sparse", "--rounds"),
    *("--valid", "--valid-fraction", "--patience", "--threads"),
}
"""Settings that `--help` shows; `--help-all` shows all of them."""
RARE = {
    *("--budget", "--outliers", "--print-config", "--workers", "--force", "--new-labels"),
    *("--progress", "--no-color", "--debug"),
}
"""Other options that only `--help-all` shows."""


class SettingsCommand(click.Command):
    """A command whose options are shown in sections.

    `--help` shows the most important options, and `--help-all` all of them. common: further
    settings that `--help` shows for this command. A dash that a word processor has changed is
    reported, and so is an empty name of a file.
    """

    def __init__(self, *args: Any, common: Sequence[str] = (), **kwargs: Any) -> None:
        super().__init__(*args, **{"context_settings": {"max_content_width": WIDEST}, **kwargs})
        self.common = COMMON.union(common)
        self.params.append(
            click.Option(
                ["--help-all"],
                is_flag=True,
                is_eager=True,
                expose_value=False,
                callback=_show_all_help,
                help="Show all options and exit.",
            )
        )

    def get_help_option(self, ctx: click.Context) -> click.Option | None:
        option = super().get_help_option(ctx)
        if option is not None:
            option.help = "Show the options that most people need and exit."
        return option

    def format_options(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        sections: dict[str, list[tuple[str, str]]] = {"Options": []}
        left_out = 0
        for parameter in self.get_params(ctx):
            record = parameter.get_help_record(ctx)
            if record is None or not isinstance(parameter, click.Option):
                continue
            if ctx.meta.get(ALL) or self._is_common(parameter):
                section = getattr(parameter, "section", "Options")
                sections.setdefault(section, []).append(record)
            else:
                left_out += 1
        for heading, records in sections.items():
            with formatter.section(heading):
                formatter.write_dl(records, col_max=28)
        if left_out:
            formatter.write_paragraph()
            formatter.write_text(f"{left_out} more options: {ctx.command_path} --help-all")

    def _is_common(self, option: click.Option) -> bool:
        if isinstance(option, SettingOption):
            return not self.common.isdisjoint(option.opts)
        return RARE.isdisjoint(option.opts)

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        options = {name: p for p in self.params if isinstance(p, click.Option) for name in p.opts}
        given = args[: args.index("--")] if "--" in args else args
        for argument, following in zip_longest(given, given[1:]):
            name, equals, value = argument.partition("=")
            is_empty = (value if equals else following) == ""
            if is_empty and name in options and options[name].metavar in PLACES:
                message = f"{name} has an empty name; give a file or folder, or leave it out"
                raise click.UsageError(message, ctx)
            meant = _with_ascii_dashes(argument)
            if meant != argument and meant in options:
                raise click.UsageError(
                    f"{argument!r} has a dash that is not the keyboard's; type {meant}", ctx
                )
        return super().parse_args(ctx, args)


ALL = "boostext.help.all"
"""Key in the context under which it is stored whether all options are shown."""


def _show_all_help(ctx: click.Context, parameter: click.Parameter, value: bool) -> None:
    if value:
        ctx.meta[ALL] = True
        click.echo(ctx.get_help(), color=ctx.color)
        ctx.exit()


def _with_ascii_dashes(argument: str) -> str:
    """Return an option with ASCII dashes, such as `--rounds` for `—rounds=5`."""
    given = argument.split("=")[0]
    head = "".join("-" if unicodedata.category(c) == "Pd" or c == "−" else c for c in given)
    name = head.lstrip("-")
    if given.isascii() or head == name or not re.fullmatch(r"[a-z][a-z-]*", name):
        return argument
    return ("-" if len(name) == 1 else "--") + name


def settings_options(**groups: type[Group]) -> Callable[[Command], Command]:
    """Add options for all fields of the groups; the command receives each group by its name.

    If the command has a `config` parameter, options take precedence over that file, and the file
    over the defaults. Both take precedence over a `preset`; the command then also receives `given`,
    which maps each setting that is not a default to its origin.
    """

    def decorate(command: Command) -> Command:
        @functools.wraps(command)
        def with_settings(**values: Any) -> Any:
            given = {name: _given(name, values) for name in groups}
            path = values.pop("config", None)
            file = _file_values(path, list(groups.values()))
            below: dict[str, Any] = file
            if "preset" in values:
                more = dict.fromkeys(chain(*given.values()), "command line")
                values["given"] = {**dict.fromkeys(file, f"config {path}"), **more}
                preset = PRESETS.get(values["preset"])
                below = {**(preset.settings if preset else {}), **file}
            for name, group in groups.items():
                known = {f.name for f in group.options()}
                low = {key: value for key, value in below.items() if key in known}
                values[name] = group(**{**low, **given[name]})
                _note_files(values[name])
            return command(**values)

        decorated: Command = with_settings
        open = OPEN if BoostingSettings in groups.values() else frozenset[str]()
        for name, group in reversed(groups.items()):
            decorated = _add_options(decorated, name, group, open=open)
        return decorated

    return decorate


NAMING_FILES = ("valid", "names", "knowledge", "unlabelled")
"""Settings that name files to read."""


def _note_files(group: Group) -> None:
    """Remember the files that settings name, so that they are not overwritten."""
    for name in NAMING_FILES:
        given = getattr(group, name, ())
        for path in (given,) if isinstance(given, str) else given:
            if path:
                is_read(click.get_current_context(), path)


def values_of(*groups: Group) -> dict[str, Any]:
    """Return the settings by name, as parameters for the library."""
    return {f.name: getattr(group, f.name) for group in groups for f in group.options()}


def given_settings(groups: Iterable[Group], given: Collection[str]) -> dict[str, Any]:
    """Return the settings that the user gave, by name."""
    return {name: value for name, value in values_of(*groups).items() if name in given}


def overriding_options(command: Command) -> Command:
    """Add options for the data to a command whose model knows how the data is read.

    The command receives `reading`, a dictionary of the options that were given, including
    corrections of labels if it has options for them, as parameters for the library.
    """

    @functools.wraps(command)
    def with_reading(**values: Any) -> Any:
        reading = _given("reading", values)
        reading |= {name: values.pop(name) for name in MENDED if name in values}
        return command(reading=reading, **values)

    return _add_options(with_reading, "reading", DataSettings, defaults=False)


NAMES_DATA = {
    "text": ("the field that contains the text", "the text of one document", "--document"),
    "label": ("the field that contains the labels", "a label to show", "--only-label"),
}
"""Maps options that name fields to their meaning, and to the option that may be meant instead."""


def misread(name: str, overrides: Mapping[str, Any], data: Sequence[str]) -> str:
    """Return advice if `--text TEXT` was given without data, as if TEXT were a document."""
    if data or name not in overrides:
        return ""
    field, meant, option = NAMES_DATA[name]
    return (
        f"--{name} names {field} in DATA, and there is no DATA; {meant} is given by "
        f"{option} {shlex.quote(overrides[name][0])}"
    )


def _file_values(path: str | None, groups: list[type[Group]]) -> dict[str, Any]:
    if path is None:
        return {}
    from boostext.library.config import read_config

    ctx = click.get_current_context()
    is_read(ctx, path)
    return read_config(Path(path), groups, lambda named: is_read(ctx, named))


def _given(group: str, values: dict[str, Any]) -> dict[str, Any]:
    """Remove the options of the group from `values`, and return those that were given."""
    prefix = f"{group}__"
    taken = {key: values.pop(key) for key in list(values) if key.startswith(prefix)}
    given: dict[str, Any] = {}
    for key, value in taken.items():
        name, _, choice = key.removeprefix(prefix).partition("__")
        if value is None or value == () or (choice and not value):
            continue
        if name in given:
            option = (choice or name).replace("_", "-")
            raise SettingsError(f"--{option} and another option both set {name}; give one")
        given[name] = choice.replace("_", "-") if choice else value
    return given


def _add_options(
    command: Command,
    group_name: str,
    group: type[Group],
    defaults: bool = True,
    open: Collection[str] = (),
) -> Command:
    for field in reversed(list(group.options())):
        for option in reversed(_options(field, group_name, SECTIONS[group], defaults, open)):
            command = option(command)
    return command


def _options(
    field: dataclasses.Field[Any], group: str, section: str, defaults: bool, open: Collection[str]
) -> list[Callable[[Command], Command]]:
    """Return the option of a field, and a flag for each of its values that has one."""
    shared: dict[str, Any] = {"cls": SettingOption, "section": section, "default": None}
    name = fields.option_name(field)
    flags = [
        click.option(
            f"--{flag}",
            f"{group}__{field.name}__{value.replace('-', '_')}",
            is_flag=True,
            help=f"Short for --{name} {value}.",
            **shared,
        )
        for flag, value in field.metadata["flags"].items()
    ]
    names = _names(field)
    help = _help(field, defaults, field.name in open)
    kind = fields.kind(field)
    if kind == "flag":
        return [click.option(*names, f"{group}__{field.name}", help=help, is_flag=True, **shared)]
    option = click.option(
        *names,
        f"{group}__{field.name}",
        help=help,
        metavar=_metavar(field),
        multiple=kind == "texts",
        callback=_reader(field),
        **shared,
    )
    return [option, *flags]


def _reader(field: dataclasses.Field[Any]) -> Callable[..., Any]:
    """Return a function that converts the text of an option, or raises SettingsError."""

    def read(ctx: click.Context, parameter: click.Parameter, value: Any) -> Any:
        if fields.kind(field) == "word_file" and isinstance(value, str):
            is_read(ctx, value)
        return fields.from_text(field, value) if isinstance(value, str) else value

    return read


def _names(field: dataclasses.Field[Any]) -> list[str]:
    name = fields.option_name(field)
    if field.metadata["negative"]:
        return [f"--{name}/--no-{name}"]
    return [f"--{name}", f"--{name}-column"] if field.name in NAMED else [f"--{name}"]


def _metavar(field: dataclasses.Field[Any]) -> str:
    choices = field.metadata["choices"]
    if choices:
        return f"[{'|'.join(choices)}]"
    special = {
        **dict.fromkeys(NAMED, "FIELD"),
        **dict.fromkeys(NAMING_FILES, "FILE"),
        "class_weight": "LABEL=X",
    }
    return special.get(field.name, METAVARS[fields.kind(field)])


def _help(field: dataclasses.Field[Any], defaults: bool, open: bool) -> str:
    text = str(field.metadata["help"])
    if not defaults:
        return text
    shown = _shown_default(field)
    if open:
        return f"{text}  [default: depends on the data; paper: {shown}]"
    return f"{text}  [default: {shown}]" if shown else text


def _shown_default(field: dataclasses.Field[Any]) -> str:
    value = fields.to_plain(field, field.default)
    if isinstance(value, bool):
        return f"{'' if value else 'no-'}{fields.option_name(field)}"
    if isinstance(value, list):
        return ", ".join(str(item) for item in value)
    return str(value)


def tuning_options(command: Command) -> Command:
    """Add `--budget`, which is counted as `training.courses` describes."""
    budget = click.option(
        "--budget",
        metavar="TIME",
        callback=_duration,
        help="Limit for tuning, such as 90s, 10m or 2h of CPU time. It is counted from the work "
        "that is done, not timed, so that the same settings are chosen on every machine.",
    )
    return budget(command)


def preset_option(command: Command) -> Command:
    """Add `--preset`, which sets what no other option sets."""
    more = "; ".join(f"{name}: {preset.help}" for name, preset in PRESETS.items())
    return click.option(
        "--preset",
        type=click.Choice(list(PRESETS)),
        help="Choose the settings for a purpose, instead of from the size and kind of the data. "
        + more
        + ".",
    )(command)


def _duration(ctx: click.Context, parameter: click.Parameter, value: str | None) -> float | None:
    """Convert a duration to seconds; "10m" gives 600."""
    if value is None:
        return None
    match = re.fullmatch(r"([0-9]{1,6}(?:\.[0-9]{1,3})?)\s*([smh]?)", value.strip())
    seconds = float(match[1]) * {"": 1, "s": 1, "m": 60, "h": 3600}[match[2]] if match else 0.0
    if not seconds:
        raise click.BadParameter(f"{value!r} is not a time like 90s, 10m or 2h", ctx, parameter)
    return seconds


def talk_options(command: Command) -> Command:
    """Add `-q`, `--no-color` and `--debug`; the command receives `talk`."""

    @functools.wraps(command)
    def with_talk(quiet: bool, no_color: bool, debug: bool, **values: Any) -> Any:
        spare_blas()  # kernels of this program are all that the process has
        talk = Talk(quiet=quiet, color=not no_color)
        with logging_to(talk):
            return command(talk=talk, **values)

    for option in (
        click.option("--debug", is_flag=True, help="Show a traceback if an error occurs."),
        click.option(
            "--no-color",
            is_flag=True,
            help="Do not use colors. NO_COLOR in the environment does the same; FORCE_COLOR "
            "uses colors in pipes, too.",
        ),
        click.option(
            "-q", "--quiet", is_flag=True, help="Print only results, warnings and errors."
        ),
    ):
        with_talk = option(with_talk)
    return with_talk


MENDED = ("labels_from", "new_labels")
"""Parameters that `corrections_options` adds."""


def corrections_options(command: Command) -> Command:
    """Add `--labels-from` and `--new-labels`."""
    labels_from = click.option(
        "--labels-from",
        multiple=True,
        metavar="FILE",
        help="Corrections of labels: a CSV file with columns id and label, an outliers.tsv, output "
        "of predict, or JSON of Label Studio. Repeat it for several files; the last one decides.",
    )
    new_labels = click.option(
        "--new-labels", is_flag=True, help="Allow corrections to labels that no document has."
    )
    return labels_from(new_labels(command))


def fields_of(reading: Mapping[str, Any]) -> dict[str, Any]:
    """Return the settings of the data from the result of `overriding_options`."""
    return {name: value for name, value in reading.items() if name not in MENDED}


def count_option(name: str, help: str, least: int) -> Callable[[Command], Command]:
    """Add an option for the number of items to show."""
    return click.option(
        name,
        type=click.IntRange(least, fields.MOST),
        default=10,
        metavar="N",
        help=f"{help}  [default: 10]",
    )


def threshold_options(command: Command) -> Command:
    """Add `--threshold` and `--threshold-proba`."""
    score = click.option(
        "--threshold",
        type=fields.finite("threshold"),
        metavar="X",
        help="Predict the labels with a score above X (a score, not a probability).",
    )
    probability = click.option(
        "--threshold-proba",
        type=fields.finite("threshold-proba", 0, 1),
        metavar="X",
        help="Predict the labels with a probability above X.",
    )
    return score(probability(command))


def json_option(command: Command) -> Command:
    return click.option("--json", "as_json", is_flag=True, help="Print the result as JSON.")(
        command
    )


def force_option(command: Command) -> Command:
    return click.option(
        "--force",
        is_flag=True,
        help="Also replace existing files that boostext did not write.",
    )(command)


def safe_cells_option(command: Command) -> Command:
    return click.option(
        "--safe-cells",
        is_flag=True,
        help="Put an apostrophe before cells of CSV and TSV files that begin with = + - @, which "
        "spreadsheets would treat as formulas.",
    )(command)


def threads_option(command: Command) -> Command:
    return click.option(
        "--threads",
        type=click.IntRange(0, 1024),
        default=0,
        metavar="N",
        help="Number of threads; 0 uses all available ones.  [default: 0]",
    )(command)


def workers_option(command: Command) -> Command:
    return click.option(
        "--workers",
        metavar="N|ADDRESS",
        default="",
        help="Use N processes on this machine, or the Dask cluster whose scheduler is at ADDRESS, "
        "such as tcp://host:8786; auto reads the address from DASK_SCHEDULER_ADDRESS.",
    )(command)


def learning_options(command: Command) -> Command:
    """Add the options of every command that trains models: settings, --config, --preset and --json.

    The command receives `groups`, the settings in the order of `Plan`.
    """

    @functools.wraps(command)
    def with_groups(**values: Any) -> Any:
        groups = [values.pop(name) for name in LEARNING]
        return command(groups=groups, **values)

    config = click.option(
        "--config",
        metavar="FILE",
        help="YAML file of settings, which have the names of their options. Options on the command "
        "line take precedence.",
    )
    progress = click.option(
        "--progress",
        type=click.Choice(["auto", "on", "off"]),
        default="auto",
        show_default=True,
        help="Show the progress: on a terminal in a line that is updated, otherwise in separate "
        "lines.",
    )
    decorated: Command = with_groups
    settings = settings_options(**LEARNING)
    for options in (talk_options, json_option, settings, preset_option, progress, config):
        decorated = options(decorated)
    return decorated


LEARNING: dict[str, type[Group]] = {
    "data_settings": DataSettings,
    "text": TextSettings,
    "boosting": BoostingSettings,
    "known": KnowledgeSettings,
    "stop": StopSettings,
    "run": RunSettings,
}
"""Groups of settings of a training."""
