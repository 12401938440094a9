"""Lines out of files - plain, compressed or stdin - with never more than one line in memory."""

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
from pathlib import Path
from typing import BinaryIO, cast

from boostext.corpus.sources import Line, Source, Span
from boostext.errors import DataError
from boostext.settings import DataSettings

STDIN = "-"
MARK = "\ufeff"
"""The byte order mark, decoded. Files that were joined have one wherever a file began."""
BUFFER = 2**18
XZ_MEMORY = 2**28
DAMAGED = (OSError, EOFError, zlib.error, lzma.LZMAError)
"""What reading damaged compressed data, or a failing disk, raises."""

MAGIC = (
    (b"\x1f\x8b", "gzip data; end its name in .gz"),
    (b"BZh9", "bzip2 data; end its name in .bz2"),
    (b"\xfd7zXZ\x00", "xz data; end its name in .xz"),
    (b"\x28\xb5\x2f\xfd", "zstd data; decompress it first"),
    (b"PK\x03\x04", "a zip archive or spreadsheet; unpack it, or save it as CSV"),
    (b"ARROW1", "an Arrow file; end its name in .arrow"),
    (b"PAR1", "a Parquet file; end its name in .parquet"),
)
"""First bytes of what is not text, and what to do with it."""

MARKS = (
    (b"\xff\xfe\x00\x00", "utf-32"), (b"\x00\x00\xfe\xff", "utf-32"),
    (b"\xff\xfe", "utf-16"), (b"\xfe\xff", "utf-16"),
)  # fmt: skip
"""Byte order marks and the encoding they speak of; the longest first."""


class XzReader(io.RawIOBase):
    """Bytes of an .xz file; lzma.LZMAFile would let the file itself say how much memory to take."""

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
        """Begin the stream that follows the one that ended, after padding; False at the end."""
        data = self._stream.unused_data.lstrip(b"\0")
        while not data and (more := self._file.read(BUFFER)):
            data = more.lstrip(b"\0")
        self._start(data)
        return bool(data)


class Eager(io.RawIOBase):
    """Gives the bytes at hand: a decompressing file filling a buffer would lose them to damage."""

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
"""ending -> bytes of the decompressed file"""


def compression(path: str) -> str:
    """The ending that says how a file is compressed, or nothing."""
    ending = Path(path).suffix.lower()
    return ending if ending in DECOMPRESSORS else ""


def file_ending(path: str) -> str:
    """The last ending of a name, in lower case, before that of a compression."""
    plain = path.removesuffix(Path(path).suffix) if compression(path) else path
    return Path(plain).suffix.lower()


@contextlib.contextmanager
def open_bytes(path: str, span: Span | None = None) -> Iterator[BinaryIO]:
    """Decompressed bytes of a file, or of stdin for "-"; DataError where there is no such file.

    span: of these bytes, in a file that is not compressed. An address such as s3://bucket/file,
    which `inputs_of` lets pass for workers alone, is opened by fsspec.
    """
    if path == STDIN:
        if sys.stdin is None:
            raise DataError(path, 0, "stdin is closed; name a file, or feed it by < or |")
        yield sys.stdin.buffer
        return
    with contextlib.ExitStack() as stack:
        try:
            if is_address(path):
                plain = stack.enter_context(_far_file(path))
            else:
                plain = stack.enter_context(Path(path).open("rb", buffering=BUFFER))
        except (OSError, ValueError) as error:
            raise DataError(path, 0, cannot_open(path, error)) from None
        if ending := compression(path):
            # typeshed knows BufferedReader over a mere RawIOBase; these are as good
            inner = cast(io.RawIOBase, DECOMPRESSORS[ending](plain))
            yield cast(BinaryIO, stack.enter_context(io.BufferedReader(inner, BUFFER)))
        elif span is not None and (span.start or span.stop is not None):
            yield cast(BinaryIO, io.BufferedReader(_Part(plain, span), BUFFER))
        else:
            yield plain


def is_address(path: str) -> bool:
    """Whether a path names a file of another system, such as s3://bucket/file."""
    return "://" in path


def _far_file(path: str) -> BinaryIO:
    try:
        import fsspec
    except ImportError:
        raise DataError(
            path, 0, "addresses are opened by fsspec; install it with: pip install 'boostext[dask]'"
        ) from None
    try:
        return cast(BinaryIO, fsspec.open(path, "rb").open())
    except ImportError as error:  # of the file system
        raise DataError(path, 0, f"cannot be opened: {error}") from None


class _Part(io.RawIOBase):
    """Some bytes of a file."""

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
    """Why a file cannot be opened, and the nearest name where there is no such file."""
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
    """The lines of a source, decoded, without the byte order mark.

    A line ends with LF or CRLF, which stay on it. Bytes that are no text give the line with
    U+FFFD in their place, and the fault; encoding_errors "replace" gives no fault and counts.
    """
    with open_bytes(source.path) as file:
        yield from lines_of(file, source, settings)


