"""Settings files: what they mean is plain, and what is wrong with them is told."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from boostext.errors import BoostextError, DataError, SettingsError
from boostext.library.config import read_config, write_config
from boostext.settings import ALL_GROUPS, BoostingSettings, DataSettings, TextSettings


@pytest.fixture
def read(tmp_path):
    path = tmp_path / "settings.yaml"

    def reader(content):
        path.write_bytes(content if isinstance(content, bytes) else content.encode("utf-8"))
        return read_config(path, ALL_GROUPS)

    return reader


@pytest.fixture
def refused(read):
    """The message of the error, without the folder."""

    def reader(content):
        with pytest.raises(BoostextError) as caught:
            read(content)
        return str(caught.value).replace("\\", "/").split("/")[-1]

    return reader


@pytest.mark.parametrize(
    ("line", "value"),
    [
        ("rounds: 50", ("rounds", 50)),
        ("shrinkage: 1e-3", ("shrinkage", 0.001)),
        ("shrinkage: .5", ("shrinkage", 0.5)),
        ("smoothing: 1/m", ("smoothing", "1/m")),
        ("smoothing: 1e-3", ("smoothing", 0.001)),
        ("ngrams: 1-3", ("ngrams", (1, 3))),
        ("ngrams: 2", ("ngrams", (1, 2))),
        ("counts: [1, 2, 5]", ("counts", (1, 2, 5))),
        ("counts: 1,2,5", ("counts", (1, 2, 5))),
        ("min-df: 2", ("min_df", 2)),
        ("min_df: 0.01", ("min_df", 0.01)),
        ("abstain: true", ("abstain", True)),
        ("lowercase: False", ("lowercase", False)),
        ("label: no", ("label", ("no",))),
        ("label: [yes, NO, on]", ("label", ("yes", "NO", "on"))),
        ("text: 3", ("text", ("3",))),
        ("id: 'true'", ("id", "true")),
        ("sparse: true", ("expert", "sparse")),
        ("label-sep: ';'", ("label_sep", ";")),
    ],
)
def test_a_value_means_what_it_says(read, line, value):
    assert read(line + "\n") == dict([value])


@pytest.mark.parametrize("content", ["", "\n", "# nothing\n", "---\n", "\ufeff# marked\n"])
def test_a_file_without_settings_sets_nothing(read, content):
    assert read(content) == {}


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("rounds: many\n", "settings.yaml:1: rounds is 'many'; expected a whole number"),
        ("rounds: 1e3\n", "settings.yaml:1: rounds is '1e3'; expected a whole number"),
        ("rounds: '5'\n", "settings.yaml:1: rounds is '5'; expected a whole number"),
        ("rounds:\n", "settings.yaml:1: rounds is empty; expected a whole number"),
        ("rounds: 0\n", "settings.yaml:1: rounds is 0; it must be 1 or more"),
        ("rounds: [5]\n", "settings.yaml:1: rounds is a list; expected a whole number"),
        ("abstain: yes\n", "settings.yaml:1: abstain is 'yes'; expected true or false"),
        ("abstain: 1\n", "settings.yaml:1: abstain is '1'; expected true or false"),
        ("id: true\n", "settings.yaml:1: id is 'true'; expected text"),
        ("# a\nvotes: unreal\n", "settings.yaml:2: votes is 'unreal'; expected one of auto, real"),
        ("text: {a: b}\n", "settings.yaml:1: text is a mapping; expected a value or a list"),
        ("text: [[a]]\n", "settings.yaml:1: text has nested lists; expected a list of values"),
        ("- rounds\n", "settings.yaml:1: expected lines like `rounds: 500`"),
        ("rounds\n", "settings.yaml:1: expected lines like `rounds: 500`"),
        ("rounds: 5\n---\nrounds: 6\n", "settings.yaml:2: a second document begins; expected one"),
        ("rounds: &a 5\n", "settings.yaml:1: aliases (& and *) are not used here"),
        ("rounds: *a\n", "settings.yaml:1: aliases (& and *) are not used here"),
        ("rounds: !!python/object:x 5\n", "object:x are not used here"),
        ("rounds: 5\n  x: 3\n", "settings.yaml:2: not YAML: "),
        ("text: [a\n", "settings.yaml:2: not YAML: "),
        ("sparse: true\nexpert: full\n", "settings.yaml:2: expert sets expert a second time"),
    ],
)
def test_what_is_wrong_is_told_with_its_line(refused, content, message):
    assert message in refused(content)


def test_a_repeated_key_names_both_lines(refused):
    said = refused("rounds: 5\nvotes: real\nrounds: 6\n")
    assert said == "settings.yaml: rounds is set twice, in lines 1 and 3"


def test_one_key_in_two_spellings_is_repeated(refused):
    assert "set twice, in lines 1 and 2" in refused("min-df: 1\nmin_df: 2\n")


def test_all_unknown_keys_are_told_each_with_the_nearest(refused):
    said = refused("rouds: 5\nngram: 1-2\nqwertz: 1\n")
    assert "rouds (line 1, did you mean 'rounds'?)" in said
    assert "ngram (line 2, did you mean 'ngrams'?)" in said
    assert "qwertz (line 3)" in said


def test_hidden_settings_are_unknown(refused):
    assert "unknown settings: schema" in refused("schema: [a]\n")


@pytest.mark.parametrize(
    "content",
    [
        b"a: " + b"[" * 100_000,
        b"{" * 100_000,
        b"text: [" + b"a, " * 10_000,
        b"".join(b"a%d: &a%d [*a%d]\n" % (n + 1, n + 1, n) for n in range(5_000)),
        b"rounds: " + b"9" * 200_000 + b"\n",
        b"\xff\xfe\x00",
        b"\x00\x01\x02",
        b"#" * 300_000,
    ],
    ids=["lists", "maps", "long list", "aliases", "digits", "bytes", "zeros", "too long"],
)
def test_hostile_files_end_in_one_error(read, content):
    with pytest.raises((SettingsError, DataError)):
        read(content)


def test_a_missing_file_is_an_error_of_the_data(tmp_path):
    with pytest.raises(DataError, match="cannot read the settings"):
        read_config(tmp_path / "none.yaml", ALL_GROUPS)


def test_defaults_are_read_back_as_written(read):
    groups = [group() for group in ALL_GROUPS]
    values = read(write_config(groups))
    for group in groups:
        known = {f.name: values[f.name] for f in group.options()}
        assert type(group)(**known) == group


# what a field name or a separator can be: anything but what YAML itself cannot hold
texts = st.text(st.characters(exclude_categories=["Cs"]), max_size=20)


@given(names=st.lists(texts, min_size=1, max_size=3), separator=texts, stop=st.lists(texts))
def test_any_text_survives_writing_and_reading(tmp_path_factory, names, separator, stop):
    data = DataSettings(label=tuple(names), label_sep=separator)
    text = TextSettings(ngrams=(2, 3), stop_words=tuple(stop))
    path = tmp_path_factory.mktemp("config") / "written.yaml"
    path.write_text(write_config([data, text]), encoding="utf-8", newline="")
    values = read_config(path, [DataSettings, TextSettings])
    assert values["label"] == data.label
    assert values["label_sep"] == separator
    assert values["stop_words"] == text.stop_words
    assert values["ngrams"] == (2, 3)


@given(st.floats(min_value=1e-300, max_value=1.0))
def test_numbers_survive_writing_and_reading(tmp_path_factory, number):
    path = tmp_path_factory.mktemp("config") / "written.yaml"
    settings = BoostingSettings(shrinkage=number, smoothing=number)
    path.write_text(write_config([settings]), encoding="utf-8")
    values = read_config(path, [BoostingSettings])
    assert (values["shrinkage"], values["smoothing"]) == (number, number)
