"""Tests of `forum/joining.py`: threads in the rows of a shard."""

from __future__ import annotations

import gzip
import json
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from crfclean.products.forum.dates import NEVER, When
from crfclean.products.forum.replies import Reply
from crfclean.products.forum.row_joining import RowCounts, join_rows
from crfclean.products.forum.thread import Post, Thread
from crfclean.products.forum.thread_writers import thread_from_dict, thread_to_dict

URL = "https://a.example/t/tea-5"


def post(number: int) -> Post:
    text = f"words of post {number}"
    return Post(text, (), text, "ann", "", "", NEVER, str(number), "", 0, first=True, node=-1)


def row(name: str, url: str, *numbers: int, status: str = "ok") -> dict[str, Any]:
    thread = Thread(url, "Tea or coffee", tuple(map(post, numbers)), status)
    return {"id": name, **thread_to_dict(thread), "message": ""}


def write(path: Path, rows: Sequence[dict[str, Any]]) -> Path:
    data = "".join(json.dumps(one, ensure_ascii=False) + "\n" for one in rows).encode()
    path.write_bytes(gzip.compress(data) if path.suffix == ".gz" else data)
    return path


def read(path: Path) -> list[dict[str, Any]]:
    data = path.read_bytes()
    text = gzip.decompress(data) if path.suffix == ".gz" else data
    return [json.loads(line) for line in text.splitlines()]


@pytest.mark.parametrize("ending", ["jsonl", "jsonl.gz"])
def test_pages_of_a_thread_anywhere_in_a_shard(tmp_path: Path, ending: str) -> None:
    others = [row(f"o{n}", f"https://a.example/t/milk-{n}", n) for n in range(200)]
    pages = [row("p3", f"{URL}?page=3", 5), row("p1", URL, 1, 2), row("p2", f"{URL}?page=2", 1, 3)]
    rows = [pages[0], *others[:99], pages[1], *others[99:], pages[2]]
    path = write(tmp_path / f"out.{ending}", rows)
    assert join_rows(path, ending) == RowCounts(joined=2)
    made = read(path)
    assert [one["id"] for one in made] == [one["id"] for one in rows]
    third, first, second = made[0], made[100], made[-1]
    assert [one["postId"] for one in first["posts"]] == ["1", "2", "3", "5"]
    assert [one["number"] for one in first["posts"]] == [1, 2, 3, 4]
    assert [one["page"] for one in first["posts"]] == [1, 1, 2, 3]
    assert first["pages"] == [URL, f"{URL}?page=2", f"{URL}?page=3"]
    for page in (second, third):
        assert (page["status"], page["posts"], page["joinedTo"]) == ("joined", [], "p1")
        assert page["message"] == "joined with p1"
    assert made[1:100] + made[101:-1] == others


def test_a_joined_shard_stays_as_it_is(tmp_path: Path) -> None:
    path = write(tmp_path / "out.jsonl", [row("a", URL, 1), row("b", f"{URL}?page=2", 2)])
    assert join_rows(path, "jsonl").joined == 1
    before = path.read_bytes()
    assert join_rows(path, "jsonl") == RowCounts()
    assert path.read_bytes() == before
    assert sorted(one.name for one in tmp_path.iterdir()) == ["out.jsonl"]


def test_a_page_that_comes_later_takes_its_place(tmp_path: Path) -> None:
    """Where it is the first one, the others name it."""
    path = write(
        tmp_path / "out.jsonl", [row("b", f"{URL}?page=2", 2), row("c", f"{URL}?page=3", 3)]
    )
    join_rows(path, "jsonl")
    write(path, [*read(path), row("a", URL, 1)])
    assert join_rows(path, "jsonl").joined == 1
    second, third, first = read(path)
    assert [one["postId"] for one in first["posts"]] == ["1", "2", "3"]
    assert {second["joinedTo"], third["joinedTo"]} == {"a"}
    assert {second["message"], third["message"]} == {"joined with a"}


def test_pages_that_may_be_of_two_threads_are_counted(tmp_path: Path) -> None:
    rows = [row("a", "", 1), row("b", "", 2), row("c", "", status="no-posts")]
    path = write(tmp_path / "out.jsonl", rows)
    assert join_rows(path, "jsonl") == RowCounts(apart=1)
    assert read(path) == rows


def test_threads_come_back_from_their_rows() -> None:
    full = replace(
        post(3),
        quotes=("of another",),
        full="of another\nwords of post 3",
        author_url="https://a.example/u/ann",
        date="5 May",
        published=When("--05-05", "no-year"),
        url=f"{URL}#3",
        from_data=("author", "published"),
        reply=Reply(0, "1", "quote"),
    )
    bare = replace(post(4), author="", post_id="", reply=Reply(-1, "9", "link"))
    thread = Thread(URL, "Tea", (post(1), full, bare), "ok", 0.0, (URL, f"{URL}?page=2"))
    assert thread_from_dict(thread_to_dict(thread)) == thread
    empty = Thread("", "", (), "joined", 0.0, (), "p1")
    assert thread_from_dict(thread_to_dict(empty)) == empty
