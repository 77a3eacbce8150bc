"""Compare the bytes of a directory of WARC files cleaned on two local Ray nodes and without Ray.

Run `python -m eval.cost.ray_nodes --data DIR` (extras `ray` and `warc`).

The nodes are two raylets of one cluster on this machine, each with a logical CPU; the command line
joins them by RAY_ADDRESS, as on machines of their own. The pages are those of `eval.cost.crawl`.
A first run of one page says what the start costs. In a last one, a worker is killed (SIGKILL).
"""

from __future__ import annotations

import hashlib
import json
import os
import random
import signal
import subprocess
import sys
import tempfile
import time
from functools import partial
from pathlib import Path
from typing import Any

from eval.cost.crawl import family, write_warc
from eval.lib.corpora import corpus, data_parser
from eval.lib.record import environment, record

STORE_BYTES = 128 * 2**20
SETS = ("wcxb-dev", "daniel-dev")


def digests(folder: Path) -> dict[str, str]:
    """The digest of each part."""
    shards = sorted(folder.glob("*.jsonl.gz"))
    return {path.name: hashlib.sha256(path.read_bytes()).hexdigest() for path in shards}


def cleaned(
    source: Path, target: Path, *flags: str, address: str = "", kill: float = 0.0
) -> dict[str, Any]:
    """A run of the command line over a directory, and its seconds.

    After `kill` seconds one of Ray's workers is killed.
    """
    began, killed = time.monotonic(), []
    command = [sys.executable, "-m", "crfclean", "clean", str(source), str(target), *flags]
    place = {"RAY_ADDRESS": address} if address else {}
    with subprocess.Popen(  # noqa: S603
        command, env=os.environ | place, stderr=subprocess.PIPE, text=True
    ) as run:
        if kill:
            time.sleep(kill)
            killed = workers_of(os.getpid())[:1]
            for process in killed:
                os.kill(process, signal.SIGKILL)
        said = run.communicate()[1].strip().splitlines()
    print(*said[-3:], sep="\n", flush=True)
    seconds = round(time.monotonic() - began, 1)
    return {"code": run.returncode, "seconds": seconds, "killed_workers": len(killed)}


def workers_of(process: int) -> list[int]:
    """Ray's workers below a process that clean a part."""
    named = ((child, Path(f"/proc/{child}/cmdline").read_bytes()) for child in family(process))
    return [child for child, line in named if line.startswith(b"ray::_clean")]


def on_nodes(folder: Path, nodes: int, kill: float) -> dict[str, Any]:
    """Runs on a cluster of so many nodes: of one page, of all, and of all with a kill."""
    from ray.cluster_utils import Cluster

    cluster = Cluster(initialize_head=False)
    try:
        for _ in range(nodes):
            cluster.add_node(num_cpus=1, object_store_memory=STORE_BYTES, include_dashboard=False)
        cluster.wait_for_nodes()
        on_ray = partial(cleaned, address=cluster.address)
        return {
            "start": on_ray(folder / "page", folder / "first", "--engine", "ray"),
            "ray": on_ray(folder / "crawl", folder / "ray", "--engine", "ray"),
            "killed": on_ray(folder / "crawl", folder / "killed", "--engine", "ray", kill=kill),
        }
    finally:
        cluster.shutdown()


def main() -> None:
    parser = data_parser(__doc__)
    parser.add_argument("--shards", type=int, default=4)
    parser.add_argument("--pages", type=int, default=500, help="pages of a shard")
    parser.add_argument("--nodes", type=int, default=2)
    parser.add_argument(
        "--kill", type=float, default=30.0, help="seconds before a worker is killed"
    )
    args = parser.parse_args()
    pages = [gold.page.html for name in SETS for gold in corpus(name, args.data)]
    random.Random(0).shuffle(pages)  # noqa: S311
    with tempfile.TemporaryDirectory() as scratch:
        folder = Path(scratch)
        (folder / "crawl").mkdir()
        (folder / "page").mkdir()
        write_warc(folder / "page" / "0.warc.gz", pages, 1)
        for number in range(args.shards):
            part = pages[number * args.pages % len(pages) :] + pages
            write_warc(folder / "crawl" / f"{number}.warc.gz", part[: args.pages], args.pages)
        runs = on_nodes(folder, args.nodes, args.kill)
        runs["processes"] = cleaned(folder / "crawl", folder / "processes", "--workers", "2")
        shards = digests(folder / "processes")
        others = [digests(folder / name) for name in ("ray", "killed")]
        equal = bool(shards) and others == [shards, shards]
    pages_of_all = args.shards * args.pages
    about = {"sets": SETS, "shards": args.shards, "pages": pages_of_all, "nodes": args.nodes}
    result = {**about, "runs": runs, "finished_parts": len(shards), "bytes_equal": equal}
    print(json.dumps(result))
    record("cost/ray_nodes", {**result, **environment()})


if __name__ == "__main__":
    main()
