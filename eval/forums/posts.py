"""Measure forum posts, their authors and dates, by cross-validation over sites.

Run `python -m eval.forums.posts --data DIR`.

Every site's pages are read by a model that has not seen the site: one page alone, all pages of the
site together, once more without their JSON-LD, and with all data for programs (schema.org,
`datetime`) hidden. Posts count as found where their words are alike by 0.9 or more (Levenshtein,
case and punctuation aside), one to one; posts without words count neither way. `--save` trains the
shipped model on all pages.
"""

from __future__ import annotations

import re
import time
from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from itertools import groupby
from pathlib import Path
from typing import Any

import numpy as np

from crfclean.forum.dates import DateReader, is_month_first
from crfclean.forum.gold import ForumPage, read_posts
from crfclean.forum.learn import ForumExample, forum_example, learn
from crfclean.forum.model import ForumModel, save_forum_model
from crfclean.forum.outline import outline
from crfclean.forum.pairing import GoldPost, folded_words, letters, matches
from crfclean.forum.papers.steps import confusion_text, field_confusion, macro_f1
from crfclean.forum.posts import Post, Thread, read_site, threads
from crfclean.page.blocks import split
from crfclean.train.examples import fold_of
from crfclean.train.params import ForumParams
from eval.lib.corpora import ROOT, SKIPPED, data_parser
from eval.lib.record import environment, record

SET = "web-forum-52-dev"
FOLDS, RESAMPLES = 8, 1_000
_JSON_LD = r"<script[^>]*ld\+json.*?</script>"
_HIDDEN = re.compile(
    _JSON_LD + r"|\s(?:itemprop|itemtype|itemscope|datetime|data-time\w*|"
    r"data-timestamp)(?:=\"[^\"]*\"|='[^']*')?",
    re.DOTALL | re.IGNORECASE,
)
_SCRIPTS = re.compile(_JSON_LD, re.DOTALL | re.IGNORECASE)
NAMES = "matched read annotated author authors day string dates zero perfect pages".split()


def _nothing() -> Any:
    return np.zeros(len(NAMES))


@dataclass
class Tally:
    """Counts by site, each in the order of `NAMES`."""

    sites: dict[str, Any] = field(default_factory=lambda: defaultdict(_nothing))
    seconds: list[float] = field(default_factory=list)

    def add(self, page: ForumPage, thread: Thread) -> None:
        """Count a page."""
        posts = [post for post in thread.posts if folded_words(post.full)]
        gold_posts = [post for post in page.posts if folded_words(post.text)]
        pairs = matches(
            [folded_words(p.full) for p in posts], [folded_words(p.text) for p in gold_posts]
        )
        language = page.page.html[:2000]
        code = re.search(r"<html[^>]*\slang=[\"']?(\w\w)", language)
        reader = DateReader(code[1] if code else "", _order([p.date for p in gold_posts], code))
        counts = dict.fromkeys(NAMES, 0)
        counts |= {
            "matched": len(pairs),
            "read": len(posts),
            "annotated": len(gold_posts),
            "pages": 1,
        }
        counts["zero"] = not pairs
        counts["perfect"] = len(pairs) == len(posts) == len(gold_posts)
        for place, two in pairs.items():
            post, gold_post = posts[place], gold_posts[two]
            counts["authors"] += bool(gold_post.author)
            named = bool(gold_post.author) and letters(post.author) == letters(gold_post.author)
            counts["author"] += named
            counts["dates"] += bool(gold_post.date)
            counts["string"] += bool(gold_post.date) and letters(post.date) == letters(
                gold_post.date
            )
            counts["day"] += bool(gold_post.date) and same_day(post, gold_post, reader)
        self.sites[page.site] += np.array([float(counts[name]) for name in NAMES])

    def result(self) -> dict[str, Any]:
        """The figures, F1 with a 95 % interval over sites."""
        rows = np.array([self.sites[site] for site in sorted(self.sites)])
        drawn = np.random.default_rng(1).integers(0, len(rows), (RESAMPLES, len(rows)))
        spread = [f1(rows[sample].sum(0)) for sample in drawn]
        total = dict(zip(NAMES, rows.sum(0).tolist(), strict=True))
        return {
            "precision": round(total["matched"] / max(1, total["read"]), 4),
            "recall": round(total["matched"] / max(1, total["annotated"]), 4),
            "f1": round(f1(rows.sum(0)), 4),
            "interval": [round(float(np.quantile(spread, q)), 4) for q in (0.025, 0.975)],
            "author": round(total["author"] / max(1, total["authors"]), 4),
            "same_day": round(total["day"] / max(1, total["dates"]), 4),
            "same_string": round(total["string"] / max(1, total["dates"]), 4),
            "pages": int(total["pages"]),
            "at_zero": int(total["zero"]),
            "perfect": int(total["perfect"]),
            "ms_a_page": round(1000 * float(np.median(self.seconds)), 1),
        }


