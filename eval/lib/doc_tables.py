"""Tables of README.md and docs/ as Markdown, made from the recorded results.

`TABLES` has a function for each name that a page may ask for; see `eval.lib.doc_figures`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import cache
from statistics import mean
from typing import Any

from eval.lib.peer_scores import read, scores_path
from eval.lib.record import newest

COLLECTIONS: Mapping[str, str] = {
    "wcxb-dev": "WCXB, seven types of pages",
    "magic-html-article": "articles (magic-html)",
    "magic-html-forum": "forums (magic-html)",
    "web-forum-52-dev": "forums (harvest)",
    "fundus-dev": "news of 2023 to 2026 (Fundus)",
    "immortal-zh": "Chinese articles",
    "readability": "Readability's test pages",
    "courts-dev": "court decisions, share of lines",
    "recipes-dev": "recipes, share of lines",
    "daniel-dev": "news in 5 languages (DAnIEL)",
    "irdata-big9": "English news, 9 sites",
    "cleaneval-dev": "CLEANEVAL 2007",
    "dragnet-dev": "blogs and news of 2012 (Dragnet)",
    "trafilatura-dev": "trafilatura's snippets",
    "srcgold-dev": "posts of blogs, gold from their sources",
    "sphinxdocs-dev": "documentation of Sphinx",
}
SHORT = (
    "wcxb-dev fundus-dev daniel-dev dragnet-dev web-forum-52-dev recipes-dev courts-dev "
    "sphinxdocs-dev readability"
).split()
PEERS = {
    "trafilatura": "trafilatura 2.3.1",
    "resiliparse": "resiliparse 2.0.1",
    "readability-lxml": "readability-lxml 0.9",
}


def table(heads: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """A Markdown table."""
    lines = ["|".join(f" {cell} " if cell else " " for cell in row) for row in (heads, *rows)]
    lines.insert(1, "|".join(["---"] * len(heads)))
    return "\n".join(f"|{line}|" for line in lines)


@cache
def peer(name: str, of_set: str) -> float:
    """A peer's mean on the pages of a set that have gold."""
    scores = read(scores_path(of_set)).values()
    values = [each.value for each in scores if each.peer == name and each.value >= 0]
    return sum(values) / len(values)


def collection(of_set: str) -> tuple[Mapping[str, Any], bool]:
    """The result on a set that was left out, and whether its interval is above all peers."""
    result = newest("accuracy/transfer")["results"][of_set]
    best = max(peer(name, of_set) for name in PEERS)
    return result, round(result["crfclean"]["shipped"][1], 3) > round(best, 3)


def row_of(of_set: str, name: str, *, interval: bool) -> list[str]:
    """The cells of a collection: pages, crfclean, the peers."""
    result, is_ahead = collection(of_set)
    middle, least, most = result["crfclean"]["shipped"]
    cell = f"**{middle:.3f}**" if is_ahead else f"{middle:.3f}"
    cell += f" [{least:.3f}, {most:.3f}]" if interval else ""
    return [name, f"{result['pages']:,}", cell, *(f"{peer(each, of_set):.3f}" for each in PEERS)]


def collections() -> str:
    """All collections, each left out of training."""
    rows = [row_of(of_set, name, interval=True) for of_set, name in COLLECTIONS.items()]
    return table(["", "pages", "crfclean", *PEERS.values()], rows)


def spread(values: Iterable[float], digits: int) -> str:
    """The least and the greatest of values."""
    found = sorted(values)
    return f"{found[0]:.{digits}f} to {found[-1]:.{digits}f}"


def ratios(name: str, kind: str = "all") -> list[float]:
    """A ratio of CPU times on each set."""
    return [each["ratios"][name][kind] for each in newest("cost/ratios")["sets"].values()]


def overview() -> str:
    """The table of README.md."""
    names = {of_set: COLLECTIONS[of_set].removesuffix(", share of lines") for of_set in SHORT}
    rows = [row_of(of_set, name, interval=False) for of_set, name in names.items()]
    source = newest("documents/source")["results"]["mdsites-dev"]
    counts = (f"{source[name]['equal']} of {source[name]['pages']}" for name in SYSTEMS[:2])
    pages = str(source["crfclean"]["pages"])
    rows.append(["pages whose Markdown equals its source", pages, *counts, "", ""])
    times = [spread(ratios("extract / trafilatura"), 2), spread(ratios("extract / resiliparse"), 1)]
    rows.append(["crfclean's CPU time, with theirs as 1 (seven sets)", "", "", *times, ""])
    return table(["collection", "pages", "crfclean", *PEERS.values()], rows)


SYSTEMS = ("crfclean", "trafilatura", "readability-lxml", "newspaper4k")


