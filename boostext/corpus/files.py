"""Read lines from plain or compressed files or stdin, with at most one line in memory."""

from __future__ import annotations

import bz2
import codecs
import contextlib
import difflib
import gzip
import io
import lzma
import sys
import zlib
from collections.abc import Callable, Iterator
from itertools import islice
from pathlib import Path
from typing import BinaryIO, cast

from boostext.corpus.sources import Line, Source, Span
from boostext.errors import DataError
from boostext.settings import DataSettings

STDIN = "-"
MARK = "\ufeff"
"""The byte order mark, decoded. Concatenated files have one where each of the files began."""
BUFFER = 2**18
XZ_MEMORY = 2**28
DAMAGED = (OSError, EOFError, zlib.error, lzma.LZMAError)
"""Exceptions raised by reading damaged compressed data or a failing disk."""

MAGIC = (
    (b"\x1f\x8b", "gzip data; rename it to end in .gz"),
    (b"BZh9", "bzip2 data; rename it to end in .bz2"),
    (b"\xfd7zXZ\x00", "xz data; rename it to end in .xz"),
    (b"\x28\xb5\x2f\xfd", "zstd data; decompress it first"),
    (b"PK\x03\x04", "a zip archive or spreadsheet; unpack it, or save it as CSV"),
    (b"ARROW1", "an Arrow file; rename it to end in .arrow"),
    (b"PAR1", "a Parquet file; rename it to end in .parquet"),
)
"""The first bytes of files that are not text, and what the user can do with such a file."""

MARKS = (
    (b"\xff\xfe\x00\x00", "utf-32"),
    (b"\x00\x00\xfe\xff", "utf-32"),
    (b"\xff\xfe", "utf-16"),
    (b"\xfe\xff", "utf-16"),
)
"""Byte order marks and the encodings they indicate, longest first."""


class XzReader(io.RawIOBase):
    """Decompresses an .xz file with bounded memory, which lzma.LZMAFile does not do."""

    def __init__(self, file: BinaryIO) -> None:
        super().__init__()
        self._file = file
        self._ended = False
        self._start(b"")

    def _start(self, data: bytes) -> None:
        self._stream = lzma.LZMADecompressor(lzma.FORMAT_XZ, memlimit=XZ_MEMORY)
        self._data = data

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: object) -> int:
        view = memoryview(cast(bytearray, buffer))  # what io promises to pass
        while True:
            self._ended = self._ended or (self._stream.eof and not self._next_stream())
            if self._ended:
                return 0
            if self._stream.needs_input and not self._data:
                self._data = self._file.read(BUFFER)
                if not self._data:
                    raise EOFError
            data, self._data = self._data, b""
            if out := self._stream.decompress(data, len(view)):
                view[: len(out)] = out
                return len(out)

    def _next_stream(self) -> bool:
        """Skip padding and begin the next stream; False at the end of the file."""
        data = self._stream.unused_data.lstrip(b"\0")
        while not data and (more := self._file.read(BUFFER)):
            data = more.lstrip(b"\0")
        self._start(data)
        return bool(data)


class Eager(io.RawIOBase):
    """Returns available bytes at once, so that those before damaged data are not lost."""

    def __init__(self, file: gzip.GzipFile | bz2.BZ2File) -> None:
        super().__init__()
        self._file = file

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: object) -> int:
        view = memoryview(cast(bytearray, buffer))  # what io promises to pass
        data = self._file.read1(len(view))
        view[: len(data)] = data
        return len(data)


DECOMPRESSORS: dict[str, Callable[[BinaryIO], object]] = {
    ".gz": lambda file: Eager(gzip.GzipFile(fileobj=file, mode="rb")),
    ".bz2": lambda file: Eager(bz2.BZ2File(file)),
    ".xz": XzReader,
}
"""ending -> function that opens the decompressed content of a file"""


def compression(path: str) -> str:
    """The ending that shows how a file is compressed, or ""."""
    ending = Path(path).suffix.lower()
    return ending if ending in DECOMPRESSORS else ""