def f1(counts: Any) -> float:
    return float(2 * counts[0] / max(1.0, counts[1] + counts[2]))


def _order(texts: Sequence[str], code: Any) -> bool:
    return is_month_first(texts, code[1] if code else "")


def same_day(post: Post, gold_post: GoldPost, reader: DateReader) -> bool:
    """Whether two dates are of one day; without the year where the annotation has none."""
    if letters(post.date) == letters(gold_post.date):
        return True
    gold_day, day = reader.read(gold_post.date).iso, post.published.iso
    if gold_day.startswith("--"):
        return bool(day) and gold_day[2:7] == (day[2:7] if day[0] == "-" else day[5:10])
    return bool(gold_day) and gold_day[:10] == day[:10]


def hidden(page: ForumPage, what: re.Pattern[str] = _HIDDEN) -> ForumPage:
    """The page without its data for programs."""
    return replace(page, page=replace(page.page, html=what.sub("", page.page.html)))


def lessons(pages: Iterable[ForumPage]) -> list[ForumExample]:
    read_lessons = (
        forum_example(page.site, outline(split(page.page)), page.posts) for page in pages
    )
    return [page_lesson for page_lesson in read_lessons if page_lesson is not None]


def tally(pages: Sequence[ForumPage], model: ForumModel, into: Tally) -> None:
    start = time.process_time()
    page_threads = threads(read_site([page.page for page in pages], model))
    into.seconds += [(time.process_time() - start) / len(pages)] * len(pages)
    for page, thread in zip(pages, page_threads, strict=True):
        into.add(page, thread)


def cross_validate(
    pages: Sequence[ForumPage], taught: Sequence[ForumExample], params: ForumParams
) -> dict[str, Any]:
    """The figures of all ways, and the confusion matrices of fields without and with correction."""
    ways = {name: Tally() for name in ("one page", "site", "site, no JSON-LD", "site, hidden")}
    tables = np.zeros((2, 4, 4), np.int64)
    for fold in range(FOLDS):
        tested = {page.site for page in pages if fold_of(page.site, FOLDS) == fold}
        model = learn(
            [page_lesson for page_lesson in taught if page_lesson.site not in tested], params
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
            site_pages = read_site([page.page for page in site], model)
            for page, chosen, right in zip(
                site, site_pages.chosen, site_pages.corrected, strict=True
            ):
                if chosen is not None:
                    tables += np.array(field_confusion(chosen, right, list(page.posts)))
        print(f"fold {fold}: {len(held)} pages", flush=True)
    named = {
        name: {"macro_f1": round(macro_f1(table), 4), "matrix": table.tolist()}
        for name, table in zip(("alone", "corrected"), tables, strict=True)
    }
    return {"posts": {name: counts.result() for name, counts in ways.items()}, "fields": named}


def main() -> None:
    parser = data_parser(__doc__)
    parser.add_argument("--save", type=Path, help="train on all pages and write the model here")
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
    if not args.only_save:
        result = cross_validate(pages, taught, params)
        for name, figures in result["posts"].items():
            print(name, figures)
        for name, table in result["fields"].items():
            print(f"fields, {name}: macro F1 {table['macro_f1']}")
            print(confusion_text(np.array(table["matrix"])))
        record("forums/posts", {**result, "set": SET, "folds": FOLDS, **environment()})
    if args.save:
        sets = [
            {"name": SET, "pages": len(pages), "licence": "Apache-2.0 (harvest, FH Graubuenden)"},
            {"name": "data/forum", "pages": len(own_sites), "licence": "Apache-2.0"},
        ]
        about = {"sets": sets}
        save_forum_model(replace(learn(taught, params), about=about), args.save)


if __name__ == "__main__":
    main()
