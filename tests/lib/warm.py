"""The server of worker processes imports this first: what a page needs is open in all of them."""

from __future__ import annotations

from pathlib import Path

from doubles import KeepLong

from crfclean.cleaning import BatchParams, clean_record
from crfclean.files import Job
from crfclean.forum.tagger import ForumTagger
from crfclean.records import Record
from crfclean.taggers.crf import CrfTagger

TAGGERS = (CrfTagger, ForumTagger)
"""Their modules come with them."""

clean_record(
    Job(Path("shard"), Path("shard.jsonl"), shard="jsonl"),
    Record("page", "<p>The ferry sails again.</p>", "https://example.org/"),
    BatchParams(KeepLong()),
)
