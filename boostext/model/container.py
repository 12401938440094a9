"""The zip container of a model: its members in a fixed order, without any metadata that varies.

Members are stored without compression. Deflate gives different bytes with different builds of
zlib, and a member that is no longer than its file cannot be a decompression bomb.
"""

from __future__ import annotations

import struct
import zipfile
import zlib
from collections.abc import Iterable
from typing import BinaryIO

from boostext.errors import ModelError

START = b"PK\x03\x04"
_MOST_MEMBERS = 16
_DIRECTORY_LIMIT = 16 * 1024
_END = struct.Struct("<4s4H2LH")  # signature, disks, entries, size and offset of directory, comment
_ZIP64_LOCATOR, _ZIP64_END = 20, 56
_ZIP64_FROM = 2**31 - 1

_FAILURES = (
    zipfile.BadZipFile,
    zipfile.LargeZipFile,
    zlib.error,
    struct.error,
    NotImplementedError,
    RuntimeError,
    ValueError,
    OverflowError,
    EOFError,
    OSError,
    LookupError,
)
"""The exceptions that zipfile raises on bytes that are not a valid zip."""


def write_members(file: BinaryIO, members: Iterable[tuple[str, bytes]]) -> None:
    """Write (name, content) pairs in order; equal members give equal bytes on every system."""
    with zipfile.ZipFile(file, "w", zipfile.ZIP_STORED) as archive:
        for name, content in members:
            info = zipfile.ZipInfo(name, (1980, 1, 1, 0, 0, 0))
            info.create_system = 3  # otherwise zipfile writes the number of the current system
            info.external_attr = 0o644 << 16
            archive.writestr(info, content)


def open_members(file: BinaryIO) -> dict[str, zipfile.ZipInfo]:
    """Map names to entries of a seekable file that begins as a zip; members are not read."""
    size = file.seek(0, 2)
    _check_end(file, size)
    try:
        with zipfile.ZipFile(file) as archive:
            entries = archive.infolist()
    except _FAILURES as error:
        raise ModelError(f"damaged: its table of contents cannot be read ({error})") from None
    members = {entry.filename: entry for entry in entries}
    if len(members) < len(entries):
        raise ModelError("damaged: a member is there twice")
    if sum(entry.compress_size for entry in entries) > size:
        raise ModelError("damaged: its members are longer than the file")
    return members


def _check_end(file: BinaryIO, size: int) -> None:
    """Check that the file ends with the end record, and that the directory before it is short."""
    file.seek(max(size - _END.size - _ZIP64_LOCATOR, 0))
    tail = file.read(_ZIP64_LOCATOR + _END.size)
    if len(tail) < _END.size or not tail[-_END.size :].startswith(b"PK\x05\x06"):
        raise ModelError(
            "cut short or damaged: the end of the file is missing. Copy or train it again"
        )
    _, _, _, _, entries, directory, _, comment = _END.unpack(tail[-_END.size :])
    zip64 = tail.startswith(b"PK\x06\x07")
    if comment or entries > _MOST_MEMBERS or (zip64 and size < _ZIP64_FROM):
        raise ModelError("not a boostext model: a zip file of another kind, or damaged")
    if zip64:
        directory = max(directory, _directory_size64(file, size, tail))
    if directory > _DIRECTORY_LIMIT:
        raise ModelError("not a boostext model: a zip file with a long table of contents")


def _directory_size64(file: BinaryIO, size: int, tail: bytes) -> int:
    """The directory size in the zip64 end record, which must be directly before its locator."""
    place = size - _END.size - _ZIP64_LOCATOR - _ZIP64_END
    file.seek(place)
    record = file.read(_ZIP64_END)
    if int.from_bytes(tail[8:16], "little") != place or not record.startswith(b"PK\x06\x06"):
        raise ModelError("damaged: the end of the file is not that of a model")
    return int.from_bytes(record[40:48], "little")


def read_member(file: BinaryIO, entry: zipfile.ZipInfo, limit: int) -> bytes:
    """The content of one member, of at most `limit` bytes; its checksum is verified."""
    name = entry.filename
    if entry.compress_type != zipfile.ZIP_STORED or entry.compress_size != entry.file_size:
        raise ModelError(
            f"packed anew: {name} is compressed, which no boostext model is. "
            "Pack it without compression (zip -0), or copy the original again"
        )
    if entry.file_size > limit:
        raise ModelError(f"damaged: {name} has {entry.file_size} bytes; expected {limit} at most")
    try:
        with zipfile.ZipFile(file) as archive, archive.open(entry) as member:
            content = member.read(entry.file_size + 1)
    except _FAILURES as error:
        raise ModelError(f"damaged: {name} cannot be read ({error})") from None
    if len(content) != entry.file_size:
        raise ModelError(f"damaged: {name} is shorter than it says")
    return content
