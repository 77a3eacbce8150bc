"""Find sentences of pages again, on the page as it is and after edits.

Run `python -m eval.documents.citations --data DIR`.

Of `--pages` pages of each set `--sentences` are drawn from the text that the model keeps, and
looked for by their words. Then the page is edited: a word of the sentence is changed (`word`); its
element goes to another place among its siblings (`moved`); a promotion, a teaser that begins like
the sentence and a notice come before the content (`boilerplate`); all three (`all`). A sentence
counts as found if the citation's XPath leads to the element that it came from, and `similarity` is
at least 0.7. `gone`: a sentence whose element is taken from the page, which should not be found.
"""

from __future__ import annotations

import random
import time
from collections import Counter
from collections.abc import Callable
from typing import Any

from lxml import etree, html

from crfclean.citations import Citation, find, sentences
from crfclean.pipeline import open_model, run
from crfclean.types import Document, Page, Tagger
from eval.lib.corpora import corpus, data_parser, drawn
from eval.lib.record import environment, record

SETS = ("fundus-dev", "wcxb-dev", "daniel-dev", "web-forum-52-dev")
MARK = "data-cited"
MIN_WORDS = 5  # of a sentence: shorter ones stand on a page more than once

Edit = Callable[[Any, str, random.Random], bool]


def change_word(element: Any, sentence: str, chance: random.Random) -> bool:
    """Replace a word of the sentence; false where no text of the element has a whole one."""
    words = [word for word in sentence.split() if len(word) > 3]
    chance.shuffle(words)
    for word in words:
        for node in element.iter():
            for name in ("text", "tail"):
                text = getattr(node, name) or ""
                if word in text.split() and not (node is element and name == "tail"):
                    setattr(node, name, text.replace(word, "altered", 1))
                    return True
    return False


def move(element: Any, _: str, chance: random.Random) -> bool:
    """Put the element at another place among its siblings."""
    parent = element.getparent()
    if parent is None or len(parent) < 2:
        return False
    parent.remove(element)
    parent.insert(chance.randrange(len(parent) + 1), element)
    return True


def add_boilerplate(element: Any, sentence: str, _: random.Random) -> bool:
    """Put a promotion, a teaser that begins like the sentence, and a notice before all else."""
    body = element.getroottree().find("body")
    if body is None:
        return False
    words = sentence.split()
    begins = " ".join(words[: len(words) // 2])  # all of it would be the better place
    added = html.fragment_fromstring(
        "<div class='promo'><h3>Subscribe to our newsletter</h3><p>Every morning in your inbox.</p>"
        "<ul><li><a href='/a'></a></li><li><a href='/b'>All stories of today</a></li></ul>"
        "<p class='cookie-notice'>We use cookies on this site. <a href='/c'>Read more</a></p></div>"
    )
    added.find(".//a").text = begins
    body.insert(0, added)
    return True


def remove(element: Any, _: str, __: random.Random) -> bool:
    """Take the element from the page."""
    parent = element.getparent()
    if parent is None:
        return False
    parent.remove(element)
    return True


def all_three(element: Any, sentence: str, chance: random.Random) -> bool:
    """Change a word, move the element and add boilerplate, as far as the page allows."""
    edits = (change_word, move, add_boilerplate)
    done = [edit(element, sentence, chance) for edit in edits]
    return all(done)


EDITS: dict[str, Edit] = {
    "word": change_word,
    "moved": move,
    "boilerplate": add_boilerplate,
    "all": all_three,
    "gone": remove,
}


def parsed(page: str) -> Any:
    """The tree of a page."""
    return etree.fromstring(
        page.encode("utf-8", "replace"), html.HTMLParser(encoding="utf-8", huge_tree=True)
    )


def edited(page: str, citation: Citation, edit: Edit, chance: random.Random) -> str | None:
    """The page after an edit, its element marked; None where the edit does not apply."""
    tree = parsed(page).getroottree()
    elements = tree.xpath(citation.blocks[0].xpath)
    if len(elements) != 1:
        return None
    elements[0].set(MARK, "1")
    if not edit(elements[0], citation.text, chance):
        return None
    return str(etree.tostring(tree, method="html", encoding="unicode"))


def is_right(document: Document, page: str, sentence: str) -> bool | None:
    """Whether the sentence is found in the marked element; None where it is not found."""
    citation = find(document, sentence)
    if citation is None:
        return None
    if not citation.blocks[0].xpath:
        return False
    for element in parsed(page).getroottree().xpath(citation.blocks[0].xpath):
        return any(each.get(MARK) for each in (element, *element.iterancestors()))
    return False


def on_page(page: Page, tagger: Tagger, count: int, chance: random.Random) -> Counter[str]:
    """The outcomes of a page's sentences: `EDIT` and `EDIT right`, `EDIT wrong`, `EDIT lost`."""
    counts = Counter[str]()
    document = run(page, tagger)
    each = [sentence for sentence in sentences(document) if len(sentence.text.split()) >= MIN_WORDS]
    texts = Counter(sentence.text for sentence in each)
    each = [sentence for sentence in each if texts[sentence.text] == 1 and sentence.blocks[0].xpath]
    for citation in chance.sample(each, min(count, len(each))):
        again = find(document, citation.text)
        counts["as it is"] += 1
        counts["as it is right"] += again is not None and again.blocks == citation.blocks
        for name, edit in EDITS.items():
            changed = edited(page.html, citation, edit, chance)
            if changed is None:
                continue
            right = is_right(run(Page(changed, page.url), tagger), changed, citation.text)
            counts[name] += 1
            counts[f"{name} {'lost' if right is None else 'right' if right else 'wrong'}"] += 1
    return counts


def main() -> None:
    parser = data_parser(__doc__)
    parser.add_argument("--sets", nargs="*", default=SETS)
    parser.add_argument("--pages", type=int, default=50, help="pages of each set")
    parser.add_argument("--sentences", type=int, default=5, help="sentences of each page")
    args = parser.parse_args()
    tagger, results = open_model("default"), {}
    for name in args.sets:
        counts, chance, began = Counter[str](), random.Random(0), time.perf_counter()  # noqa: S311
        for gold in drawn(corpus(name, args.data), args.pages):
            counts += on_page(gold.page, tagger, args.sentences, chance)
        results[name] = dict(counts)
        shares = {
            edit: [counts[edit]]
            + [
                round(counts[f"{edit} {end}"] / max(1, counts[edit]), 4)
                for end in ("right", "lost")
            ]
            for edit in ("as it is", *EDITS)
        }
        print(f"{name}, {time.perf_counter() - began:.0f} s:", shares, flush=True)
    facts = {"pages": args.pages, "sentences": args.sentences, "results": results}
    record("documents/citations", facts | environment())


if __name__ == "__main__":
    main()
