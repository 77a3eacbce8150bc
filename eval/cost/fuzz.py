"""Call crfclean with a great many small hostile pages, and keep what raises, hangs or crashes.

Run `python -m eval.cost.fuzz --seconds 300 --state FILE --seed 1 --workers 2`.

Every call is made of the seed and its number alone: pages of the project, cut, spliced, mangled and
mixed with the pieces of `hostile_pages`, mostly of 1 to 5 kB, as text or as bytes. A process makes
the calls; when it dies or hangs, the call under way is a finding, and another one goes on. The
state file keeps what was counted, so that a stopped campaign goes on where it was. Findings are
made smaller as long as they fail alike, and printed with their seed. `--call N` makes one call.
"""

from __future__ import annotations

import argparse
import json
import random
import time
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from functools import cache, partial
from multiprocessing import get_context
from pathlib import Path
from typing import Any

from eval.cost.crawl import cpu_seconds
from eval.cost.hostile_pages import PAGES
from eval.cost.operations import OPERATIONS
from eval.lib.record import RESULTS, as_json, environment
from eval.lib.timing import demo_pages

MOST_SECONDS = 1.0  # of CPU time for 100 kB
HANGS = 60.0  # seconds of CPU time, so that a busy machine is no finding
MAX_TRIES = 400  # calls to make a finding smaller
BATCH = 500  # calls between two notes of the state
PIECES = (
    "<p>", "</p>", "<div class=post>", "</div>", "<table>", "<tr>", "<td colspan=9>",
    "</table>", "<ul>", "<li>", "<ol start=-1>", "<a href='", "<a href=//[>", "</a>",
    "<img src=x srcset='a 1x,", "<pre><code>", "<br>", "<br><br>", "<!--", "-->", "<![CDATA[",
    "<?x", "&#27;", "&#0;", "&#x110000;", "&nbsp", "&", "\x00", "\x1b]0;", "\ud800", "\ufffe",
    "\u202e", "\U0001f468\u200d\U0001f469", "<script>", "</script>",
    "<script type=application/ld+json>", '{"@type":"Article","author":[{"name":', "\\ud800",
    "<title>", "<base href='http://[::1'>", "<meta charset=utf-16>",
    "<meta name=author content='", "<time datetime='9999-99-99T99:99'>", "2024-02-30 25:61",
    "1 May 10000", "<h1>", "<h7>", "<svg>", "<math>", "<noscript>", "<template>", "<body>",
    "</html>", "<frameset>", "<p hidden>", "<o:p>", "<x-y z>", "<p lang='", "<p dir=rtl>",
    "<dl><dd>", "<figure><figcaption>", "<sup><a href=#n1>1</a>", "<p id=n1>",
    "<blockquote>a wrote:", "```", "| a |\n", "]]>", "\r", "\x0c", "\u2028", "'", '"', ">",
)  # fmt: skip


@cache
def seeds() -> list[str]:
    """Pages to begin with."""
    return demo_pages()


