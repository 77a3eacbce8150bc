"""Measure how often titles, authors and dates are right, beside the peers.

Run `python -m eval.documents.metadata --data DIR --cache DIR`.

crfclean's values are those of models that have not seen the page's site (5 folds); the models learn
from all sets of `train_metadata.py`, and each set has its own figures. All systems are
read alike: titles by their words in lower case (punctuation and quotes aside), authors as sets of
names without roles and degrees, dates to the day. "right" is the share of the annotated values that
a system gives; "precision" that of the given values that are right, pages without an annotated
value included; "unasked" is how many such pages get one. Intervals are over sites. In
the sets other than wcxb-dev only pages with an annotated value count. "ahead" is crfclean's lead on
the same pages; languages are those that the pages declare.
"""

from __future__ import annotations

import argparse
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from crfclean.metadata import Metadata
from crfclean.metadata.candidates import folded
from crfclean.metadata.names import name_key
from crfclean.metadata.ranking import RankingWeights
from crfclean.metadata.read import read
from crfclean.products.teach.means import interval
from crfclean.products.teach.train import fold_of
from eval.documents.metadata_languages import Answers, answering, by_language
from eval.documents.metadata_peers import PEERS, PeerValues, peer_values
from eval.lib.corpora import corpus, data_parser
from eval.lib.record import environment, record
from eval.models.train_metadata import (
    KINDS,
    PENALTY,
    SET,
    SETS,
    AnnotatedPage,
    author_key,
    learn,
    read_annotated,
)

FOLDS = 5
BINS = 10
LEAST = 50  # annotated values of a type of page with figures of its own


def crfclean_answers(pages: Sequence[AnnotatedPage]) -> Answers:
    """Our values, each by a model that has not seen the site."""
    folds = [fold_of(page.site, FOLDS) for page in pages]
    answers: Answers = {kind: [("", 0.0)] * len(pages) for kind in KINDS}
    for fold in range(FOLDS):
        weights = learn(
            [page for page, page_fold in zip(pages, folds, strict=True) if page_fold != fold]
        )
        for place in np.flatnonzero(np.array(folds) == fold).tolist():
            metadata = read(pages[place].document, weights)
            for kind, answer_of_kind in answer(metadata, weights).items():
                answers[kind][place] = answer_of_kind
    return answers


def answer(
    metadata: Metadata, weights: Mapping[str, RankingWeights]
) -> dict[str, tuple[str, float]]:
    """Keys and probabilities of what is read.

    The date is that of publication, else that of change where it is likely to be the page's date.
    """
    day = metadata.published or metadata.modified
    if day and day.probability < weights["date"].least:
        day = None
    names = tuple(author.text for author in metadata.authors)
    return {
        "title": (folded(metadata.title.text), metadata.title.probability)
        if metadata.title
        else ("", 0.0),
        "author": (name_key(names), metadata.authors[0].probability) if names else ("", 0.0),
        "date": (day.text[:10], day.probability) if day else ("", 0.0),
    }


def peer_answers(values: Mapping[str, PeerValues], ids: Sequence[str]) -> Answers:
    """A peer's values by the same keys."""
    return {
        "title": [(folded(values[page_id]["title"]), 0.0) for page_id in ids],
        "author": [(peer_author(values[page_id]["authors"]), 0.0) for page_id in ids],
        "date": [(values[page_id]["date"][:10], 0.0) for page_id in ids],
    }


def peer_author(texts: Sequence[str]) -> str:
    return author_key(texts)


def figures(
    answers: Sequence[tuple[str, float]], pages: Sequence[AnnotatedPage], kind: str
) -> dict[str, Any]:
    """The figures of a system on some pages, and what it got right a page."""
    known = [place for place, page in enumerate(pages) if page.is_known(kind)]
    answers, pages = [answers[place] for place in known], [pages[place] for place in known]
    right = [
        bool(key) and key == page.right[kind] for (key, _), page in zip(answers, pages, strict=True)
    ]
    annotated = [bool(page.right[kind]) for page in pages]
    answered = [bool(key) for key, _ in answers]
    hits = np.array(
        [hit for hit, has_gold in zip(right, annotated, strict=True) if has_gold], np.float64
    )
    sites = [page.site for page, has_gold in zip(pages, annotated, strict=True) if has_gold]
    total, count = max(1, sum(answered)), sum(right)
    return {
        "pages": sum(annotated),
        "right": [round(float(hits.mean()), 4), *_rounded(interval(hits, sites))] if sites else [],
        "precision": round(count / total, 4),
        "f1": round(2 * count / max(1, sum(annotated) + sum(answered)), 4),
        "given": sum(answered),
        "unasked": sum(
            has and not has_gold for has, has_gold in zip(answered, annotated, strict=True)
        ),
    }


def _rounded(values: Sequence[float]) -> list[float]:
    return [round(float(value), 4) for value in values]


def gain(
    answers: Answers, other: Answers, pages: Sequence[AnnotatedPage], kind: str
) -> list[float]:
    """The lead of one system over another on annotated pages, with its interval over sites."""
    pairs = zip(answers[kind], other[kind], pages, strict=True)
    rows = [
        ((a[0] == page.right[kind]) - (b[0] == page.right[kind]), page.site)
        for a, b, page in pairs
        if page.right[kind]
    ]
    values = np.array([float(value) for value, _ in rows])
    return _rounded([values.mean(), *interval(values, [site for _, site in rows])])


