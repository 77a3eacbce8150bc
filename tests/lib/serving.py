"""Servers in processes of their own, which print the address to open."""

from __future__ import annotations

import http.client
import json
import os
import re
import subprocess
import sys
from typing import Any

from checkout import ROOT


class Running:
    """Python with these arguments, which has printed an address."""

    def __init__(self, *arguments: object, **environment: str) -> None:
        self.process = subprocess.Popen(
            [sys.executable, *map(str, arguments)],
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            env=os.environ | {"PYTHONPATH": str(ROOT)} | environment,
        )
        assert self.process.stdout is not None
        self.address = self.process.stdout.readline().strip()
        found = re.fullmatch(r"http://(.+):(\d+)/\?token=([\w-]+)", self.address)
        assert found, (self.address, self.process.communicate()[1])
        self.host, self.port, self.token = found[1].strip("[]"), int(found[2]), found[3]

    def ask(self, path: str, body: object = None, **headers: str) -> tuple[int, Any]:
        """Status and JSON (or text) of an answer."""
        connection = http.client.HTTPConnection(self.host, self.port, timeout=60)
        packed = None if body is None else json.dumps(body)
        connection.request("GET" if body is None else "POST", path, packed, headers)
        answer = connection.getresponse()
        text = answer.read().decode()
        connection.close()
        return answer.status, json.loads(text) if text.startswith(("{", "[")) else text

    def end(self) -> tuple[str, str]:
        """Wait for the end; what was printed after the address, and the errors."""
        return self.process.communicate(timeout=30)

    def close(self) -> None:
        """Kill the server."""
        self.process.kill()
        self.process.communicate()
