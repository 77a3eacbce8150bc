"""Hostile input that a pipeline may hand over: broken bytes, broken markup, extreme sizes."""

from __future__ import annotations

import random

_RANDOM = random.Random(3)

HOSTILE: dict[str, object] = {
    "none": None,
    "empty": "",
    "empty-bytes": b"",
    "blank": " \n\t",
    "number": 7,
    "plain": "no markup at all",
    "pdf": b"%PDF-1.7\n\x00\x00\x00\x00",
    "png": b"\x89PNG\r\n\x1a\n" + bytes(64),
    "nul": "<p>a\0b</p>",
    "surrogate": "<html><body><p>lone \ud800 surrogate</p></body></html>",
    "codec": b"<meta charset=rot13><p>uryyb</p>",
    "gzip-cut": b"\x1f\x8b\x08\x00\x00\x00",
    "deep": "<div>" * 5_000 + "deep" + "</div>" * 5_000,
    "addresses": "<base href='http://['><link rel=canonical href='http://[a'><h1>No address</h1>"
    "<meta property=og:url content='http://[b'><a rel=author href='http://[c'>Ann Lee</a>",
    "open": "<table><tr><td><p><a href='" * 50,
    **{f"random-{size}": _RANDOM.randbytes(size) for size in (1, 10, 1_000, 100_000)},
    "random-tags": "".join(
        _RANDOM.choice(["<p>", "</p>", "<div class=x>", "</table>", "word ", "<!--", "&#0;"])
        for _ in range(2_000)
    ),
}
