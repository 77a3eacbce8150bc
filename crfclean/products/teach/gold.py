"""Read annotated pages and the labels of their blocks."""

from __future__ import annotations

import gzip
import json
import lzma
import os
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import IO, Any
from urllib.parse import urlsplit

import numpy as np

from crfclean.io import MAX_FILE, naming_path, read_file, regular_size
from crfclean.page.align import align, tokens
from crfclean.page.decode import decode
from crfclean.page.page_names import is_page, stem
from crfclean.types import Blocks, Bools, GoldError, Ints, Label, NoGoldError, Page

__all__ = ["GoldPage", "read_gold"]

# read annotated pages and the labels of their blocks
#
# Gold is in a file beside `x.html`: `x.labels.tsv` (`LABEL<TAB>text`, a line per block) or `x.txt`
# (the hand-cleaned text); or in the lines of a JSONL corpus with `html` and `gold`. The
# sub-directories of a directory are its sources; a JSONL file is one source.
#
# Blocks labelled DOUBT or `?` (no label yet), and those of the text `x.optional.txt` or `optional`,
# train nothing and count neither way. If labels are missing, and there is a text, it is the gold.
# The benchmarks' sets have lists `with` and `without`: snippets that must and must not be in the
# text.

JSONL_SUFFIXES = (".jsonl", ".jsonl.gz", ".jsonl.xz")
LABELS_SUFFIX = ".labels.tsv"
_READER = re.compile(r"(?!(?:labels|kept\d*)\Z)[\w-]{1,60}")  # other names are of other files
_MAX_HEAD = 10_000  # characters searched for the page's language
NONE, DOUBT = -1, -2
"""The numbers of no label, and of doubt, in arrays of labels."""
LABELS: Mapping[str, int] = {**Label.__members__, "DOUBT": DOUBT, "?": NONE}
"""What a line of a label file begins with -> its number."""
LABEL_NAMES: Mapping[int, str] = {int(label): name for name, label in LABELS.items()}

_LANG = re.compile(r"<html\b[^<>]*\slang\s*=\s*[\"']?([A-Za-z]{2,3})\b", re.IGNORECASE)


@dataclass(frozen=True)
class GoldPage:
    """A page with its annotation: `text` (hand-cleaned), or `labels` with the text of each block.

    Labels are numbers of `LABELS`. `site` groups pages for cross-validation, `source` for tables of
    results. The text `optional` counts neither way; `expected_snippets` must be in the text,
    `forbidden_snippets` must not.
    """

    id: str
    page: Page
    text: str
    source: str
    site: str
    kind: str = ""
    lang: str = ""
    labels: tuple[tuple[int, str], ...] | None = None
    optional: str = ""
    expected_snippets: tuple[str, ...] = ()
    forbidden_snippets: tuple[str, ...] = ()

    @property
    def is_partial(self) -> bool:
        """Whether some blocks have no label, so that only a part of the page counts."""
        return any(label == NONE for label, _ in self.labels or ())

    @property
    def uncounted(self) -> str:
        """The text that counts neither way: blocks in doubt or without a label, optional text."""
        doubtful = (text for label, text in self.labels or () if label < 0)
        return "\n".join([*doubtful, self.optional])

    @property
    def excused(self) -> str:
        """The text whose words may be in a scored text, as in `word_scores`.

        The scored text of a partly labelled page has only blocks that count.
        """
        return "" if self.is_partial else self.uncounted


def read_gold(path: Path, texts: Path | None = None) -> Iterator[GoldPage]:
    """Yield every annotated page of a directory, a JSONL file, or an HTML file, in order of names.

    `texts` is the directory of the texts and labels of HTML files, if it is not the directory of
    the pages. Raises `NoGoldError` if `path` has no annotated page, `GoldError` for a malformed
    page.
    """
    if not path.exists():
        raise GoldError(f"{path}: no such file or directory")
    files = files_below(path) if path.is_dir() else [path]
    root = path if path.is_dir() else path.parent
    empty = True
    for file in files:
        for gold in _read_file(file, root, texts or root):
            empty = False
            yield gold
    if empty:
        raise NoGoldError(
            f"{path}: no gold found: expected x.html beside x.txt or an x.labels.tsv "
            "with a label, or .jsonl files"
        )


def files_below(folder: Path) -> list[Path]:
    """Return the files below a directory, sorted by name."""
    # isfile: a folder that may not be entered raises in `Path.is_file`
    return sorted(filter(os.path.isfile, folder.rglob("*")))


def _read_file(file: Path, root: Path, texts: Path) -> Iterator[GoldPage]:
    if file.name.endswith(JSONL_SUFFIXES):
        yield from _read_jsonl(file)
    elif is_page(file.name):
        gold = _read_html(file, root, texts)
        if gold is not None:
            yield gold


