"""A command: print the titles of pages."""

from pathlib import Path

import click

import crfclean


@click.command("titles")
@click.argument("pages", nargs=-1, type=click.Path(path_type=Path))
def titles_command(pages: tuple[Path, ...]) -> None:
    """Print the title of each page."""
    for page in pages:
        click.echo(f"{page.name}\t{crfclean.clean(page).title}")
