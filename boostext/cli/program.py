"""The program: imports commands when they run, and reports every error in one line.

Exit codes: 0 for success; 1 for errors in the data, the model or the file system; 2 for wrong usage
or settings; 130 and 143 if stopped by SIGINT and SIGTERM.
"""

from __future__ import annotations

import difflib
import errno
import gc
import importlib
import os
import sys
import traceback
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

import click

import boostext
from boostext.cli.talk import guarded_terminals, to_stderr
from boostext.errors import BoostextError, shortage
from boostext.library.watch import Stopped, ended_by_sigterm

OBJECTS = 50_000
"""Number of new objects after which Python looks for unused cycles.

Imports create many objects that stay, and few cycles: with the usual value of 700, the search takes
a tenth of the time of a short run.
"""


class Program(click.Group):
    """A group of commands that imports a command only to run or describe it."""

    def __init__(self, name: str, commands_help: Mapping[str, str], help: str) -> None:
        version = click.version_option(boostext.__version__, message="%(prog)s %(version)s")
        super().__init__(name=name, help=help, invoke_without_command=True, callback=_show_help)
        self.commands_help = dict(commands_help)
        version(self)

    def list_commands(self, ctx: click.Context) -> list[str]:
        return list(self.commands_help)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        if cmd_name not in self.commands_help:
            return None
        module = importlib.import_module(f"boostext.cli.{cmd_name}")
        command: click.Command = module.command
        return command

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        name = args[0]
        if name not in self.commands_help and not name.startswith("-"):
            near = difflib.get_close_matches(name, self.commands_help, 1)
            hint = (
                f"did you mean {near[0]!r}?"
                if near
                else f"expected {', '.join(self.list_commands(ctx))}"
            )
            raise click.UsageError(f"no command {name!r}; {hint}", ctx)
        return super().resolve_command(ctx, args)

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        # subtle: the stock version asks each command for its help and so would import them all
        with formatter.section("Commands"):
            formatter.write_dl(list(self.commands_help.items()))

    def main(
        self,
        args: Sequence[str] | None = None,
        prog_name: str | None = None,
        complete_var: str | None = None,
        standalone_mode: bool = True,
        windows_expand_args: bool = True,
        **extra: Any,
    ) -> Any:
        """Run the program, and exit with the documented code."""
        if os.environ.get(complete_var or "_BOOSTEXT_COMPLETE"):
            return super().main(args, "boostext", complete_var, **extra)
        if args is None:  # this process is ours
            gc.set_threshold(OBJECTS, *gc.get_threshold()[1:])
        given = list(sys.argv[1:] if args is None else args)
        prepare_streams()
        with ended_by_sigterm(), guarded_terminals():
            code = exit_code(lambda: self._run(given, extra), debug="--debug" in given)
        if not standalone_mode:
            return code
        sys.exit(code)

    def _run(self, given: list[str], extra: dict[str, Any]) -> None:
        with self.make_context("boostext", list(given), **extra) as ctx:
            self.invoke(ctx)
        if sys.stdout is not None:
            sys.stdout.flush()


@click.pass_context
def _show_help(ctx: click.Context) -> None:
    if ctx.invoked_subcommand is None:
        click.echo(ctx.get_help())


def prepare_streams() -> None:
    """Make the output UTF-8 whatever the locale; characters that cannot be encoded are escaped.

    If stdout or stderr is closed, as for some services, output to it is discarded.
    """
    for name in ("stdout", "stderr"):
        if getattr(sys, name) is None:
            setattr(sys, name, Path(os.devnull).open("w", encoding="utf-8"))  # noqa: SIM115
    for stream in (sys.stdout, sys.stderr):
        if hasattr(stream, "reconfigure"):
            stream.reconfigure(encoding="utf-8", errors="backslashreplace", newline="\n")


def exit_code(call: Callable[[], None], debug: bool) -> int:
    """Return 0 if `call` returns; otherwise report the error in one line and return its code."""
    try:
        call()
        return 0
    except click.exceptions.Exit as error:
        return error.exit_code
    except (click.ClickException, BoostextError) as error:
        _tell(_message(error), debug and isinstance(error, BoostextError))
        return error.exit_code
    except Stopped as error:
        if str(error):
            _tell(str(error), debug, kind="")
        return 128 + error.signal_number
    except (KeyboardInterrupt, click.Abort):
        _tell("stopped", debug, kind="")
        return 130
    except (MemoryError, ImportError, RuntimeError) as error:
        if not (message := shortage(error)):
            raise
        _tell(message, debug)
    except OSError as error:
        if _is_closed_pipe(error):
            _forget_stdout()
            return 0
        place = f"{os.fsdecode(error.filename)}: " if error.filename else ""
        _tell(place + (error.strerror or str(error)), debug)
    return 1


def _message(error: click.ClickException | BoostextError) -> str:
    if not isinstance(error, click.ClickException):
        return str(error)
    text = " ".join(error.format_message().split())  # choices come in several lines
    if isinstance(error, click.UsageError) and error.ctx is not None:
        text += f" (see {error.ctx.command_path} --help)"
    return text


def _tell(message: str, debug: bool, kind: str = "Error: ") -> None:
    if debug:
        traceback.print_exc()
    to_stderr(message, kind)


def _is_closed_pipe(error: OSError) -> bool:
    # Windows says "invalid argument" where a pipe was closed
    return error.errno == errno.EPIPE or (sys.platform == "win32" and error.errno == errno.EINVAL)


def _forget_stdout() -> None:
    """Prevent Python from reporting at exit that stdout cannot be written."""
    try:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    except (OSError, ValueError):
        sys.stdout = None
