"""Options come from the settings; what is typed wrong is told with what was meant."""

import pathlib
import re
import shlex

import click
import pytest

from boostext import fields
from boostext.cli import COMMANDS, main
from boostext.cli.options import COMMON, PLACES, RARE
from boostext.errors import SettingsError
from boostext.presets import PRESETS
from boostext.settings import ALL_GROUPS, BoostingSettings, DataSettings


def options_of(name):
    context = click.Context(main)
    return [p for p in main.get_command(context, name).params if isinstance(p, click.Option)]


def names_of(name):
    return {option for p in options_of(name) for option in (*p.opts, *p.secondary_opts)}


def test_train_has_an_option_for_every_setting():
    wanted = {f"--{fields.option_name(f)}" for group in ALL_GROUPS for f in group.options()}
    assert wanted <= names_of("train")


@pytest.mark.parametrize("name", sorted({*COMMANDS} - {"export"}))  # which reads no documents
def test_every_command_names_fields_by_the_same_options(name):
    for field in ("text", "label", "id", "weight", "attribute"):
        option = next(p for p in options_of(name) if f"--{field}" in p.opts)
        assert f"--{field}-column" in option.opts
        assert option.metavar == "FIELD"


@pytest.mark.parametrize(
    ("command", "said"),
    [
        (["predict", "--text", "my bill"], "one document is given by --document 'my bill'"),
        (["inspect", "--label", "moving"], "a label to show is given by --only-label moving"),
    ],
)
def test_a_text_or_label_in_the_place_of_a_field_is_told_its_option(run, model, command, said):
    name, *rest = command
    refused = run(name, model, *rest)
    assert refused.exit_code == 2
    assert said in refused.stderr
    assert run(name, model, *shlex.split(said.split("given by ")[1])).exit_code == 0


@pytest.mark.parametrize("name", COMMANDS)
def test_help_of_the_program_is_the_first_sentence_of_the_command(name):
    command = main.get_command(click.Context(main), name)
    assert command.help.strip().splitlines()[0] == COMMANDS[name]


@pytest.mark.parametrize("name", COMMANDS)
def test_help_names_every_option_and_the_example(run, name):
    shown = run(name, "--help-all").stdout
    assert all(option in shown for option in names_of(name))
    assert f"boostext {name} " in shown


@pytest.mark.parametrize("name", COMMANDS)
def test_help_shows_the_options_that_most_people_need_and_where_the_others_are(run, name):
    shown = run(name, "--help").stdout
    assert f"boostext {name} --help-all" in shown
    options = [line for line in shown.splitlines() if line.startswith("  -")]
    assert len(options) <= 24
    assert "--no-color" not in shown


def test_training_has_twenty_options_that_most_people_need(run):
    shown = run("train", "--help").stdout
    options = [line for line in shown.splitlines() if line.startswith("  -")]
    assert len([line for line in options if "--help" not in line]) == 20
    assert "--shrinkage" not in shown


def test_options_of_the_short_help_are_options():
    known = {option for name in COMMANDS for option in names_of(name)}
    assert known >= COMMON | RARE


def test_help_shows_defaults_and_choices(run):
    shown = " ".join(run("train", "--help-all").stdout.split())
    assert "[default: depends on the data; paper: 1000]" in shown
    assert "[default: 300.0]" in shown
    assert "[default: no-resample]" in shown
    assert "--votes [auto|real|discrete]" in shown


