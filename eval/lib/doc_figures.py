"""Write the figures of README.md, docs/, eval/ and the models' cards from the recorded results.

Run `python -m eval.lib.doc_figures` after a new record. A page marks a figure by two comments:
`<!-- figure cost/ratios: sets > * > ratios > row / extract > all = .1f -->2.4 to 3.0<!-- end -->`
has a record, the keys of a value in it, and the format of the value. `*` stands for all keys: least
to most. `<!-- table NAME -->` ... `<!-- end -->` holds a table of `eval.lib.doc_tables`.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any

from eval.lib.corpora import ROOT
from eval.lib.doc_tables import TABLES
from eval.lib.record import newest

_MARKED = re.compile(r"(<!-- (figure|table) (.+?) -->)(.*?)(<!-- end -->)", re.DOTALL)


def pages() -> list[Path]:
    """README.md, the pages of docs/ and eval/, and the models' cards."""
    rooms = (ROOT / room for room in ("docs", "eval", "models"))
    return [ROOT / "README.md", *sorted(path for room in rooms for path in room.rglob("*.md"))]


def with_figures(text: str) -> str:
    """A page with the recorded figures in its marks."""
    return _MARKED.sub(lambda match: match[1] + _MAKERS[match[2]](match[3]) + match[5], text)


def figure(mark: str) -> str:
    """The text of a figure: `RECORD: KEY > KEY = FORMAT`.

    A format is that of a number, `.1%` with a space before the sign; a number and its interval
    are written with the interval in brackets. Raises `KeyError` for a wrong record or key.
    """
    name, _, rest = mark.partition(": ")
    keys, _, form = rest.rpartition(" = ")
    found = list(_values(newest(name), keys.split(" > ")))
    if isinstance(found[0], list):
        value, least, most = (_written(each, form) for each in found[0])
        return f"{value} [{least}, {most}]"
    least, most = _written(min(found), form), _written(max(found), form)
    return least if least == most else f"{least.removesuffix(' %')} to {most}"


def _values(value: Any, keys: list[str]) -> Iterator[Any]:
    """All values at a path; `*` stands for every key."""
    if not keys:
        yield value
        return
    first, *others = keys
    if isinstance(value, list):
        value = {str(index): each for index, each in enumerate(value)}
    for each in value.values() if first == "*" else [value[first]]:
        yield from _values(each, others)


def _written(value: float, form: str) -> str:
    return format(value, form).replace("%", " %")


def main() -> None:
    for page in pages():
        text = page.read_text("utf-8")
        if text != with_figures(text):
            page.write_text(with_figures(text), "utf-8")
            print(page.relative_to(ROOT))


_MAKERS: Mapping[str, Callable[[str], str]] = {
    "figure": figure,
    "table": lambda name: f"\n{TABLES[name]()}\n",
}
"""Word of a mark -> what makes the text in it."""

if __name__ == "__main__":
    main()
