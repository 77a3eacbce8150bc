"""Annotated pages -> `GoldPage`s, and their gold text or label file -> one label a block.

Gold stands beside `x.html` as `x.labels.tsv` (a line a block, `LABEL<TAB>text`; with `?` for a
label the page is unfinished, and no gold) or as `x.txt` (the hand-cleaned text); or on the lines of
a JSONL corpus with `html` and `gold`. The sub-directories of a directory are its sources; a JSONL
file is a source of its own.

More for measuring may stand beside either: `x.optional.txt` or `optional`, text that counts
neither way; `x.with.txt`, `x.without.txt` (a line each) or the lists `with` and `without`,
snippets that must and must not be in the text.
"""

from __future__ import annotations

import gzip
import json
import lzma
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import IO, Any
from urllib.parse import urlsplit

from crfclean.page.decode import decode
from crfclean.types import Blocks, Bools, GoldError, Ints, Label, NoGoldError, Page

HTML_SUFFIXES = (".html", ".htm", ".xhtml", ".html.gz", ".htm.gz", ".xhtml.gz")
JSONL_SUFFIXES = (".jsonl", ".jsonl.gz", ".jsonl.xz")
LABELS_SUFFIX = ".labels.tsv"
_MAX_HEAD = 10_000  # characters that are searched for the page's language
UNLABELLED, NONE = "?", -1
"""The label of a block that nobody has labelled yet: in a label file, and in arrays."""

_LANG = re.compile(r"<html\b[^>]*\slang\s*=\s*[\"']?([A-Za-z]{2,3})\b", re.IGNORECASE)


@dataclass(frozen=True)
class GoldPage:
    """A page with its annotation: `text` (hand-cleaned) or `labels` (one `LABEL<TAB>text` a block).

    `site` groups pages for cross-validation, `source` for the tables of results. What stands in
    `optional` counts neither way; the snippets `wanted` must be in the text, `unwanted` must not.
    """

    id: str
    page: Page
    text: str
    source: str
    site: str
    kind: str = ""
    lang: str = ""
    labels: tuple[tuple[Label, str], ...] | None = None
    optional: str = ""
    wanted: tuple[str, ...] = ()
    unwanted: tuple[str, ...] = ()


def read_gold(path: Path) -> Iterator[GoldPage]:
    """Every annotated page of a directory, a JSONL file, or one `.html`, in order of names.

    Raises `NoGoldError` where `path` holds no annotated page, `GoldError` where one is malformed.
    """
    if not path.exists():
        raise GoldError(f"{path}: no such file or directory")
    files = sorted(file for file in path.rglob("*") if file.is_file()) if path.is_dir() else [path]
    root = path if path.is_dir() else path.parent
    empty = True
    for file in files:
        for gold in _read_file(file, root):
            empty = False
            yield gold
    if empty:
        raise NoGoldError(
            f"{path}: no gold found: expected x.html beside x.txt or x.labels.tsv, or .jsonl files"
        )


def _read_file(file: Path, root: Path) -> Iterator[GoldPage]:
    if file.name.endswith(JSONL_SUFFIXES):
        yield from _read_jsonl(file)
    elif is_page(file.name):
        gold = _read_html(file, root)
        if gold is not None:
            yield gold


def is_page(name: str) -> bool:
    """Whether a file's name ends as those of pages do, in any case."""
    return name.lower().endswith(HTML_SUFFIXES)


def stem(file: Path) -> str:
    """`x.html` or `x.html.gz` -> `x`; other names lose their last ending."""
    for suffix in sorted(HTML_SUFFIXES, key=len, reverse=True):
        if file.name.lower().endswith(suffix):
            return file.name[: -len(suffix)]
    return file.stem


def gold_paths(file: Path) -> tuple[Path, Path]:
    """`x.html` -> the places of its gold: `x.labels.tsv` and `x.txt`."""
    return file.with_name(stem(file) + LABELS_SUFFIX), file.with_name(stem(file) + ".txt")


def _read_html(file: Path, root: Path) -> GoldPage | None:
    tsv, txt = gold_paths(file)
    if not tsv.exists() and not txt.exists():
        return None
    labels = finished(tuple(read_labels(tsv))) if tsv.exists() else None
    if labels is None and not txt.exists():
        return None
    text = read_text(txt) if txt.exists() else labels_text(labels or ())
    source = file.relative_to(root).parts[0] if file.parent != root else root.resolve().name
    name = file.relative_to(root).as_posix()
    page = decode(_read_bytes(file))
    more = {"lang": _language(page.html), "labels": labels, **_beside(file)}
    return GoldPage(name, page, text, source, source, **more)


def _language(html: str) -> str:
    """The code of the language that a page's own first tags tell, "" if none.

    >>> _language("<!doctype html><html dir=ltr lang='de-AT'>")
    'de'
    """
    found = _LANG.search(html[:_MAX_HEAD])
    return found[1].lower() if found else ""


def _beside(file: Path) -> dict[str, Any]:
    """What else stands beside a page: optional text, and snippets, a line each."""
    texts = {}
    for name in ("optional", "with", "without"):
        path = file.with_name(f"{stem(file)}.{name}.txt")
        texts[name] = read_text(path) if path.exists() else ""
    return {
        "optional": texts["optional"],
        "wanted": _snippets(texts["with"].splitlines()),
        "unwanted": _snippets(texts["without"].splitlines()),
    }


def _snippets(lines: Iterable[str]) -> tuple[str, ...]:
    return tuple(line.strip() for line in lines if line.strip())