def file_ending(path: str) -> str:
    """The last ending of a name, in lower case, ignoring that of a compression."""
    plain = path.removesuffix(Path(path).suffix) if compression(path) else path
    return Path(plain).suffix.lower()


@contextlib.contextmanager
def open_bytes(path: str, span: Span | None = None) -> Iterator[BinaryIO]:
    """Open the decompressed bytes of a file, or stdin for "-"; DataError if there is no such file.

    span: read only these bytes of an uncompressed file. fsspec opens addresses such as
    s3://bucket/file, which `inputs_of` allows for workers only.
    """
    if path == STDIN:
        if sys.stdin is None:
            raise DataError(path, 0, "stdin is closed; name a file, or redirect one with < or |")
        yield sys.stdin.buffer
        return
    with contextlib.ExitStack() as stack:
        try:
            if is_address(path):
                plain = stack.enter_context(_remote_file(path))
            else:
                plain = stack.enter_context(Path(path).open("rb", buffering=BUFFER))
        except (OSError, ValueError) as error:
            raise DataError(path, 0, cannot_open(path, error)) from None
        if ending := compression(path):
            # these classes have all that BufferedReader needs, but typeshed asks for more
            inner = cast(io.RawIOBase, DECOMPRESSORS[ending](plain))
            yield cast(BinaryIO, stack.enter_context(io.BufferedReader(inner, BUFFER)))
        elif span is not None and (span.start or span.stop is not None):
            yield cast(BinaryIO, io.BufferedReader(_Part(plain, span), BUFFER))
        else:
            yield plain


def is_address(path: str) -> bool:
    """Whether a path is the address of a remote file, such as s3://bucket/file."""
    return "://" in path


def _remote_file(path: str) -> BinaryIO:
    try:
        import fsspec
    except ImportError:
        raise DataError(
            path, 0, "addresses are opened by fsspec; install it with: pip install 'boostext[dask]'"
        ) from None
    try:
        return cast(BinaryIO, fsspec.open(path, "rb").open())
    except ImportError as error:  # the package of the file system is missing
        raise DataError(path, 0, f"cannot be opened: {error}") from None


def stored_size(path: str) -> int:
    """The bytes of a file as it is stored; 0 if they are not known."""
    try:
        if is_address(path):
            import fsspec

            system, inside = fsspec.core.url_to_fs(path)
            return int(system.size(inside) or 0)
        file = Path(path)
        return file.stat().st_size if file.is_file() else 0
    except Exception:  # noqa: BLE001  file systems raise errors of their own
        return 0


def head_of(path: str, limit: int) -> tuple[bytes, float, int]:
    """The first decompressed bytes of a file, up to a line end; how many bytes of the file as it is
    stored they are; and how many it has.

    Errors are those of `open`, and DAMAGED.
    """
    with _remote_file(path) if is_address(path) else Path(path).open("rb") as plain:
        size = plain.seek(0, io.SEEK_END)
        plain.seek(0)
        file = plain
        if ending := compression(path):
            inner = cast(io.RawIOBase, DECOMPRESSORS[ending](plain))
            file = cast(BinaryIO, io.BufferedReader(inner, BUFFER))
        head = file.read(limit)
        if len(head) < limit:
            return head, size, size
        whole = head[: head.rfind(b"\n") + 1]
        return whole, plain.tell() * len(whole) / limit, size


class _Part(io.RawIOBase):
    """A range of the bytes of a file."""

    def __init__(self, file: BinaryIO, span: Span) -> None:
        super().__init__()
        file.seek(span.start)
        self._file = file
        self._left = sys.maxsize if span.stop is None else span.stop - span.start

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: object) -> int:
        view = memoryview(cast(bytearray, buffer))  # what io promises to pass
        data = self._file.read(min(len(view), self._left))
        view[: len(data)] = data
        self._left -= len(data)
        return len(data)


def cannot_open(path: str, error: OSError | ValueError) -> str:
    """The reason why a file cannot be opened, with the most similar name if it does not exist."""
    if isinstance(error, FileNotFoundError):
        return f"no such file{_near_file(Path(path))}"
    if isinstance(error, IsADirectoryError):
        return "is a folder; expected a file"
    return f"cannot be read: {getattr(error, 'strerror', None) or error}"


