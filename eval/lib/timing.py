"""CPU time and memory of calls, and pages of a given size to measure them on."""

from __future__ import annotations

import math
import os
import random
import resource
import subprocess
import time
from collections.abc import Callable
from contextlib import suppress
from itertools import cycle, islice
from pathlib import Path
from typing import TypeVar

import numpy as np

from crfclean.page.decode import decode
from eval.lib.corpora import DEMO, corpus

Value = TypeVar("Value")

SUBREAPER = 36  # Linux's PR_SET_CHILD_SUBREAPER


def cpu_ms(function: Callable[[Value], object], value: Value) -> float:
    """CPU milliseconds of one call; exceptions end the call and are ignored."""
    started = time.process_time()
    with suppress(Exception):
        function(value)
    return (time.process_time() - started) * 1e3


def children_seconds() -> float:
    """CPU time of all processes below this one that have ended."""
    with suppress(ChildProcessError):
        while os.wait():
            pass
    usage = resource.getrusage(resource.RUSAGE_CHILDREN)
    return usage.ru_utime + usage.ru_stime


def command_ms(*arguments: str) -> float:
    """CPU milliseconds of a command, with all processes that it starts."""
    before = children_seconds()
    subprocess.run(arguments, check=True, capture_output=True)  # noqa: S603
    return (children_seconds() - before) * 1e3


def peak_mb() -> float:
    """Largest memory of this process so far; NaN where the system does not tell (not Linux)."""
    with suppress(OSError):
        for line in Path("/proc/self/status").read_text("utf-8").splitlines():
            if line.startswith("VmHWM:"):
                return float(line.split()[1]) / 1024
    return math.nan


def demo_pages() -> list[str]:
    """The bundled pages."""
    return [decode(path.read_bytes()).html for path in sorted(DEMO.rglob("*.html"))]


def long_page(chars: int) -> str:
    """A page of about so many characters: the bodies of bundled ones, over and over."""
    bodies = [html.partition("<body")[2].rpartition("</body>")[0] for html in demo_pages()]
    mean = sum(map(len, bodies)) / len(bodies)
    parts = islice(cycle(bodies), math.ceil(chars / mean))
    return f"<html><body{''.join(parts)[:chars]}</body></html>"


def slope(times: dict[str, float], least: int = 0) -> float:
    """Slope of the logarithm of time over that of size, by least squares."""
    points = [(int(size.replace(",", "")), ms) for size, ms in times.items()]
    sizes, values = zip(*(point for point in points if point[0] >= least), strict=True)
    return float(np.polyfit(np.log(sizes), np.log(values), 1)[0])


def drawn(name: str, data: str, count: int) -> list[str]:
    """The HTML of pages of a set at random, always the same; without a name the bundled pages."""
    if not name:
        return demo_pages()
    gold = corpus(name, data)
    return [page.page.html for page in random.Random(1).sample(gold, min(count, len(gold)))]  # noqa: S311
