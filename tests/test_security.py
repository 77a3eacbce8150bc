"""What `docs/SECURITY.md` says, beside the tests that stand with what they test.

limits of a page            tests/products/corpus/test_pool.py,
                            tests/products/corpus/test_worker_process.py
linear time                 tests/model/test_table.py, tests/page/test_mhtml.py and others
code, files, network        here; in a browser tests/products/teach/test_browser.py
markup and script           tests/document/test_html.py, tests/document/test_document.py,
                            tests/products/teach/test_report.py, tests/products/web/test_browser.py
public addresses            tests/products/corpus/test_fetch.py
the token, loopback         tests/products/web/test_guard.py, tests/products/web/test_inspection.py
the current directory       tests/test_current_folder.py,
                            tests/products/adapters/test_ray_shards.py,
                            tests/model/test_folder.py, tests/cli/test_config.py,
                            tests/page/test_sources.py
a model of a stranger       tests/model/test_folder.py (refused or harmless; pipes, sizes,
                            other folders), tests/model/test_settings.py,
                            tests/model/test_files.py (pickles, bombs)
the image                   tests/test_release.py
"""

from __future__ import annotations

import math
import os
import socket
import struct
import subprocess
import sys
from pathlib import Path

import pytest

from crfclean.io import MAX_FILE
from crfclean.model.folder import Bundle
from crfclean.products.papers.command import read_dictionary
from crfclean.products.teach.gold import read_gold, read_gold_bytes
from crfclean.systems.crfsuite_file import read_crfsuite
from crfclean.types import CrfcleanError, ModelError

HOSTILE = """<?xml version="1.0"?><!DOCTYPE html SYSTEM "{web}dtd" [
<!ENTITY secret SYSTEM "file://{secret}"><!ENTITY % more SYSTEM "{web}entity"> %more;]>
<html xmlns:xi="http://www.w3.org/2001/XInclude"><head><base href="{web}">
<link rel="stylesheet" href="{web}css"><script src="{web}js"></script>
<?xml-stylesheet href="{web}xsl"?><meta http-equiv="refresh" content="0; url={web}next">
<script>require("fs").writeFileSync("{folder}/written", "x")</script></head>
<body><h1>The ferry</h1><p>The ferry sails again over the lake, said the master.
&secret;</p>
<xi:include href="file://{secret}" parse="text"/><iframe src="file://{secret}"></iframe>
<object data="{web}object"></object><img src="{web}img" onerror="alert(1)"></body></html>"""

WATCHED = """
import sys
from crfclean import extract
model, page = sys.argv[1:]
html = open(page).read()
extract("<h1>Ferry</h1><p>The ferry sails again over the lake.</p>")
events = []
def look(event, arguments):
    if event.startswith(("socket.", "subprocess.", "os.", "ctypes.", "exec", "compile", "pickle.")):
        events.append(event)
    elif event == "open" and not str(arguments[0]).startswith(model):
        events.append(f"open {arguments[0]}")
sys.addaudithook(look)
text = extract(html, model=model, url="https://example.org/")

print(sorted({*events}), text)
"""


def test_page_and_model_run_nothing_read_nothing_and_reach_nobody(
    tmp_path: Path, model_copy: Path
) -> None:
    """The second page and model of a process: the first have imported what both need."""
    (tmp_path / "secret").write_text("hidden treasure")
    with socket.create_server(("127.0.0.1", 0)) as server:
        server.setblocking(False)
        web = f"http://127.0.0.1:{server.getsockname()[1]}/"
        page = HOSTILE.format(web=web, secret=tmp_path / "secret", folder=tmp_path)
        (tmp_path / "page.html").write_text(page)
        command = [sys.executable, "-c", WATCHED, str(model_copy), str(tmp_path / "page.html")]
        done = subprocess.run(command, capture_output=True, text=True, check=True)
        with pytest.raises(BlockingIOError):
            server.accept()
    assert done.stdout.startswith("[] ")
    assert "The ferry sails again" in done.stdout
    assert "treasure" not in done.stdout
    assert not (tmp_path / "written").exists()


# files that are named on the command line


@pytest.mark.parametrize("read", [read_gold_bytes, read_dictionary])
def test_pipes_and_large_files_are_refused_unread(tmp_path: Path, read: object) -> None:
    assert callable(read)
    os.mkfifo(tmp_path / "pipe")
    with (tmp_path / "large").open("wb") as file:
        file.truncate(MAX_FILE + 1)  # without taking room on the disk
    for name, reason in {"pipe": "not a regular file", "large": "more than 256 MB"}.items():
        with pytest.raises(CrfcleanError, match=f"{name}: cannot be read: {reason}"):
            read(tmp_path / name)


def test_a_pipe_is_no_gold(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "gold.jsonl")
    with pytest.raises(CrfcleanError, match="not a regular file"):
        list(read_gold(tmp_path / "gold.jsonl"))


# weights that no training writes


def crfsuite_file(labels: int, attributes: int, text: bytes) -> bytes:
    """A CRFsuite file all of whose names are one record."""
    record = struct.pack("<II", 0, len(text) + 1) + text + b"\0"
    count = max(labels, attributes)
    names = struct.pack("<4s5I", b"CQDB", 0, 0, 0, count, 24 + len(record)) + record
    names += struct.pack("<I", 24) * count
    size = 48 + len(names)
    head = struct.pack(
        "<4sI4s9I", b"lCRF", size, b"FOMC", 0, 0, labels, attributes, 48, 48, 48, 0, 0
    )
    return head + names


@pytest.mark.parametrize(
    ("labels", "attributes", "text", "message"),
    [
        (30_000, 30_000, b"a", "more weights than fit into it"),
        (1, 10_000, b"a" * 100_000, "its names overlap"),
    ],
)
def test_weights_take_no_more_memory_than_their_file(
    labels: int, attributes: int, text: bytes, message: str
) -> None:
    with pytest.raises(ModelError, match=message):
        read_crfsuite(crfsuite_file(labels, attributes, text))


@pytest.mark.parametrize("number", [3e38, math.nan, math.inf])
def test_weights_of_the_crf_are_numbers_within_bounds(bundle: Bundle, number: float) -> None:
    weight = next(iter(read_crfsuite(bundle.weights).state.values()))
    bits = struct.pack("<d", float(weight[weight != 0][0]))
    assert bits in bundle.weights
    with pytest.raises(ModelError, match="no number, or too large"):
        read_crfsuite(bundle.weights.replace(bits, struct.pack("<d", number), 1))
