"""Read Parquet and Arrow files with pyarrow, a limited number of records at a time."""

from __future__ import annotations

import contextlib
import datetime
import json
import sys
import threading
from collections.abc import Callable, Iterable, Iterator, Mapping
from decimal import Decimal
from pathlib import Path
from typing import Any

from boostext.corpus.files import STDIN, open_bytes
from boostext.corpus.records import record_documents
from boostext.corpus.sources import LONGEST, Record, Source
from boostext.errors import DataError
from boostext.settings import DataSettings

with contextlib.suppress(ImportError):  # Windows has none
    import resource

BATCH = 64
"""Number of records that pyarrow decodes at a time."""
MAGIC = b"ARROW1"
"""First bytes of an Arrow file; an Arrow stream does not begin with them."""
INFO = "dataset_info.json"
"""The file in which Hugging Face describes the columns of the Arrow files next to it."""
INFO_LIMIT = 2**24

Fields = dict[str, Any]
Names = Mapping[str, list[str]]
"""column -> the class names that its numbers refer to"""


def parquet_documents(source: Source, settings: DataSettings, labelled: bool) -> Iterator[Record]:
    """The documents of a Parquet file. Messages give the number of the record."""
    if source.path == STDIN:
        raise source.fault(
            0,
            "Parquet cannot be read from stdin because its index is at the end of the file; name "
            "the file",
        )
    return record_documents(_records(source, _parquet_batches), source, settings, labelled)


def arrow_documents(source: Source, settings: DataSettings, labelled: bool) -> Iterator[Record]:
    """The documents of an Arrow or Feather file, or of a stream of Arrow."""
    return record_documents(_records(source, _arrow_batches), source, settings, labelled)


def _records(
    source: Source, read: Callable[[Source, int], Iterator[Any]]
) -> Iterator[tuple[int, Fields | DataError]]:
    """Records, numbered from 1. read: source, most memory -> batches of pyarrow."""
    pyarrow = _pyarrow(source)
    number = 0
    names: Names | None = None
    try:
        memory = _Memory(source, pyarrow)
        batches = read(source, memory.size)
        while True:
            with memory.limited():
                batch = next(batches, None)
                if batch is None:
                    break
                # subtle: pyarrow trusts the offsets in a file, and a wrong one crashes the process
                batch.validate(full=True)
                names = class_names(batch.schema, source) if names is None else names
                columns = list(zip(batch.schema.names, batch.columns, strict=True))
            # hardly any batch is as long as a single record may be
            is_long = sum(map(_length, batch.columns)) > source.longest
            for place in range(batch.num_rows):
                number += 1
                parts = (column.slice(place, 1) for column in batch.columns if is_long)
                if sum(map(_length, parts)) > source.longest:
                    yield number, source.too_long(number, "record")
                else:
                    yield number, _record(columns, place, names)
    except (pyarrow.ArrowException, MemoryError, OSError, ValueError) as error:
        after = f" after record {number}" if number else ""
        if isinstance(error, MemoryError) or "bad_alloc" in str(error):
            enough = f"; if it is meant to, add --max-record {4 * source.longest >> 20}"
            raise source.fault(
                0,
                f"cannot be read{after}: what it holds takes more than {memory.size >> 20} MB at a "
                f"time{enough if source.longest < LONGEST else ''}",
            ) from None
        reason = str(error).splitlines()[0][:200] if str(error) else type(error).__name__
        raise source.fault(0, f"cannot be read{after}: {reason}") from None


def _record(columns: Iterable[tuple[str, Any]], place: int, names: Names) -> Fields:
    return {
        name: named(plain(python_value(column, place)), names.get(name)) for name, column in columns
    }


