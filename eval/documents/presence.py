"""Count pages by where they have their content, and measure what carried text changes.

Run `python -m eval.documents.presence --data DIR --sets wcxb-dev ...`.

For every set: pages by `Presence.where` and reason; the pages whose text is from hidden elements or
from data, with the word F1 before and after where the set has a gold. `presence_judged.json` has
what a reader found of pages whose content is not plainly visible: page ids alone.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from crfclean.evaluate.metrics import word_scores
from crfclean.gold.pages import GoldPage
from crfclean.parallel import map_in_order
from crfclean.pipeline import open_model, run
from crfclean.types import Tagger
from eval.lib.corpora import corpus, data_parser
from eval.lib.record import environment, record

SETS = (
    "wcxb-dev fundus-dev magic-html-article immortal-zh trafilatura-dev readability htmldate-dev "
    "magic-html-forum web-forum-52-dev daniel-dev dragnet-dev cleaneval-dev irdata-big9"
).split()
JUDGED = Path(__file__).parent / "presence_judged.json"


def row(gold: GoldPage, tagger: Tagger) -> dict[str, Any]:
    """A page: where it has its content, and its F1 before and after, if carried text changed it."""
    document = run(gold.page, tagger)
    where = "unread" if document.presence is None else document.presence.where
    facts = {
        "id": gold.id,
        "where": where,
        "reason": document.presence.reason if document.presence else "",
        "probability": document.presence.probability if document.presence else 0.0,
        "source": document.blocks.source,
    }
    if document.shown is None:
        return facts
    before = run(gold.page, tagger, carried=False)
    facts["words"] = [len(before.text.split()), len(document.text.split())]
    if gold.text:
        texts = (before.text, document.text)
        facts["f1"] = [round(word_scores(text, gold.text).f1, 4) for text in texts]
    return facts


def summary(rows: Sequence[dict[str, Any]]) -> dict[str, Any]:
    """The counts of a set, and what changed."""
    changed = [page for page in rows if "words" in page]
    gains = [page["f1"][1] - page["f1"][0] for page in changed if "f1" in page]
    return {
        "pages": len(rows),
        "where": dict(Counter(f"{page['where']} {page['reason']}".strip() for page in rows)),
        "changed": [{key: page[key] for key in page if key != "reason"} for page in changed],
        "f1_gain_of_set": round(sum(gains) / len(rows), 5),
        "falls": sum(gain < 0 for gain in gains),
    }


def precision() -> dict[str, Any]:
    """How often the verdict is right on the pages that a reader judged, by verdict."""
    judged: dict[str, dict[str, list[Any]]] = json.loads(JUDGED.read_text("utf-8"))
    counts: dict[str, list[int]] = {}
    for pages in judged.values():
        for where, right in pages.values():
            counts.setdefault(where, []).append(int(right))
    return {where: {"right": sum(all_), "pages": len(all_)} for where, all_ in counts.items()}


def main() -> None:
    parser = data_parser(__doc__)
    parser.add_argument("--sets", nargs="*", default=SETS)
    parser.add_argument("--workers", type=int, default=1)
    parser.add_argument("--pages", type=Path, help="write the pages that are not visible here")
    args = parser.parse_args()
    tagger, result = open_model("default"), {}
    for name in args.sets:
        rows = list(map_in_order(row, corpus(name, args.data), tagger, args.workers))
        result[name] = summary(rows)
        print(name, json.dumps(result[name]), flush=True)
        if args.pages:
            with args.pages.open("a", encoding="utf-8") as lines:
                for page in rows:
                    if page["where"] != "visible":
                        lines.write(json.dumps({"set": name, **page}) + "\n")
    if args.sets == SETS:
        judged = precision() if JUDGED.is_file() else None
        record("documents/presence", {**environment(), "judged": judged, "sets": result})


if __name__ == "__main__":
    main()