@pytest.mark.parametrize(
    ("typed", "said"),
    [
        (["--rouds", "5"], "--rounds"),
        (["--rounds", "many"], "rounds is 'many'; expected a whole number"),
        (["--rounds", "1e3"], "rounds is '1e3'; expected a whole number"),
        (["--rounds", "0"], "rounds is 0; it must be 1 or more"),
        (["--shrinkage", "nan"], "shrinkage is 'nan'; expected a number"),
        (["--ngrams", "3-1"], "ngrams is 3-1; the first must not be above the second"),
        (["--votes", "unreal"], "votes is 'unreal'; expected one of auto, real, discrete"),
        (["--sparse", "--full"], "both set expert; give one"),
        (["--class-weight", "billing"], "expected LABEL=FACTOR, as in spam=2.5"),
        (["--patience", "5"], "patience needs validation data"),
        (["—rounds", "5"], "type --rounds"),
        (["–rounds=5"], "type --rounds"),
        (["--valid–fraction", "0.1"], "type --valid-fraction"),
        (["−o", "x"], "type -o"),
    ],
)
def test_a_mistyped_option_ends_with_what_was_meant(run, corpus, tmp_path, typed, said):
    done = run("train", corpus, "-o", tmp_path / "m.boostext", *typed)
    assert done.exit_code == 2
    assert said in done.stderr
    assert done.stderr.startswith("Error: ")
    assert len(done.stderr.splitlines()) == 1
    assert not list(tmp_path.iterdir())


def test_a_text_may_begin_with_a_dash_of_a_word_processor(run, model):
    done = run("predict", model, "--document", "—hello")
    assert done.exit_code == 0


def test_an_unknown_command_ends_with_the_nearest(run):
    done = run("trian")
    assert done.exit_code == 2
    assert done.stderr == "Error: no command 'trian'; did you mean 'train'? (see boostext --help)\n"


def test_without_a_command_help_is_shown(run):
    done = run()
    assert done.exit_code == 0
    assert "Commands:" in done.stdout


def printed_settings(run, *arguments):
    done = run("train", "--print-config", *arguments)
    assert done.exit_code == 0, done.stderr
    return {name: value for name, value, source in settings_and_sources(done.stdout)}


def settings_and_sources(printed):
    """Name, value and where it comes from, of each setting."""
    for line in printed.splitlines():
        if not line.startswith("#"):
            setting, _, source = line.rpartition("  # ")
            yield *setting.split(": ", 1), source


def test_printed_settings_say_where_they_come_from(run, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "c.yaml").write_text("seed: 3\nabstain: true\nrounds: 7\n", encoding="utf-8")
    arguments = ("--config", "c.yaml", "--preset", "accurate", "--rounds", 9, "--sparse")
    done = run("train", "--print-config", *arguments)
    sources = {name: source for name, _, source in settings_and_sources(done.stdout)}
    assert {sources[name] for name in ("rounds", "expert")} == {"command line"}
    assert {sources[name] for name in ("seed", "abstain")} == {"config c.yaml"}
    preset = {name.replace("_", "-") for name in PRESETS["accurate"].settings}
    others = preset - {"seed", "abstain", "rounds", "expert"}
    assert others
    assert {name for name, source in sources.items() if source == "preset accurate"} == others
    assert sources["class-weight"] == "default"


