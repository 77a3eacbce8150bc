"""Tests of `modelfiles/folder.py`: digests of pages, packed and unpacked."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from crfclean.modelfiles import folder
from crfclean.modelfiles.folder import DIGEST_BYTES, pack_digests, page_digest, unpack

digests = st.frozensets(st.binary(min_size=DIGEST_BYTES, max_size=DIGEST_BYTES), max_size=20)


@pytest.mark.parametrize(
    "same", ["<p>One two</p>\n", "\ufeff<p>One two</p>", "<p>One\r\n\ttwo</p>", "<p>One\xa0two</p>"]
)
def test_white_space_and_marks_make_no_other_page(same: str) -> None:
    assert page_digest(same) == page_digest("<p>One two</p>")


@given(digests)
def test_what_is_packed_is_unpacked(pages: frozenset[bytes]) -> None:
    assert unpack(pack_digests(pages)) == pages
    assert pack_digests(sorted(pages, reverse=True)) == pack_digests(pages)


def test_many_pages_have_a_bounded_size(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(folder, "MAX_DIGESTS", 3)
    pages = [bytes([number]) * DIGEST_BYTES for number in (9, 1, 5, 7)]
    assert unpack(pack_digests(pages)) == frozenset(pages) - {pages[0]}


@pytest.mark.parametrize("packed", ["!", "YQ==", "YWFhYWFi"])
def test_what_was_not_packed(packed: str) -> None:
    with pytest.raises(ValueError, match=r"digest|base64|Non"):
        unpack(packed)
