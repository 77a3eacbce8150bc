"""The command `serve`: a web page that cleans pages, and a JSON API."""

from __future__ import annotations

from dataclasses import fields
from typing import Any

import click

from crfclean.cli.help import GroupedCommand
from crfclean.cli.messages import LOG
from crfclean.cli.options import options_of
from crfclean.cli.paths import Reads
from crfclean.io import needing_extra
from crfclean.products.web.inspection import ServeParams, WorkParams
from crfclean.systems.load import NAMED

_SPECIAL = ("models", "token", "work", "fetching")
"""Parameters whose options are not made from their fields."""


@click.command(
    "serve",
    cls=GroupedCommand,
    examples={
        "crfclean serve": "Start; then open the printed address in a browser",
        "crfclean serve --allow-fetch": "Also fetch pages by their URLs",
        "crfclean serve --model ./my-model --model default": "Compare two models",
    },
)
@click.option(
    "--model",
    "models",
    multiple=True,
    type=Reads(readable=False),
    metavar="MODEL",
    help="a shipped model by name, a folder such as ./my-model, or one of the taggers "
    f"{', '.join(NAMED)}, for visitors to choose; can be repeated; default: all that are installed",
)
@click.option("--allow-fetch", is_flag=True, help="also fetch pages from public URLs")
@options_of(ServeParams, without=_SPECIAL)
@options_of(WorkParams)
@click.option(
    "--token",
    envvar="CRFCLEAN_TOKEN",
    default="",
    metavar="SECRET",
    help="secret of the page and the API; better set as CRFCLEAN_TOKEN; default: a new one",
)
def serve_command(
    models: tuple[str, ...], *, allow_fetch: bool, token: str, **options: Any
) -> None:
    """Clean pages in the browser, and over a JSON API.

    Open the address that crfclean prints. Paste HTML, choose a file or, with --allow-fetch, enter a
    URL. The page shows every block with its label, score and reasons, by one tagger or by two side
    by side. Some taggers also find coherent texts, roles or posts. Programs use POST /extract,
    which GET /openapi.json describes.
    """
    with needing_extra("web", "the server needs its extra"):
        from crfclean.products.web.app import serve
        from crfclean.products.web.service import default_names
    work = WorkParams(**{field.name: options.pop(field.name) for field in fields(WorkParams)})
    fetching = None
    if allow_fetch:
        with needing_extra("fetch", "URLs need their extra"):
            from crfclean.products.corpus.fetch import FetchParams
        fetching = FetchParams(max_seconds=work.max_seconds * 2 / 3)
    params = ServeParams(
        models=models or default_names(),
        token=token,
        work=work,
        fetching=fetching,
        **options,
    )
    if params.host not in ("127.0.0.1", "localhost", "::1"):
        LOG.warning("Other machines can reach this server, over plain HTTP.")
    serve(params)
