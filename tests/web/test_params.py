"""Tests of `web/inspection.py`."""

from __future__ import annotations

import pytest

from crfclean.types import CrfcleanError
from crfclean.web.inspection import ServeParams


@pytest.mark.parametrize(
    "token", ["short", "with a blank", "a" * 20 + "&", "žluťoučký", "a/b/c/d/e"]
)
def test_tokens_that_fit_no_address(token: str) -> None:
    with pytest.raises(CrfcleanError, match="token: 8 or more") as caught:
        ServeParams(token=token)
    assert token not in str(caught.value)
