"""Tests of `crfclean metadata`."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from crfclean.cli.help import EXIT_OK
from crfclean.metadata import read
from crfclean.metadata.candidates import as_dict
from crfclean.pipeline import clean
from crfclean.types.choices import METADATA_FORMATS

Command = Callable[..., Any]
LONG = "The lake froze over in January, and the ferry stayed in its harbour for three weeks. " * 3
PAGE = f"""<html lang=en><head><title>Ferry in the ice | The Leaf</title>
<meta name=author content="Ann Lee"><meta property=article:published_time content=2024-01-09>
<meta property=og:title content="Ferry in the ice"></head>
<body><h1>Ferry in the ice</h1><p>{LONG}</p><p>{LONG}</p></body></html>"""


@pytest.fixture
def pages(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "in").mkdir()
    for name in ("a.html", "b.html"):
        (tmp_path / "in" / name).write_text(PAGE, "utf-8")
    return tmp_path


@pytest.mark.parametrize("form", METADATA_FORMATS)
def test_a_directory(pages: Path, crfclean: Command, form: str) -> None:
    done = crfclean("metadata", "in", "out", "--format", form)
    assert (done.code, done.out) == (EXIT_OK, "")
    one, other = (pages / "out" / f"{name}.{form}" for name in "ab")
    assert one.read_bytes() == other.read_bytes().replace(b"in/b.html", b"in/a.html")


def test_what_is_told(pages: Path, crfclean: Command) -> None:
    done = crfclean("metadata", "in/a.html", "-", "--format", "jsonl")
    assert done.code == EXIT_OK
    told = json.loads(done.out)
    assert told == {"url": None, **json.loads(json.dumps(as_dict(read(clean(PAGE)))))}
    assert told["title"]["text"] == "Ferry in the ice"
    assert [one["text"] for one in told["authors"]] == ["Ann Lee"]
    assert told["published"] == {
        "text": "2024-01-09",
        "source": "meta article:published_time",
        "probability": told["published"]["probability"],
        "xpath": "/html[1]/head[1]/meta[2]",
    }
