"""Tests of `tools/mcp.py` with the SDK's own client, over standard input and output."""

from __future__ import annotations

import asyncio
import os
import sys
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("mcp", reason="pip install 'crfclean[mcp]'")

from checkout import ROOT
from mcp import Client, StdioServerParameters

from crfclean.products.tools.mcp import server
from crfclean.products.tools.page_tools import ToolParams, ToolWorker

NAME = "moorland-gazette/sunday-bus-reprieve.html"
QUOTE = "signed a petition against the cut"
TOOLS = ["block", "clean", "find_quote", "has_content", "outline", "score", "why"]


def talk(questions: Callable[[Any], Awaitable[None]], *options: str | Path) -> None:
    """Start the server as clients do, and ask it."""

    async def run() -> None:
        arguments = ["-m", "crfclean", "mcp", *map(str, options)]
        environment = {"PYTHONPATH": os.pathsep.join([str(ROOT), os.environ["PYTHONPATH"]])}
        started = StdioServerParameters(
            command=sys.executable, args=arguments, env=environment, cwd=ROOT
        )
        async with Client(started, read_timeout_seconds=120) as client:
            await questions(client)

    asyncio.run(run())


def test_a_client_reads_a_page(demo: Path, model: Path) -> None:
    async def questions(client: Any) -> None:
        listed = (await client.list_tools()).tools
        assert sorted(tool.name for tool in listed) == TOOLS
        assert all("page" in tool.input_schema["required"] for tool in listed)
        found = await client.call_tool("find_quote", {"page": NAME, "quote": QUOTE})
        citation = found.structured_content["citation"]
        assert citation["text"] == QUOTE
        place = {"page": NAME, "xpath": citation["blocks"][0]["xpath"]}
        blocks = (await client.call_tool("block", place)).structured_content["blocks"]
        assert QUOTE in blocks[0]["text"]
        reasons = (await client.call_tool("why", place)).structured_content["blocks"]
        assert reasons[0]["because"]
        html = (demo / NAME).read_text("utf-8")
        cleaned = await client.call_tool("clean", {"page": html, "format": "txt"})
        assert QUOTE in cleaned.structured_content["text"]

    talk(questions, "--pages", demo, "--model", model)


def test_nothing_is_read_unless_allowed(model: Path) -> None:
    async def questions(client: Any) -> None:
        for page, reason in (
            ("https://example.org/", "--allow-fetch"),
            ("/etc/hostname", "--pages"),
            ("README.md", "--pages"),
        ):
            answer = await client.call_tool("clean", {"page": page})
            assert answer.is_error
            assert reason in answer.content[0].text
        answer = await client.call_tool("has_content", {"page": "<p>Home</p>"})
        assert not answer.is_error

    talk(questions, "--model", model)


def test_wrong_calls_are_told(model: Path) -> None:
    worker = ToolWorker(ToolParams(str(model)))

    async def questions() -> None:
        async with Client(server(ToolParams(str(model)), worker)) as client:
            assert (await client.call_tool("clean", {})).is_error
            answer = await client.call_tool("block", {"page": "<p>Home</p>", "xpath": "/none"})
            assert answer.is_error
            assert "no block at '/none'" in answer.content[0].text

    try:
        asyncio.run(questions())
    finally:
        worker.close()
