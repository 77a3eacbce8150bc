"""Annotated forum pages, read from directories or JSONL files.

In a directory, every sub-directory with a file `posts.xpath` is a site, its pages beside that file
(Sido 2017, section 5.3):

    comments=//li[@class="received"]
    text=.//div[@class="post"]
    author=.//h5/a
    date=.//li[@class="date"]

`comments` selects the posts, the other paths start from each post. Every line of a JSONL file has
`html` and `posts` (or `extra.posts`), a list of objects with `text`, `author` and `date`.
"""

from __future__ import annotations

import gzip
import json
import lzma
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Any
from urllib.parse import urlsplit

from lxml import etree

from crfclean.forum.pairing import GoldPost
from crfclean.gold.pages import JSONL_SUFFIXES
from crfclean.page.decode import decode
from crfclean.page.elements import BLOCK_LEVEL
from crfclean.page.file_names import is_page
from crfclean.types import GoldError, NoGoldError, Page

RULES_FILE = "posts.xpath"
_KEYS = ("comments", "text", "author", "date")
_ALL_TEXT = "/allText()"  # an extension of Xsoup, used in the paper's files: the element's text


@dataclass(frozen=True)
class ForumPage:
    """A page, its site, and its posts in page order."""

    id: str
    page: Page
    site: str
    posts: tuple[GoldPost, ...]


def read_posts(path: Path) -> Iterator[ForumPage]:
    """Read the annotated pages of a directory or a JSONL file, in order of names.

    Raises `NoGoldError` if there are none, `GoldError` with file and line if one is malformed.
    """
    empty = True
    for page in _read_directory(path) if path.is_dir() else _read_jsonl(path):
        empty = False
        yield page
    if empty:
        raise NoGoldError(
            f"{path}: no annotated pages: expected sites with a {RULES_FILE}, or JSONL"
        )


def _read_directory(path: Path) -> Iterator[ForumPage]:
    for rules_file in sorted(path.rglob(RULES_FILE)):
        rules = read_rules(rules_file)
        for file in sorted(rules_file.parent.iterdir()):
            if is_page(file.name):
                page = decode(_bytes(file))
                name = file.relative_to(path).as_posix()
                posts = tuple(select(page.html, rules))
                yield ForumPage(name, page, rules_file.parent.name, posts)
    for file in sorted(jsonl for jsonl in path.rglob("*") if jsonl.name.endswith(JSONL_SUFFIXES)):
        yield from _read_jsonl(file)


def _bytes(file: Path) -> bytes:
    try:
        return file.read_bytes()
    except OSError as error:
        raise GoldError(f"{file}: cannot be read: {error.strerror}") from error


def read_rules(file: Path) -> dict[str, etree.XPath]:
    """Read the XPaths of a site; raises `GoldError` with the line that is malformed."""
    rules: dict[str, etree.XPath] = {}
    try:
        lines = _bytes(file).decode("utf-8-sig").splitlines()
    except UnicodeDecodeError as error:
        raise GoldError(f"{file}: must be UTF-8: {error}") from error
    for number, line in enumerate(lines, 1):
        if not line.strip() or line.startswith("#"):
            continue
        key, equals, text = line.partition("=")
        if not equals or key.strip() not in _KEYS:
            raise GoldError(f"{file}:{number}: expected KEY=XPATH with {', '.join(_KEYS)}")
        try:
            rules[key.strip()] = etree.XPath(_relative(key.strip(), text.strip()))
        except etree.XPathError as error:
            raise GoldError(f"{file}:{number}: no XPath: {error}") from error
    if not {"comments", "text"} <= rules.keys():
        raise GoldError(f"{file}: needs comments= and text=")
    return rules


def _relative(key: str, xpath: str) -> str:
    """Rewrite an XPath for lxml; those of fields start from their post."""
    for ending in ("/" + _ALL_TEXT, _ALL_TEXT):
        xpath = xpath.removesuffix(ending)
    return "." + xpath if key != "comments" and xpath.startswith("/") else xpath


def select(html: str, rules: Mapping[str, etree.XPath]) -> Iterator[GoldPost]:
    """Select the posts of a page by a site's rules; posts without text are left out."""
    parser = etree.HTMLParser(encoding="utf-8", huge_tree=True, remove_comments=True)
    root = etree.fromstring(html.encode("utf-8", "replace") or b"<html/>", parser)
    if root is None:
        return
    for post in _selected(rules["comments"], root):
        texts = {
            key: "\n".join(filter(None, map(node_text, _selected(rules[key], post))))
            for key in _KEYS[1:]
            if key in rules
        }
        if texts["text"]:
            yield GoldPost(texts["text"], texts.get("author", ""), texts.get("date", ""))


def _selected(xpath: etree.XPath, node: Any) -> list[Any]:
    """Nodes that an XPath selects; a text or number becomes a list of one."""
    selected = xpath(node)
    return list(selected) if isinstance(selected, list) else [selected]


def node_text(selected: Any) -> str:
    """Return the text of an element, one line per block, or of an attribute or text node."""
    if not isinstance(selected, etree._Element):  # noqa: SLF001
        return " ".join(str(selected).split())
    parts = []
    for event, node in etree.iterwalk(selected, events=("start", "end")):
        if node.tag in BLOCK_LEVEL and node is not selected:
            parts.append("\n")
        text = node.text if event == "start" else "" if node is selected else node.tail
        parts.append(text or "")
    lines = (" ".join(line.split()) for line in "".join(parts).split("\n"))
    return "\n".join(line for line in lines if line)


def _read_jsonl(file: Path) -> Iterator[ForumPage]:
    openers: Mapping[str, Any] = {".gz": gzip.open, ".xz": lzma.open}
    try:
        opened: IO[str] = openers.get(file.suffix, open)(file, "rt", encoding="utf-8")
        with opened as lines:
            for number, line in enumerate(lines, 1):
                if not line.isspace():
                    yield _read_line(line, f"{file}:{number}")
    except (OSError, EOFError, lzma.LZMAError, UnicodeDecodeError) as error:
        raise GoldError(f"{file}: cannot be read: {error}") from error


def _read_line(line: str, place: str) -> ForumPage:
    try:
        row = json.loads(line)
        extra = row.get("extra") or {}
        post_rows = row["posts"] if "posts" in row else extra["posts"]
        url = row.get("url")
        site = extra.get("site") or urlsplit(url or "").hostname or place
        posts = tuple(_post(post_row) for post_row in post_rows)
        return ForumPage(str(row.get("id", place)), decode(row["html"], url), site, posts)
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError) as error:
        raise GoldError(f"{place}: expected 'html' and 'posts' ({error!r})") from error


def _post(row: Mapping[str, Any]) -> GoldPost:
    author = row.get("author_name") if "author_name" in row else row.get("author")
    return GoldPost(str(row.get("text") or ""), str(author or ""), str(row.get("date") or ""))
