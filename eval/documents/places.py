"""Measure the share of blocks whose XPath and place lead back to their words, in two parsers.

Run `python -m eval.documents.places --data DIR`.

lxml reads pages with libxml2, as crfclean does, html5lib as browsers do: it adds elements that the
page leaves out (`tbody`), moves what may not stand where it stands, and closes others than libxml2.
The blocks counted are those that the model keeps, on every `--step`-th page of each set.
"""

from __future__ import annotations

import sys
import warnings
from collections import Counter
from collections.abc import Callable, Mapping
from importlib.metadata import version
from typing import Any

from lxml import etree

from crfclean.page.offsets import words_at
from crfclean.pipeline import open_model, run
from crfclean.structure.parts import Show
from crfclean.writers.json import to_dict
from eval.lib.corpora import SKIPPED, corpus, data_parser
from eval.lib.record import environment, record

try:
    import html5lib
except ImportError:
    sys.stderr.write('skipped: html5lib is missing: pip install -e ".[peers]"\n')
    sys.exit(SKIPPED)

SETS = ("wcxb-dev", "daniel-dev", "magic-html-article", "web-forum-52-dev", "cleaneval-dev")


def by_lxml(html: str) -> Any:
    """The tree of libxml2."""
    reader = etree.HTMLParser(encoding="utf-8", huge_tree=True)
    return etree.fromstring(html.encode("utf-8", "replace"), reader).getroottree()


def by_html5lib(html: str) -> Any:
    """The tree of the HTML standard; None where it has characters that lxml's trees cannot hold."""
    try:
        return html5lib.parse(html, treebuilder="lxml", namespaceHTMLElements=False)
    except ValueError:
        return None


PARSERS: Mapping[str, Callable[[str], Any]] = {"lxml": by_lxml, "html5lib": by_html5lib}


def main() -> None:
    parser = data_parser(__doc__)
    parser.add_argument("--step", type=int, default=10, help="every so many pages")
    args = parser.parse_args()
    warnings.filterwarnings("ignore", module="html5lib")  # of names that no XML has
    model, results = open_model("default"), {}
    for name in SETS:
        counts = Counter[str]()
        for gold in corpus(name, args.data)[:: args.step]:
            blocks = to_dict(run(gold.page, model), Show(metadata=False))["blocks"]
            if not blocks:
                continue
            counts["pages"] += 1
            counts["blocks"] += len(blocks)
            for parsed, parse in PARSERS.items():
                tree = parse(gold.page.html)
                if tree is None:
                    counts[f"pages without a tree, {parsed}"] += 1
                    continue
                counts[f"blocks, {parsed}"] += len(blocks)
                words = ("".join(block["text"].split()) for block in blocks)
                hits = [
                    words_at(tree, block) == block_words
                    for block, block_words in zip(blocks, words, strict=True)
                ]
                counts[parsed] += sum(hits)
                counts[f"whole pages, {parsed}"] += all(hits)
        results[name] = dict(counts)
        shares = {
            reader: round(counts[reader] / counts[f"blocks, {reader}"], 4) for reader in PARSERS
        }
        print(f"{name:20} {counts['pages']:4} pages {counts['blocks']:6} blocks", shares)
    versions = {"html5lib": version("html5lib")}
    record(
        "documents/places",
        {"step": args.step, "results": results, "readers": versions} | environment(),
    )


if __name__ == "__main__":
    main()
