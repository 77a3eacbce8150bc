"""Imports that the fork server makes first, so that worker processes start with them."""

from __future__ import annotations

from pathlib import Path

from doubles import KeepLong

from crfclean.products.corpus.clean import BatchParams
from crfclean.products.corpus.job import Job
from crfclean.products.corpus.jobs import PageInput, process_pages
from crfclean.products.corpus.records import Record
from crfclean.products.forum.tagger import ForumOperation, ForumTagger
from crfclean.systems.crf import CrfTagger

IMPORTED = (CrfTagger, ForumTagger, ForumOperation)
"""Named only to import their modules."""

JOB = Job(Path("shard"), Path("shard.jsonl"), shard="jsonl")
RECORD = Record("page", "<p>The ferry sails again.</p>", "https://example.org/")

process_pages((PageInput(JOB, RECORD),), BatchParams(KeepLong()))
