"""The command `mcp`: a server by which language models read pages."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from crfclean.cli.help import GroupedCommand
from crfclean.cli.options import model_option, options_of
from crfclean.cli.paths import Reads
from crfclean.io import needing_extra
from crfclean.products.corpus.params import TaskLimits
from crfclean.types import CrfcleanError


@click.command(
    "mcp",
    cls=GroupedCommand,
    examples={
        "crfclean mcp": "Pages that the client gives as HTML",
        "crfclean mcp --pages saved": "Also files of a directory",
        "crfclean mcp --allow-fetch": "Also pages from public URLs",
    },
)
@model_option
@click.option(
    "--pages",
    type=Reads(path_type=Path, file_okay=False),
    metavar="DIR",
    help="directory of files that the client may read by name",
)
@click.option("--allow-fetch", is_flag=True, help="also fetch pages from public URLs")
@options_of(TaskLimits)
def mcp_command(model: str, pages: Path | None, *, allow_fetch: bool, **limits: Any) -> None:
    """Let language models read pages: a Model Context Protocol server.

    A client starts the server and talks to it over standard input and output. The tools are clean,
    outline, block (at an XPath), why (a block is kept or dropped), score, has_content (or needs
    scripts, or a login) and find_quote. The server reads no files and fetches no pages unless an
    option allows it. It answers one question at a time, within limits of time and memory.
    """
    with needing_extra("mcp", "the server needs its extra"):
        from crfclean.products.tools.mcp import serve_tools
        from crfclean.products.tools.page_tools import ToolParams
    if pages is not None and not pages.is_dir():
        raise CrfcleanError(f"{pages}: is not a directory")
    if allow_fetch:
        with needing_extra("fetch", "URLs need their extra"):
            import crfclean.products.corpus.fetch  # noqa: F401
    serve_tools(ToolParams(model, pages, allow_fetch), TaskLimits(**limits))
