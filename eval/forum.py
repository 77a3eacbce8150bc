"""Forum posts, cross-validated by site: `python eval/forum.py --data DIR`.

Every site's pages are read by a model that has not seen the site: one page alone, all pages of the
site together, once more without their JSON-LD, and with all that pages tell programs (schema.org,
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
from corpora import SKIPPED, parser
from record import environment, record

from crfclean.blocks import split
from crfclean.examples import fold_of
from crfclean.forum.dates import DateReader, is_month_first
from crfclean.forum.gold import ForumPage, read_posts
from crfclean.forum.learn import ForumParams, Lesson, learn, lesson
from crfclean.forum.model import ForumModel, save
from crfclean.forum.outline import outline
from crfclean.forum.pairing import GoldPost, folded, letters, matches
from crfclean.forum.papers.steps import confusion, confusion_text, macro_f1
from crfclean.forum.posts import Post, Thread, read, threads

SET = "web-forum-52-dev"
FOLDS, RESAMPLES = 8, 1_000
ROOT = Path(__file__).parent.parent
_JSON_LD = r"<script[^>]*ld\+json.*?</script>"
_HIDDEN = re.compile(
    _JSON_LD + r"|\s(?:itemprop|itemtype|itemscope|datetime|data-time\w*|"
    r"data-timestamp)(?:=\"[^\"]*\"|='[^']*')?",
    re.DOTALL | re.IGNORECASE,
)
_SCRIPTS = re.compile(_JSON_LD, re.DOTALL | re.IGNORECASE)
NAMES = "found given wanted author authors day string dates zero perfect pages".split()


def _nothing() -> Any:
    return np.zeros(len(NAMES))


@dataclass
class Tally:
    """Counts by site, each in the order of `NAMES`."""

    sites: dict[str, Any] = field(default_factory=lambda: defaultdict(_nothing))
    seconds: list[float] = field(default_factory=list)

    def add(self, page: ForumPage, thread: Thread) -> None:
        """Count a page."""
        given = [post for post in thread.posts if folded(post.full)]
        wanted = [post for post in page.posts if folded(post.text)]
        pairs = matches([folded(p.full) for p in given], [folded(p.text) for p in wanted])
        language = page.page.html[:2000]
        code = re.search(r"<html[^>]*\slang=[\"']?(\w\w)", language)
        reader = DateReader(code[1] if code else "", _order([p.date for p in wanted], code))
        counts = dict.fromkeys(NAMES, 0)
        counts |= {"found": len(pairs), "given": len(given), "wanted": len(wanted), "pages": 1}
        counts["zero"] = not pairs
        counts["perfect"] = len(pairs) == len(given) == len(wanted)
        for one, two in pairs.items():
            ours, theirs = given[one], wanted[two]
            counts["authors"] += bool(theirs.author)
            named = bool(theirs.author) and letters(ours.author) == letters(theirs.author)
            counts["author"] += named
            counts["dates"] += bool(theirs.date)
            counts["string"] += bool(theirs.date) and letters(ours.date) == letters(theirs.date)
            counts["day"] += bool(theirs.date) and same_day(ours, theirs, reader)
        self.sites[page.site] += np.array([float(counts[name]) for name in NAMES])

    def result(self) -> dict[str, Any]:
        """The figures, F1 with a 95 % interval over sites."""
        rows = np.array([self.sites[site] for site in sorted(self.sites)])
        drawn = np.random.default_rng(1).integers(0, len(rows), (RESAMPLES, len(rows)))
        spread = [f1(rows[one].sum(0)) for one in drawn]
        total = dict(zip(NAMES, rows.sum(0).tolist(), strict=True))
        return {
            "precision": round(total["found"] / max(1, total["given"]), 4),
            "recall": round(total["found"] / max(1, total["wanted"]), 4),
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


def same_day(ours: Post, theirs: GoldPost, reader: DateReader) -> bool:
    """Whether two dates are of one day; without the year where the annotation has none."""
    if letters(ours.date) == letters(theirs.date):
        return True
    wanted, found = reader.read(theirs.date).iso, ours.published.iso
    if wanted.startswith("--"):
        return bool(found) and wanted[2:7] == (found[2:7] if found[0] == "-" else found[5:10])
    return bool(wanted) and wanted[:10] == found[:10]


def hidden(page: ForumPage, what: re.Pattern[str] = _HIDDEN) -> ForumPage:
    """The page without what it tells programs."""
    return replace(page, page=replace(page.page, html=what.sub("", page.page.html)))


def lessons(pages: Iterable[ForumPage]) -> list[Lesson]:
    found = (lesson(one.site, outline(split(one.page)), one.posts) for one in pages)
    return [one for one in found if one is not None]


def tally(pages: Sequence[ForumPage], model: ForumModel, into: Tally) -> None:
    start = time.process_time()
    found = threads(read([one.page for one in pages], model))
    into.seconds += [(time.process_time() - start) / len(pages)] * len(pages)
    for page, thread in zip(pages, found, strict=True):
        into.add(page, thread)


def cross_validate(
    pages: Sequence[ForumPage], taught: Sequence[Lesson], params: ForumParams
) -> dict[str, Any]:
    """The figures of all ways, and the confusion matrices of fields without and with correction."""
    ways = {name: Tally() for name in ("one page", "site", "site, no JSON-LD", "site, hidden")}
    tables = np.zeros((2, 4, 4), np.int64)
    for fold in range(FOLDS):
        tested = {one.site for one in pages if fold_of(one.site, FOLDS) == fold}
        model = learn([one for one in taught if one.site not in tested], params)
        held = [one for one in pages if fold_of(one.site, FOLDS) == fold]
        for _, group in groupby(held, key=lambda one: one.site):
            site = list(group)
            tally(site, model, ways["site"])
            without = [hidden(one, _SCRIPTS) for one in site]
            tally(without, model, ways["site, no JSON-LD"])
            tally([hidden(one) for one in site], model, ways["site, hidden"])
            for one in site:
                tally([one], model, ways["one page"])
            found = read([one.page for one in site], model)
            for page, chosen, right in zip(site, found.chosen, found.corrected, strict=True):
                if chosen is not None:
                    tables += np.array(confusion(chosen, right, list(page.posts)))
        print(f"fold {fold}: {len(held)} pages", flush=True)
    named = {
        name: {"macro_f1": round(macro_f1(table), 4), "matrix": table.tolist()}
        for name, table in zip(("alone", "corrected"), tables, strict=True)
    }
    return {"posts": {name: one.result() for name, one in ways.items()}, "fields": named}


def main() -> None:
    args = parser(__doc__)
    args.add_argument("--save", type=Path, help="train on all pages and write the model here")
    args.add_argument("--only-save", action="store_true", help="do not cross-validate")
    given = args.parse_args()
    path = Path(given.data, f"{SET}.jsonl.xz")
    if not path.is_file():
        print(f"skipped: no {path}; see eval/README.md")
        raise SystemExit(SKIPPED)
    pages = sorted(read_posts(path), key=lambda one: (one.site, one.id))
    own = list(read_posts(ROOT / "data" / "forum"))  # the project's own sites teach every fold
    taught, params = lessons([*pages, *own]), ForumParams()
    if not given.only_save:
        result = cross_validate(pages, taught, params)
        for name, one in result["posts"].items():
            print(name, one)
        for name, table in result["fields"].items():
            print(f"fields, {name}: macro F1 {table['macro_f1']}")
            print(confusion_text(np.array(table["matrix"])))
        record("forum", {**result, "set": SET, "folds": FOLDS, **environment()})
    if given.save:
        sets = [
            {"name": SET, "pages": len(pages), "licence": "Apache-2.0 (harvest, FH Graubuenden)"},
            {"name": "data/forum", "pages": len(own), "licence": "Apache-2.0"},
        ]
        about = {"sets": sets}
        save(replace(learn(taught, params), about=about), given.save)


if __name__ == "__main__":
    main()
