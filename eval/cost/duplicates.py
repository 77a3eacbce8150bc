"""Measure how many near duplicates are recognised, and what it costs a page and a page remembered.

Run `python -m eval.cost.duplicates --count 250`. The texts are the golds of a set; of each, copies
are made that a script has altered: another line on top, words replaced one by one or in a run, the
end cut off. The truth is the Jaccard index of all shingles; a pair counts as a duplicate from 0.8
on. Memory is that of an index of random signatures.
"""

from __future__ import annotations

import random
import time
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from crfclean.corpus.duplicates import SIMILARITY, PageIndex
from crfclean.corpus.minhash import HASHES, WORDS
from crfclean.corpus.signatures import BANDS, EXACT, KEY_BYTES, NEAR, signature, words_of
from eval.lib.corpora import corpus, data_parser, drawn
from eval.lib.record import environment, record

BINS = (0.5, 0.6, 0.7, 0.75, 0.8, 0.85, 0.9, 0.95, 1.0)
"""Lower limits of the classes of Jaccard indices in the table; 1.0: the same shingles."""

Alteration = Callable[[list[str], random.Random], list[str]]


def with_line(words: list[str], generator: random.Random) -> list[str]:
    """A line of a date and a name on top."""
    return [*f"updated {generator.randrange(1, 29)} may by ann lee".split(), *words]


def replaced(share: float) -> Alteration:
    """Words replaced one by one, at random."""

    def alter(words: list[str], generator: random.Random) -> list[str]:
        return ["replaced" if generator.random() < share else word for word in words]

    return alter


def run_replaced(share: float) -> Alteration:
    """A run of words replaced, as by another teaser."""

    def alter(words: list[str], generator: random.Random) -> list[str]:
        count = int(share * len(words))
        begin = generator.randrange(max(len(words) - count, 1))
        others = [f"other{generator.randrange(10**6)}" for _ in range(count)]
        return [*words[:begin], *others, *words[begin + count :]]

    return alter


def cut(share: float) -> Alteration:
    """The end cut off."""
    return lambda words, _: words[: max(int((1 - share) * len(words)), 1)]


ALTERATIONS: Mapping[str, Alteration] = {
    "line on top": with_line,
    "1 % of words": replaced(0.01),
    "3 % of words": replaced(0.03),
    "6 % of words": replaced(0.06),
    "run of 5 %": run_replaced(0.05),
    "run of 15 %": run_replaced(0.15),
    "run of 30 %": run_replaced(0.3),
    "a tenth cut off": cut(0.1),
    "a quarter cut off": cut(0.25),
}


def jaccard(first: Sequence[str], second: Sequence[str]) -> float:
    """The Jaccard index of the shingles of two texts."""
    shingles, others = (
        {tuple(words[place : place + WORDS]) for place in range(max(len(words) - WORDS + 1, 1))}
        for words in (first, second)
    )
    return len(shingles & others) / len(shingles | others)


def recognised(texts: Sequence[list[str]]) -> dict[str, Any]:
    """Counts of altered texts, and of those recognised, by Jaccard index and by alteration."""
    index, originals = PageIndex(), list[list[str]]()
    unrelated: list[float] = []
    for words in texts:
        original = index.original(signature(" ".join(words), NEAR))
        if original is None:
            index.add(signature(" ".join(words), NEAR))
            originals.append(words)
        else:
            unrelated.append(round(jaccard(words, originals[original.number]), 3))
    all_of, right = Counter[float](), Counter[float]()
    by_name: dict[str, list[float]] = {}
    generator = random.Random(1)  # noqa: S311
    for name, alter in ALTERATIONS.items():
        for number, words in enumerate(originals):
            altered = alter(words, generator)
            original = index.original(signature(" ".join(altered), NEAR))
            share = jaccard(words, altered)
            bin_of = max((least for least in BINS if least <= share), default=0.0)
            all_of[bin_of] += 1
            right[bin_of] += original is not None and original.number == number
            by_name.setdefault(name, []).append(float(original is not None))
    return {
        "originals": len(originals),
        "near duplicates among the texts themselves, by their Jaccard index": unrelated,
        "by Jaccard index": {str(least): [right[least], all_of[least]] for least in sorted(all_of)},
        "by alteration": {name: sum(kept) / len(kept) for name, kept in by_name.items()},
    }


def cost(texts: Sequence[str]) -> dict[str, float]:
    """CPU milliseconds a page, of signatures and of the index."""
    times = {}
    for unit in (EXACT, NEAR):
        index = PageIndex()
        started = time.process_time()
        signatures = [signature(text, unit) for text in texts]
        signed = time.process_time()
        for each in signatures:
            if index.original(each) is None:
                index.add(each)
        times[f"{unit}, signature"] = 1_000 * (signed - started) / len(texts)
        times[f"{unit}, index"] = 1_000 * (time.process_time() - signed) / len(texts)
    return times


def bytes_a_page(pages: int) -> dict[str, float]:
    """Resident bytes that an index takes for each of many pages, ids apart."""
    generator, sizes = random.Random(1), dict[str, float]()  # noqa: S311
    for unit, size in ((EXACT, KEY_BYTES), (NEAR, (1 + BANDS) * KEY_BYTES + HASHES)):
        index, before = PageIndex(), resident()
        for _ in range(pages):
            index.add(generator.randbytes(size))
        sizes[unit] = round((resident() - before) / pages)
    return sizes


def resident() -> int:
    """Bytes of this process in memory (Linux)."""
    with open("/proc/self/statm", encoding="ascii") as file:  # noqa: PTH123
        return int(file.read().split()[1]) * 4_096


def main() -> None:
    parser = data_parser(__doc__)
    parser.add_argument("--set", default="wcxb-dev")
    parser.add_argument("--count", type=int, default=0)
    parser.add_argument("--remembered", type=int, default=200_000)
    args = parser.parse_args()
    memory = bytes_a_page(args.remembered)
    texts = [page.text for page in drawn(corpus(args.set, args.data), args.count)]
    words = [words_of(text) for text in texts]
    result = recognised([text for text in words if len(text) >= 50]) | {
        "threshold": SIMILARITY,
        "CPU ms a page": cost(texts),
        "bytes a page": memory,
        "set": args.set,
        "pages": len(texts),
        **environment(),
    }
    record("cost/duplicates", result)
    for name, value in result.items():
        print(f"{name}: {value}")


if __name__ == "__main__":
    main()
