"""The API by its own description: requests that fit it, and ones that don't, by schemathesis."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("fastapi", reason="needs crfclean[web]")
schemathesis = pytest.importorskip("schemathesis", reason="needs crfclean[schema]")
from hypothesis import HealthCheck, given, settings  # noqa: E402

from crfclean.web.app import build_app  # noqa: E402
from crfclean.web.fetch import FetchParams  # noqa: E402
from crfclean.web.inspection import ServeParams  # noqa: E402
from crfclean.web.server import (  # noqa: E402
    TOKEN_HEADER,
    AccessRules,
    BodyLimits,
    Guard,
)
from crfclean.web.service import (  # noqa: E402
    Answer,
    PageRequest,
    answer_request,
    open_served,
)

CHECKS = [*HealthCheck]
TOKEN = {TOKEN_HEADER: "secret"}
SELECTORS = {"within": "body, .post > p", "drop": ""}


class Service:
    """Answers in this process."""

    def __init__(self, models: tuple[str, ...]) -> None:
        self.served = open_served(models)

    async def answer(self, request: PageRequest) -> Answer:
        return answer_request(request, self.served)


def no_names(*_: object, **__: object) -> None:
    raise OSError


@pytest.fixture(scope="module")
def described(model: Path) -> Iterator[Any]:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("crfclean.web.fetch.socket.getaddrinfo", no_names)
        params = ServeParams(models=(str(model),), fetching=FetchParams(max_seconds=2.0))
        app = build_app(params, Service(params.models).answer)
        guarded = Guard(
            BodyLimits(app, 10**7, 9.0), AccessRules("testserver", "secret", scripts=True)
        )
        yield schemathesis.openapi.from_asgi("/openapi.json", guarded, headers=TOKEN)


@pytest.mark.parametrize("mode", schemathesis.GenerationMode)
@pytest.mark.parametrize(("method", "path"), [("POST", "/extract"), ("GET", "/options")])
def test_the_api_keeps_to_its_description(
    described: Any, method: str, path: str, mode: Any
) -> None:
    """No crash, no undocumented answer, no bad request that passes, no good one that doesn't."""
    if mode is schemathesis.GenerationMode.NEGATIVE and method == "GET":
        pytest.skip("nothing can be wrong with it")

    @settings(max_examples=200, deadline=None, derandomize=True, suppress_health_check=CHECKS)
    @given(described[path][method].as_strategy(mode))
    def check(case: Any) -> None:
        if mode is schemathesis.GenerationMode.POSITIVE and isinstance(case.body, dict):
            case.body |= SELECTORS  # no schema says what a selector is
        case.call_and_validate(headers=TOKEN)

    check()
