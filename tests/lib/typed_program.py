"""What a user writes with type checkers on; a line that ends with `wrong` must be refused."""

from __future__ import annotations

from pathlib import Path

import crfclean
from crfclean.citations import Citation, cite, find, sentences
from crfclean.metadata import Metadata, PageType, Value, read
from crfclean.products.forum import Post, posts
from crfclean.types import Blocks, CommentMode, Convention, Format, Kind, Tags

FORMATS: list[Format] = ["txt", "markdown"]


def told(html: str, convention: Convention, comments: CommentMode | None) -> list[str]:
    """Clean a page, and return its texts and some of what is known of it."""
    document = crfclean.clean(html, as_=convention, keep=None, comments=comments)
    metadata: Metadata = document.metadata
    title: Value | None = metadata.title
    page_type: PageType | None = read(document).page_type
    blocks: Blocks = document.blocks
    tags: Tags = document.tags
    kinds: list[Kind] = list(document.kinds)
    first: Citation = next(iter(sentences(document)))
    same: Citation | None = find(document, first.text) or cite(document, 0, 10)
    texts = [crfclean.write(document, each, links=False) for each in FORMATS]
    texts += [document.markdown(images=False), str(document.to_dict(evidence=True)["text"])]
    texts += [title.text if title else "", page_type.name if page_type else "", str(same)]
    answers: list[Post] = [post for thread in posts([html]) for post in thread.posts]
    return [*texts, *map(str, kinds), str(len(blocks) + len(tags)), *map(str, answers)]


text: str = crfclean.extract(Path("page.html"), format="md", as_="article", precision=0.9)
many: list[str] = [document.text for document in crfclean.run_many([text], workers=2)]
many += crfclean.run_many([text], format="md", as_="article", links=False)
titles: list[str] = [row["title"] for row in crfclean.run_many([text], format="row")]
crfclean.run_many([text], format="txt", as_="artikel")  # wrong
many += crfclean.run_many([text])  # wrong
crfclean.write(crfclean.clean(text), "markdwon")  # wrong
crfclean.write(crfclean.clean(text), "md", liks=False)  # wrong
crfclean.clean(text).markdown(liks=False)  # wrong
crfclean.extract(text, as_="artikel")  # wrong
crfclean.clean(text, comments="hide")  # wrong
title = crfclean.clean(text).metadata.titel  # wrong
