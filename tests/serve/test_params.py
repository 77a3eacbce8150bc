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


def test_the_token_is_not_shown() -> None:
    assert "secret" not in repr(ServeParams(token="secret-token"))


@pytest.mark.parametrize(
    "token", ["short", "with a blank", "a" * 20 + "&", "žluťoučký", "a/b/c/d/e"]
)
def test_tokens_that_fit_no_address(token: str) -> None:
    with pytest.raises(CrfcleanError, match="token: 8 or more") as caught:
        ServeParams(token=token)
    assert token not in str(caught.value)


@pytest.mark.parametrize(
    "wrong",
    [
        *({"workers": 0}, {"waiting": -1}, {"max_seconds": 0.0}, {"max_memory": 0}),
        *({"max_seconds": float("nan")}, {"max_seconds": float("inf")}),
    ],
)
def test_bounds(wrong: dict[str, float]) -> None:
    with pytest.raises(CrfcleanError, match=f"{next(iter(wrong))} must be from"):
        WorkParams(**wrong)  # type: ignore[arg-type]


@pytest.mark.parametrize("wrong", [{"port": -1}, {"port": 65_536}, {"max_mb": 0}])
def test_bounds_of_the_server(wrong: dict[str, int]) -> None:
    with pytest.raises(CrfcleanError, match=f"{next(iter(wrong))} must be from"):
        ServeParams(**wrong)  # type: ignore[arg-type]
