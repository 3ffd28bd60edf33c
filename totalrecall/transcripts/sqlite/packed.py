"""The text of a compressed row.

OpenClaw 2026.9 compresses events of 1 KiB to 4 MiB with zstd. Without a decoder those rows would be missing
without a word, so the lack of one is an error with a remedy.
"""

from __future__ import annotations

import importlib
import io
from collections.abc import Callable
from typing import Protocol, cast

from totalrecall.errors import SourceError

MAX_UNPACKED_BYTES = 16 * 1024 * 1024
"""Four times what OpenClaw packs at most. More is a bomb or another format."""

MAX_WINDOW_BYTES = 32 * 1024 * 1024


class PackedError(ValueError):
    """The row cannot be unpacked: ``reason`` is ``bad_zstd`` or ``too_large``."""

    def __init__(self, reason: str) -> None:
        super().__init__(reason)
        self.reason = reason


class _Reader(Protocol):
    def read(self, size: int, /) -> bytes: ...


_Opener = Callable[[bytes], _Reader]


def unpack(packed: bytes, limit_bytes: int = MAX_UNPACKED_BYTES) -> bytes:
    """The bytes that ``packed`` holds, never more than ``limit_bytes`` of memory for them.

    Raises PackedError for what is no zstd or too long, SourceError when no decoder is installed.
    """
    opener, failures = _decoder()
    chunks: list[bytes] = []
    room = limit_bytes
    try:
        reader = opener(packed)
        while chunk := reader.read(min(room + 1, 262144)):
            room -= len(chunk)
            if room < 0:
                raise PackedError("too_large")
            chunks.append(chunk)
    except failures as error:
        raise PackedError("bad_zstd") from error
    if not chunks:
        raise PackedError("bad_zstd")
    return b"".join(chunks)


def _decoder() -> tuple[_Opener, tuple[type[Exception], ...]]:
    """The installed decoder, and what it raises: the ``zstandard`` library, else Python 3.14's own."""
    try:
        library = importlib.import_module("zstandard")
    except ImportError:
        return _builtin_decoder()

    def opened(packed: bytes) -> _Reader:
        decoder = library.ZstdDecompressor(max_window_size=MAX_WINDOW_BYTES)
        return cast("_Reader", decoder.stream_reader(packed))

    return opened, (library.ZstdError,)


def _builtin_decoder() -> tuple[_Opener, tuple[type[Exception], ...]]:
    try:
        library = importlib.import_module("compression.zstd")
    except ImportError as error:
        raise SourceError(
            "The agent's database holds compressed messages, and no zstd decoder is installed.",
            "Install one into Total Recall's environment: pip install zstandard.",
        ) from error

    def opened(packed: bytes) -> _Reader:
        return cast("_Reader", library.ZstdFile(io.BytesIO(packed)))

    return opened, (library.ZstdError, EOFError)