def test_the_name_of_a_file_cannot_add_settings(run, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    name = "a\nrounds: 5 # b.yaml"
    (tmp_path / name).write_text("seed: 3\n", encoding="utf-8")
    printed = run("train", "--print-config", "--config", name).stdout
    assert "seed: 3  # config a\\nrounds: 5 # b.yaml\n" in printed
    (tmp_path / "c.yaml").write_text(printed, encoding="utf-8")
    assert run("train", "--print-config", "--config", "c.yaml").exit_code == 0


def test_the_command_line_wins_over_the_file_and_the_file_over_defaults(run, tmp_path):
    path = tmp_path / "settings.yaml"
    path.write_text("rounds: 7\nseed: 3\nabstain: true\nlabel: topic\n", encoding="utf-8")
    settings = printed_settings(run, "--config", path, "--rounds", 9, "--no-abstain")
    assert settings["rounds"] == "9"
    assert settings["seed"] == "3"
    assert settings["abstain"] == "false"
    assert settings["label"] == '["topic"]'
    assert "shrinkage" not in settings, "the data decide"
    settings = printed_settings(run, "--config", path, "--preset", "paper")
    assert settings["shrinkage"] == repr(BoostingSettings().shrinkage)


def test_printed_settings_are_accepted_and_print_the_same(run, tmp_path):
    words = tmp_path / "stop.txt"
    words.write_text("the\na\n", encoding="utf-8")
    first = run(
        "train",
        "--print-config",
        "--stop-words",
        words,
        "--ngrams",
        "1-3",
        "--sparse",
        "--label-sep",
        ";",
        "--text",
        "a: b",
        "--text",
        "c",
        "--smoothing",
        "1e-3",
        "--class-weight",
        "x=2",
        "--delimiter",
        "\\t",
    ).stdout
    path = tmp_path / "settings.yaml"
    path.write_text(first, encoding="utf-8")
    again = run("train", "--print-config", "--config", path).stdout
    before, after = (list(settings_and_sources(printed)) for printed in (first, again))
    assert [setting[:2] for setting in after] == [setting[:2] for setting in before]
    assert {source for *_, source in after} == {f"config {path}"}


def test_both_names_of_a_field_count(run):
    settings = printed_settings(run, "--text", "subject", "--text-column", "body")
    assert settings["text"] == '["subject", "body"]'


def test_a_stop_word_file_that_is_missing_is_an_error_of_the_data(run):
    done = run("train", "--print-config", "--stop-words", "none.txt")
    assert done.exit_code == 1
    assert "none.txt: cannot read the word file" in done.stderr


def test_data_settings_have_the_defaults_that_help_shows(run):
    shown = " ".join(run("check", "--help-all").stdout.split())
    assert f"[default: {DataSettings().encoding}]" in shown


@pytest.mark.parametrize("name", COMMANDS)
def test_numbers_are_finite_and_of_bounded_size(name):
    """Whatever option of a command takes numbers."""
    command = main.get_command(click.Context(main), name)
    context = click.Context(command)
    numeric = [p for p in options_of(name) if re.match(r"(N|X|MB|TIME)\b", p.metavar or "")]
    assert numeric or name in ("check", "evaluate", "compare", "convert")
    whole = [p for p in options_of(name) if isinstance(p.type, click.types.IntParamType)]
    assert not any(isinstance(p.type, click.types.FloatParamType) for p in options_of(name))
    for option in {p.name: p for p in (*numeric, *whole)}.values():
        shown = option.metavar or ""
        if "|ADDRESS" in shown or (name, option.name) == ("convert", "ngrams"):
            continue  # read when they are needed
        texts = ["nan", "inf", "-inf", "1e999"]
        if not shown.startswith("X"):
            texts.append("9" * 40)
        for text in texts:
            with pytest.raises((click.BadParameter, SettingsError)) as refused:
                option.process_value(context, (text,) if option.multiple else text)
            assert len(str(refused.value)) < 300


@pytest.mark.parametrize(
    ("option", "value", "said"),
    [
        ("--rounds", "9999999999", "a whole number up to 999,999,999"),
        ("--counts", "1,9999999999", "whole numbers of at most 9 digits"),
        ("--ngrams", "1-1000", "ngrams is 1000; it must be 32 or less"),
        ("--seed", "9" * 19, "a whole number of at most 18 digits"),
    ],
)
def test_a_number_that_is_too_large_is_told_the_limit(run, option, value, said):
    done = run("train", "data.csv", option, value)
    assert done.exit_code == 2
    assert said in done.stderr


@pytest.mark.parametrize("name", sorted(COMMANDS))
def test_a_file_with_an_empty_name_is_an_error_in_every_option(run, name):
    places = [p for p in options_of(name) if p.metavar in PLACES]
    assert {"-o", "--report"} & {option for p in places for option in p.opts} or name in NO_OUTPUT
    for option in [option for p in places for option in p.opts]:
        joined = [[f"{option}="]] if option.startswith("--") else []
        for typed in ([option, ""], *joined):
            done = run(name, *typed)
            assert done.exit_code == 2
            assert done.stderr.startswith(f"Error: {option} has an empty name; give a file")


NO_OUTPUT = ("check", "convert", "predict")


@pytest.mark.skipif(not pathlib.Path("/proc/self").is_dir(), reason="there is no /proc")
def test_a_folder_that_cannot_be_made_is_told_with_the_output(run, corpus):
    done = run("train", corpus, "-o", "/proc/none/m.boostext")
    assert done.exit_code == 1
    assert done.stderr.splitlines()[-1].startswith("Error: /proc/none/m.boostext: cannot be ")
