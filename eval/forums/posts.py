"""Measure forum posts, their authors and dates, on sites and platforms that the model has not seen.

Run `python -m eval.forums.posts --data DIR`, or with `--by platforms` for one of the two alone.

By site, every site's pages are read by a model that has not seen the site: one page alone, all
pages of the site together, once more without their JSON-LD, and with all data for programs
(schema.org, `datetime`) hidden. Posts count as found where their words, quotes included, are alike
by 0.9 or more (Levenshtein, case and punctuation aside), one to one; posts without words count
neither way. For the found posts, `text` is the share whose own words, without quotes, are alike as
well, `text_empty` the share without any though the author has written some; `text_f1` is F1 where
posts with other words count as not found. By platform, one page alone is read by a model that has
seen no site of the page's platform, of any version. `--save` trains the shipped model on all pages.
"""

from __future__ import annotations

import re
import time
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from itertools import groupby
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from crfclean.page.blocks import split
from crfclean.products.forum.model import ForumModel, save_forum_model
from crfclean.products.forum.outline import outline
from crfclean.products.forum.posts import SiteReading, read_site, threads
from crfclean.products.teach.train import fold_of
from eval.forums.own_words import own_words
from eval.forums.platforms import family_of
from eval.forums.steps import confusion_text, field_confusion, macro_f1
from eval.forums.tally import Tally
from eval.forums.training import (
    ForumExample,
    ForumPage,
    ForumParams,
    forum_example,
    learn,
    read_posts,
)
from eval.lib.corpora import ROOT, SKIPPED, data_parser
from eval.lib.record import environment, record

SET = "web-forum-52-dev"
FOLDS = 8
PLANS = ("sites", "platforms")
_JSON_LD = r"<script[^>]*ld\+json.*?</script>"
_HIDDEN = re.compile(
    _JSON_LD + r"|\s(?:itemprop|itemtype|itemscope|datetime|data-time\w*|"
    r"data-timestamp)(?:=\"[^\"]*\"|='[^']*')?",
    re.DOTALL | re.IGNORECASE,
)
_SCRIPTS = re.compile(_JSON_LD, re.DOTALL | re.IGNORECASE)


def hidden(page: ForumPage, what: re.Pattern[str] = _HIDDEN) -> ForumPage:
    """The page without its data for programs."""
    return replace(page, page=replace(page.page, html=what.sub("", page.page.html)))


def lessons(pages: Iterable[ForumPage]) -> dict[str, ForumExample]:
    """What each page teaches, by the page's id; without pages that teach nothing."""
    examples = (
        (page.id, forum_example(page.site, outline(split(page.page)), page.posts)) for page in pages
    )
    return {page_id: example for page_id, example in examples if example is not None}


def tally(pages: Sequence[ForumPage], model: ForumModel, into: Tally) -> None:
    start = time.process_time()
    page_threads = threads(read_site([page.page for page in pages], model))
    into.seconds += [(time.process_time() - start) / len(pages)] * len(pages)
    for page, thread in zip(pages, page_threads, strict=True):
        into.add(page, thread)


def without_quotes(
    pages: Sequence[ForumPage], taught: Mapping[str, ForumExample]
) -> dict[str, dict[int, str]]:
    """The words without quotes of the posts of each page."""
    return {page.id: own_words(taught[page.id], page.posts) for page in pages if page.id in taught}


def by_site(
    pages: Sequence[ForumPage], taught: Mapping[str, ForumExample], params: ForumParams
) -> dict[str, Any]:
    """The figures of all ways, and the confusion matrices of fields without and with correction."""
    gold_words = without_quotes(pages, taught)
    ways = {
        name: Tally(gold_words) for name in ("one page", "site", "site, no JSON-LD", "site, hidden")
    }
    tables = np.zeros((2, 4, 4), np.int64)
    for fold in range(FOLDS):
        tested = {page.site for page in pages if fold_of(page.site, FOLDS) == fold}
        model = learn(
            [example for example in taught.values() if example.site not in tested], params
        )
        held = [page for page in pages if fold_of(page.site, FOLDS) == fold]
        for _, group in groupby(held, key=lambda page: page.site):
            site = list(group)
            tally(site, model, ways["site"])
            without = [hidden(page, _SCRIPTS) for page in site]
            tally(without, model, ways["site, no JSON-LD"])
            tally([hidden(page) for page in site], model, ways["site, hidden"])
            for page in site:
                tally([page], model, ways["one page"])
            tables += confusion(site, model)
        print(f"fold {fold}: {len(held)} pages", flush=True)
    return {
        "posts": {name: counts.result() for name, counts in ways.items()},
        "platforms": ways["one page"].by_platform(),
        "fields": named(tables),
    }


