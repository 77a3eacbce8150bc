"""Fetch the page of a URL, from the public internet only (extra `fetch`).

Names are resolved here, every address is checked, and the connection goes to the address that was
checked: a name that points elsewhere a moment later is not resolved again. Redirects are followed
one by one with the same checks. No proxy, no credentials, no cookies; certificates are verified.
"""

from __future__ import annotations

import re
import socket
import threading
import time
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from http.client import HTTPException
from ipaddress import IPv4Address, IPv4Network, IPv6Address, IPv6Network, ip_address, ip_network
from queue import Empty, SimpleQueue
from typing import Any
from urllib.parse import urljoin

from urllib3 import HTTPResponse
from urllib3.connection import HTTPConnection, HTTPSConnection
from urllib3.exceptions import HTTPError
from urllib3.util import Url, parse_url
from urllib3.util.ssl_match_hostname import CertificateError

from crfclean._version import __version__
from crfclean.types import CrfcleanError

# addresses

_Address = IPv4Address | IPv6Address
_Network = IPv4Network | IPv6Network

_CARRIERS = (  # packets go to the IPv4 address in the last 32 bits
    IPv6Network("::ffff:0:0/96"),  # IPv4-mapped, RFC 4291 2.5.5.2
    IPv6Network("64:ff9b::/96"),  # NAT64, RFC 6052
)
_TUNNELS = (  # packets go through a relay to an IPv4 address: no site uses them any more
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
    """Return the reason not to fetch pages from an address, "" for none.

    Addresses in the networks `allowed` need not be public; raises `CrfcleanError` for a
    malformed network.

    >>> refusal("127.0.0.1"), refusal("8.8.8.8"), refusal("::ffff:10.0.0.1")
    ('loopback', '', 'private')
    """
    try:
        address = ip_address(text)
    except ValueError:
        return "malformed"
    if address.version == 6 and any(address in network for network in _CARRIERS):
        address = IPv4Address(int(address) & 0xFFFFFFFF)
    if any(address in network for network in map(_network, allowed)):
        return ""
    return _kind(address)


def _network(text: str) -> _Network:
    try:
        return ip_network(text)
    except ValueError as error:
        raise CrfcleanError(f"{text!r} is no network as 10.0.0.0/8 is one: {error}") from error


def _kind(address: _Address) -> str:
    """Return the kind of an address, "" for an address of the public internet."""
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


# pages

_MAX_URL_CHARS = 8_192  # servers refuse longer ones
_MAX_ADDRESSES = 4  # addresses of a name that are tried
_STEP = 65_536  # bytes unpacked at once
_LOWEST_FREE_PORT = 1_024  # ports below it belong to other services, except the web's two
PORTS: Mapping[str, int] = {"http": 80, "https": 443}
_TYPES = frozenset(["", "text/html", "application/xhtml+xml"])
_ENCODINGS = frozenset(["", "identity", "gzip", "x-gzip", "deflate"])
_REDIRECTS = frozenset([301, 302, 303, 307, 308])
_HEADERS = {
    "User-Agent": f"crfclean/{__version__}",
    "Accept": "text/html, application/xhtml+xml",
    "Accept-Encoding": "gzip, deflate",
    "Connection": "close",
}

_UNFIT = re.compile(r"[\x00-\x20\x7f-\x9f\\]")  # browsers and libraries read these differently
_CHARSET = re.compile(r""";\s*charset\s*=\s*["']?([^\s;"']+)""", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class FetchParams:
    """Limits of fetching a page.

    `max_seconds` is for all of it, from the first name to the last byte; `max_bytes` counts
    unpacked bytes. `networks` ("10.0.0.0/8") may be reached although they are not public.
    """

    max_seconds: float = 20.0
    max_bytes: int = 10 * 2**20
    max_redirects: int = 5
    networks: tuple[str, ...] = ()


_DEFAULT = FetchParams()


@dataclass(frozen=True, slots=True)
class Fetched:
    """A fetched page: its final URL, its unpacked bytes, and the charset of its header."""

    url: str
    data: bytes
    charset: str = ""


class FetchError(CrfcleanError):
    """A page is refused or cannot be fetched; the message has the reason."""

    refused = False


class RefusedError(FetchError):
    """A URL is refused before any request: it is malformed, or its address is not public."""

    refused = True


def fetch(url: str, params: FetchParams = _DEFAULT) -> Fetched:
    """Fetch a page; raises `FetchError` if it is refused, fails, or takes too long."""
    clock = _Clock(url, params.max_seconds)
    for _ in range(params.max_redirects + 1):
        target = split_url(url)
        with _answer(target, params, clock) as answer:
            location = _redirect(target, answer)
            if not location:
                return _page(target, answer, params)
        url = location
    raise FetchError(f"{url!r}: over {params.max_redirects} redirects")


def split_url(url: str) -> Url:
    """Parse a URL into plain scheme, host and port; raises `RefusedError`."""
    if len(url) > _MAX_URL_CHARS:
        raise RefusedError(f"{url[:80]!r}...: longer than {_MAX_URL_CHARS:,} characters")
    if _UNFIT.search(url):
        raise RefusedError(f"{url!r}: blanks, control characters and backslashes are refused")
    try:
        parts = parse_url(url)
    except (HTTPError, ValueError) as error:
        raise RefusedError(f"{url!r}: no URL") from error
    if parts.scheme not in PORTS:
        raise RefusedError(f"{url!r}: only http and https are fetched")
    if parts.auth is not None:
        raise RefusedError(f"{parts.host}: a URL with a user or password is refused")
    if not parts.host or "%" in parts.host:
        raise RefusedError(f"{url!r}: no host")
    port = PORTS[str(parts.scheme)] if parts.port is None else parts.port
    if port < _LOWEST_FREE_PORT and port not in PORTS.values():
        raise RefusedError(
            f"{url!r}: port {port} is not allowed (only 80, 443 and ports from 1024)"
        )
    return parts._replace(port=port, fragment=None)


class _Clock:
    """The time left for a page."""

    def __init__(self, url: str, seconds: float) -> None:
        self._url, self._seconds = url, seconds
        self._end = time.monotonic() + seconds

    def left(self) -> float:
        """Return the seconds left; raises `FetchError` if the time is over."""
        left = self._end - time.monotonic()
        if left <= 0:
            raise FetchError(f"{self._url!r}: took over {self._seconds:g} seconds")
        return left


def host_addresses(target: Url, clock: _Clock, networks: tuple[str, ...]) -> list[str]:
    """Return the addresses of a URL's host; raises `FetchError` unless all are allowed."""
    host = str(target.host).strip("[]")
    resolved = list(dict.fromkeys(_resolve(host, target.port or 0, clock)))
    for address in resolved:
        if reason := refusal(address, networks):
            name = host if host == address else f"{host} ({address})"
            raise RefusedError(f"{name}: a {reason} address; only public ones are asked for pages")
    return resolved[:_MAX_ADDRESSES]


def _resolve(host: str, port: int, clock: _Clock) -> list[str]:
    """Return the addresses of a host in the system's order; do not wait for slow name servers."""
    answers: SimpleQueue[list[str] | OSError | UnicodeError] = SimpleQueue()

    def ask() -> None:
        try:
            infos = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)
            answers.put([str(info[4][0]) for info in infos])
        except (OSError, UnicodeError) as error:
            answers.put(error)

    threading.Thread(target=ask, daemon=True).start()
    with suppress(Empty):
        answer = answers.get(timeout=clock.left())
        if isinstance(answer, list):
            return answer
        raise FetchError(f"{host}: no such host") from answer
    clock.left()
    raise FetchError(f"{host}: the name server does not answer")


@contextmanager
def _answer(target: Url, params: FetchParams, clock: _Clock) -> Iterator[HTTPResponse]:
    """A context with the answer to a request, its body unread; errors inside become `FetchError`s.

    When the time is over, the socket is shut down: a limit on single reads would not stop a server
    that sends a byte per second.
    """
    connection = _connect(target, params, clock)
    timer = threading.Timer(clock.left(), _shut, (connection.sock,))
    timer.daemon = True
    timer.start()
    try:
        headers = {**_HEADERS, "Host": _host_header(target)}
        connection.request("GET", target.request_uri, headers=headers, preload_content=False)
        answer: Any = connection.getresponse()
        yield answer
        clock.left()  # a socket that was shut down looks like the end of the answer
    except (HTTPError, HTTPException, OSError, ValueError) as error:
        clock.left()
        raise FetchError(f"{_shown(target)}: the answer broke off or is no HTTP") from error
    finally:
        timer.cancel()
        connection.close()


def _connect(target: Url, params: FetchParams, clock: _Clock) -> HTTPConnection:
    failure: Exception | None = None
    for address in host_addresses(target, clock, params.networks):
        connection = _connection(address, target, clock.left())
        try:
            connection.connect()
        except (HTTPError, OSError, CertificateError) as error:
            connection.close()
            failure = error
        else:
            return connection
    clock.left()
    untrusted = isinstance(failure, CertificateError) or "CERTIFICATE" in str(failure)
    reason = "its certificate is not trusted" if untrusted else "no connection"
    raise FetchError(f"{_shown(target)}: {reason}") from failure


def _connection(address: str, target: Url, seconds: float) -> HTTPConnection:
    """Return a connection to an address; https requests and verifies the URL's host name."""
    if target.scheme == "http":
        return HTTPConnection(address, target.port, timeout=seconds)
    name = str(target.host).strip("[]")
    return HTTPSConnection(
        address, target.port, timeout=seconds, server_hostname=name, assert_hostname=name
    )


def _shut(sock: socket.socket) -> None:
    with suppress(OSError):
        socket.socket.shutdown(sock, socket.SHUT_RDWR)  # not TLS's own: another thread reads


def _host_header(target: Url) -> str:
    is_default = target.port == PORTS[str(target.scheme)]
    return str(target.host) if is_default else f"{target.host}:{target.port}"


def _shown(target: Url) -> str:
    return f"{target.scheme}://{_host_header(target)}{target.path or '/'}"


def _redirect(target: Url, answer: HTTPResponse) -> str:
    """Return the URL of a redirect, "" if the answer is the page; raises `FetchError`."""
    if answer.status in _REDIRECTS:
        location = answer.headers.get("Location", "").encode("latin-1", "replace")
        if location:
            text = location.decode("utf-8", "replace").strip()
            try:
                return urljoin(target.url, text)
            except ValueError as error:
                raise RefusedError(f"{text!r}: no URL") from error
    if not 200 <= answer.status < 300:
        raise FetchError(f"{_shown(target)}: the server answered {answer.status}")
    return ""


def _page(target: Url, answer: HTTPResponse, params: FetchParams) -> Fetched:
    content_type = answer.headers.get("Content-Type", "")
    media_type = content_type.partition(";")[0].strip().lower()
    if media_type not in _TYPES:
        raise FetchError(f"{_shown(target)}: {media_type[:80]!r} is no HTML")
    encoding = answer.headers.get("Content-Encoding", "").strip().lower()
    if encoding not in _ENCODINGS:
        raise FetchError(f"{_shown(target)}: packed as {encoding[:80]!r}, which was not asked for")
    parts, size = [], 0
    for part in answer.stream(_STEP, decode_content=True):
        parts.append(part)
        size += len(part)
        if size > params.max_bytes:
            raise FetchError(f"{_shown(target)}: over {params.max_bytes:,} bytes")
    charset = _CHARSET.search(content_type)
    return Fetched(target.url, b"".join(parts), charset[1] if charset else "")
