"""A table from 64-bit keys to numbers, of some 27 bytes an entry."""

from __future__ import annotations

from array import array

_FIRST_SLOTS = 1_024
_EMPTY = 0
"""The key of a slot without an entry; a key of 0 is stored as 1."""


class HashTable:
    """Numbers below 2**32 by keys below 2**64; of a key the first number counts.

    Keys are digests, evenly spread: their lowest bits choose the slot, and the next free one is
    taken. At most two thirds of the slots are used, so the table has 18 to 36 bytes an entry, and
    three times as much for the moment in which it grows.

    >>> table = HashTable()
    >>> table.add(7, 3), table.add(7, 4), table.get(7), table.get(8), len(table)
    (True, False, 3, None, 1)
    """

    def __init__(self) -> None:
        self._allot(_FIRST_SLOTS)

    def __len__(self) -> int:
        return self._count

    def get(self, key: int) -> int | None:
        """The number of a key; None for a key that was not added."""
        key = key or 1
        slot = self._slot(key)
        return self._numbers[slot] if self._keys[slot] == key else None

    def add(self, key: int, number: int) -> bool:
        """Add a key that is not there; returns whether it was added."""
        key = key or 1
        slot = self._slot(key)
        if self._keys[slot] == key:
            return False
        self._keys[slot], self._numbers[slot] = key, number
        self._count += 1
        if 3 * self._count > 2 * len(self._keys):
            self._grow()
        return True

    def _slot(self, key: int) -> int:
        """The slot of a key, or the free one where it belongs."""
        keys, mask = self._keys, len(self._keys) - 1
        slot = key & mask
        while keys[slot] not in (_EMPTY, key):
            slot = (slot + 1) & mask
        return slot

    def _grow(self) -> None:
        entries = zip(self._keys, self._numbers, strict=True)
        self._allot(2 * len(self._keys))
        for key, number in entries:
            if key != _EMPTY:
                slot = self._slot(key)
                self._keys[slot], self._numbers[slot] = key, number
                self._count += 1

    def _allot(self, slots: int) -> None:
        self._keys = array("Q", bytes(8 * slots))
        self._numbers = array("I", bytes(4 * slots))
        self._count = 0