def _near_file(path: Path) -> str:
    try:
        names = [entry.name for entry in path.parent.iterdir()]
    except (OSError, ValueError):
        return "; its folder does not exist or cannot be read"
    near = difflib.get_close_matches(path.name, names, 1)
    return f"; did you mean {path.parent / near[0]}?" if near else ""


def numbered_lines(source: Source, settings: DataSettings) -> Iterator[Line]:
    """The decoded lines of a source, without the byte order mark.

    A line ends with LF or CRLF, which it keeps. In a line with bytes that cannot be decoded they
    are replaced by U+FFFD, and the line comes with an error; if encoding_errors is "replace", the
    line is only counted.
    """
    with open_bytes(source.path) as file:
        yield from lines_of(file, source, settings)


def lines_of(file: BinaryIO, source: Source, settings: DataSettings) -> Iterator[Line]:
    """Like `numbered_lines`, for a file that is already open."""
    encoding = _encoding(settings)
    bytewise = "\n".encode(encoding) == b"\n"
    read = _byte_lines if bytewise else _transcoded_lines
    lines = read(source, file, encoding, settings.encoding_errors)
    # subtle: this keeps no reference to a line, which may be very long, while its record is used
    yield from map(_without_mark, islice(lines, 1))
    yield from lines


def _without_mark(line: Line) -> Line:
    number, text, error = line
    return (number, text.removeprefix(MARK), error) if number == 1 else line


def pieces_of(file: BinaryIO, source: Source, settings: DataSettings) -> Iterator[str]:
    """The text of an open file in pieces of some hundred kilobytes, regardless of line ends.

    Bytes that cannot be decoded raise DataError; if encoding_errors is "replace", the lines that
    contain them are counted.
    """
    replacing = settings.encoding_errors == "replace"
    for piece in _decoded(source, file, _encoding(settings), settings.encoding_errors):
        if replacing and "\ufffd" in piece:
            source.bad.replaced += sum("\ufffd" in line for line in piece.split("\n"))
        yield piece


def first_bytes(file: BinaryIO, source: Source) -> tuple[BinaryIO, bytes]:
    """The file and some of its first bytes. Reading the file returns these bytes again."""
    # typeshed: any file with readinto is sufficient
    raw = cast(io.RawIOBase, file)
    peeked = file if isinstance(file, io.BufferedReader) else io.BufferedReader(raw, BUFFER)
    return cast(BinaryIO, peeked), _read(source, 0, peeked.peek, BUFFER)


def _encoding(settings: DataSettings) -> str:
    encoding = codecs.lookup(settings.encoding).name
    return "utf-8" if encoding == "utf-8-sig" else encoding


def _byte_lines(source: Source, file: BinaryIO, encoding: str, errors: str) -> Iterator[Line]:
    """Split into lines, then decode each one; for encodings whose line end is the byte LF."""
    number, offset = source.span.lines, source.span.start
    while raw := _read(source, number, file.readline, source.longest + 1):
        number += 1
        if number == 1:
            _refuse_foreign(source, raw, encoding)
        if len(raw) > source.longest:
            offset += len(raw)
            ended = raw.endswith(b"\n")
            del raw
            yield number, "", source.too_long(number, "line")
            offset += 0 if ended else _rest_of_line(source, number, file)
            continue
        fault = None
        try:
            text = raw.decode(encoding)
        except UnicodeDecodeError as error:
            text = raw.decode(encoding, "replace")
            fault = _not_text(source, number, offset, error) if errors == "strict" else None
            source.bad.replaced += errors == "replace"
        offset += len(raw)
        line = [(number, text, fault)]
        del raw, text
        yield line.pop()  # only the caller keeps the text, which may be very long


def _rest_of_line(source: Source, number: int, file: BinaryIO) -> int:
    """Read to the end of a line and return the number of its bytes."""
    size = 0
    while part := _read(source, number, file.readline, BUFFER):
        size += len(part)
        if part.endswith(b"\n"):
            break
    return size


