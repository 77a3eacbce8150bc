"""Tests of `web/fetch.py`."""

from __future__ import annotations

import pytest

from crfclean.web.fetch import refusal

REFUSED = {
    "127.0.0.1": "loopback",
    "127.255.1.2": "loopback",
    "::1": "loopback",
    "::ffff:127.0.0.1": "loopback",
    "::ffff:7f00:1": "loopback",
    "64:ff9b::7f00:1": "loopback",
    "0.0.0.0": "wildcard",
    "::": "wildcard",
    "::ffff:0.0.0.0": "wildcard",
    "10.1.1.1": "private",
    "172.16.0.1": "private",
    "172.31.255.255": "private",
    "192.168.1.1": "private",
    "::ffff:10.0.0.1": "private",
    "64:ff9b::a00:1": "private",
    "fc00::1": "private",
    "fd12:3456::1": "private",
    "fec0::1": "private",
    "169.254.169.254": "link-local",
    "::ffff:169.254.169.254": "link-local",
    "fe80::1": "link-local",
    "fe80::1%lo": "link-local",
    "2606:4700::1111%1": "link-local",
    "224.0.0.1": "multicast",
    "239.255.255.250": "multicast",
    "ff02::1": "multicast",
    "2002:7f00:1::": "tunnel",
    "2002:808:808::": "tunnel",
    "2001:0:7f00:1::": "tunnel",
    "64:ff9b:1::7f00:1": "tunnel",
    "::ffff:0:7f00:1": "tunnel",
    "100.64.0.1": "reserved",
    "192.0.0.8": "reserved",
    "192.88.99.1": "reserved",
    "::7f00:1": "reserved",
    "3fff::1": "reserved",
    "4000::1": "reserved",
    "": "malformed",
    "localhost": "malformed",
    "127.1": "malformed",
    "0x7f.0.0.1": "malformed",
    "1.2.3.4/8": "malformed",
    "[::1]": "malformed",
}
PUBLIC = "8.8.8.8 1.1.1.1 2606:4700::1111 2a00:1450:4001::1 ::ffff:8.8.8.8 64:ff9b::808:808".split()


@pytest.mark.parametrize(("address", "kind"), REFUSED.items())
def test_refused(address: str, kind: str) -> None:
    assert refusal(address) == kind


@pytest.mark.parametrize("address", PUBLIC)
def test_public(address: str) -> None:
    assert refusal(address) == ""


def test_networks_can_be_allowed() -> None:
    assert refusal("10.1.2.3", ["10.0.0.0/8"]) == ""
    assert refusal("::ffff:10.1.2.3", ["10.0.0.0/8"]) == ""
    assert refusal("11.1.2.3", ["10.0.0.0/8"]) == ""
    assert refusal("127.0.0.1", ["127.0.0.2/32"]) == "loopback"
    assert refusal("fd00::1", ["10.0.0.0/8", "fd00::/8"]) == ""
    assert refusal("", ["0.0.0.0/0"]) == "malformed"
