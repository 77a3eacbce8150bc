"""Score the demo pages and keep the sums.

Run `python -m eval.accuracy.demo --tagger expert --system trafilatura`.

It is `crfclean eval data/demo --json` without the rows of single pages, for which anyone can run
that command.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
from collections.abc import Mapping, Sequence
from typing import Any

from eval.lib.corpora import ROOT
from eval.lib.record import environment, record


def evaluated(options: Sequence[str]) -> dict[str, Any]:
    """What `crfclean eval --json` says of the demo pages."""
    command = [sys.executable, "-m", "crfclean", "eval", "data/demo", "--json", *options]
    done = subprocess.run(command, capture_output=True, text=True, check=True, cwd=ROOT)  # noqa: S603
    result: dict[str, Any] = json.loads(done.stdout)
    return result


def without_pages(result: Mapping[str, Any]) -> dict[str, Any]:
    """A result without the rows of single pages, ours and the other systems'."""
    summary = {key: value for key, value in result.items() if key != "pages"}
    return summary | {"others": [without_pages(other) for other in result.get("others", ())]}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--tagger", default="", help="instead of the shipped model")
    parser.add_argument("--system", action="append", default=[], help="a peer; several times")
    args = parser.parse_args()
    options = ["--tagger", args.tagger] if args.tagger else []
    options += [text for system in args.system for text in ("--system", system)]
    result = without_pages(evaluated(options))
    for row in result["table"]:
        print(f"{row['source']:24} {row['pages']:3} pages  F1 {row['f1']:.3f}")
    record(f"accuracy/demo_{args.tagger or 'model'}", {**result, **environment()})


if __name__ == "__main__":
    main()
