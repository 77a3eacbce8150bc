"""Count the bad inputs that get through the fetcher and the server; there must be none.

Run `python -m eval.cost.bad_inputs`.

Three parts. URLs: spellings of addresses that are not public, mangled at random, and names that
resolve to anything (also to something else the second time); every connection that the fetcher
asks for is noted, and none is made. Requests: mangled bodies and headers, sent to a server on
loopback with a wrong token, foreign hosts and origins, or to be fetched from where nothing may be
fetched. The tests: those of the fetcher, the guard, the limits, the API and the command.
"""

from __future__ import annotations

import argparse
import http.client
import ipaddress
import json
import os
import random
import re
import socket
import subprocess
import sys
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any
from unittest.mock import patch

from crfclean.fetch.fetch import FetchError, FetchParams, fetch
from eval.lib.corpora import ROOT
from eval.lib.record import environment, record

TESTS = (
    "test_addresses test_fetch test_guard test_limits test_page_service test_clean_web "
    "test_clean_web_schema test_cli_serve"
).split()
INNER = (
    "127.0.0.1 127.1 127.0.1 2130706433 0x7f000001 0x7f.1 0177.0.0.1 017700000001 0 0.0.0.0 "
    "localhost 127.255.255.254 10.0.0.1 10.1 172.16.0.1 172.31.255.255 192.168.0.1 192.168.1 "
    "169.254.169.254 2852039166 100.64.0.1 192.0.0.8 198.18.0.1 224.0.0.1 240.0.0.1 "
    "255.255.255.255 [::1] [::] [::ffff:127.0.0.1] [::ffff:7f00:1] [::ffff:10.0.0.1] "
    "[64:ff9b::7f00:1] [64:ff9b:1::a00:1] [2002:7f00:1::] [2001:0:7f00:1::] [fe80::1] [fc00::1] "
    "[fd00::1] [fec0::1] [ff02::1] [::127.0.0.1] [::ffff:0:127.0.0.1] [0:0:0:0:0:0:0:1]"
).split()
ANY = "8.8.8.8 1.1.1.1 127.0.0.1 10.0.0.1 ::1 169.254.169.254 2606:4700::1111 fe80::1%1".split()
SCHEMES = "http https HTTP hTTp http http ftp file gopher data javascript ws".split()
USERS = ["", "", "", "", "user@", "user:word@", "@", "example.org@", "example.org#@", "a%40b@"]
PORTS = ["", "", "", ":80", ":443", ":8080", ":22", ":0", ":65536", ":", ":-1", ":80:80"]
PATHS = ["", "/", "/a", "/../", "//", "/\\", "?a", "#a", "/%2e%2e/", ";a", "/@example.org"]
ODD = "\\\t\n\r\0 \x7f\x1b%@#?/:.[]{}|^`\u3002\uff0e\uff0f\u2488\u00ad\u200b\u0130\udc80é"


# URLs


@contextmanager
def watched(rng: random.Random) -> Iterator[list[tuple[str, str]]]:
    """No connection is made; the addresses that are asked for are noted, with what is resolved."""
    connections: list[tuple[str, str]] = []
    real = socket.getaddrinfo
    lookups = Counter[str]()

    def connect(_self: socket.socket, address: tuple[Any, ...]) -> None:
        connections.append((str(address[0]), ""))
        raise ConnectionRefusedError

    def resolve(host: str, port: int, *rest: Any, **options: Any) -> Any:
        flags = socket.AI_NUMERICHOST
        if re.fullmatch(r"[0-9a-fA-Fx.]+|.*:.*|localhost", host):
            numeric = "127.0.0.1" if host == "localhost" else host
            return real(numeric, port, *rest, **{**options, "flags": flags})
        lookups[host] += 1
        addresses = rng.sample(ANY, rng.randint(1, 3))
        return [
            (socket.AF_INET, socket.SOCK_STREAM, 6, "", (address, port)) for address in addresses
        ]

    with (
        patch.object(socket.socket, "connect", connect),
        patch.object(socket, "getaddrinfo", resolve),
    ):
        yield connections


