"""The rooms of boostext/ depend on each other in one direction, and stay small."""

import ast
from pathlib import Path

import pytest

PACKAGE = Path(__file__).parent.parent / "boostext"
# Each row may import from the rows above it and from its own room.
LEVELS = (
    ("errors",),
    ("fields", "algorithms", "presets"),
    ("text_settings",),
    ("boosting_settings",),
    ("packs", "atomic"),
    ("machine_code", "translation"),
    ("built",),
    ("settings", "arrays", "compiled", "threads", "strict_yaml"),
    ("corpus",),
    ("features",),
    ("knowledge",),
    ("boosting",),
    ("model",),
    ("evaluation",),
    ("reports", "training"),
    ("distributed",),
    ("library",),
    ("sklearn", "cli"),
)
LEVEL = {room: level for level, rooms in enumerate(LEVELS) for room in rooms}
# The package itself and `python -m boostext` are doors: they may name what they open.
DOORS = ("__init__", "__main__")
UNSAFE_MODULES = {"pickle", "marshal", "shelve", "dill", "cloudpickle", "joblib"}
UNSAFE_CALLS = {"eval", "exec", "compile", "__import__"}
NETWORK_MODULES = {"socket", "ssl", "http", "urllib", "requests", "asyncio", "ftplib", "smtplib"}
# Naming the error that a damaged cache of numba raises runs nothing.
HARMLESS = {"pickle.UnpicklingError"}
# Kernels are one long loop by nature; everything else is read top to bottom.
LONGEST_FUNCTION, LONGEST_FILE = 60, 800

FILES = sorted(PACKAGE.rglob("*.py"))
TREES = {path: ast.parse(path.read_text(encoding="utf-8")) for path in FILES}


def name_of(path):
    return str(path.relative_to(PACKAGE))


def room_of(path):
    parts = path.relative_to(PACKAGE).with_suffix("").parts
    return parts[0]


def imported_modules(tree):
    """Full names of all modules a file imports, at its top or inside a function."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, "relative imports hide the room they come from"
            yield node.module
            # `from boostext import corpus` names a room too
            yield from (f"{node.module}.{alias.name}" for alias in node.names)


def rooms_imported(tree):
    names = (module.split(".") for module in imported_modules(tree))
    return {parts[1] for parts in names if parts[0] == "boostext" and len(parts) > 1}


def functions(tree):
    return [n for n in ast.walk(tree) if isinstance(n, ast.FunctionDef | ast.AsyncFunctionDef)]


def test_every_room_has_its_place():
    assert {room_of(path) for path in FILES} <= {*LEVEL, *DOORS}


@pytest.mark.parametrize("path", [p for p in FILES if room_of(p) not in DOORS], ids=name_of)
def test_a_module_imports_only_from_rooms_above_its_own(path):
    room = room_of(path)
    others = (rooms_imported(TREES[path]) & set(LEVEL)) - {room}
    assert not {other for other in others if LEVEL[other] >= LEVEL[room]}


@pytest.mark.parametrize("path", [p for p in FILES if room_of(p) not in DOORS], ids=name_of)
def test_click_is_known_to_the_command_line_alone(path):
    roots = {module.split(".")[0] for module in imported_modules(TREES[path])}
    assert room_of(path) == "cli" or "click" not in roots


def unsafe_uses(tree):
    """Whatever is taken from a module that can run what a file holds."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            yield from (a.name for a in node.names if a.name in UNSAFE_MODULES and a.asname)
        elif isinstance(node, ast.ImportFrom) and node.module.split(".")[0] in UNSAFE_MODULES:
            yield from (f"{node.module}.{alias.name}" for alias in node.names)
        elif isinstance(node, ast.Attribute) and ast.unparse(node.value) in UNSAFE_MODULES:
            yield ast.unparse(node)


def calls(tree):
    return [node for node in ast.walk(tree) if isinstance(node, ast.Call)]


@pytest.mark.parametrize("path", FILES, ids=name_of)
def test_nothing_that_runs_foreign_code_is_used(path):
    called = {ast.unparse(call.func) for call in calls(TREES[path])}
    assert not set(unsafe_uses(TREES[path])) - HARMLESS
    assert not called & UNSAFE_CALLS


def test_only_the_room_of_workers_may_reach_the_network():
    """For Dask, and only where --workers names a cluster."""
    reaching = {
        room_of(path)
        for path in FILES
        if {module.split(".")[0] for module in imported_modules(TREES[path])} & NETWORK_MODULES
    }
    assert reaching == {"distributed"}


@pytest.mark.parametrize("path", FILES, ids=name_of)
def test_arrays_are_read_without_pickle(path):
    for call in calls(TREES[path]):
        given = {k.arg: ast.unparse(k.value) for k in call.keywords}
        if ast.unparse(call.func) in ("np.load", "numpy.load", "read_array"):
            assert given.get("allow_pickle") == "False"
        assert given.get("allow_pickle", "False") == "False"


@pytest.mark.parametrize("path", FILES, ids=name_of)
def test_files_are_short(path):
    assert len(path.read_text(encoding="utf-8").splitlines()) < LONGEST_FILE


def test_the_command_line_is_a_thin_skin():
    """What computes belongs in the library room."""
    files = [path for path in FILES if room_of(path) == "cli"]
    assert sum(len(path.read_text(encoding="utf-8").splitlines()) for path in files) < 3000


@pytest.mark.parametrize("path", [p for p in FILES if "kernels" not in p.name], ids=name_of)
def test_functions_are_short(path):
    long = {
        f.name: f.end_lineno - f.lineno + 1
        for f in functions(TREES[path])
        if f.end_lineno - f.lineno + 1 > LONGEST_FUNCTION
    }
    assert not long


def attributes(node):
    """The names of the fields of a class and of what its methods store in `self`."""
    fields = {n.target.id for n in node.body if isinstance(n, ast.AnnAssign)}
    return fields | {
        n.attr
        for n in ast.walk(node)
        if isinstance(n, ast.Attribute)
        and isinstance(n.ctx, ast.Store)
        and ast.unparse(n.value) == "self"
    }


@pytest.mark.parametrize("path", [p for p in FILES if room_of(p) == "boosting"], ids=name_of)
def test_boosting_has_small_objects_and_functions_of_few_parameters(path):
    classes = [node for node in ast.walk(TREES[path]) if isinstance(node, ast.ClassDef)]
    assert not {c.name: attributes(c) for c in classes if len(attributes(c)) > 15}
    if "kernels" not in path.name:
        assert not [f.name for f in functions(TREES[path]) if len(f.args.args) > 12]
