"""The command `serve`: models -> a web page that cleans pages, and a JSON API."""

from __future__ import annotations

from dataclasses import fields
from typing import Any

import click

from crfclean.cli.options import extra, options_of
from crfclean.serve.params import ServeParams, WorkParams
from crfclean.taggers.load import NAMED, SHIPPED
from crfclean.types import ModelError

_OWN = ("models", "token", "work", "fetching")


@click.command("serve")
@click.option(
    "--model",
    "models",
    multiple=True,
    help=f"model to choose from, or one of {', '.join(NAMED)}; can be repeated",
)
@click.option("--allow-fetch", is_flag=True, help="fetch pages by their URLs, too")
@options_of(ServeParams, without=_OWN)
@options_of(WorkParams)
@click.option(
    "--token",
    envvar="CRFCLEAN_TOKEN",
    default="",
    help="secret of the page and the API, better given as CRFCLEAN_TOKEN; else a new one",
)
def serve_command(models: tuple[str, ...], *, allow_fetch: bool, token: str, **given: Any) -> None:
    """Show in the browser how pages are cleaned, and answer programs in JSON.

    Opens at the address that is printed. Paste HTML, choose a file or, with --allow-fetch, give a
    URL: every block with its label, its score and the reasons, by one tagger or two side by side.
    POST /extract does the same for programs; GET /openapi.json describes it.
    """
    web = extra("serve.app", "web")
    cost = {one.name: given.pop(one.name) for one in fields(WorkParams)}
    work = WorkParams(**cost)
    fetching = None
    if allow_fetch:
        fetching = extra("fetch.fetch", "fetch").FetchParams(max_seconds=work.max_seconds * 2 / 3)
    params = ServeParams(
        models=models or shipped(), token=token, work=work, fetching=fetching, **given
    )
    if params.host not in ("127.0.0.1", "localhost", "::1"):
        click.echo("Others can reach this server; it speaks plain HTTP.", err=True)
    web.serve(params)


def shipped() -> tuple[str, ...]:
    """The names of the models in the box."""
    return tuple(name for name in SHIPPED.values() if _is_there(name))


def _is_there(name: str) -> bool:
    from crfclean.modelfiles.folder import find_model

    try:
        find_model(name)
    except ModelError:
        return False
    return True
