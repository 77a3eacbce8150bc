"""Pack and unpack zstd frames, by zstandard (extra `zst`)."""

from __future__ import annotations

import zstandard

_LEVEL = 9
_MAX_WINDOW = 2**27  # bytes: frames that would need more memory are refused


class Unpacker:
    """Unpacks one frame, as zlib's and lzma's objects do; damage raises `ValueError`."""

    def __init__(self) -> None:
        self._engine = zstandard.ZstdDecompressor(max_window_size=_MAX_WINDOW).decompressobj()

    @property
    def eof(self) -> bool:
        """Whether the frame has ended."""
        return bool(self._engine.eof)

    @property
    def unused_data(self) -> bytes:
        """The bytes after the frame's end."""
        return bytes(self._engine.unused_data)

    def decompress(self, data: bytes, /) -> bytes:
        """The next bytes, unpacked."""
        try:
            return bytes(self._engine.decompress(data))
        except zstandard.ZstdError as error:
            raise ValueError(str(error)) from error


def unpacker() -> Unpacker:
    """A new unpacker of one frame."""
    return Unpacker()


def pack(data: bytes) -> bytes:
    """One frame, with its checksum; equal data give equal frames."""
    engine = zstandard.ZstdCompressor(level=_LEVEL, write_checksum=True)
    return bytes(engine.compress(data))
