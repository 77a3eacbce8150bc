"""Differences of two runs, and whether one continues the other."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from crfclean.products.corpus.params import ResumeParams
from crfclean.types import CrfcleanError

_FIRST_ROWS = 1  # version of the columns of runs that do not note it
MAX_NAMED = 3  # differences that a message names
_MAX_SHOWN = 60  # characters of a value in a message
_NAMES = {
    "command": "the command",
    "model": "the model or its decisions",
    "version": "the version of crfclean",
}
"""Keys of options that have another name on the command line."""

_RETRIES_MAY_CHANGE: frozenset[tuple[str, ...]] = frozenset(
    [("limits", "max_seconds"), ("limits", "max_memory")]
)
"""Options that may change in a retry: they change no row of a page that was read."""


def continues_run(
    place: object,
    before: Mapping[str, Any],
    now: Mapping[str, Any],
    params: ResumeParams,
    *,
    has_work: bool,
) -> bool:
    """Return whether a run with the options `now` continues an earlier one.

    `before` has the `options` of that run, and whether it is `finished`. Raises `CrfcleanError` if
    the options differ, and if the work of an unfinished run would be lost.
    """
    if params.continues or params.is_shared:
        check_same(place, before["options"], now, retry=params.retry_failed)
        return True
    if not (params.overwrite or before["finished"]) and has_work:
        source = before["options"].get("source")
        other = ": --resume continues it," if source == now.get("source") else f" of {source}:"
        raise CrfcleanError(f"{place}: an unfinished run{other} --overwrite starts again")
    return False


def check_same(
    place: object, before: Mapping[str, Any], now: Mapping[str, Any], *, retry: bool = False
) -> None:
    """Raise `CrfcleanError` if an unfinished run had another input or other options.

    With `retry`, the limits of time and memory may differ.
    """
    if before.get("source") != now.get("source"):
        what = f"its input was {before.get('source')}"
        raise CrfcleanError(f"{place}: cannot be continued: {what}: --overwrite starts again")
    if (rows := before.get("row", _FIRST_ROWS)) != now.get("row", _FIRST_ROWS):
        raise CrfcleanError(
            f"{place}: cannot be continued: its rows have the columns of version {rows}, not of "
            f"{now.get('row')} (written by crfclean {before.get('version')}): --overwrite starts "
            "again"
        )
    old, new = dict(_leaves(before)), dict(_leaves(now))
    changed = [
        f"{_NAMES.get(path[-1]) or '--' + path[-1].replace('_', '-')} was {_shown(old.get(path))}, "
        f"is {_shown(new.get(path))}"
        for path in {**old, **new}
        if old.get(path) != new.get(path) and not (retry and path in _RETRIES_MAY_CHANGE)
    ]
    if changed:
        raise CrfcleanError(
            f"{place}: cannot be continued with other options: {'; '.join(changed[:MAX_NAMED])}: "
            "repeat them, or --overwrite starts again"
        )


def _leaves(
    options: Mapping[str, Any], path: tuple[str, ...] = ()
) -> Iterator[tuple[tuple[str, ...], Any]]:
    """Yield every option that is no table, with the keys that lead to it."""
    for key, value in options.items():
        if isinstance(value, Mapping):
            yield from _leaves(value, (*path, key))
        else:
            yield (*path, key), value


def _shown(value: object) -> str:
    if value is None or value in ("", []):
        return "not set"
    if isinstance(value, bool):
        return "on" if value else "off"
    text = ",".join(map(str, value)) if isinstance(value, list) else str(value)
    return text if len(text) <= _MAX_SHOWN else text[:_MAX_SHOWN] + "…"
