"""Join Parquet files that have the same columns, without unpacking their pages.

A footer is a struct in Thrift's compact protocol (`FileMetaData` of parquet.thrift). Only two of
its fields change: the number of rows, and the row groups, which have the places of columns.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from io import BytesIO
from typing import Any, TypeAlias

MAGIC = b"PAR1"
_TAIL = 8  # bytes after a footer: its size, then `MAGIC`
_SIZES = {1: 0, 2: 0, 3: 1, 7: 8}  # type -> bytes of a value: true, false, byte, double
_INTEGERS, _BINARY, _LIST, _STRUCT = {4, 5, 6}, 8, 9, 12  # types whose values vary in size
_ROWS, _GROUPS = 3, 4  # fields of a footer
_MANY = 15  # items from which a list has its length in bytes of its own

_Field: TypeAlias = tuple[int, int, bytes]
"""The number of a field, its type and its value."""


def split_file(data: bytes) -> tuple[bytes, bytes]:
    """Return the row groups of a file, and its footer."""
    start = len(data) - _TAIL - int.from_bytes(data[-_TAIL : -len(MAGIC)], "little")
    return data[len(MAGIC) : start], data[start:-_TAIL]


def joined_end(footers: Iterable[tuple[bytes, int]]) -> bytes:
    """Return the end of a joined file, from each part's footer and the bytes that it moved by."""
    groups, count, rows, fields = list[bytes](), 0, 0, list[_Field]()
    for footer, moved in footers:
        # the places of a column's data, index and dictionary; that of the group; its number
        added = {1: {3: {9: moved, 10: moved, 11: moved}}, 5: moved, 7: count}
        fields = list(_fields(BytesIO(footer), {_GROUPS: added}))
        values = {number: BytesIO(value) for number, _, value in fields}
        rows += _varint(values[_ROWS])
        count += _list_size(values[_GROUPS].read(1)[0], values[_GROUPS])
        groups.append(values[_GROUPS].read())
    new = {_ROWS: _packed(rows), _GROUPS: _list_head(_STRUCT, count) + b"".join(groups)}
    end = _struct((number, kind, new.get(number, value)) for number, kind, value in fields)
    return end + len(end).to_bytes(_TAIL - len(MAGIC), "little") + MAGIC


def _fields(source: BytesIO, added: Mapping[int, Any]) -> Iterator[_Field]:
    """Yield the fields of a struct; `added` maps a field's number to the `added` of `_value`."""
    number = 0
    while head := source.read(1)[0]:
        number += head >> 4
        yield number, head & 15, _value(source, head & 15, added.get(number))


def _value(source: BytesIO, kind: int, added: Any) -> bytes:
    """Read a value; add the number `added` to an integer, a mapping to a struct or list of them."""
    if kind in _INTEGERS:
        return _packed(_varint(source) + 2 * (added or 0))  # the lowest bit is the sign
    if kind == _STRUCT:
        return _struct(_fields(source, added or {}))
    if kind == _BINARY:
        size = _varint(source)
        return _packed(size) + source.read(size)
    if kind != _LIST:
        return source.read(_SIZES[kind])
    head = source.read(1)[0]
    size = _list_size(head, source)
    items = [_value(source, head & 15, added) for _ in range(size)]
    return _list_head(head & 15, size) + b"".join(items)


def _varint(source: BytesIO) -> int:
    value = place = 0
    while (byte := source.read(1)[0]) > 127:
        value |= (byte & 127) << place
        place += 7
    return value | byte << place


def _packed(value: int) -> bytes:
    data = bytearray()
    while value > 127:
        data.append(value & 127 | 128)
        value >>= 7
    return bytes([*data, value])


def _list_size(head: int, source: BytesIO) -> int:
    return _varint(source) if head >> 4 == _MANY else head >> 4


def _list_head(kind: int, size: int) -> bytes:
    return bytes([min(size, _MANY) << 4 | kind]) + (_packed(size) if size >= _MANY else b"")


def _struct(fields: Iterable[_Field]) -> bytes:
    parts, last = list[bytes](), 0
    for number, kind, value in fields:
        parts += bytes([number - last << 4 | kind]), value
        last = number
    return b"".join(parts) + b"\0"
