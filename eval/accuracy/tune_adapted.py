"""Measure the whole of `crfclean tune`: the model in the box, adapted to 5 or 10 pages.

Run `python -m eval.accuracy.tune_adapted --data DIR`, of the sites in sets whose gold the model in
the box has not seen: pages are drawn from a site, and others of it tested. With --across pages of
as many sites are drawn from a set, and pages of all other sites tested.

A row has F1 as means over draws: the model itself ("default"), with the kinds that the pages agree
on, of a model of the pages alone, and tuned; then in how many draws a model was adapted, and the
worst draw against the default and the pages alone.
"""

from __future__ import annotations

from argparse import ArgumentParser
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

import numpy as np

from crfclean.gold.pages import GoldPage
from crfclean.pipeline import run
from crfclean.taggers.load import load
from crfclean.train.crf import train
from crfclean.tune.adapt import tagger_of
from crfclean.tune.pages import f1_of
from crfclean.tune.tuning import tune
from crfclean.types import CrfcleanError, Tagger
from eval.lib.corpora import corpus, drawn
from eval.lib.record import environment, record

SETS = ("daniel-dev", "irdata-big9")
"""Sets with sites of many pages. The model has learned from silver labels of these sets."""
ACROSS = ("daniel-dev", "dragnet-dev", "cleaneval-dev", "irdata-big9")
LOOKED_AT = ("biolog.pl", "finance.ifeng.com", "arstechnica", "bbc")
"""Sites whose pages the rules were chosen on."""
SIZES = (5, 10)
LEAST_PAGES = 20  # of a site
OF_SET = 120  # pages of a set, for --across

Draw = tuple[list[GoldPage], list[GoldPage]]
"""Pages to tune by, and pages to test on."""


def f1_mean(pages: Iterable[GoldPage], tagger: Tagger) -> float:
    """Mean F1 of a tagger."""
    return float(np.mean([f1_of(run(gold.page, tagger).text, gold) for gold in pages]))


def of_draw(draw: Draw) -> dict[str, float]:
    """F1 on the tested pages of a draw, and whether a model was adapted."""
    taught, rest = draw
    tuned = tune(taught)
    row = {"default": f1_mean(rest, load())}
    row["kinds"] = f1_mean(rest, tune(taught, adapts=False).tagger)
    row["alone"] = f1_mean(rest, tagger_of(train(taught)))
    return row | {"tuned": f1_mean(rest, tuned.tagger), "adapted": tuned.bundle is not None}


COLUMNS = ("default", "kinds", "alone", "tuned", "adapted", "worst", "worst to alone", "draws")
"""Of a row: mean F1 of four systems, draws with an adapted model, and the worst draw of tuned less
the default, and less the pages alone."""


def summary(rows: Sequence[Mapping[str, float]]) -> list[float]:
    """Means over draws, and the worst draws of the tuned model, as `COLUMNS` names them."""
    columns = {name: np.array([row[name] for row in rows], float) for name in rows[0]}
    means = [float(columns[name].mean()) for name in COLUMNS[:4]]
    worst = [float((columns["tuned"] - columns[name]).min()) for name in ("default", "alone")]
    rounded = [round(value, 4) for value in (*means, float(columns["adapted"].sum()), *worst)]
    return [*rounded, len(rows)]


def of_site(pages: Sequence[GoldPage], size: int, draws: int, tested: int) -> Iterator[Draw]:
    """Draws from the pages of a site; the first is in their own order."""
    for seed in range(draws):
        order = np.random.default_rng(seed).permutation(len(pages)) if seed else range(len(pages))
        ordered = [pages[index] for index in order]
        yield ordered[:size], ordered[size : size + tested]


def across(pages: Sequence[GoldPage], size: int, draws: int, tested: int) -> Iterator[Draw]:
    """Draws of pages of different sites, tested on other sites."""
    for seed in range(draws):
        order = np.random.default_rng(seed).permutation(len(pages)).tolist()
        first: dict[str, GoldPage] = {}
        for index in order:
            first.setdefault(pages[index].site, pages[index])
        taught = list(first.values())[:size]
        sites = {gold.site for gold in taught}
        yield taught, [pages[at] for at in order if pages[at].site not in sites][:tested]


def usable(draw: Draw) -> bool:
    """Whether there are pages to test on, and texts to tune by."""
    taught, rest = draw
    return bool(rest) and all(gold.text.strip() for gold in taught)


def rows_of(name: str, draws: Iterable[Draw]) -> list[dict[str, float]]:
    """The rows of draws; what tuning refuses is printed and left out."""
    rows = []
    for draw in filter(usable, draws):
        try:
            rows.append(of_draw(draw))
        except CrfcleanError as error:
            print(name, error)
    return rows


def groups(args: Any) -> Iterator[tuple[str, list[GoldPage]]]:
    """The sites with many pages, or the sets."""
    for name in ACROSS if args.across else SETS:
        golds = drawn(corpus(name, args.data), OF_SET if args.across else 0)
        if args.across:
            yield name, golds
            continue
        by_site: dict[str, list[GoldPage]] = {}
        for gold in golds:
            by_site.setdefault(gold.site, []).append(gold)
        yield from sorted(pair for pair in by_site.items() if len(pair[1]) >= LEAST_PAGES)


def main() -> None:
    parser = ArgumentParser(description=__doc__)
    parser.add_argument("--data", required=True)
    parser.add_argument("--draws", type=int, default=6)
    parser.add_argument("--tested", type=int, default=15, help="pages tested a draw")
    parser.add_argument("--across", action="store_true", help="pages of several sites")
    args = parser.parse_args()
    draw, results = (across if args.across else of_site), {}
    for name, pages in groups(args):
        for size in SIZES:
            rows = rows_of(name, draw(pages, size, args.draws, args.tested))
            if rows:
                results[f"{name} {size}"] = summary(rows)
                print(name, size, results[f"{name} {size}"], flush=True)
    part = "across" if args.across else "sites"
    result = {"columns": COLUMNS, part: results, "looked at": LOOKED_AT, **environment()}
    record(f"accuracy/tune_{part}", result)


if __name__ == "__main__":
    main()
