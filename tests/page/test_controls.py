"""Tests of `page/chars.py`: what terminals obey is in no output, on no terminal."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from doubles import KeepAll
from lxml import etree

from crfclean.document.formats import WRITERS, write
from crfclean.document.json import to_dict
from crfclean.document.parts import Show
from crfclean.page.blocks import split
from crfclean.page.chars import visible_json
from crfclean.page.decode import decode
from crfclean.page.places import words_at
from crfclean.pipeline import run
from crfclean.types import Format

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
def test_no_format_has_what_terminals_obey(form: Format) -> None:
    text = write(DOCUMENT, form)
    assert "text with" in (text.replace("\n", " ") if form == "vertical" else text)
    assert not OBEYED.search(text)
    if form.startswith("json"):  # nor what stands there as an escape
        assert not OBEYED.search(
            json.dumps(json.loads(text), ensure_ascii=False).replace("\\u", "")
        )
        assert not re.search(r"\\u00[01]|\\u001b|\\ud8", text)


@pytest.mark.parametrize("form", ["{}", "&#{:d};", "&#{:d} ", "&#x{:x};", "&#X000{:X};"])
def test_every_control_character(form: str) -> None:
    for code in CONTROLS:
        spelled = chr(code) if form == "{}" else form.format(code)
        (text,) = split(decode(f"<p>one{spelled}two</p>")).texts
        assert not OBEYED.search(text), code
        assert text.startswith("one"), code
        assert text.endswith("two"), code


def test_windows_1252_by_number() -> None:
    assert split(decode("<p>10 &#128; &#150; \x80</p>")).texts == ("10 € –",)


def test_places_hold() -> None:
    tree = etree.fromstring(PAGE, etree.HTMLParser(huge_tree=True)).getroottree()
    for block in to_dict(DOCUMENT, Show(blocks=True))["blocks"][
        :-1
    ]:  # the last one's tag has a control character
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
