"""The texts in the directory OUT of a run."""

from __future__ import annotations

from pathlib import Path


def written_texts(out: Path) -> dict[str, bytes]:
    """All files below OUT, but for its record `.crfclean.json`: that has times and options."""
    found = sorted(path for path in out.rglob("*") if path.is_file())
    return {
        path.relative_to(out).as_posix(): path.read_bytes()
        for path in found
        if path.name != ".crfclean.json"
    }
