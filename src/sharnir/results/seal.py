"""The seal of a file: its length and a checksum behind its content, so that damage is found before the content is used.

A file that another program has changed on purpose has lost the seal, or is longer than it says, and is read without one.
"""

from __future__ import annotations

import struct
import zlib
from pathlib import Path
from typing import BinaryIO

from sharnir.errors import FileError

MAGIC = b"sharnir!"
SEAL = struct.Struct("<8sQI")  # magic, length of the content, its CRC-32
PIECE = 1 << 20


def checksum(file: BinaryIO, length: int) -> int:
    """CRC-32 of the first `length` bytes."""
    found, left = 0, length
    file.seek(0)
    while left > 0:
        piece = file.read(min(PIECE, left))
        if not piece:
            break
        found, left = zlib.crc32(piece, found), left - len(piece)
    return found


def put_seal(path: Path) -> None:
    """Put the seal behind a file that is complete."""
    with path.open("r+b") as file:
        length = file.seek(0, 2)
        found = checksum(file, length)
        file.seek(length)
        file.write(SEAL.pack(MAGIC, length, found))


def check_seal(path: Path) -> bool:
    """Whether a file has a seal; raises FileError if a sealed one is not as it was written.

    >>> import tempfile
    >>> file = Path(tempfile.mkdtemp()) / "a.bin"
    >>> _ = file.write_bytes(b"content")
    >>> put_seal(file)
    >>> check_seal(file)
    True
    >>> _ = file.write_bytes(file.read_bytes().replace(b"tent", b"tend"))
    >>> check_seal(file)
    Traceback (most recent call last):
    sharnir.errors.FileError: a.bin is damaged: its checksum is wrong; restore a copy, or run again
    """
    with path.open("rb") as file:
        length = file.seek(0, 2) - SEAL.size
        if length < 0:
            return False
        file.seek(length)
        magic, sealed, wanted = SEAL.unpack(file.read(SEAL.size))
        if magic != MAGIC or sealed != length:
            return False
        if checksum(file, length) != wanted:
            raise FileError(f"{path.name} is damaged: its checksum is wrong; restore a copy, or run again")
        return True
