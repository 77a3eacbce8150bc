"""The journal of a shard: the options of its run, and how far the shard is."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import IO, Any


@dataclass(slots=True)
class State:
    """How far a shard is: records done, bytes of its part, and counts of outcomes.

    `tail` are the lines of the `since` last records, whose member is not full yet.
    """

    records: int = 0
    size: int = 0
    since: int = 0
    counts: Counter[str] = field(default_factory=Counter)
    tail: list[str] = field(default_factory=list)


@dataclass(frozen=True, slots=True)
class Journal:
    """A journal as it was read: the options of the run, and the states, oldest first.

    If `retried` is not 0, the rows of the finished shard are kept, except those that failed
    among so many records at its beginning: these pages are tried again.
    """

    options: Mapping[str, Any]
    retried: int
    states: list[State]


def read_journal(path: Path) -> Journal | None:
    """The journal of an unfinished shard; None where there is none, or only damaged bytes.

    A torn last line does not count. Raises `OSError` where it cannot be read.
    """
    try:
        first, *lines = path.read_text("utf-8").split("\n")
        header = json.loads(first)
        return Journal(header["options"], int(header["retried"]), list(_states(lines[:-1])))
    except (FileNotFoundError, ValueError, KeyError, TypeError):
        return None


def begin_journal(path: Path, options: Mapping[str, Any], retried: int, state: State) -> IO[str]:
    """A journal with the state so far, which replaces an older one atomically."""
    new = path.with_name(path.name + ".new")
    stream = new.open("w", encoding="utf-8")
    stream.write(json.dumps({"retried": retried, "options": dict(options)}) + "\n")
    write_state(stream, state)
    new.replace(path)
    return stream


def write_state(stream: IO[str], state: State) -> None:
    """Add a line with the state of a shard to its journal."""
    sizes = {"records": state.records, "size": state.size, "since": state.since}
    stream.write(json.dumps({**sizes, "counts": dict(state.counts), "tail": state.tail}) + "\n")
    stream.flush()


def _states(lines: list[str]) -> Iterator[State]:
    """The states in a journal's lines, up to the first that is damaged."""
    for line in lines:
        try:
            row = json.loads(line)
            counts = Counter[str](row["counts"])
            yield State(row["records"], row["size"], row["since"], counts, row["tail"])
        except (ValueError, KeyError, TypeError):
            return
