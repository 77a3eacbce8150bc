"""Tests of `corpus/listing.py`: what is a page by its first bytes."""

from __future__ import annotations

import pytest

from crfclean.corpus.listing import OTHER_SUFFIXES, SNIFF_BYTES, is_html

PAGES = {
    "doctype": b"<!DOCTYPE html><title>x</title>",
    "old doctype": b'<!doctype HTML PUBLIC "-//W3C//DTD HTML 4.01//EN">',
    "empty doctype": b"<!DOCTYPE>\n<p>x",
    "html": b"<html>",
    "html with attributes": b"<HTML lang=en>",
    "head": b"\n\n <head><title>x</title>",
    "body": b"<body bgcolor=white>",
    "frames": b"<frameset cols='20%,80%'>",
    "piece of a page": b"<div class=x><p>Ferry</p></div>",
    "heading": b"<h1>Ferry in the ice</h1>",
    "break": b"<br/>Ferry",
    "byte order mark": b"\xef\xbb\xbf<html>",
    "UTF-16, little end": "\ufeff<html>".encode("utf-16-le"),
    "UTF-16, big end": "\ufeff<!doctype html>".encode("utf-16-be"),
    "white space": b" \r\n\t" * 5_000 + b"<html>",
    "NULs": b"\0\0<html>",
    "comments": b"<!-- saved from url=(0014)about:internet -->\n<!-- more --><html>",
    "XHTML": b'<?xml version="1.0" encoding="utf-8"?>\n<!DOCTYPE html PUBLIC "x"><html xmlns="y">',
    "XHTML without doctype": b"<?xml version='1.0'?>\n<html xmlns='http://www.w3.org/1999/xhtml'>",
    "a warning of PHP first": b"Warning: mysql_connect() failed in /x.php\n<!DOCTYPE html>\n",
    "an answer of HTTP": b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n\r\n<html><body>",
    "web archive": b"MIME-Version: 1.0\nContent-Type: multipart/related; boundary=x\n\n--x",
}


@pytest.mark.parametrize("head", PAGES.values(), ids=PAGES)
@pytest.mark.parametrize("suffix", ["", ".php", ".aspx", ".shtml", ".PHP?id=3", ".cz"])
def test_pages(head: bytes, suffix: str) -> None:
    assert is_html(head, suffix)


OTHERS = {
    "nothing": b"",
    "words": b"Ferry in the ice.",
    "words with a tag": b"Ferry <b>in</b> the ice.",
    "code about pages": b"var page = '<!doctype html>'\n",
    "code about pages, a line of its own": b"// a template\n<html>\n",
    "Python": b"import x\n\nPAGE = '''\n<html>\n'''\n",
    "PHP source": b"<?php include 'head.php'; ?>\n<html><body>",
    "JSP source": b"<%@ page language='java' %>\n<html>",
    "JSON": b'{"html": "<html>"}',
    "a list of JSON": b'[\n"<html>",\n',
    "CSS": b"body { color: red }",
    "CSS comment": b"/*\n<html>\n*/",
    "SVG": b'<svg xmlns="http://www.w3.org/2000/svg"><title>x</title></svg>',
    "SVG with a declaration": b'<?xml version="1.0"?><!DOCTYPE svg PUBLIC "x"><svg><a>x</a></svg>',
    "RSS": b'<?xml version="1.0"?><rss><channel><title>x</title>',
    "RSS without a declaration": b"<rss version='2.0'><channel><title>x</title>",
    "Atom": b'<feed xmlns="http://www.w3.org/2005/Atom"><title>x</title></feed>',
    "sitemap": b'<?xml version="1.0"?><urlset><url><loc>https://x.example/</loc>',
    "JATS": b'<?xml version="1.0"?>\n<article><body>',
    "another doctype": b"<!DOCTYPE plist PUBLIC 'x'><plist>",
    "PNG": b"\x89PNG\r\n\x1a\n" + bytes(100),
    "PDF": b"%PDF-1.7\n<html>\n",
    "zip": b"PK\x03\x04" + bytes(99) + b"\n<html>\n",
    "unclosed comment": b"<!-- " + b"x" * SNIFF_BYTES,
    "mathematics": b"<1> is less than <2>",
}


@pytest.mark.parametrize("head", OTHERS.values(), ids=OTHERS)
@pytest.mark.parametrize("suffix", ["", ".bin"])
def test_other_files(head: bytes, suffix: str) -> None:
    assert not is_html(head, suffix)


@pytest.mark.parametrize("suffix", [*sorted(OTHER_SUFFIXES), ".MD"])
def test_a_tag_makes_no_page_of_a_readme(suffix: str) -> None:
    assert not is_html(b'<div align="center"><h1>My program</h1></div>', suffix)
    assert not is_html(b"Some words\n<html>\n", suffix)
    assert is_html(b"<!doctype html><p>x</p>", suffix), "nothing else begins like this"


@pytest.mark.parametrize("head", [b"<!--", b"<!-- -->", b"\n<", b"<a ", b"<?xml ", b" \t"])
def test_time_is_linear(head: bytes) -> None:
    """Work that grows with the square of 100 times as much would take minutes."""
    assert is_html(head * SNIFF_BYTES * 10) in {True, False}