def confusion(pages: Sequence[ForumPage], model: ForumModel) -> npt.NDArray[np.int64]:
    """Confusion matrices of the fields of a site's pages, (2, 4, 4): alone, and corrected."""
    return confusion_of(pages, read_site([page.page for page in pages], model))


def confusion_of(pages: Sequence[ForumPage], reading: SiteReading) -> npt.NDArray[np.int64]:
    """The same of pages that have been read."""
    tables = np.zeros((2, 4, 4), np.int64)
    for page, chosen, right in zip(pages, reading.chosen, reading.corrected, strict=True):
        if chosen is not None:
            tables += np.array(field_confusion(chosen, right, list(page.posts)))
    return tables


def named(tables: npt.NDArray[np.int64]) -> dict[str, Any]:
    """Macro F1 and matrix of fields alone, and corrected by template."""
    return {
        name: {"macro_f1": round(macro_f1(table), 4), "matrix": table.tolist()}
        for name, table in zip(("alone", "corrected"), tables, strict=True)
    }


def uncorrected(reading: SiteReading) -> SiteReading:
    """The same without correction by template: each field keeps its own probabilities."""
    labels = zip(reading.chosen, reading.corrected, strict=True)
    return replace(
        reading,
        corrected=tuple(
            corrected if group is None else group.probabilities for group, corrected in labels
        ),
    )


def by_platform(
    pages: Sequence[ForumPage],
    taught: Mapping[str, ForumExample],
    families: Mapping[str, str],
    params: ForumParams,
) -> dict[str, Any]:
    """The figures where each page's family of platforms is left out of the lessons.

    `families` has the family of every page, by its id, those of `taught` included.
    """
    gold_words = without_quotes(pages, taught)
    counts, plain = Tally(gold_words), Tally(gold_words)
    tables = np.zeros((2, 4, 4), np.int64)
    for family in sorted({families[page.id] for page in pages}):
        model = learn([taught[name] for name in taught if families[name] != family], params)
        held = [page for page in pages if families[page.id] == family]
        for page in held:
            start = time.process_time()
            reading = read_site([page.page], model)
            counts.add(page, threads(reading)[0])
            counts.seconds.append(time.process_time() - start)
            plain.add(page, threads(uncorrected(reading))[0])
            tables += confusion_of([page], reading)
        print(f"without {family}: {len(held)} pages", flush=True)
    return {
        "posts": counts.result(),
        "uncorrected": plain.result(),
        "platforms": counts.by_platform(),
        "fields": named(tables),
    }


def show(result: Mapping[str, Any]) -> None:
    """Print the figures."""
    overall = result["posts"]
    rows = overall.items() if "one page" in overall else [("all", overall)]
    rows = [*rows, *((name, result[name]) for name in ("uncorrected",) if name in result)]
    for name, figures in [*rows, *result["platforms"].items()]:
        print(name, figures)
    for name, table in result["fields"].items():
        print(f"fields, {name}: macro F1 {table['macro_f1']}")
        print(confusion_text(np.array(table["matrix"])))


def main() -> None:
    parser = data_parser(__doc__)
    parser.add_argument("--save", type=Path, help="train on all pages and write the model here")
    parser.add_argument("--by", choices=PLANS, action="append", help="what to leave out")
    parser.add_argument("--only-save", action="store_true", help="do not cross-validate")
    args = parser.parse_args()
    path = Path(args.data, f"{SET}.jsonl.xz")
    if not path.is_file():
        print(f"skipped: no {path}; see eval/README.md")
        raise SystemExit(SKIPPED)
    pages = sorted(read_posts(path), key=lambda page: (page.site, page.id))
    own_sites = list(
        read_posts(ROOT / "data" / "forum")
    )  # the project's own sites teach every fold
    taught, params = lessons([*pages, *own_sites]), ForumParams()
    families = {page.id: family_of(page.page.html, page.site) for page in [*pages, *own_sites]}
    plans = () if args.only_save else args.by or PLANS
    if "sites" in plans:
        result = by_site(pages, taught, params)
        show(result)
        record("forums/posts", {**result, "set": SET, "folds": FOLDS, **environment()})
    if "platforms" in plans:
        result = by_platform(pages, taught, families, params)
        show(result)
        record("forums/platforms", {**result, "set": SET, **environment()})
    if args.save:
        sets = [
            {"name": SET, "pages": len(pages), "licence": "Apache-2.0 (harvest, FH Graubuenden)"},
            {"name": "data/forum", "pages": len(own_sites), "licence": "Apache-2.0"},
        ]
        about = {"sets": sets}
        save_forum_model(replace(learn(list(taught.values()), params), about=about), args.save)


if __name__ == "__main__":
    main()
