"""Refuse IP addresses that are not of the public internet."""

from __future__ import annotations

from collections.abc import Iterable
from ipaddress import (
    IPv4Address,
    IPv4Network,
    IPv6Address,
    IPv6Network,
    ip_address,
    ip_network,
)

from crfclean.types import CrfcleanError

_Address = IPv4Address | IPv6Address
_Network = IPv4Network | IPv6Network

_CARRIERS = (  # packets to their addresses go to the IPv4 address in the last 32 bits
    IPv6Network("::ffff:0:0/96"),  # IPv4-mapped, RFC 4291 2.5.5.2
    IPv6Network("64:ff9b::/96"),  # NAT64, RFC 6052
)
_TUNNELS = (  # likewise, but through anybody's relay: nobody publishes pages there any more
    IPv6Network("2002::/16"),  # 6to4, RFC 7526
    IPv6Network("2001::/32"),  # Teredo, RFC 4380
    IPv6Network("64:ff9b:1::/48"),  # local NAT64, RFC 8215
    IPv6Network("::ffff:0:0:0/96"),  # IPv4-translated, RFC 2765
)
_SPECIAL = (  # in IANA's registries, but missing from the tables of some versions of Python
    IPv4Network("192.0.0.0/24"),  # protocol assignments, RFC 6890
    IPv4Network("192.88.99.0/24"),  # relays of 6to4, RFC 7526
    IPv6Network("3fff::/20"),  # documentation, RFC 9637
)


def refusal(text: str, allowed: Iterable[str] = ()) -> str:
    """The reason not to fetch pages from an address, "" if there is none.

    Addresses in the networks `allowed` need not be public; raises `CrfcleanError` for a
    malformed network.

    >>> refusal("127.0.0.1"), refusal("8.8.8.8"), refusal("::ffff:10.0.0.1")
    ('loopback', '', 'private')
    """
    try:
        address = _effective(ip_address(text))
    except ValueError:
        return "malformed"
    if any(address in network for network in map(_network, allowed)):
        return ""
    return _kind(address)


def _network(text: str) -> _Network:
    try:
        return ip_network(text)
    except ValueError as error:
        raise CrfcleanError(f"{text!r} is no network as 10.0.0.0/8 is one: {error}") from error


def _effective(address: _Address) -> _Address:
    """The address that packets really go to."""
    carried = address.version == 6 and any(address in network for network in _CARRIERS)
    return IPv4Address(int(address) & 0xFFFFFFFF) if carried else address


def _kind(address: _Address) -> str:
    """What kind of address it is, "" for one of the public internet."""
    ipv6 = address if isinstance(address, IPv6Address) else None
    checks = (
        (address.is_loopback, "loopback"),
        (address.is_unspecified, "wildcard"),
        (address.is_link_local or (ipv6 and ipv6.scope_id), "link-local"),
        (address.is_multicast, "multicast"),
        (ipv6 and any(ipv6 in network for network in _TUNNELS), "tunnel"),
        (address.is_private or (ipv6 and ipv6.is_site_local), "private"),
        (any(address in network for network in _SPECIAL), "reserved"),
        (address.is_reserved or not address.is_global, "reserved"),
    )
    return next((kind for applies, kind in checks if applies), "")
