"""Tests of `page/controls.py`: what terminals obey is in no output, on no terminal."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from doubles import KeepAll
from lxml import etree

from crfclean.forum.posts import posts
from crfclean.metadata.read import read
from crfclean.page.blocks import split
from crfclean.page.controls import escaped, has_controls, visible, visible_json
from crfclean.page.decode import decode
from crfclean.page.offsets import words_at
from crfclean.pipeline import run
from crfclean.writers.formats import WRITERS, write
from crfclean.writers.json import to_dict

OBEYED = re.compile("[\0-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\ud800-\udfff\ufffe\uffff]")
"""What no output may have, in characters."""

ATTACK = "\x1b]0;name\x07"
CONTROLS = [*range(9), 11, 12, *range(14, 32), *range(127, 160), 0xD800, 0xDFFF, 0xFFFE, 0xFFFF]
LD = {"@type": "NewsArticle", "headline": f"Head{ATTACK}line", "author": "A\x9b\ud800 Writer"}
PAGE = f"""<html lang="e{ATTACK}n"><head><title>A {ATTACK}title &#27;[2J</title>
<meta name="author" content="Some{ATTACK}body&#x1b"><meta property="og:title" content="A&#7;B">
<script type="application/ld+json">{json.dumps(LD)}</script></head>
<body><h1 id="a{ATTACK}">A {ATTACK}heading&#x0;&#x7F;</h1>
<p>Some {ATTACK}text with <a href="/b{ATTACK}" title="&#155;c">li\x9bnks</a>&#27 and more of it.</p>
<p><img src="/p{ATTACK}.png" alt="pic{ATTACK}ture"> A picture.</p>
<pre><code class="language-x{ATTACK}">a{ATTACK}b\x0cc</code></pre>
<ul><li>\x85one<li>two\uffff</ul><table><tr><td>c{ATTACK}<td>d\ufffe</table><\x1bb>e</\x1bb></body>"""
DOCUMENT = run(decode(PAGE, f"https://example.org/{ATTACK}"), KeepAll())


@pytest.mark.parametrize("form", WRITERS)
def test_no_format_has_what_terminals_obey(form: str) -> None:
    text = write(DOCUMENT, form)
    assert "text with" in text
    assert not OBEYED.search(text)
    if form.startswith("json"):  # nor what stands there as an escape
        assert not OBEYED.search(
            json.dumps(json.loads(text), ensure_ascii=False).replace("\\u", "")
        )
        assert not re.search(r"\\u00[01]|\\u001b|\\ud8", text)


def test_metadata_have_none() -> None:
    metadata = repr(read(DOCUMENT))
    assert "]0;name" in metadata
    assert not re.search(r"\\x[01789]|\\ud8|\\uff", metadata)
    (script,) = DOCUMENT.blocks.json_ld
    assert json.loads(script)["headline"] == "Head ]0;name line"


def test_posts_have_none() -> None:
    post = f"<div class=post><a class=user>Us{ATTACK}er</a> 2024-01-02 10:00<p>Wo{ATTACK}rds. "
    page = decode("<body>" + (post + "Some more of them.</div>") * 8)
    assert r"\x1b" not in repr(posts([page]))


def test_explanation_has_none() -> None:
    texts = [*DOCUMENT.blocks.texts, *(block.xpath for block in DOCUMENT.blocks)]
    assert not OBEYED.search("".join(texts))


@pytest.mark.parametrize("code", CONTROLS)
@pytest.mark.parametrize("form", ["{}", "&#{:d};", "&#{:d} ", "&#x{:x};", "&#X000{:X};"])
def test_every_control_character(code: int, form: str) -> None:
    spelled = chr(code) if form == "{}" else form.format(code)
    (text,) = split(decode(f"<p>one{spelled}two</p>")).texts
    assert not OBEYED.search(text)
    assert text.startswith("one")
    assert text.endswith("two")


@pytest.mark.parametrize("char", "\t\n\r\u200e\u202e\u2066\u00a0\u00ad\ufeff\U0001f600\ufffd")
def test_what_is_shown_stays(char: str) -> None:
    assert visible(f"a{char}b") == f"a{char}b"
    assert not has_controls(f"<p>a{char}b &#9;&#10;&#13;&#39;&#160;&#x20;&#1234;&#x1f4a9;</p>")


def test_rare_white_space_still_separates_words() -> None:
    assert split(decode("<p>a\fb\vc\x1fd\x85e&#12;f</p>")).texts == ("a b c d e f",)


def test_windows_1252_by_number() -> None:
    assert split(decode("<p>10 &#128; &#150; \x80</p>")).texts == ("10 € –",)


def test_a_run_of_nothing_is_none() -> None:
    blocks = split(decode("<p>a</p><p>\x1b\x07</p><p>&#27;</p><p>b</p>"))
    assert blocks.texts == ("a", "b")
    assert all(blocks.runs.texts)


def test_places_hold() -> None:
    tree = etree.fromstring(PAGE, etree.HTMLParser(huge_tree=True)).getroottree()
    for block in to_dict(DOCUMENT)["blocks"][:-1]:  # the last one's tag has a control character
        assert words_at(tree, block) == "".join(block["text"].split())


ESCAPES = [r"a\u001bb", r"a\\u001bb", r"\\\u009b", r"\ud83d\ude00", r"\ud83d", r"\b\f", r"\u00\b1b"]


@pytest.mark.parametrize("escape", ESCAPES)
def test_escapes_in_json(escape: str) -> None:
    """They are dropped as `json` reads them; an even number of backslashes makes none."""
    clean = visible_json(f'"{escape}"')
    try:
        before = json.loads(f'"{escape}"')
    except ValueError:
        with pytest.raises(ValueError, match="escape"):
            json.loads(clean)
        return
    assert json.loads(clean) == OBEYED.sub(" ", before)


def test_messages_spell_names(
    crfclean: Callable[..., Any], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    name = f"a{ATTACK}\t.html"
    Path(name).write_bytes(b"")
    done = crfclean("clean", name, "-", "--tagger", "links", "--failures", "list")
    spelled = r"a\x1b]0;name\x07\t.html"
    assert f"{spelled}: the file is empty\n" in done.err
    assert Path("list").read_text("utf-8") == f"{spelled}\tempty\tthe file is empty\n"
    assert r"crfclean: no\x1b]0;name\x07" in crfclean("explain", f"no{ATTACK}").err


def test_spelled_names() -> None:
    assert escaped("Žofín ü\u202e 漢.html") == "Žofín ü\u202e 漢.html"
    assert escaped("a\nb\r\udc80\x9b") == r"a\nb\r\udc80\x9b"
