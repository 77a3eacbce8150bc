"""Compare the text of all blocks of pages with what headless Chromium shows (`innerText`).

Run `python -m eval.documents.inner_text --data DIR --cache DIR`.

Needs `pip install -e ".[browser]"`, Chromium and chromedriver. Scripts do not run and nothing is
loaded, so that style sheets count as far as they stand in the page. What the browser says of a page
is kept in the folder of `--cache`, outside the repository.
"""

from __future__ import annotations

import random
from collections import Counter, defaultdict
from typing import Any

from crfclean.page.blocks import split
from eval.documents.browser_text import Browser, open_browser
from eval.documents.line_match import Comparison, compare, shares
from eval.lib.corpora import corpus, data_parser
from eval.lib.record import environment, record

SETS = (
    "wcxb-dev magic-html-article magic-html-forum web-forum-52-dev daniel-dev cleaneval-dev "
    "irdata-big9 fundus-dev immortal-zh dragnet-dev"
).split()
SEED = 1
LEAST = 3  # differences that are recorded by name


def measure(name: str, data: str, pages: int, chromium: Browser) -> Comparison:
    """Compare a draw of a set's pages."""
    golds = corpus(name, data)
    total = Comparison()
    for index in sorted(random.Random(SEED).sample(range(len(golds)), min(pages, len(golds)))):  # noqa: S311
        shown = chromium.read(golds[index].page.html)
        if shown is None:
            total.counts["pages without an answer"] += 1
            continue
        total.counts["pages"] += 1
        page = compare(split(golds[index].page).texts, shown)
        total.counts.update(page.counts)
        for cause, examples in page.examples.items():
            total.examples[cause] += [f"{name} {index}: {example}" for example in examples]
    return total


def print_examples(examples: dict[str, list[str]], number: int) -> None:
    """Print some examples of each difference, spread over the pages."""
    for cause, texts in sorted(examples.items()):
        print(f"\n{cause}")
        for text in texts[:: max(len(texts) // max(number, 1), 1)][:number]:
            print("   ", text)


def main() -> None:
    parser = data_parser(__doc__)
    parser.add_argument("--cache", required=True, help="folder of the browser's answers")
    parser.add_argument("--pages", type=int, default=20, help="pages of each set")
    parser.add_argument("--examples", type=int, default=0, help="printed for each difference")
    args = parser.parse_args()
    results: dict[str, Any] = {}
    counts: Counter[str] = Counter()
    examples: defaultdict[str, list[str]] = defaultdict(list)
    with open_browser(args.cache) as chromium:
        for name in SETS:
            part = measure(name, args.data, args.pages, chromium)
            results[name] = {"pages": part.counts["pages"], **shares(part.counts)}
            print(f"{name:20}", results[name])
            counts.update(part.counts)
            for cause, texts in part.examples.items():
                examples[cause] += texts
        version = chromium.version()
    print_examples(examples, args.examples)
    results["all"] = {"pages": counts["pages"], **shares(counts)}
    print("all", results["all"])
    causes = {cause: count for cause, count in counts.most_common() if count >= LEAST}
    for cause, count in causes.items():
        print(f"{count:8} {cause}")
    settings = {"pages of a set": args.pages, "seed": SEED, "chromium": version}
    record(
        "documents/inner_text", settings | {"results": results, "counts": causes} | environment()
    )


if __name__ == "__main__":
    main()