def gold_paths(file: Path, reader: str = "") -> tuple[Path, Path]:
    """Return the paths of the gold of `x.html`: `x.labels.tsv`, or a reader's, and `x.txt`."""
    return file.with_name(stem(file) + labels_suffix(reader)), file.with_name(stem(file) + ".txt")


def labels_suffix(reader: str = "") -> str:
    """Return the end of the names of label files; `reader` has labelled the pages once more.

    >>> labels_suffix(), labels_suffix("bert")
    ('.labels.tsv', '.labels.bert.tsv')
    """
    return f".labels.{reader}.tsv" if reader else LABELS_SUFFIX


def is_reader(name: str) -> bool:
    """Return whether a name may be that of a reader: letters, digits, `_` and `-`.

    >>> is_reader("bert"), is_reader("a/b"), is_reader("kept"), is_reader("")
    (True, False, False, False)
    """
    return _READER.fullmatch(name) is not None


def has_file(path: Path) -> bool:
    """Return whether a file exists; False for a name that is too long for one."""
    return os.path.exists(path)  # noqa: PTH110 - `Path.exists` raises `OSError`


def _read_html(file: Path, root: Path, texts: Path) -> GoldPage | None:
    tsv, txt = gold_paths(texts / file.relative_to(root))
    has_text = has_file(txt)
    labels = gold_lines(tuple(read_labels(tsv)), has_text=has_text) if has_file(tsv) else None
    if labels is None and not has_text:
        return None
    text = read_text(txt) if has_text else labels_text(labels or ())
    source = file.relative_to(root).parts[0] if file.parent != root else root.resolve().name
    name = file.relative_to(root).as_posix()
    page = decode(read_gold_bytes(file))
    beside = file.with_name(f"{stem(file)}.optional.txt")
    optional = read_text(beside) if has_file(beside) else ""
    lang = _language(page.html)
    return GoldPage(name, page, text, source, source, "", lang, labels, optional)


def _language(html: str) -> str:
    """Return the language code that a page declares in its `html` element, "" for none.

    >>> _language("<!doctype html><html dir=ltr lang='de-AT'>")
    'de'
    """
    declared = _LANG.search(html[:_MAX_HEAD])
    return declared[1].lower() if declared else ""


def read_gold_bytes(file: Path) -> bytes:
    """Read the bytes of a file; raises `GoldError` if it cannot be read."""
    with naming_path(file, "cannot be read", GoldError):
        return read_file(file)


def read_text(file: Path) -> str:
    """Read the text of a file; raises `GoldError` if it cannot be read."""
    try:
        return read_gold_bytes(file).decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise GoldError(f"{file}: gold must be UTF-8: {error}") from error


def read_labels(file: Path) -> Iterator[tuple[int, str]]:
    """Yield the numbers (see `LABELS`) and texts of the lines of an `x.labels.tsv`.

    Raises `GoldError` with the number of the line.
    """
    for number, line in enumerate(read_text(file).splitlines(), 1):
        name, tab, text = line.partition("\t")
        if not tab or name not in LABELS:
            expected = f"LABEL<TAB>text with {', '.join(LABELS)}"
            raise GoldError(f"{file}:{number}: expected {expected}: {line[:60]!r}")
        yield LABELS[name], text


def gold_lines(
    lines: tuple[tuple[int, str], ...], *, has_text: bool
) -> tuple[tuple[int, str], ...] | None:
    """Return the lines of a label file if they are gold, else None.

    If labels are missing, they are gold unless the page has a text, or no block has a label.
    """
    if all(label != NONE for label, _ in lines):
        return lines
    return None if has_text or all(label < 0 for label, _ in lines) else lines


def labels_text(labels: Iterable[tuple[int, str]]) -> str:
    """Return the text of the blocks labelled HEADER or TEXT, one per line."""
    return "\n".join(text for label, text in labels if label in (Label.HEADER, Label.TEXT))


def numbered_lines(file: Path) -> Iterator[tuple[str, str]]:
    """Yield file and number of each line of a JSONL file that is not blank, and the line.

    Raises `GoldError` for a file that cannot be read, or has a line over `MAX_FILE` characters.
    """
    openers: Mapping[str, Any] = {".gz": gzip.open, ".xz": lzma.open}
    try:
        regular_size(file)  # which only a file has
        stream: IO[str] = openers.get(file.suffix, open)(file, "rt", encoding="utf-8")
        with stream as lines:
            for number, line in enumerate(iter(partial(lines.readline, MAX_FILE + 1), ""), 1):
                if len(line) > MAX_FILE:
                    raise GoldError(f"{file}:{number}: more than {MAX_FILE:,} characters in a line")
                if not line.isspace():
                    yield f"{file}:{number}", line
    except (OSError, EOFError, lzma.LZMAError, UnicodeDecodeError) as error:
        raise GoldError(f"{file}: cannot be read: {error}") from error