def reliability(
    answers: Sequence[tuple[str, float]], pages: Sequence[AnnotatedPage], kind: str
) -> dict[str, Any]:
    """Expected calibration error of the probabilities given, and what is right by tenths."""
    rows = [
        (p, key == page.right[kind]) for (key, p), page in zip(answers, pages, strict=True) if key
    ]
    chances, hits = (np.array(column, np.float64) for column in zip(*rows, strict=True))
    place = np.minimum((chances * BINS).astype(np.int64), BINS - 1)
    bins = [
        [
            int((place == tenth).sum()),
            *_rounded([chances[place == tenth].mean(), hits[place == tenth].mean()]),
        ]
        for tenth in np.unique(place).tolist()
    ]
    error = sum(count * abs(predicted - was) for count, predicted, was in bins) / len(rows)
    return {"ece": round(error, 4), "bins": bins}


def kind_result(
    kind: str, systems: Mapping[str, Answers], pages: Sequence[AnnotatedPage]
) -> dict[str, Any]:
    """All figures of titles, authors or dates, of systems that give any."""
    systems = answering(systems, kind)
    groups = {}
    for name in ("all", *sorted({page.kind for page in pages})):
        at = [place for place, page in enumerate(pages) if name in ("all", page.kind)]
        if sum(bool(pages[place].right[kind]) for place in at) < LEAST:
            continue
        groups[name] = {
            system: figures(
                [answers[kind][place] for place in at], [pages[number] for number in at], kind
            )
            for system, answers in systems.items()
        }
    ahead = {
        system: gain(systems["crfclean"], answers, pages, kind)
        for system, answers in systems.items()
        if system != "crfclean"
    }
    sure = reliability(systems["crfclean"][kind], pages, kind)
    return {"groups": groups, "ahead": ahead, "reliability": sure}


def of_set(name: str, pages: Sequence[AnnotatedPage], answers: Answers) -> Answers:
    """The answers to the pages of one set."""
    at = [place for place, page in enumerate(pages) if page.set == name]
    return {kind: [of_kind[place] for place in at] for kind, of_kind in answers.items()}


def other_sets(
    pages: Sequence[AnnotatedPage], answers: Answers, args: argparse.Namespace
) -> dict[str, Any]:
    """Set -> kind -> system -> figures, for the sets beside `SET`."""
    results: dict[str, Any] = {}
    for name in SETS:
        of_name = [page for page in pages if page.set == name]
        if name != SET:
            systems = {"crfclean": of_set(name, pages, answers)}
            systems |= peer_systems(name, args.peers, args)
            results[name] = {
                kind: {
                    system: figures(said[kind], of_name, kind)
                    | lead(systems, system, of_name, kind)
                    for system, said in answering(systems, kind).items()
                }
                for kind in SETS[name]
            }
            for kind, by_system in results[name].items():
                for system, row in by_system.items():
                    print(f"{name:15} {kind:7} {system:12} {row}")
            results[name]["languages"] = by_language(systems, of_name)
            print(f"{name:15} {results[name]['languages']}")
    return results


def lead(
    systems: Mapping[str, Answers], system: str, pages: Sequence[AnnotatedPage], kind: str
) -> dict[str, list[float]]:
    """The lead over a peer; nothing for crfclean itself."""
    answers = systems["crfclean"]
    return {} if system == "crfclean" else {"ahead": gain(answers, systems[system], pages, kind)}


def peer_systems(name: str, peers: Sequence[str], args: argparse.Namespace) -> dict[str, Answers]:
    """Peer -> its answers to the pages of a set."""
    gold = corpus(name, args.data)
    ids = [page.id for page in gold]
    return {peer: peer_answers(peer_values(peer, gold, args.cache, name), ids) for peer in peers}


def main() -> None:
    parser = data_parser(__doc__)
    parser.add_argument("--cache", type=Path, default=Path("metadata-cache"))
    parser.add_argument("--peers", nargs="+", default=list(PEERS), choices=list(PEERS))
    args = parser.parse_args()
    everything = [page for name in SETS for page in read_annotated(args.data, name)]
    all_answers = crfclean_answers(everything)
    pages = [page for page in everything if page.set == SET]
    systems = {"crfclean": of_set(SET, everything, all_answers)}
    systems |= peer_systems(SET, args.peers, args)
    result: dict[str, Any] = {kind: kind_result(kind, systems, pages) for kind in KINDS}
    for kind, of_kind in result.items():
        for system, row in of_kind["groups"]["all"].items():
            print(f"{kind:7} {system:12} {row}")
        print(f"{kind:7} ahead {of_kind['ahead']}  ECE {of_kind['reliability']['ece']}")
    sets = other_sets(everything, all_answers, args)
    record(
        "documents/metadata",
        {**result, "sets": sets, "set": SET, "folds": FOLDS, "penalty": PENALTY, **environment()},
    )


if __name__ == "__main__":
    main()
