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
import ipaddress
import os
import random
import re
import socket
import subprocess
import sys
from collections import Counter
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Any
from unittest.mock import patch

from crfclean.fetch.fetch import FetchError, FetchParams, fetch
from eval.cost.bad_requests import INNER, KINDS, fuzz_requests
from eval.lib.corpora import ROOT
from eval.lib.record import environment, record

TESTS = (
    "test_addresses test_fetch test_guard test_limits test_page_service test_clean_web "
    "test_clean_web_schema test_cli_serve"
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
