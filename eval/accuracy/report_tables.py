"""Print a recorded experiment as Markdown tables.

Run `python -m eval.accuracy.report_tables accuracy/experiment_default`.
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Mapping, Sequence
from typing import Any

from eval.lib.record import RESULTS

PEERS = ("trafilatura", "resiliparse", "jusText", "readability-lxml")
OURS = ("as shipped", "crfclean")  # by default; by the convention of the set


def cell(value: Sequence[float]) -> str:
    """Mean and interval."""
    mean, low, high = value
    return f"{mean:.3f} [{low:.3f}, {high:.3f}]"


def rows(results: Mapping[str, Any], key: str, systems: Sequence[str]) -> list[str]:
    """A line for every group of every set; groups of fewer than 5 pages are left out."""
    lines = []
    for name, result in results.items():
        for group, figures in result["groups"].items():
            if figures["pages"] >= 5:
                label = name if group == "all" else f"{name}, {group}"
                cells = [cell(figures[key][system]) for system in systems if system in figures[key]]
                lines.append(" | ".join([f"| {label}", str(figures["pages"]), *cells]) + " |")
    return lines


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("name", help="WING/NAME of a file in results")
    args = parser.parse_args()
    results = json.loads((RESULTS / f"{args.name}.json").read_text("utf-8"))["results"]
    for key, systems in (
        ("f1", (*OURS, *PEERS)),
        ("shipped_lead", PEERS),
        ("lead", PEERS),
        ("distance", ("crfclean", *PEERS)),
    ):
        print("| pages | | " + " | ".join(systems) + " |")
        print("|" + "---|" * (len(systems) + 2))
        print("\n".join(rows(results, key, systems)), end="\n\n")


if __name__ == "__main__":
    main()