def page_of_call(seed: int, number: int) -> tuple[str, bytes | str]:
    """The operation and the page of a call."""
    rng = random.Random(f"{seed} {number}")  # noqa: S311
    operation = rng.choice(list(OPERATIONS))
    size = rng.choice([0, 50, 500, 1_000, 2_000, 3_000, 5_000, 5_000, 20_000])
    html = "".join(part(rng, size // 2) for _ in range(rng.randint(1, 3)))[: size + 200]
    for _ in range(rng.choice([0, 1, 3, 10, 40])):
        html = mangled(rng, html)
    if rng.random() < 0.7:
        return operation, html
    data = bytearray(html.encode(rng.choice(["utf-8", "utf-16", "cp1252", "gb18030"]), "replace"))
    for _ in range(rng.choice([0, 0, 3, 30])):
        if data:
            data[rng.randrange(len(data))] = rng.randrange(256)
    return operation, bytes(data)


def part(rng: random.Random, size: int) -> str:
    """A stretch of a page, a hostile page, or pieces in any order."""
    kind = rng.random()
    if kind < 0.4:
        page = rng.choice(seeds())
        start = rng.randrange(len(page))
        return page[start : start + size]
    if kind < 0.7:
        return PAGES[rng.choice(list(PAGES))](rng.randint(1, size + 1))
    return "".join(rng.choices([*PIECES, "a ", "words of text. "], k=rng.randint(1, size // 8 + 1)))


def mangled(rng: random.Random, html: str) -> str:
    """A page with a piece put in, a stretch cut out, or one repeated elsewhere."""
    place, size = rng.randrange(len(html) + 1), rng.choice([1, 5, 50])
    middle = rng.choice([rng.choice(PIECES), "", html[place : place + size] * rng.choice([2, 9])])
    return html[:place] + middle + html[place + rng.choice([0, size]) :]


def failure(operation: str, page: bytes | str) -> str:
    """How a call fails, "" if it does not: what it raises and where, or that it is slow."""
    started = time.process_time()
    try:
        OPERATIONS[operation](page)
    except Exception as error:  # noqa: BLE001 - what must not happen is counted
        trace = error.__traceback__
        while trace and trace.tb_next:
            trace = trace.tb_next
        place = f"{Path(trace.tb_frame.f_code.co_filename).name}:{trace.tb_lineno}" if trace else ""
        return f"{type(error).__name__} at {place}"
    slow = time.process_time() - started > MOST_SECONDS * max(len(page) / 1e5, 1.0)
    return "slow" if slow else ""


def smaller(operation: str, page: bytes | str, kind: str) -> bytes | str:
    """The page with what can be left out while the call still fails alike."""
    step, tries = max(len(page) // 2, 1), 0
    while step and tries < MAX_TRIES:
        place, before = 0, len(page)
        while place < len(page) and tries < MAX_TRIES:
            tries += 1
            rest = page[:place] + page[place + step :]  # type: ignore[operator]
            if failure(operation, rest) == kind:
                page = rest
            else:
                place += step
        step = step if len(page) < before and step > 1 else step // 2
    return page


def work(seed: int, first: int, last: int, under_way: Any, answers: Any) -> None:
    """Make the calls from `first` to before `last`, and send what failed."""
    for number in range(first, last):
        under_way.value = number
        operation, page = page_of_call(seed, number)
        if kind := failure(operation, page):
            kind = kind if kind != "slow" else failure(operation, page)  # the machine was busy
        if kind:
            shown = page if kind == "slow" else smaller(operation, page, kind)
            text = repr(shown[:2_000])
            answers.send({"call": number, "operation": operation, "kind": kind, "page": text})
    answers.send(None)


def batch(seed: int, first: int) -> list[dict[str, Any]]:
    """Make a batch of calls in one process, or in more where some of them die; the findings."""
    findings: list[dict[str, Any]] = []
    call, last = first, first + BATCH
    while call < last:
        call, found = calls(seed, call, last)
        findings += found
    return findings


def calls(seed: int, first: int, last: int) -> tuple[int, list[dict[str, Any]]]:
    """Make calls in a process until it dies or hangs; returns the next call and the findings."""
    context = get_context("fork")
    under_way = context.Value("q", first)
    receive, send = context.Pipe(duplex=False)
    process = context.Process(target=work, args=(seed, first, last, under_way, send))
    process.start()
    send.close()
    findings: list[dict[str, Any]] = []
    call, spent, kind = -1, 0.0, ""
    while True:
        try:
            if receive.poll(1.0):
                if (finding := receive.recv()) is None:
                    process.join()
                    return last, findings
                findings.append(finding)
        except EOFError:
            process.join()
            kind = f"crashes ({process.exitcode})"
        taken = cpu_seconds(process.pid or 0)
        if under_way.value != call:
            call, spent = under_way.value, taken
        elif taken - spent > HANGS:
            kind = "hangs"
        if kind:
            process.kill()
            call = under_way.value
            operation, page = page_of_call(seed, call)
            finding = {"call": call, "operation": operation, "kind": kind, "page": repr(page)}
            return call + 1, [*findings, finding]


def go_on(state: dict[str, Any], args: argparse.Namespace) -> None:
    """Make batches for the time given, as many at once as workers; the state grows in order."""
    end, seed = time.monotonic() + args.seconds, state["seed"]
    with ThreadPoolExecutor(args.workers) as pool:
        while time.monotonic() < end:
            starts = [state["calls"] + number * BATCH for number in range(4 * args.workers)]
            for findings in pool.map(partial(batch, seed), starts):
                state["calls"] += BATCH
                state["findings"] += findings
                for finding in findings:
                    print(f"seed {seed}:", json.dumps(finding, ensure_ascii=False), flush=True)
            args.state.write_text(json.dumps(state), "utf-8")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seconds", type=float, default=300.0)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--state", type=Path, required=True)
    parser.add_argument("--workers", type=int, default=1, help="processes at once")
    parser.add_argument("--call", type=int, help="make this call alone")
    args = parser.parse_args()
    if args.call is not None:
        operation, page = page_of_call(args.seed, args.call)
        print(operation, repr(page))
        OPERATIONS[operation](page)
        return
    state = {"seed": args.seed, "calls": 0, "findings": []}
    if args.state.exists():
        state = json.loads(args.state.read_text("utf-8"))
    for operation in OPERATIONS:  # processes are forked from one that has opened the models
        failure(operation, "<p>Open the models.</p>")
    go_on(state, args)
    kinds = Counter(f"{finding['operation']}: {finding['kind']}" for finding in state["findings"])
    print(f"{state['calls']:,} calls, {len(state['findings'])} findings", dict(kinds))
    summary = {"seed": state["seed"], "calls": state["calls"], "findings": dict(kinds)}
    path = RESULTS / "cost" / "fuzz.json"
    path.write_text(as_json(json.loads(json.dumps({**summary, **environment()}))) + "\n", "utf-8")


if __name__ == "__main__":
    main()
