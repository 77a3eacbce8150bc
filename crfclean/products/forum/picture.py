"""What `serve` shows of a forum page, as JSON."""

from __future__ import annotations

from typing import Any

from crfclean.products.forum.tagger import ForumTagger
from crfclean.products.forum.thread_writers import thread_to_dict
from crfclean.types import Document, Page


def thread(reads: ForumTagger, page: Page, document: Document, _shown: int) -> dict[str, Any]:
    """Describe the posts of a page, each with its element and its blocks.

    `replyTo` is the index of the post that a post answers, None if the page names none.
    """
    found, table = reads.thread(page, document.blocks), document.blocks.table
    described = thread_to_dict(found)
    del described["pages"], described["joinedTo"]
    for post, fields in zip(found.posts, described["posts"], strict=True):
        del fields["page"], fields["number"]  # always 1; the index + 1
        fields["replyTo"] = post.reply.place if post.reply and post.reply.place >= 0 else None
        fields["xpath"] = document.blocks.xpath(post.node)
        fields["blocks"] = list(range(table.first_block[post.node], table.end_block[post.node]))
    return described
