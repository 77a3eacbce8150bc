"""Write what every command makes of the same pages, to compare two states of the code.

Run `python -m eval.lib.outputs PAGES OUT [--rows FILE] [--forum DIR ...]` with each state (an older
one by `PYTHONPATH=ITS_CHECKOUT` and this file's path), then `diff -r` the two directories; rows
differ in the field `model` where the fingerprints of models have changed.
"""

from __future__ import annotations

import argparse
import hashlib
import os
import subprocess
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path

FORMATS = ("txt", "md", "html", "tei", "json")
TAGGERS = ("mlp", "energy", "links", "expert", "forum", "auto")
METHODS = ("energy", "links")


def commands(
    pages: Path, rows: Path | None, forums: Sequence[Path]
) -> Iterator[tuple[str, list[str]]]:
    """Name of an output -> the command with its input and options, OUT left out."""
    yield from ((f"clean-{name}", ["clean", str(pages), "--format", name]) for name in FORMATS)
    yield "clean.jsonl", ["clean", str(pages)]
    yield from ((f"tagger-{name}", ["clean", str(pages), "--tagger", name]) for name in TAGGERS)
    yield from ((f"segment-{name}", ["segment", str(pages), "--method", name]) for name in METHODS)
    yield "metadata", ["metadata", str(pages)]
    if rows is not None:
        yield "rows.jsonl", ["clean", str(rows)]
    for forum in forums:
        yield f"forum-{forum.name}", ["forum", str(forum)]


def run(name: str, command: list[str], out: Path, workers: int) -> str:
    """Run one command; the last line of what it says."""
    verb, source, *options = command
    arguments = [verb, source, str(out / name), *options, "--workers", str(workers)]
    environment = os.environ | {"OPENBLAS_NUM_THREADS": "1"}
    done = subprocess.run(  # noqa: S603
        [sys.executable, "-m", "crfclean", *arguments],
        capture_output=True,
        text=True,
        check=False,
        env=environment,
    )
    return (done.stderr.splitlines() or [f"exit code {done.returncode}"])[-1]


def digest(folder: Path) -> str:
    """SHA-256 over the names and bytes of all files below a directory."""
    whole = hashlib.sha256()
    for path in sorted(path for path in folder.rglob("*") if path.is_file()):
        whole.update(str(path.relative_to(folder)).encode() + b"\0" + path.read_bytes())
    return whole.hexdigest()


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0] if __doc__ else None)
    parser.add_argument("pages", type=Path)
    parser.add_argument("out", type=Path)
    parser.add_argument("--rows", type=Path, help="a JSONL file of pages")
    parser.add_argument("--forum", type=Path, action="append", default=[], help="pages of a forum")
    parser.add_argument("--workers", type=int, default=2)
    args = parser.parse_args()
    args.out.mkdir(parents=True, exist_ok=True)
    for name, command in commands(args.pages, args.rows, args.forum):
        print(f"{name}: {run(name, command, args.out, args.workers)}", flush=True)
    print(digest(args.out))


if __name__ == "__main__":
    main()
