"""Run the command line: `python -m crfclean`, or the command `crfclean`."""

from __future__ import annotations

import atexit
import gc

GARBAGE = 200_000
"""Objects that come before garbage is looked for: more than a page needs, with all imports."""


def main() -> None:
    """Run the command line, of whose imports nothing is garbage: none is searched for it."""
    gc.set_threshold(GARBAGE)
    atexit.register(gc.freeze)  # else all is searched at the end, for 35 ms
    from crfclean.cli.main import main as run  # with click, for which the threshold counts, too

    run()


if __name__ == "__main__":
    main()
