"""Count the keys and seconds that labelling takes, and the labels that are lost in kills.

Run `python -m eval.accuracy.labelling`.

Ten demo pages are labelled by a script that knows their gold and presses the fewest keys it can
see to be right, in `crfclean annotate` in a pseudo-terminal of 80 by 24, with guesses and without.
It waits for the screen after each key. Then once more, with the process killed (-9) at twenty keys:
what was on the screen must be on disk.
"""

from __future__ import annotations

import os
import pty
import random
import select
import shutil
import signal
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np

from crfclean.annotate.keyboard import Keyboard
from crfclean.annotate.params import AnnotateParams
from crfclean.annotate.session import open_session
from crfclean.gold.pages import NONE, gold_labels, gold_paths, read_gold
from crfclean.page.blocks import split
from crfclean.taggers.load import load
from crfclean.types import Ints, Label
from eval.lib.corpora import DEMO, ROOT
from eval.lib.record import environment, record

PAGES, KILLS = 10, 20
QUIET = 0.03  # seconds without output that end a redraw
KEYS = {Label.HEADER: "h", Label.TEXT: "t", Label.OTHER: "o"}
SENT = {"enter": b"\r"}


class Terminal:
    """`crfclean annotate` in a pseudo-terminal."""

    def __init__(self, folder: Path, options: Sequence[str]) -> None:
        self.ours, child_end = pty.openpty()
        command = [sys.executable, "-m", "crfclean", "annotate", str(folder), "--order", "name"]
        self.process = subprocess.Popen(  # noqa: S603
            ["sh", "-c", 'stty rows 24 cols 80; exec "$@"', "sh", *command, *options],  # noqa: S607
            stdin=child_end,
            stdout=child_end,
            stderr=child_end,
            env=os.environ | {"PYTHONPATH": str(ROOT), "TERM": "xterm-256color"},
            start_new_session=True,
        )
        os.close(child_end)
        seen = b""
        while b"q leave" not in seen:  # the end of the first screen
            seen += os.read(self.ours, 65536)
        self.wait(QUIET)

    def wait(self, seconds: float = 10) -> None:
        """Read until a redraw is over."""
        while select.select([self.ours], [], [], seconds)[0]:
            os.read(self.ours, 65536)
            seconds = QUIET

    def press(self, key: str) -> None:
        """Send a key and wait for the screen."""
        os.write(self.ours, SENT.get(key, key.encode()))
        self.wait()

    def kill(self) -> None:
        """End it as nothing can withstand."""
        self.process.send_signal(signal.SIGKILL)
        self.process.wait()
        os.close(self.ours)


def wanted_labels() -> dict[str, Ints]:
    """File name -> gold labels of its blocks, of the first pages of the demo sites."""
    pages = list(read_gold(DEMO))[:PAGES]
    return {Path(page.id).name: gold_labels(page, split(page.page)) for page in pages}


def copied(folder: Path) -> Path:
    """The pages in a new folder, without their gold."""
    folder.mkdir()
    for page in list(read_gold(DEMO))[:PAGES]:
        shutil.copy(DEMO / page.id, folder)
    return folder


def best_key(keyboard: Keyboard, gold: Ints) -> str:
    """The key that labels most blocks at once, all of them rightly."""
    sheet, block = keyboard.sheet, keyboard.view.block
    assert sheet is not None
    left = [place for place in np.flatnonzero(sheet.settled == NONE).tolist() if place >= block]
    right = sheet.guesses == gold
    run = list(sheet.run(block))
    if right[left].all():
        return "e"
    if (gold[left] == Label.OTHER).all() and len(left) > 1:
        return "E"
    if len(run) > 1 and right[run].all():
        return "r"
    if len(run) > 1 and (gold[run] == gold[block]).all():
        return KEYS[Label(int(gold[block]))].upper()
    return KEYS[Label(int(gold[block]))]


def label_all(place: Path, options: Sequence[str], kills: int) -> dict[str, Any]:
    """Label the pages; keys, seconds, and the labels that were lost."""
    gold, tagger = wanted_labels(), None if options else load()
    killed, steady = copied(place / "theirs"), copied(place / "ours")
    keyboard = Keyboard(open_session(steady, tagger, AnnotateParams("name")))
    terminal, start = Terminal(killed, options), time.monotonic()
    keys, lost = Counter[str](), 0
    moments = set(random.Random(1).sample(range(1, 150), kills))  # noqa: S311
    while any(not card.finished for card in keyboard.session.pages):
        key = best_key(keyboard, gold[keyboard.session.pages[keyboard.view.page].name])
        keyboard.press(key)
        terminal.press(key)
        keys[key] += 1
        if keys.total() in moments:
            terminal.kill()
            lost += differing(steady, killed)
            keyboard = Keyboard(open_session(steady, tagger, AnnotateParams("name")))
            terminal = Terminal(killed, options)
    seconds = round(time.monotonic() - start, 1)
    terminal.kill()
    return {
        "blocks": sum(len(labels) for labels in gold.values()),
        "keys": keys.total(),
        "by_key": dict(keys.most_common()),
        "seconds": seconds,
        "kills": sum(moment <= keys.total() for moment in moments),
        "lost": lost + differing(steady, killed),
        "unlike_gold": sum(unlike(killed / name, labels) for name, labels in gold.items()),
    }


def unlike(page: Path, gold: Ints) -> int:
    """Blocks of a page whose saved label is not the gold's."""
    names = [line.partition("\t")[0] for line in lines(page)]
    return sum(name != Label(label).name for name, label in zip(names, gold, strict=True))


def lines(page: Path) -> list[str]:
    """The lines of a page's label file, none where there is none."""
    path = gold_paths(page)[0]
    return path.read_text("utf-8").splitlines() if path.exists() else []


def differing(steady: Path, killed: Path) -> int:
    """Labels of the steady session that the killed process has not written."""
    pairs = ((lines(page), lines(killed / page.name)) for page in sorted(steady.glob("*.html")))
    return sum(
        sum(line != other for line, other in zip(steady_lines, killed_lines, strict=True))
        if killed_lines
        else len(steady_lines)
        for steady_lines, killed_lines in pairs
    )


def main() -> None:
    results = {}
    cases = (("guesses", (), 0), ("no guesses", ("--no-guess",), 0), ("kills", (), KILLS))
    for name, options, kills in cases:
        with TemporaryDirectory() as folder:
            results[name] = label_all(Path(folder), options, kills)
        print(name, results[name], flush=True)
    record("accuracy/labelling", {"pages": PAGES, "results": results, **environment()})


if __name__ == "__main__":
    main()
