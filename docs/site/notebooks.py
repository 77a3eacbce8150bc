"""Notebooks as Markdown, for the documentation site."""

from __future__ import annotations

import json
from collections.abc import Iterator


def as_markdown(source: str) -> str:
    """The cells of a notebook in order: texts, code, and what the code printed."""
    return "\n\n".join(_parts(source))


def _parts(source: str) -> Iterator[str]:
    for cell in json.loads(source)["cells"]:
        text = "".join(cell["source"])
        language = "text" if text.startswith("!") else "python"  # "!" begins a command
        yield text if cell["cell_type"] == "markdown" else f"```{language}\n{text}\n```"
        for output in cell.get("outputs", ()):
            yield f"```text\n{''.join(output['text'])}```"