def structure() -> str:
    """Shares of structure and metadata that are right."""
    results = newest("documents/structure")["results"]
    metadata = newest("documents/metadata")
    rows = []
    for name in SYSTEMS:
        kinds = ("table", "list item", "code block", "heading")
        parts = [
            f"{results[name][kind]['recall'][0]:.2f}" if name in results else "" for kind in kinds
        ]
        groups = [metadata[value]["groups"]["all"] for value in ("title", "author", "date")]
        values = [f"{each[name]['right'][0]:.2f}" if name in each else "" for each in groups]
        rows.append([name, *parts, *values])
    heads = "tables", "list items", "code blocks", "headings", "title", "authors", "date"
    return table(["", *heads], rows)


def times() -> str:
    """CPU time beside that of the peers."""
    rows = [
        [
            f"of {name}'s time",
            *(spread(ratios(f"extract / {name}", kind), digits) for kind in KINDS),
        ]
        for name, digits in (("trafilatura", 2), ("resiliparse", 1))
    ]
    systems = newest("cost/speed")["systems"]
    for key, name in (("justext", "jusText"), ("readability-lxml", "readability-lxml")):
        rows.append([f"of {name}'s time, WCXB", f"{systems[key]['ratio']:.2f}", ""])
    return table(["crfclean takes", "mean page, by set", "median page"], rows)


def cost() -> str:
    """The ratios of CPU times on each set."""
    rows = []
    for of_set, result in newest("cost/ratios")["sets"].items():
        ratios = result["ratios"].values()
        rows.append(
            [of_set, *(f"{each['all']:.2f} ({each['median page']:.2f})" for each in ratios)]
        )
    return table(["set", *newest("cost/ratios")["sets"]["demo"]["ratios"]], rows)


KINDS = ("all", "median page")


def systems_compared() -> str:
    """F1, CPU time, licence and dependencies of the systems that were measured."""
    sets = ("wcxb-dev", "fundus-dev", "daniel-dev")
    systems = newest("cost/speed")["systems"]
    base = systems["trafilatura"]["cpu_ms"]
    rows = []
    for name, (speed, version, *facts) in FACTS.items():
        own = name == "crfclean"
        means = (collection(of_set)[0]["crfclean"]["shipped"][0] if own else peer(name, of_set)
                 for of_set in sets)  # fmt: skip
        time = systems[speed]["cpu_ms"] / base
        cpu = "1" if time == 1 else f"{time:.2f}"
        rows.append([f"{name} {version}".strip(), *(f"{mean:.3f}" for mean in means), cpu, *facts])
    heads = [COLLECTIONS[of_set].split(" (")[0].split("WCXB, ")[-1] for of_set in sets]
    return table(["", *(f"F1, {head}" for head in heads), "CPU time", "licence", "needs"], rows)


FACTS = {
    "crfclean": ("crfclean", "", "Apache-2.0", "lxml, numpy, python-crfsuite and seven more"),
    "trafilatura": (
        "trafilatura",
        "2.3.1",
        "Apache-2.0",
        "lxml, jusText, htmldate, courlan and three more",
    ),
    "resiliparse": ("resiliparse", "2.0.1", "Apache-2.0", "FastWARC"),
    "readability-lxml": ("readability-lxml", "0.9", "Apache-2.0", "lxml, chardet, cssselect"),
    "jusText": ("justext", "3.0.2", "BSD-2-Clause", "lxml"),
}
"""System -> its name in cost/speed, version, licence, dependencies."""


def trees() -> str:
    """Extractors that work by rules, beside the model by folds and trafilatura."""
    results = newest("segments/trees")["results"]
    folds = newest("accuracy/experiment_default")["results"]
    rows = []
    for name, of_set, group in (
        ("WCXB", "wcxb-dev", "all"),
        ("articles among them", "wcxb-dev", "article"),
        ("news in 5 languages", "daniel-dev", "all"),
        ("English news", "irdata-big9", "all"),
    ):
        scores = results[of_set]["table"][group]
        means = [scores[system]["F1"] for system in ("energy", "links", "expert")]
        means += [folds[of_set]["groups"][group]["f1"]["crfclean"], scores["trafilatura"]["F1"]]
        cells = (f"{mean:.3f} [{least:.3f}, {most:.3f}]" for mean, least, most in means)
        rows.append([f"{name}, {scores['pages']:,}", *cells])
    return table(["pages", "energy", "links", "expert", "CRF", "trafilatura 2.3.1"], rows)


def kinds() -> str:
    """How often the kind by evidence and the likeliest kind are right."""
    result = newest("models/kinds")["folds by site"]["held-out"]
    rows = [
        [name, *(f"{share:.3f}" for share in result["right"][key]), f"{error:.3f}"]
        for name, key in (("kind by evidence", "evidence"), ("likeliest kind", "model"))
        for error in [result["calibration error"][key]]
    ]
    heads = "right, of the blocks", "right, of the words", "error of the probability"
    return table([f"on {result['pages']} labelled pages of new sites", *heads], rows)


