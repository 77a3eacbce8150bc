"""Keep the peers' titles, authors and dates of annotated pages, computed once a version.

Run `python -m eval.documents.metadata_peers --data DIR --cache DIR`.

Each peer gets the page's HTML and address, and no network. Its answers are text of the pages, so
they stay in the folder that `--cache` names, outside the repository.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from importlib.metadata import version
from pathlib import Path
from typing import Any

from crfclean.products.teach.gold import GoldPage
from eval.lib.corpora import corpus, data_parser

PeerValues = dict[str, Any]
"""`title`, `authors` (a list of strings as the peer gives them), `date`."""


def trafilatura(html: str, url: str) -> PeerValues:
    """The defaults of `trafilatura.extract_metadata`: what `bare_extraction` reads as well."""
    from trafilatura import extract_metadata

    metadata = extract_metadata(html, default_url=url)
    fields = metadata.as_dict() if metadata is not None else {}
    return {
        "title": fields.get("title") or "",
        "authors": [fields["author"]] if fields.get("author") else [],
        "date": fields.get("date") or "",
    }


def newspaper(html: str, url: str) -> PeerValues:
    """An `Article` of newspaper4k, parsed."""
    from newspaper import Article

    article = Article(url, fetch_images=False)
    article.download(input_html=html)
    article.parse()
    day = article.publish_date
    return {
        "title": article.title or "",
        "authors": list(article.authors or ()),
        "date": str(day)[:10] if day else "",
    }


def htmldate(html: str, url: str) -> PeerValues:
    """The publication date by htmldate, and its default, the last one it finds."""
    from htmldate import find_date

    first = find_date(html, url=url, original_date=True, extensive_search=True)
    return {"title": "", "authors": [], "date": first or ""}


PEERS: Mapping[str, tuple[str, Callable[[str, str], PeerValues]]] = {
    "trafilatura": ("trafilatura", trafilatura),
    "newspaper4k": ("newspaper4k", newspaper),
    "htmldate": ("htmldate", htmldate),
}
"""Name of a peer -> its package and its function."""


def attempt(function: Callable[[str, str], PeerValues], html: str, url: str) -> PeerValues:
    """What a peer says of a page; nothing, with the exception's name, where it raises."""
    try:
        values = function(html, url)
    except Exception as error:  # noqa: BLE001  # whatever a peer raises, it has no answer
        values = {"title": "", "authors": [], "date": "", "error": type(error).__name__}
    return values


def cache_path(name: str, cache: Path, dataset: str) -> Path:
    """The file with a peer's values of a set."""
    return cache / f"{dataset}-{name}-{version(PEERS[name][0])}.json"


def cached_values(path: Path) -> dict[str, PeerValues]:
    """Page -> values by a peer, as far as they were computed."""
    values: dict[str, PeerValues] = json.loads(path.read_text("utf-8")) if path.is_file() else {}
    return values


def peer_values(
    name: str, pages: list[GoldPage], cache: Path, dataset: str
) -> dict[str, PeerValues]:
    """Page -> values by a peer for the pages of a set; computes those that are missing."""
    path = cache_path(name, cache, dataset)
    values = cached_values(path)
    missing = [page for page in pages if page.id not in values]
    for number, page in enumerate(missing, 1):
        values[page.id] = attempt(PEERS[name][1], page.page.html, page.page.url or "")
        if number % 50 == 0 or number == len(missing):
            cache.mkdir(parents=True, exist_ok=True)
            path.write_text(json.dumps(values, ensure_ascii=False), "utf-8")
    return values


def main() -> None:
    parser = data_parser(__doc__)
    parser.add_argument("--cache", type=Path, default=Path("metadata-cache"))
    parser.add_argument("--peers", nargs="+", default=list(PEERS), choices=list(PEERS))
    parser.add_argument("--set", default="wcxb-dev")
    args = parser.parse_args()
    pages = corpus(args.set, args.data)
    for name in args.peers:
        by_page = peer_values(name, pages, args.cache, args.set)
        failed = sum("error" in values for values in by_page.values())
        print(f"{name:12} {len(by_page)} pages, {failed} failed")


if __name__ == "__main__":
    main()