def mangled(rng: random.Random, text: str) -> str:
    """A text with up to three characters put in, taken out or doubled."""
    for _ in range(rng.choice([0, 0, 1, 2, 3])):
        place = rng.randrange(len(text) + 1)
        kind = rng.randrange(3)
        middle = ["", rng.choice(ODD), text[place : place + 1] * 2][kind]
        text = text[:place] + middle + text[place + (kind != 1) :]
    return text


def a_url(rng: random.Random) -> str:
    host = rng.choice([*INNER, "example.org", "rebinds.example"])
    host = rng.choice([host, host.upper(), host + ".", host])
    parts = (rng.choice(SCHEMES), rng.choice(USERS), host, rng.choice(PORTS), rng.choice(PATHS))
    return mangled(rng, "{}://{}{}{}{}".format(*parts))


def is_public(address: str) -> bool:
    """By Python's own tables, with mapped addresses as what they carry."""
    ip = ipaddress.ip_address(address.partition("%")[0])
    mapped = getattr(ip, "ipv4_mapped", None)
    return (mapped or ip).is_global and not ip.is_multicast


def fuzz_urls(count: int, seed: int) -> Mapping[str, Any]:
    """What became of bad URLs; `through` has the connections to what is not public."""
    rng = random.Random(seed)  # noqa: S311
    outcomes = Counter[str]()
    through: list[tuple[str, str]] = []
    with watched(rng) as connections:
        for _ in range(count):
            url = a_url(rng)
            connections.clear()
            try:
                fetch(url, FetchParams(max_seconds=5.0))
                outcomes["fetched"] += 1
            except FetchError as error:
                outcomes["refused" if getattr(error, "refused", False) else "failed"] += 1
            except Exception as error:  # noqa: BLE001 - what must not happen is counted
                outcomes[f"raised {type(error).__name__}"] += 1
                through.append((url, repr(error)))
            outcomes["public addresses asked"] += sum(
                is_public(address) for address, _ in connections
            )
            through += [(url, address) for address, _ in connections if not is_public(address)]
    return {"inputs": count, "outcomes": dict(sorted(outcomes.items())), "through": through}


# requests


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


# the tests


def run_tests() -> Mapping[str, Any]:
    """How many tests of each file passed; `through` names those that did not."""
    by_file: dict[str, Any] = {}
    for name in TESTS:
        (path,) = (ROOT / "tests").rglob(f"{name}.py")
        command = [sys.executable, "-m", "pytest", "-q", "-n0", "-rfEs", str(path)]
        done = subprocess.run(  # noqa: S603
            command,
            cwd=ROOT,
            capture_output=True,
            text=True,
            check=False,
            env=os.environ | {"PYTHONPATH": str(ROOT)},
        )
        dots = "".join(re.findall(r"^([.sFEx]+) *\[ *\d+%\]$", done.stdout, re.MULTILINE))
        failed = re.findall(r"^(?:FAILED|ERROR) (\S+)", done.stdout, re.MULTILINE)
        passed = {"inputs": dots.count("."), "skipped": dots.count("s")}
        by_file[name] = {**passed, "through": failed}
    return by_file


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--urls", type=int, default=20_000)
    parser.add_argument("--requests", type=int, default=1_000, help="of each kind")
    parser.add_argument("--seed", type=int, default=1)
    args = parser.parse_args()
    result = {
        "urls": fuzz_urls(args.urls, args.seed),
        "requests": fuzz_requests(args.requests, args.seed),
        "tests": run_tests(),
    }
    lines = {"mangled URLs": result["urls"], **result["tests"]}
    lines |= {name: figures for name, figures in result["requests"].items() if name in KINDS}
    for name, figures in lines.items():
        outcomes = ", ".join(
            f"{key}: {value}" for key, value in figures.get("outcomes", {}).items()
        )
        print(f"{name:24} {figures['inputs']:7,} {len(figures['through']):3} through   {outcomes}")
        for item in figures["through"][:10]:
            print("   ", item)
    record("cost/bad_inputs", {**environment(), "seed": args.seed, **result})


if __name__ == "__main__":
    main()