def page_types() -> str:
    """F1 of each type of pages."""
    result = newest("documents/pagetype")
    f1 = dict(zip(result["types"], result["scores"]["model"]["f1"], strict=True))
    rows = [[name, like, f"{f1[name]:.2f}" if f1[name] else ""] for name, like in TYPES.items()]
    return table(["type", "for example", "F1"], rows)


TYPES = {
    "article": "news, posts, essays",
    "forum": "threads, questions with answers",
    "documentation": "references, manuals",
    "product": "one thing for sale",
    "service": "what a company or an office does",
    "listing": "links to texts or things",
    "collection": "products of a category",
    "form": "a page to log in, to register, to search or to write to someone",
}


def audits() -> str:
    """How wide the intervals of simulated audits are, and how often they contain the F1."""
    runs = newest("accuracy/audit")["mean audit, at random"]
    pairs = [(count, runs[count][0][2]) for count in ("50", "100", "200")]
    pairs.append(("200, blocks drawn at random", runs["200"][1][2]))
    rows = [[name, f"{width:.2f}", f"{100 * share:.1f} %"] for name, (share, width) in pairs]
    return table(["judgements", "mean width of the interval", "contained the true F1"], rows)


def tuned() -> str:
    """The gain of `tune` from ten pages of a site, over the sites."""
    hosts = newest("accuracy/teach")["hosts"].values()
    draws = [draw for host in hosts for draw in host]
    means = [sum(mean(draw[at] for draw in host) for host in hosts) / len(hosts) for at in (0, 1)]
    worst = min(after - before for before, after in draws)
    change = f"{means[0]:.3f} → {means[1]:.3f}"
    row = [
        f"ten pages of one site, on {len(hosts)} sites",
        change,
        f"{worst:.3f}".replace("-", "−"),
    ]
    return table(["corrected", "F1 on other pages", f"the worst of {len(draws)} draws"], [row])


def month() -> str:
    """What a month of Common Crawl (December 2024) would cost, from a run with two workers."""
    parquet, jsonl = newest("cost/crawl_parquet"), newest("cost/crawl")
    run = parquet["runs"][1]
    seconds = run["cpu_ms_a_page"] / 1000
    hours = MONTH_PAGES * seconds / 3600
    a_file = MONTH_PAGES / MONTH_FILES
    outputs = [each["runs"][1]["bytes_out"] / each["pages"] for each in (parquet, jsonl)]
    kept, other = (size * MONTH_PAGES / 1e12 for size in outputs)
    read = parquet["bytes_in"] / parquet["pages"] / 1e3
    speed = MONTH_TB * 1e6 / hours / 3600
    rows = [
        ["CPU time", f"{seconds * 1000:.0f} ms a page: {1 / seconds:.0f} pages/s a core",
         f"**{about(hours)} core hours**"],
        ["pages a file", "", f"{about(a_file)}: {a_file * seconds / 60:.0f} minutes of a core"],
        ["input", f"{read:.0f} kB a page, compressed",
         f"{MONTH_TB} TB ({MONTH_FILES:,} files): {speed:.1f} MB/s a core"],
        ["output, Parquet (`.jsonl.gz`)",
         f"{outputs[0] / 1e3:.1f} kB a page ({outputs[1] / 1e3:.1f} kB)",
         f"{kept:.0f} TB ({other:.0f} TB)"],
        ["time", "", f"1,000 cores: {hours / 1000:.0f} hours; 64 cores: {hours / 1536:.0f} days"],
        ["at $0.04 a core hour (on demand)", "", f"${about(0.04 * hours)}"],
        ["at $0.015 (spot)", "", f"${about(0.015 * hours)}"],
        [f"{kept:.0f} TB stored for a month at $0.023 a GB", "", f"${about(23 * kept)}"],
    ]  # fmt: skip
    return table(["", "measured", "the month"], rows)


MONTH_PAGES, MONTH_FILES, MONTH_TB = 2.64e9, 90_000, 88


def about(value: float) -> str:
    """Two significant digits."""
    return f"{float(f'{value:.2g}'):,.0f}"


TABLES: Mapping[str, Callable[[], str]] = {
    "collections": collections,
    "overview": overview,
    "structure": structure,
    "times": times,
    "cost": cost,
    "month": month,
    "systems": systems_compared,
    "trees": trees,
    "kinds": kinds,
    "page_types": page_types,
    "audits": audits,
    "tuned": tuned,
}
"""Name in a mark -> the table."""
