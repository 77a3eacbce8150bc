"""Pages of tags and words in any order, and the tree of a page."""

from __future__ import annotations

import random
from collections.abc import Iterator

from crfclean.page.blocks import split
from crfclean.products.papers.text_tree import TextTree, text_tree
from crfclean.types import Page

PIECES = (
    "<div> </div> <p> <ul> <li> </ul> <b> </b> <a|href=x> </a> <br> <table> <td> </table> "
    "<x-a> </x-a> <b|style=display:block> <div|style=display:inline> "
    "<script>x</script> word, two&nbsp;words &amp; </body> <span|hidden>no</span>"
).split(" ")


def soups(more: str = "", count: int = 100) -> Iterator[str]:
    """Pages of such pieces and of more, the same in each run."""
    chance, pieces = random.Random(count), PIECES + more.split()
    for _ in range(count):
        between = chance.choice(["", " "])
        yield between.join(chance.choices(pieces, k=chance.randrange(41))).replace("|", " ")


def tree_of(html: str) -> TextTree:
    return text_tree(split(Page(html)))