def _read_bytes(file: Path) -> bytes:
    try:
        return file.read_bytes()
    except OSError as error:
        raise GoldError(f"{file}: cannot be read: {error.strerror}") from error


def read_text(file: Path) -> str:
    """The text of a file; raises `GoldError` where it cannot be read."""
    try:
        return _read_bytes(file).decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise GoldError(f"{file}: gold must be UTF-8: {error}") from error


def read_labels(file: Path) -> Iterator[tuple[Label | None, str]]:
    """The lines of an `x.labels.tsv`, None for the label `?` of a block that nobody has labelled.

    Raises `GoldError` with the line's number.
    """
    for number, line in enumerate(read_text(file).splitlines(), 1):
        name, tab, text = line.partition("\t")
        if not tab or name not in {*Label.__members__, UNLABELLED}:
            raise GoldError(
                f"{file}:{number}: expected LABEL<TAB>text with {_names()}: {line[:60]!r}"
            )
        yield None if name == UNLABELLED else Label[name], text


def finished(lines: Sequence[tuple[Label | None, str]]) -> tuple[tuple[Label, str], ...] | None:
    """The lines of a label file, None if one has no label yet: such a page is no gold."""
    labels = tuple((label, text) for label, text in lines if label is not None)
    return labels if len(labels) == len(lines) else None


def labels_text(labels: Iterable[tuple[Label, str]]) -> str:
    """The text of the blocks labelled HEADER or TEXT, a block a line."""
    return "\n".join(text for label, text in labels if label != Label.OTHER)


def _names() -> str:
    return ", ".join(Label.__members__)


def _open(file: Path) -> IO[str]:
    openers: Mapping[str, Any] = {".gz": gzip.open, ".xz": lzma.open}
    opened: IO[str] = openers.get(file.suffix, open)(file, "rt", encoding="utf-8")
    return opened


def _read_jsonl(file: Path) -> Iterator[GoldPage]:
    source = file.name.split(".")[0]
    try:
        with _open(file) as lines:
            for number, line in enumerate(lines, 1):
                if not line.isspace():
                    yield _read_line(line, source, f"{file}:{number}")
    except (OSError, EOFError, lzma.LZMAError, UnicodeDecodeError) as error:
        raise GoldError(f"{file}: cannot be read: {error}") from error


def _read_line(line: str, source: str, place: str) -> GoldPage:
    try:
        return _from_row(json.loads(line), source, place)
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError) as error:
        raise GoldError(f"{place}: expected an object with 'html' and 'gold' ({error})") from error


def _from_row(row: Mapping[str, Any], source: str, place: str) -> GoldPage:
    name = str(row.get("id", place))
    url = row.get("url")
    page = decode(row["html"], url)
    if not isinstance(row["gold"], str):
        raise TypeError("'gold' is no string")
    extra = row.get("extra") or {}
    part, slash, _ = name.rpartition("/")  # "site/page" names its source itself
    site = extra.get("host") or (urlsplit(url).hostname if url else None) or part or name
    source = part if slash else source
    kind, lang = row.get("page_type") or "", row.get("lang") or ""
    gold = GoldPage(name, page, row["gold"], source, site.removeprefix("www."), kind, lang)
    return replace(gold, **_measured(row, extra))


def _measured(row: Mapping[str, Any], extra: Mapping[str, Any]) -> dict[str, Any]:
    """Optional text and snippets of a row or its `extra`; raises `TypeError`."""
    found = {name: row.get(name, extra.get(name)) for name in ("optional", "with", "without")}
    if not isinstance(found["optional"] or "", str):
        raise TypeError("'optional' is no string")
    for name in ("with", "without"):
        given = found[name] or []
        if not isinstance(given, list) or not all(isinstance(one, str) for one in given):
            raise TypeError(f"{name!r} is no list of strings")
    return {
        "optional": found["optional"] or "",
        "wanted": _snippets(found["with"] or ()),
        "unwanted": _snippets(found["without"] or ()),
    }


def gold_labels(gold: GoldPage, blocks: Blocks) -> Ints:
    """One label a block, shape (n,): from the label file where there is one, else by alignment.

    Blocks restricted to some elements are aligned, unless the label file was made for them.
    Raises `GoldError` naming the first line of the label file that differs from the page.
    """
    import numpy as np

    from crfclean.gold.align import align

    if gold.labels is None:
        return align(blocks, gold.text)
    wrong = _mismatch(gold.labels, blocks.texts)
    if wrong and blocks.elements:
        return align(blocks, gold.text)
    if wrong:
        raise GoldError(f"{gold.id}: {wrong}")
    return np.array([label for label, _ in gold.labels], np.int32)


def counted(gold: GoldPage, blocks: Blocks, labels: Ints) -> Bools:
    """Which blocks count, shape (n,): all but those of the optional text that are not gold."""
    import numpy as np

    from crfclean.gold.align import align

    if not gold.optional.strip():
        return np.ones(len(blocks), np.bool_)
    told: Bools = (align(blocks, gold.optional) == Label.OTHER) | (labels != Label.OTHER)
    return told


def _mismatch(labels: Sequence[tuple[Label, str]], texts: Sequence[str]) -> str:
    """What is wrong with a label file, "" if it fits the page's blocks."""
    for number, ((_, told), text) in enumerate(zip(labels, texts, strict=False), 1):
        if told != text:
            return f"label line {number} is {told[:60]!r}, page has {text[:60]!r}"
    if len(labels) != len(texts):
        return f"{len(labels)} label lines, page has {len(texts)} blocks"
    return ""