def lines_of(file: BinaryIO, source: Source, settings: DataSettings) -> Iterator[Line]:
    """`numbered_lines` of a file that is already open."""
    encoding = _encoding(settings)
    bytewise = "\n".encode(encoding) == b"\n"
    read = _byte_lines if bytewise else _transcoded_lines
    for number, text, error in read(source, file, encoding, settings.encoding_errors):
        yield number, text.removeprefix(MARK) if number == 1 else text, error


def pieces_of(file: BinaryIO, source: Source, settings: DataSettings) -> Iterator[str]:
    """The text of an open file in pieces of some hundred kilobytes, wherever its lines end.

    Bytes that are no text raise DataError; encoding_errors "replace" counts the lines with them.
    """
    replacing = settings.encoding_errors == "replace"
    for piece in _decoded(source, file, _encoding(settings), settings.encoding_errors):
        if replacing and "\ufffd" in piece:
            source.bad.replaced += sum("\ufffd" in line for line in piece.split("\n"))
        yield piece


def first_bytes(file: BinaryIO, source: Source) -> tuple[BinaryIO, bytes]:
    """The file, and some of its first bytes, which it will still give."""
    # typeshed: any file that reads into a buffer will do
    raw = cast(io.RawIOBase, file)
    peeked = file if isinstance(file, io.BufferedReader) else io.BufferedReader(raw, BUFFER)
    return cast(BinaryIO, peeked), _read(source, 0, peeked.peek, BUFFER)


def _encoding(settings: DataSettings) -> str:
    encoding = codecs.lookup(settings.encoding).name
    return "utf-8" if encoding == "utf-8-sig" else encoding


def _byte_lines(source: Source, file: BinaryIO, encoding: str, errors: str) -> Iterator[Line]:
    """For encodings whose line end is the byte LF: split, then decode each line."""
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
        yield number, text, fault
        offset += len(raw)


def _rest_of_line(source: Source, number: int, file: BinaryIO) -> int:
    """Read to the end of a line, and count its bytes."""
    size = 0
    while part := _read(source, number, file.readline, BUFFER):
        size += len(part)
        if part.endswith(b"\n"):
            break
    return size


def _transcoded_lines(source: Source, file: BinaryIO, encoding: str, errors: str) -> Iterator[Line]:
    """For encodings such as UTF-16: decode, then split. Bytes that are no text end the reading."""
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
    """The whole text of a small file, with its line ends; DataError where it cannot be had."""
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
    """Bytes, or a DataError that names the last whole line before the damage."""
    try:
        return read(size)
    except DAMAGED as error:
        after = f" after line {line}" if line else ""
        if isinstance(error, OSError) and error.errno:
            message = f"cannot be read{after}: {error.strerror}"
        else:
            ending = compression(source.path)
            message = f"is no {ending} data, or is cut or damaged{after}; make it anew"
        if isinstance(error, lzma.LZMAError) and str(error).startswith("Memory usage limit"):
            message = (
                f"needs more than {XZ_MEMORY >> 20} MB of memory to be decompressed, as its "
                "dictionary is so large; compress it anew, such as by xz -9"
            )
        raise source.fault(0, message) from None


def _refuse_foreign(source: Source, head: bytes, encoding: str) -> None:
    """Stop at the first bytes of what is no text, or text of another encoding."""
    for magic, what in MAGIC:
        if head.startswith(magic):
            raise source.fault(0, f"expected text, found {what}")
    for mark, other in MARKS if encoding == "utf-8" else ():
        if head.startswith(mark):
            raise source.fault(0, f"is {other.upper()} text, not UTF-8; add --encoding {other}")
    if encoding == "utf-8" and (other := _unmarked(head)):
        raise source.fault(
            0, f"looks like UTF-16 text without a mark, not UTF-8; add --encoding {other}"
        )


def _unmarked(head: bytes) -> str:
    """UTF-16 without a byte order mark has a zero byte in every letter of ASCII."""
    start = head[:200]
    if len(start) < 4 or start.count(0) < len(start) // 3:
        return ""
    odd, even = start[1::2].count(0), start[::2].count(0)
    return "utf-16-le" if odd > even else "utf-16-be"


def _not_text(source: Source, line: int, offset: int, error: UnicodeDecodeError) -> DataError:
    """offset: of error.object in the file."""
    byte, place = error.object[error.start], offset + error.start
    return source.fault(
        line,
        f"byte 0x{byte:02X} at offset {place} of the file is not {error.encoding} text; "
        "say the file's --encoding (such as cp1252), or --encoding-errors replace",
    )
