"""Tests of `serve/params.py`."""

from __future__ import annotations

import pytest

from crfclean.serve.params import ServeParams, WorkParams
from crfclean.types import CrfcleanError


def test_loopback_and_no_fetching_unless_told_otherwise() -> None:
    params = ServeParams()
    assert params.host == "127.0.0.1"
    assert params.fetching is None
    assert params.work == WorkParams()


@pytest.mark.parametrize(
    "token", ["short", "with a blank", "a" * 20 + "&", "žluťoučký", "a/b/c/d/e"]
)
def test_tokens_that_fit_no_address(token: str) -> None:
    with pytest.raises(CrfcleanError, match="token: 8 or more") as caught:
        ServeParams(token=token)
    assert token not in str(caught.value)
