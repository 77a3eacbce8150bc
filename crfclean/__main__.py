"""Run the command line: `python -m crfclean`, or the command `crfclean`."""

import atexit
import gc
import os
import sys

GARBAGE = 200_000
"""New objects before the first garbage collection: more than all imports and a page make."""


def main() -> None:
    """Run the command line without collecting garbage among its imports, which have none."""
    gc.set_threshold(GARBAGE)
    atexit.register(gc.freeze)  # else the last collection takes 35 ms
    os.environ["PYTHONSAFEPATH"] = "1"  # no process imports an lxml.py from a folder of pages
    from crfclean.cli.main import main as run  # after the threshold is set: it imports click

    run()


def leave_current_folder() -> None:
    """Remove the current folder from the places of modules, where `python -m` puts it first.

    A checkout that is not installed is needed by the workers, and comes last.
    """
    try:
        folder = os.getcwd()  # noqa: PTH109 - pathlib would be imported from there
    except OSError:  # it was deleted
        return
    if sys.flags.safe_path or sys.path[0] != folder:
        return
    del sys.path[0]
    if folder == os.path.dirname(os.path.dirname(__file__)):  # noqa: PTH120
        sys.path.append(folder)


if __name__ == "__main__":
    leave_current_folder()
    main()
