"""Parse a page with more and more memory, in processes of their own, and print how each ends.

Run with `feed` or `feed_alone`. It is a script, since a process that has done other work has free
memory that no limit takes.
"""

from __future__ import annotations

import os
import sys
from pathlib import Path
from typing import Any

from crfclean.page import walk

ENDS = {0: "right", 70: "failed", 71: "wrong"}
PARAGRAPHS = b"".join(b"<p>%d words of a text</p>" % number for number in range(100))
SOURCE = b"%s<div title='%s'></div>%s" % (PARAGRAPHS, b"y" * 4_000_000, PARAGRAPHS)


def texts(give: Any) -> Any:
    walked = walk.core_walk(walk.WalkParams())
    give(SOURCE, walked)
    return walked.table().texts


def end_within(room: int, give: Any, right: Any) -> str:
    """How a process ends that parses the page with so many more bytes of address space."""
    import resource  # of POSIX alone

    child = os.fork()
    if not child:
        code = 71
        try:
            used = int(Path("/proc/self/statm").read_text("ascii").split()[0])
            limit = used * resource.getpagesize() + room
            resource.setrlimit(resource.RLIMIT_AS, (limit, limit))
            code = 0 if texts(give) == right else 71
        except MemoryError:
            code = 70
        finally:
            os._exit(code)
    return ENDS.get(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]), "crashed")


if __name__ == "__main__":
    way = getattr(walk, sys.argv[1])
    walk.parses_alone()
    expected = texts(way)
    ends = [end_within(quarters * len(SOURCE) // 4, way, expected) for quarters in range(1, 40)]
    sys.stdout.write("\n".join(ends))
