"""Annotated pages -> `GoldPage`s, and their gold text or label file -> one label a block.

Gold stands beside `x.html` as `x.labels.tsv` (a line a block, `LABEL<TAB>text`; with `?` for a
label the page is unfinished, and no gold) or as `x.txt` (the hand-cleaned text); or on the lines of
a JSONL corpus with `html` and `gold`. The sub-directories of a directory are its sources; a JSONL
file is a source of its own.
"""

from __future__ import annotations

import gzip
import json
import lzma
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Any
from urllib.parse import urlsplit

import numpy as np
import regex
from rapidfuzz.distance import LCSseq

from crfclean.decode import decode
from crfclean.types import Blocks, Bools, GoldError, Ints, Label, NoGoldError, Page

HTML_SUFFIXES = (".html", ".htm", ".xhtml", ".html.gz", ".htm.gz", ".xhtml.gz")
JSONL_SUFFIXES = (".jsonl", ".jsonl.gz", ".jsonl.xz")
LABELS_SUFFIX = ".labels.tsv"
MAX_CELLS = 8 * 10**9  # of the alignment's bit matrix: 1 GB; larger pages are matched by n-grams
MIN_RUN = 3  # tokens: a shorter match counts only where it covers a whole block
MIN_MATCHED = 0.5  # share of a block's tokens that makes it gold
MIN_NGRAMS, MIN_UNCLAIMED = 0.75, 0.8  # for blocks that stand in the gold in another order
NGRAM = 4
UNLABELLED, NONE = "?", -1
"""The label of a block that nobody has labelled yet: in a label file, and in arrays."""

_TOKEN = regex.compile(
    r"[\p{Han}\p{Hiragana}\p{Katakana}\p{Thai}\p{Lao}\p{Khmer}\p{Myanmar}]|"
    r"[\w--[\p{Han}\p{Hiragana}\p{Katakana}\p{Thai}\p{Lao}\p{Khmer}\p{Myanmar}]]+",
    regex.V1,
)
_HEADINGS = frozenset(["h1", "h2", "h3", "h4", "h5", "h6"])


@dataclass(frozen=True)
class GoldPage:
    """A page with its annotation: `text` (hand-cleaned) or `labels` (one `LABEL<TAB>text` a block).

    `site` groups pages for cross-validation, `source` for the tables of results.
    """

    id: str
    page: Page
    text: str
    source: str
    site: str
    kind: str = ""
    lang: str = ""
    labels: tuple[tuple[Label, str], ...] | None = None


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
    return GoldPage(name, decode(_read_bytes(file)), text, source, source, labels=labels)


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
    return GoldPage(name, page, row["gold"], source, site.removeprefix("www."), kind, lang)


def gold_labels(gold: GoldPage, blocks: Blocks) -> Ints:
    """One label a block, shape (n,): from the label file where there is one, else by alignment.

    Blocks restricted to some elements are aligned, unless the label file was made for them.
    Raises `GoldError` naming the first line of the label file that differs from the page.
    """
    if gold.labels is None:
        return align(blocks, gold.text)
    wrong = _mismatch(gold.labels, blocks.texts)
    if wrong and blocks.elements:
        return align(blocks, gold.text)
    if wrong:
        raise GoldError(f"{gold.id}: {wrong}")
    return np.array([label for label, _ in gold.labels], np.int32)


def _mismatch(labels: Sequence[tuple[Label, str]], texts: Sequence[str]) -> str:
    """What is wrong with a label file, "" if it fits the page's blocks."""
    for number, ((_, told), text) in enumerate(zip(labels, texts, strict=False), 1):
        if told != text:
            return f"label line {number} is {told[:60]!r}, page has {text[:60]!r}"
    if len(labels) != len(texts):
        return f"{len(labels)} label lines, page has {len(texts)} blocks"
    return ""


def tokens(text: str) -> list[str]:
    """Words in lower case; single characters in scripts that do not part words."""
    return _TOKEN.findall(text.lower())


def align(blocks: Blocks, text: str) -> Ints:
    """Gold text -> labels by alignment, shape (n,).

    The longest common subsequence of the page's and the gold's tokens is order-aware, and blind
    to line breaks, list marks and quotes. Matched runs count from `MIN_RUN` tokens, or where
    they cover a block; a block is gold when `MIN_MATCHED` of its tokens are matched, or when
    its n-grams stand in the gold and its tokens are still unclaimed there (moved text).
    Gold blocks in heading elements are HEADER, the others TEXT.
    """
    words = [tokens(block) for block in blocks.texts]
    wanted = tokens(text)
    chosen = _matched_blocks(words, wanted)
    _claim_moved(words, wanted, chosen)
    headings = _in_heading(blocks)
    labels = np.full(len(blocks), Label.OTHER, np.int32)
    labels[chosen] = np.where(headings[chosen], Label.HEADER, Label.TEXT)
    return labels


def _matched_blocks(words: list[list[str]], wanted: list[str]) -> Bools:
    """Which blocks the common subsequence of page and gold covers, shape (n,)."""
    sizes = np.array([len(block) for block in words], np.int64)
    ends = np.cumsum(sizes)
    flat = [word for block in words for word in block]
    matched = np.zeros(len(flat) + 1, np.int64)
    if len(flat) * len(wanted) <= MAX_CELLS:
        for start, end in _runs(flat, wanted):
            first, last = np.searchsorted(ends - sizes, start), np.searchsorted(ends, end, "right")
            if end - start >= MIN_RUN or first < last:
                matched[start:end] = 1
    total = np.concatenate([[0], np.cumsum(matched)])
    count = total[ends] - total[ends - sizes]
    chosen: Bools = (sizes > 0) & (count >= MIN_MATCHED * sizes)
    return chosen


def _runs(flat: list[str], wanted: list[str]) -> Iterator[tuple[int, int]]:
    """Half-open runs of page tokens that the common subsequence matches without a gap."""
    for code in LCSseq.opcodes(flat, wanted):
        if code.tag == "equal":
            yield code.src_start, code.src_end


def _claim_moved(words: list[list[str]], wanted: list[str], chosen: Bools) -> None:
    """Add to `chosen` the blocks whose text stands in the gold at another place."""
    unclaimed = Counter(wanted)
    for index in np.flatnonzero(chosen):
        unclaimed.subtract(words[index])
    grams = set(zip(*(wanted[shift:] for shift in range(NGRAM)), strict=False))
    for index in np.flatnonzero(~chosen):
        block = words[index]
        own = list(zip(*(block[shift:] for shift in range(NGRAM)), strict=False))
        if not own or sum(gram in grams for gram in own) < MIN_NGRAMS * len(own):
            continue
        counts = Counter(block)
        free = sum(min(number, max(0, unclaimed[word])) for word, number in counts.items())
        if free >= MIN_UNCLAIMED * len(block):
            chosen[index] = True
            unclaimed.subtract(block)


def _in_heading(blocks: Blocks) -> Bools:
    """Whether each block's container, or an element around it, is a heading; shape (n,)."""
    inside: list[bool] = []
    for tag, parent in zip(blocks.nodes.tags, blocks.nodes.parent.tolist(), strict=True):
        inside.append(tag in _HEADINGS or (parent >= 0 and inside[parent]))
    return np.array([inside[node] for node in blocks.node], np.bool_)
