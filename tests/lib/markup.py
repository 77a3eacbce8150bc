"""A hypothesis strategy for arbitrary markup, and the tree of a page."""

from __future__ import annotations

from hypothesis import strategies as st

from crfclean.page.blocks import split
from crfclean.systems.coherent import TextTree, text_tree
from crfclean.types import Page

MARKUP = st.lists(
    st.sampled_from(
        "<div> </div> <p> <ul> <li> </ul> <b> </b> <a href=x> </a> <br> <table> <td> </table> "
        "<x-a> </x-a> <b/style=display:block> <div/style=display:inline> "
        "<script>x</script> word, two&nbsp;words &amp; </body> <span hidden>no</span>".split(" ")
    ),
    max_size=40,
).map(" ".join)
"""Pages made of tags and words in any order."""


def tree_of(html: str) -> TextTree:
    return text_tree(split(Page(html)))
