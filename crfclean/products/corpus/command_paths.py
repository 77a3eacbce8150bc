"""Turn the paths of a command line into jobs, and refuse what they would overwrite."""

from __future__ import annotations

import os
from collections.abc import (
    Collection,
    Container,
    Mapping,
)
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from crfclean.cli.options import (
    read_bytes,
)
from crfclean.cli.paths import files_of
from crfclean.products.corpus.params import OUTPUT_ENDINGS, Fields
from crfclean.products.corpus.rows import shard_ending
from crfclean.types import CrfcleanError

if TYPE_CHECKING:
    from crfclean.products.corpus.plan import JobPlan, Paths


OUT = "OUT"


def _paths(options: Mapping[str, Any]) -> Paths:
    """Return the INs and the OUT of the command line; the last of several paths is OUT.

    Raises `CrfcleanError` for a directory without an OUT, and for a list that cannot be read.
    """
    from crfclean.products.corpus.plan import Paths

    paths, list_file, out = options["paths"], options["input_list"], options["output"]
    if out is not None and (paths or list_file):
        paths = (*paths, out)
    if list_file is not None:
        *sources, target = paths or ("-",)
        return Paths((*sources, *read_list(list_file)), target, listed=True)
    if not paths:
        raise click.UsageError("Missing argument 'IN'.")
    if len(paths) > 1:
        return Paths(paths[:-1], paths[-1])
    if Path(paths[0]).is_dir():
        raise CrfcleanError(
            f"{paths[0]}: is a directory of pages, so name an output directory after it, or - to "
            "print the texts"
        )
    return Paths(paths, "-")


def plan_paths(
    options: Mapping[str, Any], ending: str | None, formats: Collection[str], default: str = ""
) -> tuple[JobPlan, str | None, Fields]:
    """Return the jobs of the paths, the format, and the fields of the input.

    The format is `ending`, or follows from the name of OUT. `default` is the format of a command
    that writes no tables. Raises `CrfcleanError` for paths or formats that do not fit.
    """
    from crfclean.cli.paths import INPUT, PathUse, refuse_overwriting
    from crfclean.products.corpus.listing import inputs_of
    from crfclean.products.corpus.output_names import (
        added_format,
        check_no_page,
        check_suffix,
        format_of,
    )
    from crfclean.products.corpus.outputs import parts_folder
    from crfclean.products.corpus.plan import job_inputs, job_outputs, plan

    paths, names = _paths(options), options["fields"]
    read, written = files_of(click.get_current_context())
    written.append(PathUse(paths.target, OUT))
    if shard_ending(Path(paths.target)):
        written.append(PathUse(str(parts_folder(Path(paths.target))), OUT))
    named = [PathUse(source, INPUT, inputs_of(names)) for source in paths.sources]
    refuse_overwriting([*read, *named], written)
    check_no_page(paths.target, names)
    ending = format_of(paths.target, ending, formats)
    if ending is None and not default:
        ending = added_format(paths.target)
    written_as = formats if default else dict.fromkeys((*formats, *OUTPUT_ENDINGS))
    check_suffix(paths.target, ending, written_as)
    planned = plan(paths, ending, names, default, files=options.get("files", False))
    read += job_inputs(planned.jobs)  # directories were compared above
    files = [use for use in read if not os.path.isdir(use.path)]  # noqa: PTH112 - any name
    refuse_overwriting(files, [*written, *job_outputs(planned.jobs, OUT)])
    return planned, ending, names


def read_list(name: str) -> list[str]:
    """Read a list of paths and URLs, one per line; raises `CrfcleanError` if it is empty."""
    data = read_bytes(name).removeprefix(b"\xef\xbb\xbf")
    lines = data.decode("utf-8", "surrogateescape").split("\n")
    sources = [line.rstrip("\r") for line in lines if line.strip()]
    if not sources:
        raise CrfcleanError(f"{name}: names no pages; write one path or URL per line")
    return sources


def text_format(ending: str | None, formats: Container[str], default: str) -> str:
    """Return the ending if it is a format of texts, else (for a table or None) the default."""
    return ending if ending is not None and ending in formats else default
