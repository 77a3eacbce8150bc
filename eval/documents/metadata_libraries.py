"""Libraries that could read what metadata are made of: extruct for data, dateparser for dates.

extruct's JSON-LD, microdata, OpenGraph and RDFa beside our readers of the same: on how many pages
the annotated title, authors or date are among the values, and CPU time a page. dateparser (as the
forums use it) beside our table of months: on how many dated texts of the pages they read a day, how
many of these are the annotated one, CPU time a text. Needs `pip install extruct`.
"""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Callable, Iterator
from importlib.metadata import version
from typing import Any

from crfclean.forum.dates import DateReader
from crfclean.metadata.candidates import folded
from crfclean.metadata.dates import find
from crfclean.metadata.linked import said_by_json_ld
from crfclean.metadata.marked import said_by_marks
from crfclean.metadata.meta import said_by_meta
from crfclean.metadata.names import name_key, names_of
from crfclean.metadata.survey import survey
from crfclean.types import CrfcleanError
from eval.lib.corpora import corpus, data_parser
from eval.lib.record import environment, record
from eval.models.train_metadata import SET, Known, author_key, read_known

SYNTAXES = ("json-ld", "microdata", "opengraph", "rdfa")
KEYS = {
    "title": ("headline", "name", "og:title", "title"),
    "author": ("author", "creator", "article:author"),
    "date": ("datePublished", "dateCreated", "article:published_time", "published_time"),
}
MAX_DEPTH = 12


def strings(value: Any, keys: tuple[str, ...], depth: int = 0) -> Iterator[str]:
    """The texts at some keys of what extruct gives, those of lists and objects inside too."""
    if depth > MAX_DEPTH:
        return
    for one in value if isinstance(value, list) else [value]:
        if isinstance(one, tuple | list) and len(one) == 2 and isinstance(one[0], str):
            one = {one[0]: one[1]}  # noqa: PLW2901  # OpenGraph comes in pairs
        if isinstance(one, dict):
            for key, inner in one.items():
                if key.rpartition("/")[2] in keys or key in keys:
                    yield from texts(inner)
                if isinstance(inner, dict | list):
                    yield from strings(inner, keys, depth + 1)


def texts(value: Any) -> Iterator[str]:
    """A text, that of a list's members, or an object's name."""
    for one in value if isinstance(value, list) else [value]:
        if isinstance(one, str):
            yield one
        elif isinstance(one, dict):
            told = one.get("name") or one.get("@value") or one.get("properties", {}).get("name")
            if isinstance(told, str):
                yield told


def has(page: Known, kind: str, found: list[str]) -> bool:
    """Whether the annotated value is among texts; authors also all texts together."""
    if kind == "title":
        keys = {folded(one) for one in found}
    elif kind == "author":
        keys = {author_key(one) for one in found}
        keys.add(name_key(tuple(name for one in dict.fromkeys(found) for name in names_of(one))))
    else:
        keys = {day.iso[:10] for day in map(find, found) if day}
    return page.right[kind] in keys


def structured(pages: list[Known], html: list[str]) -> dict[str, Any]:
    """Pages on which the structured data have the annotated value, and the time."""
    import extruct

    counts: dict[str, Counter[str]] = {"extruct": Counter(), "crfclean": Counter()}
    seconds = {"extruct": 0.0, "crfclean": 0.0}
    for page, source in zip(pages, html, strict=True):
        start = time.process_time()
        try:
            data = extruct.extract(source, syntaxes=list(SYNTAXES), errors="ignore")
        except Exception:  # noqa: BLE001  # whatever it raises, it has no answer
            data, counts["extruct"]["failed"] = {}, counts["extruct"]["failed"] + 1
        middle = time.process_time()
        blocks = page.document.blocks
        told = [*said_by_json_ld(blocks.json_ld), *said_by_meta(blocks)]
        told += said_by_marks(survey(blocks))
        seconds["crfclean"] += time.process_time() - middle
        seconds["extruct"] += middle - start
        kinds = {"title": "title", "author": "author", "date": "published"}
        for kind, keys in KEYS.items():
            mine = [
                text
                for one in told
                if one.kind == kinds[kind]
                and one.source.startswith(("json-ld", "micro", "rdfa", "meta"))
                for text in one.texts
            ]
            if page.right[kind]:
                counts["crfclean"][kind] += has(page, kind, mine)
                counts["extruct"][kind] += has(page, kind, list(strings(data, keys)))
    return {
        name: {**count, "ms_a_page": round(1000 * seconds[name] / len(pages), 2)}
        for name, count in counts.items()
    }


def ours(text: str) -> str:
    """The day that the table of months reads in a text, "" for none."""
    found = find(text, month_first=True)
    return found.iso if found else ""


def dated(pages: list[Known]) -> dict[str, Any]:
    """Visible dates that each reads, those that are the annotated day, and the time."""
    readers: dict[str, Callable[[str], str]] = {
        "dateparser": lambda text: DateReader(language="en", month_first=True).read(text).iso,
        "crfclean": ours,
    }
    told: dict[str, dict[str, float]] = {}
    lines = [
        (page, one.texts[0])
        for page in pages
        for one in page.gathered.candidates
        if one.source in ("date", "class date") and page.right["date"]
    ]
    for name, reader in readers.items():
        start = time.process_time()
        days = []
        for _, text in lines:
            try:
                days.append(reader(text)[:10])
            except CrfcleanError:
                days.append("")
        seconds = time.process_time() - start
        right = sum(day == page.right["date"] for day, (page, _) in zip(days, lines, strict=True))
        told[name] = {
            "texts": len(lines),
            "read": sum(len(day) == 10 for day in days),
            "annotated": right,
            "ms_a_text": round(1000 * seconds / len(lines), 3),
        }
    return told


def main() -> None:
    given = data_parser(__doc__).parse_args()
    pages = read_known(given.data)
    html = [gold.page.html for gold in corpus(SET, given.data)]
    result = {"dates": dated(pages), "structured": structured(pages, html)}
    print(result)
    versions = {name: version(name) for name in ("extruct", "dateparser")}
    record("metadata_libraries", {**result, "set": SET, "libraries": versions, **environment()})


if __name__ == "__main__":
    main()