def _read_jsonl(file: Path) -> Iterator[GoldPage]:
    for where, line in numbered_lines(file):
        try:
            gold = _from_row(json.loads(line), file.name.split(".")[0], where)
        except (ValueError, KeyError, TypeError, AttributeError, RecursionError) as error:
            expected = "expected an object with 'html' and 'gold'"
            raise GoldError(f"{where}: {expected} ({error})") from error
        yield gold


def _from_row(row: Mapping[str, Any], source: str, where: str) -> GoldPage:
    name = str(row.get("id", where))
    url = row.get("url")
    page = decode(row["html"], url)
    if not isinstance(row["gold"], str):
        raise TypeError("'gold' is no string")
    extra = row.get("extra") or {}
    part, slash, _ = name.rpartition("/")  # an id "site/page" names its source
    site = extra.get("host") or (urlsplit(url).hostname if url else None) or part or name
    source = part if slash else source
    kind, lang = row.get("page_type") or "", row.get("lang") or ""
    gold = GoldPage(name, page, row["gold"], source, site.removeprefix("www."), kind, lang)
    return replace(gold, **_hints_of_row(row, extra))


def _hints_of_row(row: Mapping[str, Any], extra: Mapping[str, Any]) -> dict[str, Any]:
    """Return the optional text and the snippets of a row or its `extra`; raises `TypeError`."""
    optional, *lists = (row.get(name, extra.get(name)) for name in ("optional", "with", "without"))
    if not isinstance(optional or "", str):
        raise TypeError("'optional' is no string")
    for texts in lists:
        if not (isinstance(texts or [], list) and all(isinstance(x, str) for x in texts or ())):
            raise TypeError("'with' or 'without' is no list of strings")
    wanted, unwanted = (tuple(filter(None, map(str.strip, texts or ()))) for texts in lists)
    return {
        "optional": optional or "",
        "expected_snippets": wanted,
        "forbidden_snippets": unwanted,
    }


def gold_labels(gold: GoldPage, blocks: Blocks) -> tuple[Ints, Bools]:
    """Return a label per block, from the label file or else by alignment, and which blocks count.

    Both have the shape (n,). Blocks in doubt, without a label, and those of the optional text that
    are not gold do not count, and are OTHER. Blocks restricted to some elements are aligned unless
    the label file was made for them. Raises `GoldError` naming the first line of the label file
    that differs from the page.
    """
    wrong = "" if gold.labels is None else mismatch(gold.labels, blocks.texts)
    if wrong and not blocks.elements:
        raise GoldError(f"{gold.id}: {wrong}")
    if gold.labels is None or wrong:
        labels, uncounted = align(blocks, gold.text), gold.uncounted
    else:
        labels = np.array([label for label, _ in gold.labels], np.int32)
        uncounted = gold.optional
    counts: Bools = labels >= 0
    labels[~counts] = Label.OTHER
    if uncounted.strip():
        counts &= (align(blocks, uncounted) == Label.OTHER) | (labels != Label.OTHER)
    return labels, counts


def mismatch(lines: Sequence[tuple[object, str]], texts: Sequence[str]) -> str:
    """Return how the lines of a file differ from the texts of a page's blocks, "" if equal."""
    for number, ((_, expected), text) in enumerate(zip(lines, texts, strict=False), 1):
        if expected != text:
            return f"line {number} is {expected[:60]!r}, but the page has {text[:60]!r}"
    if len(lines) != len(texts):
        return f"{len(lines)} lines, but the page has {len(texts)} blocks"
    return ""


def labels_file(values: Iterable[int], texts: Iterable[str]) -> str:
    """Return the text of a label file."""
    pairs = zip(values, texts, strict=True)
    return "".join(f"{LABEL_NAMES[value]}\t{text}\n" for value, text in pairs)


MIN_ON_PAGE = 0.5  # least share of a text's words on its page


def share_on_page(gold: GoldPage, blocks: Blocks) -> float:
    """Return the share of a text's words (0..1) that are in the blocks, or else in the HTML."""
    words = Counter(tokens(gold.text))
    if not words:
        return 0.0
    for text in (" ".join(blocks.texts), gold.page.html):
        share = (words & Counter(tokens(text))).total() / words.total()
        if share >= MIN_ON_PAGE:
            break
    return share


def is_mismatched(gold: GoldPage, blocks: Blocks) -> bool:
    """Return whether most words of a gold text are not on its page: it may be another page's."""
    return bool(gold.text.strip()) and share_on_page(gold, blocks) < MIN_ON_PAGE
