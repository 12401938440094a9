"""The rooms of boostext/ depend on each other in one direction, and stay small."""

import ast
from functools import cache
from pathlib import Path

PACKAGE = Path(__file__).parent.parent / "boostext"
# Each row may import from the rows above it and from its own room.
LEVELS = (
    ("errors",),
    ("fields", "algorithms", "presets"),
    ("text_settings",),
    ("boosting_settings",),
    ("packs", "atomic", "instructions"),
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


@cache
def tree_of(path):
    """Read by the one process whose tests ask for it."""
    return ast.parse(path.read_text(encoding="utf-8"))


def room_of(path):
    parts = path.relative_to(PACKAGE).with_suffix("").parts
    return parts[0]


INSIDE = [path for path in FILES if room_of(path) not in DOORS]


def wrong(found, files=FILES):
    """file -> what `found` has against it, for files against which it has anything."""
    named = ((str(path.relative_to(PACKAGE)), found(path)) for path in files)
    return {name: against for name, against in named if against}


@cache
def nodes(tree):
    return tuple(ast.walk(tree))


def imported_modules(tree):
    """Full names of all modules a file imports, at its top or inside a function."""
    for node in nodes(tree):
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
    return [n for n in nodes(tree) if isinstance(n, ast.FunctionDef | ast.AsyncFunctionDef)]


def test_every_room_has_its_place():
    assert {room_of(path) for path in FILES} <= {*LEVEL, *DOORS}


def test_a_module_imports_only_from_rooms_above_its_own():
    def below(path):
        room = room_of(path)
        others = (rooms_imported(tree_of(path)) & set(LEVEL)) - {room}
        return {other for other in others if LEVEL[other] >= LEVEL[room]}

    assert wrong(below, INSIDE) == {}


def test_click_is_known_to_the_command_line_alone():
    def click(path):
        roots = {module.split(".")[0] for module in imported_modules(tree_of(path))}
        return roots & {"click"}

    assert wrong(click, [path for path in INSIDE if room_of(path) != "cli"]) == {}


def unsafe_uses(tree):
    """Whatever is taken from a module that can run what a file holds."""
    for node in nodes(tree):
        if isinstance(node, ast.Import):
            yield from (a.name for a in node.names if a.name in UNSAFE_MODULES and a.asname)
        elif isinstance(node, ast.ImportFrom) and node.module.split(".")[0] in UNSAFE_MODULES:
            yield from (f"{node.module}.{alias.name}" for alias in node.names)
        elif isinstance(node, ast.Attribute) and ast.unparse(node.value) in UNSAFE_MODULES:
            yield ast.unparse(node)


def calls(tree):
    return [node for node in nodes(tree) if isinstance(node, ast.Call)]


def test_nothing_that_runs_foreign_code_is_used():
    def unsafe(path):
        called = {ast.unparse(call.func) for call in calls(tree_of(path))}
        return (set(unsafe_uses(tree_of(path))) - HARMLESS) | (called & UNSAFE_CALLS)

    assert wrong(unsafe) == {}


def test_only_the_room_of_workers_may_reach_the_network():
    """For Dask, and only where --workers names a cluster."""
    reaching = {
        room_of(path)
        for path in FILES
        if {module.split(".")[0] for module in imported_modules(tree_of(path))} & NETWORK_MODULES
    }
    assert reaching == {"distributed"}


def test_arrays_are_read_without_pickle():
    def careless(call):
        given = {k.arg: ast.unparse(k.value) for k in call.keywords}
        reads = ast.unparse(call.func) in ("np.load", "numpy.load", "read_array")
        return given.get("allow_pickle", "True" if reads else "False") != "False"

    def unsafe(path):
        return [ast.unparse(call) for call in calls(tree_of(path)) if careless(call)]

    assert wrong(unsafe) == {}


def lines_of(path):
    return len(path.read_text(encoding="utf-8").splitlines())


def test_files_are_short():
    assert wrong(lambda path: lines_of(path) // LONGEST_FILE) == {}


def test_the_command_line_is_a_thin_skin():
    """What computes belongs in the library room."""
    files = [path for path in FILES if room_of(path) == "cli"]
    assert sum(map(lines_of, files)) < 3000


def test_functions_are_short():
    def long(path):
        lengths = {f.name: f.end_lineno - f.lineno + 1 for f in functions(tree_of(path))}
        return {name: length for name, length in lengths.items() if length > LONGEST_FUNCTION}

    assert wrong(long, [path for path in FILES if "kernels" not in path.name]) == {}


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


OF_BOOSTING = [path for path in FILES if room_of(path) == "boosting"]


def test_boosting_has_small_objects():
    def large(path):
        classes = [node for node in nodes(tree_of(path)) if isinstance(node, ast.ClassDef)]
        return {c.name: attributes(c) for c in classes if len(attributes(c)) > 15}

    assert wrong(large, OF_BOOSTING) == {}


def test_boosting_has_functions_of_few_parameters():
    def long(path):
        return [f.name for f in functions(tree_of(path)) if len(f.args.args) > 12]

    assert wrong(long, [path for path in OF_BOOSTING if "kernels" not in path.name]) == {}
