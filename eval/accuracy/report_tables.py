"""A recorded experiment -> Markdown tables for README.md: `python eval/report_tables.py NAME`."""

from __future__ import annotations

import argparse
import json
from collections.abc import Mapping, Sequence
from typing import Any

from eval.lib.record import RESULTS

SYSTEMS = ("crfclean", "trafilatura", "resiliparse", "jusText", "readability-lxml")


def cell(value: Sequence[float]) -> str:
    """Mean and interval."""
    mean, low, high = value
    return f"{mean:.3f} [{low:.3f}, {high:.3f}]"


def rows(results: Mapping[str, Any], key: str, systems: Sequence[str]) -> list[str]:
    """A line for every group of every set; groups of fewer than 5 pages are left out."""
    lines = []
    for name, result in results.items():
        for group, found in result["groups"].items():
            if found["pages"] >= 5:
                label = name if group == "all" else f"{name}, {group}"
                cells = [cell(found[key][one]) for one in systems if one in found[key]]
                lines.append(" | ".join([f"| {label}", str(found["pages"]), *cells]) + " |")
    return lines


def main() -> None:
    args = argparse.ArgumentParser(description=__doc__)
    args.add_argument("name", help="of a file in results")
    given = args.parse_args()
    results = json.loads((RESULTS / f"{given.name}.json").read_text("utf-8"))["results"]
    for key, systems in (("f1", SYSTEMS), ("lead", SYSTEMS[1:]), ("distance", SYSTEMS)):
        print("| pages | | " + " | ".join(systems) + " |")
        print("|" + "---|" * (len(systems) + 2))
        print("\n".join(rows(results, key, systems)), end="\n\n")


if __name__ == "__main__":
    main()
