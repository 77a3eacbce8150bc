"""The members of a shard: lines that are packed together, here or by a worker."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

from crfclean.corpus.endings import PACKERS
from crfclean.corpus.journal import State


class MemberBytes(NamedTuple):
    """What is packed of a member, for a shard of some ending."""

    ending: str
    data: bytes


@dataclass(frozen=True, slots=True, eq=False)
class Member:
    """A full member that is not written yet, and the state of its shard behind it."""

    ending: str
    lines: tuple[bytes, ...]
    state: State

    @property
    def bytes(self) -> MemberBytes:
        """What is packed."""
        return MemberBytes(self.ending, b"".join(self.lines))


def pack(member: MemberBytes, _: object = None) -> bytes:
    """A packed member; the work of a task."""
    return PACKERS[member.ending](member.data)
