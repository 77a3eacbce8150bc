#!/usr/bin/env python3
"""
Extract the pages of a split with crfclean (pip install crfclean)

Usage:
    python run_crfclean.py dev     # writes crfclean-dev.json
    python evaluate.py --split dev --results crfclean-dev.json --per-type
"""

import gzip
import json
import sys
from pathlib import Path

import crfclean


def main():
    split = sys.argv[1]
    results = {}
    for path in sorted(Path(split, "html").glob("*.html.gz")):
        file_id = path.name.removesuffix(".html.gz")
        results[file_id] = crfclean.extract(gzip.decompress(path.read_bytes()).decode("utf-8"))

    with open(f"crfclean-{split}.json", "w", encoding="utf-8") as f:
        json.dump(results, f, ensure_ascii=False)


if __name__ == "__main__":
    main()
