"""How two runs into one output differ, and what is said about it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from itertools import islice
from typing import Any

from crfclean.types import CrfcleanError

MAX_NAMED = 3  # differences that a message names
_MAX_SHOWN = 60  # characters of a value in a message
_INPUT = ("source", "input")
_NAMES = {
    "command": "the command",
    "elements": "--blocks",
    "model": "the model or its decisions",
    "version": "the version of crfclean",
}
"""Keys of options whose name on the command line is another one."""

_RETRIES_MAY_CHANGE: frozenset[tuple[str, ...]] = frozenset(
    [("limits", "max_seconds"), ("limits", "max_memory")]
)
"""Options that pages may be tried again with: they change no row of a page that was read."""


def refuse_restart(place: object, before: Mapping[str, Any], now: Mapping[str, Any]) -> None:
    """Raise `CrfcleanError`, since the work of an unfinished run would be lost."""
    if before.get("source") == now.get("source"):
        raise CrfcleanError(
            f"{place}: an unfinished run: --resume continues it, --overwrite starts again"
        )
    raise CrfcleanError(
        f"{place}: an unfinished run of {before.get('source')}: --overwrite starts again"
    )


def check_same(
    place: object, before: Mapping[str, Any], now: Mapping[str, Any], *, retry: bool = False
) -> None:
    """Raise `CrfcleanError` if an unfinished run had another input or other options.

    With `retry` the limits of time and memory may be others.
    """
    if any(before.get(key) != now.get(key) for key in _INPUT):
        what = _input_difference(before, now)
        raise CrfcleanError(f"{place}: cannot be continued: {what}: --overwrite starts again")
    allowed = _RETRIES_MAY_CHANGE if retry else frozenset()
    named = list(islice(_differences(before, now, allowed), MAX_NAMED))
    if named:
        raise CrfcleanError(
            f"{place}: cannot be continued with other options: {'; '.join(named)}: repeat them, "
            "or --overwrite starts again"
        )


def _input_difference(before: Mapping[str, Any], now: Mapping[str, Any]) -> str:
    """How the input of a run is another one."""
    if before.get("source") != now.get("source"):
        return f"its input was {before.get('source')}"
    counts = [(state.get("input") or {}).get("files") for state in (before, now)]
    changed = f"{now.get('source')} has changed since the run began"
    if None in counts or counts[0] == counts[1]:
        return changed
    return f"{changed} ({counts[0]} files, now {counts[1]})"


def _differences(
    before: Mapping[str, Any], now: Mapping[str, Any], allowed: frozenset[tuple[str, ...]]
) -> Iterator[str]:
    """Each option that differs, with its values: "--comments was drop, is keep"."""
    old, new = dict(_leaves(before)), dict(_leaves(now))
    for path in dict.fromkeys([*old, *new]):
        if old.get(path) != new.get(path) and path not in allowed:
            name = _NAMES.get(path[-1]) or "--" + path[-1].replace("_", "-")
            yield f"{name} was {_shown(old.get(path))}, is {_shown(new.get(path))}"


def _leaves(
    options: Mapping[str, Any], path: tuple[str, ...] = ()
) -> Iterator[tuple[tuple[str, ...], Any]]:
    """Every option that is no table itself, with the keys that lead to it."""
    for key, value in options.items():
        if isinstance(value, Mapping):
            yield from _leaves(value, (*path, key))
        else:
            yield (*path, key), value


def _shown(value: object) -> str:
    """The value of an option, in words."""
    if value is None or value in ("", []):
        return "not set"
    if isinstance(value, bool):
        return "on" if value else "off"
    text = ",".join(map(str, value)) if isinstance(value, list) else str(value)
    return text if len(text) <= _MAX_SHOWN else text[:_MAX_SHOWN] + "…"