def _length(column: Any) -> int:
    """The number of bytes of all texts in a pyarrow array, plus the number of its values.

    It is known before values are converted, because a few bytes of a file may stand for a long text
    that occurs many times.
    """
    from pyarrow import compute, types

    kind, count = column.type, len(column)
    if types.is_dictionary(kind):
        if not _is_text(kind.value_type):
            nested = types.is_nested(kind.value_type)
            return count * (1 + _length(column.dictionary)) if nested else count
        lengths = compute.binary_length(column.dictionary)
        return count + (compute.sum(compute.take(lengths, column.indices)).as_py() or 0)
    if _is_text(kind):
        return count + (compute.sum(compute.binary_length(column)).as_py() or 0)
    if types.is_struct(kind):
        return count + sum(map(_length, column.flatten()))
    if types.is_map(kind):
        first, last = (column.offsets[place].as_py() for place in (0, count))
        pairs = (part.slice(first, last - first) for part in (column.keys, column.items))
        return count + sum(map(_length, pairs))
    if types.is_list(kind) or types.is_large_list(kind) or types.is_fixed_size_list(kind):
        return count + _length(column.flatten())
    return count


def _is_text(kind: Any) -> bool:
    from pyarrow import types

    tests = types.is_string, types.is_large_string, types.is_binary, types.is_large_binary
    return any(test(kind) for test in tests)


class _Memory:
    """A limit of the memory that the command line may take in addition while pyarrow decodes.

    A small file may hold what takes any amount of memory, in many ways, and what it says of its
    sizes may be wrong. Texts are seldom packed to less than a tenth, but pages may be as long as
    the file. Only Linux tells what a process has taken; elsewhere there is no limit, nor in a
    program that uses the library, because it would apply to all threads of that program.
    """

    PACKED, MORE = 16, 2**26
    """The limit is PACKED times the file, four times the longest record, and MORE."""

    _held = threading.Lock()
    """Held while there is a limit, so that no thread takes the limit of another for the usual."""

    def __init__(self, source: Source, pyarrow: Any) -> None:
        self._arrow, self._own = pyarrow, "boostext.cli.program" in sys.modules
        file = 0 if source.path == STDIN else Path(source.path).stat().st_size
        self.size = self.PACKED * file + 4 * source.longest + self.MORE

    @contextlib.contextmanager
    def limited(self) -> Iterator[None]:
        """Limit the memory to what there is now and `size` more."""
        most = self._most() if self._own else 0
        if not most or not self._held.acquire(blocking=False):
            yield
            return
        try:
            soft, hard = resource.getrlimit(resource.RLIMIT_DATA)
            most = most if soft == resource.RLIM_INFINITY else min(most, soft)
            with contextlib.suppress(OSError, ValueError):  # where it is not permitted
                resource.setrlimit(resource.RLIMIT_DATA, (most, hard))
            try:
                yield
            finally:
                with contextlib.suppress(OSError, ValueError):
                    resource.setrlimit(resource.RLIMIT_DATA, (soft, hard))
        finally:
            self._held.release()

    def _most(self) -> int:
        """The bytes that the process may have, or 0 if it is not known how many it has now."""
        try:
            pages = int(Path("/proc/self/statm").read_text(encoding="ascii").split()[5])
        except (OSError, IndexError, ValueError):
            return 0
        # what pyarrow still holds was allowed before; some sandboxes always say 0 pages
        taken = pages * resource.getpagesize() - int(self._arrow.total_allocated_bytes())
        return taken + self.size if pages else 0


def _pyarrow(source: Source) -> Any:
    try:
        import pyarrow
    except ImportError:
        raise source.fault(
            0,
            "Parquet and Arrow files need pyarrow, which is not installed; "
            "install it with: pip install 'boostext[arrow]'",
        ) from None
    return pyarrow


def _parquet_batches(source: Source, most: int) -> Iterator[Any]:
    from pyarrow import parquet

    with open_bytes(source.path) as file:
        parts = parquet.ParquetFile(file, pre_buffer=False)
        if _greatest(parts.metadata, Path(source.path).stat().st_size, most) > most:
            raise MemoryError
        yield from parts.iter_batches(BATCH, use_threads=False)


DENSEST = 256
"""How many times their packed size usual texts may take. Those in a bomb take far more."""


