"""Send requests to `crfclean serve` that it must refuse, for `eval.cost.bad_inputs`."""

from __future__ import annotations

import http.client
import json
import os
import random
import re
import subprocess
import sys
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from eval.lib.corpora import ROOT

INNER = (
    "127.0.0.1 127.1 127.0.1 2130706433 0x7f000001 0x7f.1 0177.0.0.1 017700000001 0 0.0.0.0 "
    "localhost 127.255.255.254 10.0.0.1 10.1 172.16.0.1 172.31.255.255 192.168.0.1 192.168.1 "
    "169.254.169.254 2852039166 100.64.0.1 192.0.0.8 198.18.0.1 224.0.0.1 240.0.0.1 "
    "255.255.255.255 [::1] [::] [::ffff:127.0.0.1] [::ffff:7f00:1] [::ffff:10.0.0.1] "
    "[64:ff9b::7f00:1] [64:ff9b:1::a00:1] [2002:7f00:1::] [2001:0:7f00:1::] [fe80::1] [fc00::1] "
    "[fd00::1] [fec0::1] [ff02::1] [::127.0.0.1] [::ffff:0:127.0.0.1] [0:0:0:0:0:0:0:1]"
).split()


class Server:
    """`crfclean serve --allow-fetch` in a process."""

    def __init__(self) -> None:
        command = [sys.executable, "-m", "crfclean", "serve", "--port", "0", "--allow-fetch"]
        self.process = subprocess.Popen(  # noqa: S603
            command,
            stdout=subprocess.PIPE,
            text=True,
            env=os.environ | {"PYTHONPATH": str(ROOT)},
        )
        assert self.process.stdout is not None
        line = re.fullmatch(r"http://.+:(\d+)/\?token=(.+)\n", self.process.stdout.readline())
        assert line
        self.port, self.token = int(line[1]), line[2]

    def ask(self, method: str, path: str, body: bytes, headers: Mapping[str, str]) -> int:
        """The status of an answer, 0 for none."""
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=60)
        try:
            connection.request(method, path, body, dict(headers))
            answer = connection.getresponse()
            answer.read()
        except (OSError, http.client.HTTPException):
            return 0
        else:
            return answer.status
        finally:
            connection.close()


Request = tuple[str, str, bytes, Mapping[str, str]]


def spoiled(rng: random.Random, token: str) -> str:
    """A token with a character changed, left out or put in."""
    place = rng.randrange(len(token))
    inserted = rng.choice(["", "x", "-", "é", "%00"])
    changed = token[:place] + inserted + token[place + rng.randint(0, 1) :]
    return changed if changed != token else token[:-1]


def stranger(rng: random.Random, server: Server) -> Request:
    """A good request of somebody who may not ask."""
    kind = rng.randrange(5)
    headers = {"x-crfclean-token": server.token, "content-type": "application/json"}
    headers |= [
        {"x-crfclean-token": spoiled(rng, server.token)},
        {"host": rng.choice(["evil.example", "localhost", f"127.0.0.1:{server.port + 1}", "a\tb"])},
        {"origin": rng.choice(["http://evil.example", "null", "https://127.0.0.1", ""])},
        {"sec-fetch-site": rng.choice(["cross-site", "same-site"])},
        {"x-crfclean-token": "", "cookie": f"crfclean-{server.port}={server.token}"},
    ][kind]
    return "POST", "/extract", b'{"html": "<p>Some words."}', headers


def misshapen(rng: random.Random, server: Server) -> Request:
    """A request that fits no shape."""
    good = {"html": "<p>", "threshold": 0.5, "reasons": 1, "formats": ["txt"], "post": True}
    wrong: list[Any] = [None, -1, 2.5, "x", [], {}, [None], 1e300, "\ud800", True, {"a": 1}]
    field = rng.choice(["threshold", "reasons", "formats", "post", "html", "base64", "more"])
    bad = {**good, field: rng.choice(wrong)}
    if field == "html":
        bad["html"] = rng.choice([None, 1, [], {}, True])
    if field in {"threshold", "post"}:
        bad[field] = rng.choice(["x", [], {}, -7, 2.5])
    if field == "formats":
        bad[field] = rng.choice(["txt", ["exe"], [None], {}, 7])
    if field == "reasons":
        bad[field] = rng.choice([-1, 2.5, "x", [], 10**30, None])
    body = json.dumps(bad).encode()
    if rng.random() < 0.3:
        body = body[: rng.randrange(len(body))]
    elif rng.random() < 0.3:
        body = rng.randbytes(rng.randint(1, 200))
    headers = {"x-crfclean-token": server.token, "content-type": "application/json"}
    return "POST", "/extract", body, headers


def inward(rng: random.Random, server: Server) -> Request:
    """A URL that leads to what is not public, or to the server itself."""
    port = rng.choice(["", f":{server.port}", ":80", ":8080"])
    url = f"{rng.choice(['http', 'https', 'file', 'ftp'])}://{rng.choice(INNER)}{port}/options"
    headers = {"x-crfclean-token": server.token, "content-type": "application/json"}
    return "POST", "/extract", json.dumps({"url": url}).encode(), headers


KINDS: Mapping[str, tuple[Callable[[random.Random, Server], Request], Sequence[int]]] = {
    "strangers": (stranger, (400, 403)),
    "misshapen": (misshapen, (400, 422)),
    "inward URLs": (inward, (403,)),
}
"""Kind of bad request -> how one is made, and how it may be answered."""


def fuzz_requests(count: int, seed: int) -> Mapping[str, Any]:
    """How bad requests were answered; `through` has those that were not refused."""
    rng = random.Random(seed)  # noqa: S311
    server = Server()
    by_kind: dict[str, Any] = {}
    try:
        for name, (make, expected) in KINDS.items():
            outcomes = Counter[int]()
            through = []
            for _ in range(count):
                request = make(rng, server)
                status = server.ask(*request)
                outcomes[status] += 1
                if status not in expected:
                    through.append([status, request[2].decode("utf-8", "replace")])
            statuses = {str(status): number for status, number in sorted(outcomes.items())}
            by_kind[name] = {"inputs": count, "outcomes": statuses, "through": through}
        headers = {"x-crfclean-token": server.token, "content-type": "application/json"}
        alive = server.ask("POST", "/extract", b'{"html": "<p>Some words."}', headers)
        by_kind["the server lives"] = alive == 200
    finally:
        server.process.kill()
        server.process.communicate()
    return by_kind
