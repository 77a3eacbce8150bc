"""Compute the scores of the peers' texts on annotated pages, once a version, for results/peers.

Run `python -m eval.lib.peer_scores --data DIR`.

A set's file is packed JSON: each field of `Score`, in their order, for all pages and peers. A page
whose HTML, language or gold has changed is scored anew, as it is for another version of a peer.
After a change to the measures or to how peers.py calls a peer, delete the files.
"""

from __future__ import annotations

import hashlib
import json
import lzma
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import astuple, dataclass
from pathlib import Path

from crfclean.io import (
    write_atomically,
)
from crfclean.parallel import map_in_order
from crfclean.products.teach.gold import GoldPage
from crfclean.products.teach.metrics import levenshtein, word_scores
from eval.lib.corpora import corpus, data_parser
from eval.lib.measure import value
from eval.lib.peers import EXTRACTIONS, attempt, peer_version
from eval.lib.record import RESULTS

FOLDER = RESULTS / "peers"
SETS = ("irdata-big9", "cleaneval-dev", "daniel-dev", "wcxb-dev")
DECIMALS = 4
SAVED_EVERY = 50  # pages: what is lost at most when a run is stopped


@dataclass(frozen=True, slots=True)
class Score:
    """A peer's scores on a page: words in 0..1, and the share of characters to change (0..1).

    `digest` stands for the page, its language and its gold; `status` is "ok" or the name of the
    exception that left the text empty. `value` is the text's worth by the measure of its set (see
    `measure.value`), -1 for a page without gold.
    """

    peer: str
    version: str
    page: str
    digest: str
    precision: float
    recall: float
    f1: float
    distance_share: float
    value: float
    status: str


Key = tuple[str, str, str]
Job = tuple[str, GoldPage, tuple[str, ...]]


def key(score: Score) -> Key:
    """What a score is found by."""
    return score.peer, score.version, score.page


def digest(gold: GoldPage) -> str:
    """Twelve hex digits for all that a score depends on besides the peer."""
    snippets = "\0".join((*gold.expected_snippets, "", *gold.forbidden_snippets))
    parts = f"{gold.page.html}\0{gold.lang}\0{gold.text}\0{snippets}"
    return hashlib.sha256(parts.encode("utf-8", "surrogatepass")).hexdigest()[:12]


def score_page(job: Job, versions: Mapping[str, str]) -> list[Score]:
    """Scores of some peers on a page."""
    of_set, gold, names = job
    mark = digest(gold)
    scores = []
    for name in names:
        text, status = attempt(name, gold.page.html, gold.lang)
        words, (_, share) = word_scores(text, gold.text), levenshtein(text, gold.text)
        worth = value(of_set, gold, text)
        worth = -1.0 if worth is None else worth
        figures = (words.precision, words.recall, words.f1, share, worth)
        precision, recall, f1, share, worth = (round(figure, DECIMALS) for figure in figures)
        place = (name, versions[name], gold.id, mark)
        scores.append(Score(*place, precision, recall, f1, share, worth, status))
    return scores


def read(path: Path) -> dict[Key, Score]:
    """The scores of a file, none where there is no file."""
    fields = json.loads(lzma.decompress(path.read_bytes())) if path.exists() else []
    scores = (Score(*row) for row in zip(*fields, strict=True))
    return {key(score): score for score in scores}


def scores_path(name: str) -> Path:
    """The file of a set."""
    return FOLDER / f"{name}.json.xz"


def write(path: Path, scores: Iterable[Score]) -> None:
    """Keep the scores, in order of peers and pages."""
    path.parent.mkdir(parents=True, exist_ok=True)
    fields = list(zip(*map(astuple, sorted(scores, key=key)), strict=True))
    text = json.dumps(fields, ensure_ascii=False)
    write_atomically(path, lzma.compress(text.encode("utf-8"), preset=9))


def missing(
    of_set: str,
    pages: Sequence[GoldPage],
    versions: Mapping[str, str],
    kept: Mapping[Key, Score],
) -> Iterator[Job]:
    """Every page with the peers whose version has no scores on it as it is now."""
    for gold in pages:
        by_peer = {name: kept.get((name, version, gold.id)) for name, version in versions.items()}
        mark = digest(gold)
        names = [name for name, score in by_peer.items() if score is None or score.digest != mark]
        if names:
            yield of_set, gold, tuple(names)


def peer_scores(name: str, pages: Sequence[GoldPage], workers: int = 1) -> dict[str, list[Score]]:
    """Name of a peer -> its scores on the pages of a set, in their order; computes missing ones."""
    path = scores_path(name)
    kept = read(path)
    versions = {peer: peer_version(peer) for peer in EXTRACTIONS}
    jobs = list(missing(name, pages, versions, kept))
    for number, scores in enumerate(map_in_order(score_page, jobs, versions, workers), 1):
        kept |= {key(score): score for score in scores}
        if number % SAVED_EVERY == 0 or number == len(jobs):
            write(path, kept.values())
    return {
        peer: [kept[peer, version, gold.id] for gold in pages] for peer, version in versions.items()
    }


def main() -> None:
    parser = data_parser(__doc__)
    parser.add_argument("--workers", type=int, default=2)
    parser.add_argument("--sets", nargs="+", default=SETS)
    args = parser.parse_args()
    for name in args.sets:
        pages = corpus(name, args.data)
        for peer, scores in peer_scores(name, pages, args.workers).items():
            mean = sum(score.f1 for score in scores) / len(scores)
            lost = Counter(score.status for score in scores if score.status != "ok")
            print(f"{name:14} {peer:17} {len(scores):5} pages  F1 {mean:.3f}", dict(lost) or "")


if __name__ == "__main__":
    main()