def _greatest(metadata: Any, stored: int, most: int) -> int:
    """The bytes that a page may take, as the file itself says. stored: the size of the file.

    One page may hold all bytes of a group of rows, but the usual writers make pages of about a
    megabyte. This is believed unless the group is packed unusually well, or its rows are so long
    that `most` bytes are not enough for a batch of them.
    """
    greatest = 0
    for number in range(metadata.num_row_groups):
        # subtle: what the file says of single columns is not asked for, because pyarrow ends the
        # process if it is damaged
        group = metadata.row_group(number)
        size, rows = group.total_byte_size, group.num_rows
        usual = size <= DENSEST * stored and size * BATCH <= most * rows
        greatest = max(greatest, 0 if usual else size)
    return greatest


def _arrow_batches(source: Source, most: int) -> Iterator[Any]:
    pyarrow = _pyarrow(source)
    with open_bytes(source.path) as file:
        head = file.peek(len(MAGIC)) if hasattr(file, "peek") else b""
        if head.startswith(MAGIC):
            parts = pyarrow.ipc.open_file(file)
            batches = (parts.get_batch(place) for place in range(parts.num_record_batches))
        else:
            batches = pyarrow.ipc.open_stream(file)
        yield from batches


def python_value(column: Any, place: int) -> Any:
    """The value of a pyarrow array at a place; what Python cannot represent becomes a string.

    These are points in time before the year 1 or after 9999, and those in an unknown time zone.
    """
    try:
        return column[place].as_py()
    except (OverflowError, LookupError, ValueError):
        return column.slice(place, 1).to_string(indent=0).strip("[]\n")


def plain(value: Any) -> Any:
    """Convert a pyarrow value to a JSON value; what JSON cannot represent becomes a string."""
    if value is None or isinstance(value, str | bool | int | float):
        return value
    if isinstance(value, list | tuple):
        return [plain(item) for item in value]
    if isinstance(value, dict):
        return {str(name): plain(item) for name, item in value.items()}
    if isinstance(value, Decimal):
        return float(value)
    if isinstance(value, datetime.datetime | datetime.date | datetime.time):
        return value.isoformat()
    if isinstance(value, bytes):
        return value.decode("utf-8", "replace")
    return str(value)


# Names of classes ----------------------------------------------------------------------------


def class_names(schema: Any, source: Source | None = None) -> Names:
    """The class names of numeric labels, as Hugging Face stores them in a file or next to it."""
    kept = (schema.metadata or {}).get(b"huggingface")
    info = _json(kept.decode("utf-8", "replace")).get("info") if kept else {}
    described = _info(source) if source and not kept else info
    features = described.get("features") if isinstance(described, dict) else None
    names = {}
    for column, feature in features.items() if isinstance(features, dict) else ():
        found = _names_in(feature)
        if found:
            names[column] = found
        if found and source:
            source.understand(f"numbers in {column} are read as the class names of the data set")
    return names


def _info(source: Source) -> Fields:
    path = Path(source.path).with_name(INFO)
    with contextlib.suppress(OSError, ValueError):
        if path.stat().st_size <= INFO_LIMIT:
            return _json(path.read_text(encoding="utf-8"))
    return {}


def _json(text: str) -> Fields:
    with contextlib.suppress(ValueError, RecursionError):
        value = json.loads(text)
        return value if isinstance(value, dict) else {}
    return {}


def _names_in(feature: Any) -> list[str]:
    """The class names of a class label, or of a list of class labels."""
    if isinstance(feature, list):
        feature = feature[0] if len(feature) == 1 else None
    if not isinstance(feature, dict):
        return []
    names = feature.get("names")
    if feature.get("_type") == "ClassLabel" and isinstance(names, list):
        return [str(name) for name in names]
    inner = feature.get("feature")
    return _names_in(inner) if isinstance(inner, dict) and inner is not feature else []


def named(value: Any, names: list[str] | None) -> Any:
    """Replace a class number by its name, if there are any; -1 means that it is not known."""
    if names is None:
        return value
    if isinstance(value, list):
        return [named(item, names) for item in value]
    if isinstance(value, int) and not isinstance(value, bool):
        return names[value] if 0 <= value < len(names) else (None if value == -1 else value)
    return value
