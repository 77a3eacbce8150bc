"""Measure what one page costs at the command line, beside trafilatura.

Run `python -m eval.cost.start --sizes 20 76 200 --data DIR` (Linux) in an environment
where both are installed from wheels: an editable install takes longer to import. Without sizes the
page is a bundled one.

The commands and an empty Python take turns, so that a machine that slows down slows all of them:
ratios count. Time is that of user and system.
"""

from __future__ import annotations

import json
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from statistics import median

from eval.lib.corpora import DEMO, corpus, data_parser
from eval.lib.record import environment, record
from eval.lib.timing import children_seconds

FOLDER = Path(sys.executable).parent


def page_ms(command: Sequence[str], page: Path) -> float:
    """CPU milliseconds of a command that reads a page from standard input."""
    before = children_seconds()
    with page.open("rb") as source:
        subprocess.run(command, stdin=source, check=True, capture_output=True)  # noqa: S603
    return (children_seconds() - before) * 1e3


def start_costs(page: Path, peer: str, times: int) -> dict[str, float]:
    """CPU milliseconds of a page, by system, and crfclean's as a share of trafilatura's."""
    commands = {
        "crfclean": [str(FOLDER / "crfclean"), "clean", str(page)],
        "trafilatura": [peer],
        "python": [sys.executable, "-c", ""],
    }
    spent: dict[str, list[float]] = {name: [] for name in commands}
    for _ in range(times + 1):  # the first fills the caches of files
        for name, command in commands.items():
            spent[name].append(page_ms(command, page))
    return {"kB": round(page.stat().st_size / 1e3), **summary(spent)}


def summary(spent: Mapping[str, Sequence[float]]) -> dict[str, float]:
    """Least and median times of each system but for the first, and crfclean's share."""
    runs = {name: values[1:] for name, values in spent.items()}
    pairs = zip(runs["crfclean"], runs["trafilatura"], strict=True)
    least = {f"{name}, least": round(min(values), 1) for name, values in runs.items()}
    middle = {f"{name}, median": round(median(values), 1) for name, values in runs.items()}
    shares = {
        "share, least": round(min(runs["crfclean"]) / min(runs["trafilatura"]), 3),
        "share, median of pairs": round(median(own / other for own, other in pairs), 3),
    }
    return least | middle | shares


def sized_pages(set_name: str, data: str, sizes: Sequence[int], folder: Path) -> Iterator[Path]:
    """Files of the pages of a set that are nearest to some sizes in kB."""
    if not sizes:
        return
    pages = [gold.page.html.encode("utf-8", "replace") for gold in corpus(set_name, data)]
    for size in sizes:
        path = folder / f"{size}.html"
        path.write_bytes(min(pages, key=lambda html: abs(len(html) - size * 1_000)))
        yield path


def main() -> None:
    parser = data_parser(__doc__)
    parser.add_argument("--set", default="wcxb-dev")
    parser.add_argument("--sizes", type=int, nargs="*", default=[], help="kB of pages of the set")
    parser.add_argument("--times", type=int, default=21)
    parser.add_argument("--peer", default=str(FOLDER / "trafilatura"), help="its command")
    parser.add_argument("--name", default="start", help="of the result")
    args = parser.parse_args()
    costs: dict[str, dict[str, float]] = {}
    with tempfile.TemporaryDirectory() as folder:
        files = [min(DEMO.rglob("*.html"))]
        files += sized_pages(args.set, args.data, args.sizes, Path(folder))
        for path in files:
            costs[path.stem] = start_costs(path, args.peer, args.times)
            print(json.dumps({path.stem: costs[path.stem]}), flush=True)
    record(f"cost/{args.name}", {"ms": costs, "times": args.times, **environment()})


if __name__ == "__main__":
    main()
