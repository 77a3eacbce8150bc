"""Arguments of `metadata` -> what each page says of itself, messages, the exit code."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from typing import Any

import click

from crfclean.cleaning import BatchParams
from crfclean.cli_clean import run_jobs
from crfclean.files import plan
from crfclean.metadata.output import as_dict, front_matter
from crfclean.metadata.read import read
from crfclean.options import open_tagger, tagger_options
from crfclean.types import CrfcleanError, Document


def to_json(document: Document) -> str:
    """One indented JSON object, with the page's address."""
    return json.dumps(_told(document), ensure_ascii=False, indent=1) + "\n"


def to_jsonl(document: Document) -> str:
    """One JSON object on one line."""
    return json.dumps(_told(document), ensure_ascii=False) + "\n"


def to_yaml(document: Document) -> str:
    """The header that Markdown gets with `--front-matter`."""
    return front_matter(read(document))


def _told(document: Document) -> dict[str, Any]:
    return {"url": document.url, **as_dict(read(document))}


METADATA_WRITERS: Mapping[str, Callable[[Document], str]] = {
    "json": to_json,
    "jsonl": to_jsonl,
    "yaml": to_yaml,
}


@click.command("metadata")
@click.argument("source", metavar="IN")
@click.argument("target", metavar="OUT")
@click.option(
    "--format",
    "ending",
    type=click.Choice(list(METADATA_WRITERS)),
    default="json",
    show_default=True,
    help="format of what is told, and its ending",
)
@tagger_options
@click.option("--workers", type=click.IntRange(1), default=1, show_default=True, help="processes")
@click.option("--failures", type=click.Path(dir_okay=False), help="list the pages that failed here")
def metadata_command(
    source: str, target: str, ending: str, workers: int, failures: str | None, **given: Any
) -> int:
    """Tell title, authors, dates and the like of the pages of IN, in OUT (paths as in clean).

    Each value comes with where it was found, its XPath, and how sure it is that it is right.
    """
    jobs = plan(source, target, ending)
    if any(job.shard for job in jobs):
        raise CrfcleanError("metadata takes pages, no WARC or JSONL files; clean writes both")
    params = BatchParams(open_tagger(**given), ending, writer=METADATA_WRITERS[ending])
    return run_jobs(jobs, params, workers, failures)
