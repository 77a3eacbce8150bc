"""Run the command line: `python -m crfclean`, or the command `crfclean`."""

from __future__ import annotations

import atexit
import gc

GARBAGE = 200_000
"""New objects before the first garbage collection: more than all imports and a page make."""


def main() -> None:
    """Run the command line without collecting garbage among its imports, which have none."""
    gc.set_threshold(GARBAGE)
    atexit.register(gc.freeze)  # else the last collection takes 35 ms
    from crfclean.cli.main import main as run  # after the threshold is set: it imports click

    run()


if __name__ == "__main__":
    main()