def _transcoded_lines(source: Source, file: BinaryIO, encoding: str, errors: str) -> Iterator[Line]:
    """Decode, then split into lines; for encodings such as UTF-16. Invalid bytes end reading."""
    number, size = 1, 0
    parts: list[str] = []
    for chunk in _decoded(source, file, encoding, errors):
        *ended, rest = chunk.split("\n")
        for line in ended:
            text = "".join([*parts, line, "\n"])
            source.bad.replaced += errors == "replace" and "\ufffd" in text
            yield number, text, None
            number, size, parts = number + 1, 0, []
        parts.append(rest)
        size += len(rest)
        if size > source.longest:
            raise source.too_long(number, "line")
    if text := "".join(parts):
        yield number, text, None


def _decoded(source: Source, file: BinaryIO, encoding: str, errors: str) -> Iterator[str]:
    """The text of a whole file, in pieces."""
    decoder = codecs.getincrementaldecoder(encoding)(errors)
    offset, number = 0, 1
    while True:
        chunk = _read(source, number, file.read, BUFFER)
        if not offset:
            _refuse_foreign(source, chunk, encoding)
        offset += len(chunk)
        try:
            text = decoder.decode(chunk, not chunk)
        except UnicodeDecodeError as error:
            before = error.object[: error.start].decode(error.encoding, "ignore")
            number += before.count("\n")
            raise _not_text(source, number, offset - len(error.object), error) from None
        except UnicodeError as error:
            raise source.fault(0, f"is not {encoding} text: {error}") from None
        number += text.count("\n")
        yield text
        if not chunk:
            return


def read_text(source: Source, settings: DataSettings) -> str:
    """The whole text of a small file, with its line ends; DataError if it cannot be read."""
    parts, size = [], 0
    for _, text, error in numbered_lines(source, settings):
        if error:
            raise error
        parts.append(text)
        size += len(text)
        if size > source.longest:
            raise source.too_long(0, "file")
    return "".join(parts)


def _read(source: Source, line: int, read: Callable[[int], bytes], size: int) -> bytes:
    """Read bytes; DataError, with the last complete line, if the data is damaged."""
    try:
        return read(size)
    except DAMAGED as error:
        after = f" after line {line}" if line else ""
        if isinstance(error, OSError) and error.errno:
            message = f"cannot be read{after}: {error.strerror}"
        else:
            ending = compression(source.path)
            message = f"is not {ending} data, or is truncated or damaged{after}; create it again"
        if isinstance(error, lzma.LZMAError) and str(error).startswith("Memory usage limit"):
            message = (
                f"needs more than {XZ_MEMORY >> 20} MB of memory to be decompressed because of its "
                "large dictionary; compress it again, for example with xz -9"
            )
        raise source.fault(0, message) from None


def _refuse_foreign(source: Source, head: bytes, encoding: str) -> None:
    """Raise DataError if the first bytes show a binary file or text in another encoding."""
    for magic, what in MAGIC:
        if head.startswith(magic):
            raise source.fault(0, f"expected text, found {what}")
    for mark, other in MARKS if encoding == "utf-8" else ():
        if head.startswith(mark):
            raise source.fault(0, f"is {other.upper()} text, not UTF-8; add --encoding {other}")
    if encoding == "utf-8" and (other := _unmarked(head)):
        raise source.fault(
            0,
            f"looks like UTF-16 text without byte order mark, not UTF-8; add --encoding {other}",
        )


def _unmarked(head: bytes) -> str:
    """The encoding of UTF-16 text without a byte order mark; its ASCII letters have zero bytes."""
    start = head[:200]
    if len(start) < 4 or start.count(0) < len(start) // 3:
        return ""
    odd, even = start[1::2].count(0), start[::2].count(0)
    return "utf-16-le" if odd > even else "utf-16-be"


def _not_text(source: Source, line: int, offset: int, error: UnicodeDecodeError) -> DataError:
    """The error for bytes that cannot be decoded. offset: of error.object in the file."""
    byte, place = error.object[error.start], offset + error.start
    return source.fault(
        line,
        f"byte 0x{byte:02X} at offset {place} of the file is not {error.encoding} text; "
        "give its encoding with --encoding (such as cp1252), or add --encoding-errors replace",
    )
