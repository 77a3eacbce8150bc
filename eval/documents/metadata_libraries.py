"""Compare extruct and dateparser with our readers of pages' data and dates.

Run `python -m eval.documents.metadata_libraries --data DIR`.

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

from crfclean.forum.dates import MONTH_FIRST, DateReader
from crfclean.metadata.candidates import folded
from crfclean.metadata.dates import find_date
from crfclean.metadata.linked import json_ld_candidates
from crfclean.metadata.marked import markup_candidates
from crfclean.metadata.meta import meta_candidates
from crfclean.metadata.names import name_key, names_of
from crfclean.metadata.survey import survey
from crfclean.types import CrfcleanError
from eval.lib.corpora import corpus, data_parser
from eval.lib.record import environment, record
from eval.models.train_metadata import SET, AnnotatedPage, author_key, read_annotated

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
    for item in value if isinstance(value, list) else [value]:
        if isinstance(item, tuple | list) and len(item) == 2 and isinstance(item[0], str):
            item = {item[0]: item[1]}  # noqa: PLW2901  # OpenGraph comes in pairs
        if isinstance(item, dict):
            for key, inner in item.items():
                if key.rpartition("/")[2] in keys or key in keys:
                    yield from texts(inner)
                if isinstance(inner, dict | list):
                    yield from strings(inner, keys, depth + 1)


def texts(value: Any) -> Iterator[str]:
    """A text, that of a list's members, or an object's name."""
    for item in value if isinstance(value, list) else [value]:
        if isinstance(item, str):
            yield item
        elif isinstance(item, dict):
            name = item.get("name") or item.get("@value") or item.get("properties", {}).get("name")
            if isinstance(name, str):
                yield name


def has(page: AnnotatedPage, kind: str, values: list[str]) -> bool:
    """Whether the annotated value is among texts; authors also all texts together."""
    if kind == "title":
        keys = {folded(text) for text in values}
    elif kind == "author":
        keys = {author_key(text) for text in values}
        keys.add(name_key(tuple(name for text in dict.fromkeys(values) for name in names_of(text))))
    else:
        keys = {day.iso[:10] for day in map(find_date, values) if day}
    return page.right[kind] in keys


def structured(pages: list[AnnotatedPage], html: list[str]) -> dict[str, Any]:
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
        statements = [*json_ld_candidates(blocks.json_ld), *meta_candidates(blocks)]
        statements += markup_candidates(survey(blocks))
        seconds["crfclean"] += time.process_time() - middle
        seconds["extruct"] += middle - start
        kinds = {"title": "title", "author": "author", "date": "published"}
        for kind, keys in KEYS.items():
            values = [
                text
                for statement in statements
                if statement.kind == kinds[kind]
                and statement.source.startswith(("json-ld", "micro", "rdfa", "meta"))
                for text in statement.texts
            ]
            if page.right[kind]:
                counts["crfclean"][kind] += has(page, kind, values)
                counts["extruct"][kind] += has(page, kind, list(strings(data, keys)))
    return {
        name: {**count, "ms_a_page": round(1000 * seconds[name] / len(pages), 2)}
        for name, count in counts.items()
    }


def day_in(text: str) -> str:
    """The day that the table of months reads in a text, "" for none."""
    day = find_date(text, month_first=True)
    return day.iso if day else ""


def dated(pages: list[AnnotatedPage]) -> dict[str, Any]:
    """Visible dates that each reads, those that are the annotated day, and the time."""
    readers: dict[str, Callable[[str], str]] = {
        "dateparser": lambda text: DateReader(language="en", order=MONTH_FIRST).read(text).iso,
        "crfclean": day_in,
    }
    results: dict[str, dict[str, float]] = {}
    lines = [
        (page, candidate.texts[0])
        for page in pages
        for candidate in page.gathered.candidates
        if candidate.source in ("date", "class date") and page.right["date"]
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
        results[name] = {
            "texts": len(lines),
            "read": sum(len(day) == 10 for day in days),
            "annotated": right,
            "ms_a_text": round(1000 * seconds / len(lines), 3),
        }
    return results


def main() -> None:
    args = data_parser(__doc__).parse_args()
    pages = read_annotated(args.data)
    html = [gold.page.html for gold in corpus(SET, args.data)]
    result = {"dates": dated(pages), "structured": structured(pages, html)}
    print(result)
    versions = {name: version(name) for name in ("extruct", "dateparser")}
    record(
        "documents/metadata_libraries",
        {**result, "set": SET, "libraries": versions, **environment()},
    )


if __name__ == "__main__":
    main()
