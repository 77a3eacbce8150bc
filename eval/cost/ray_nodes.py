"""Compare the bytes of a directory of WARC files cleaned on two local Ray nodes and without Ray.

Run `python -m eval.cost.ray_nodes --data DIR` (extras `ray` and `warc`).

The nodes are two raylets of one cluster on this machine, each with a logical CPU; the command line
joins them by RAY_ADDRESS, as on machines of their own. The pages are those of `eval.cost.crawl`.
"""

from __future__ import annotations

import hashlib
import json
import os
import random
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

from eval.cost.crawl import write_warc
from eval.lib.corpora import corpus, data_parser
from eval.lib.record import environment, record

STORE_BYTES = 128 * 2**20
SETS = ("wcxb-dev", "daniel-dev")


def digests(folder: Path) -> dict[str, str]:
    """The digest of each shard."""
    shards = sorted(folder.glob("*.jsonl.gz"))
    return {path.name: hashlib.sha256(path.read_bytes()).hexdigest() for path in shards}


def cleaned(source: Path, target: Path, *flags: str, address: str = "") -> dict[str, Any]:
    """A run of the command line over a directory, and its seconds."""
    began = time.monotonic()
    command = [sys.executable, "-m", "crfclean", "clean", str(source), str(target), *flags]
    place = {"RAY_ADDRESS": address} if address else {}
    run = subprocess.run(  # noqa: S603
        command, env=os.environ | place, check=False, capture_output=True, text=True
    )
    said = run.stderr.strip().splitlines()
    print(*said[-3:], sep="\n", flush=True)
    return {"code": run.returncode, "seconds": round(time.monotonic() - began, 1)}


def on_nodes(source: Path, target: Path, nodes: int) -> dict[str, Any]:
    """A run on a cluster of so many nodes."""
    from ray.cluster_utils import Cluster

    cluster = Cluster(initialize_head=False)
    try:
        for _ in range(nodes):
            cluster.add_node(num_cpus=1, object_store_memory=STORE_BYTES, include_dashboard=False)
        cluster.wait_for_nodes()
        run = cleaned(source, target, "--engine", "ray", address=cluster.address)
        return run | {"nodes": nodes}
    finally:
        cluster.shutdown()


def main() -> None:
    parser = data_parser(__doc__)
    parser.add_argument("--shards", type=int, default=4)
    parser.add_argument("--pages", type=int, default=500, help="pages of a shard")
    parser.add_argument("--nodes", type=int, default=2)
    args = parser.parse_args()
    pages = [gold.page.html for name in SETS for gold in corpus(name, args.data)]
    random.Random(0).shuffle(pages)  # noqa: S311
    with tempfile.TemporaryDirectory() as scratch:
        folder = Path(scratch)
        (folder / "crawl").mkdir()
        for number in range(args.shards):
            part = pages[number * args.pages % len(pages) :] + pages
            write_warc(folder / "crawl" / f"{number}.warc.gz", part[: args.pages], args.pages)
        runs = {
            "ray": on_nodes(folder / "crawl", folder / "ray", args.nodes),
            "processes": cleaned(folder / "crawl", folder / "processes", "--workers", "2"),
        }
        shards = digests(folder / "ray")
        equal = bool(shards) and shards == digests(folder / "processes")
    about = {"sets": SETS, "shards": args.shards, "pages": args.shards * args.pages}
    result = {**about, "runs": runs, "finished_shards": len(shards), "bytes_equal": equal}
    print(json.dumps(result))
    record("cost/ray_nodes", {**result, **environment()})


if __name__ == "__main__":
    main()
