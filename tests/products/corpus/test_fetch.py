"""Tests of `corpus/fetch.py` against a local server that knows every trick.

The server listens at 127.0.0.2, which the tests allow; 127.0.0.1 stays refused.
"""

from __future__ import annotations

import gzip
import shutil
import socket
import ssl
import subprocess
import threading
import time
import zlib
from collections.abc import Callable, Iterator, Mapping
from contextlib import suppress
from dataclasses import replace
from functools import cache
from pathlib import Path

import pytest
from jobplans import jobs_of

from crfclean.products.corpus import fetch as module
from crfclean.products.corpus.clean import BatchParams
from crfclean.products.corpus.fetch import FetchError, FetchParams, fetch, refusal, split_url
from crfclean.products.corpus.jobs import page_input, process_pages
from crfclean.systems.crf import CrfTagger

HERE = "127.0.0.2"
HTML = b"<html><p>Some text.</p></html>"
OK = FetchParams(networks=(f"{HERE}/32",))
QUICK = replace(OK, max_seconds=0.3)
Handler = Callable[[socket.socket], None]


def answer(
    body: bytes = HTML, status: str = "200 OK", kind: str = "text/html", **headers: str
) -> bytes:
    """A whole answer; names of headers have `_` for `-`."""
    told = {"Content-Type": kind, "Content-Length": str(len(body)), **headers}
    lines = "".join(f"{name.replace('_', '-')}: {text}\r\n" for name, text in told.items() if text)
    return f"HTTP/1.1 {status}\r\n{lines}\r\n".encode("latin-1") + body


def fixed(*arguments: object, **headers: str) -> Handler:
    """A handler that always says the same."""
    return lambda sock: sock.sendall(answer(*arguments, **headers))  # type: ignore[arg-type]


def to(location: str, status: str = "302 Found") -> Handler:
    return fixed(b"", status, Location=location)


def drip(data: bytes, endless: bytes) -> Handler:
    """A handler that sends something, and then a byte now and then, for ever."""

    def handle(sock: socket.socket) -> None:
        sock.sendall(data)
        while True:
            sock.sendall(endless)
            time.sleep(0.05)

    return handle


def flood(sock: socket.socket) -> None:
    sock.sendall(b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n\r\n<p>")
    while True:
        sock.sendall(b"and so on " * 6_000)


def chunked_flood(sock: socket.socket) -> None:
    head = b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nTransfer-Encoding: chunked\r\n\r\n"
    sock.sendall(head)
    while True:
        sock.sendall(b"ea60\r\n" + b"and so on " * 6_000 + b"\r\n")


@cache
def zeros(layers: int = 1) -> bytes:
    """Gzipped zeros, 1,000 times as large unpacked; several layers deep if wanted."""
    return gzip.compress(zeros(layers - 1) if layers > 1 else bytes(200_000_000), 9)


def bomb(layers: int = 1) -> Handler:
    def handle(sock: socket.socket) -> None:
        sock.sendall(answer(zeros(layers), Content_Encoding=", ".join(["gzip"] * layers)))

    return handle


def chunked_bomb(sock: socket.socket) -> None:
    packed = zeros()
    head = b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nContent-Encoding: gzip\r\n"
    sock.sendall(head + b"Transfer-Encoding: chunked\r\n\r\n")
    sock.sendall(b"%x\r\n%b\r\n0\r\n\r\n" % (len(packed), packed))


class Server:
    """Listens at an address; answers by the path, and notes what was asked."""

    def __init__(self, handlers: Mapping[str, Handler], context: ssl.SSLContext | None) -> None:
        self.handlers, self.context = handlers, context
        self.seen: list[str] = []
        self.listener = socket.create_server((HERE, 0))
        self.port = self.listener.getsockname()[1]
        self.scheme = "http" if context is None else "https"
        threading.Thread(target=self.run, daemon=True).start()

    def run(self) -> None:
        with suppress(OSError):
            while True:
                sock, _ = self.listener.accept()
                threading.Thread(target=self.serve, args=(sock,), daemon=True).start()

    def serve(self, sock: socket.socket) -> None:
        with suppress(OSError, ssl.SSLError):
            if self.context is not None:
                sock = self.context.wrap_socket(sock, server_side=True)
            request = b""
            while b"\r\n\r\n" not in request:
                request += sock.recv(65536) or b"\r\n\r\n"
            self.seen.append(request.decode("latin-1"))
            path = request.split(b" ", 2)[1].decode("latin-1") if b" " in request else ""
            self.handlers.get(path, fixed(b"", "404 Not Found"))(sock)
        sock.close()

    def url(self, path: str = "/", host: str = HERE) -> str:
        return f"{self.scheme}://{host}:{self.port}{path}"


PAGES: dict[str, Handler] = {
    "/": fixed(),
    "/path/a?b=c%20d": fixed(),
    "/gzip": fixed(gzip.compress(HTML), Content_Encoding="gzip"),
    "/deflate": fixed(zlib.compress(HTML), Content_Encoding="deflate"),
    "/latin": fixed("<p>žluť".encode("cp1250"), kind='Text/HTML; Charset="windows-1250"; x=y'),
    "/untyped": fixed(kind=""),
    "/xhtml": fixed(kind="application/xhtml+xml; charset=utf-8"),
    "/empty": fixed(b""),
    "/until-closed": fixed(Content_Length=""),
    "/chunked": lambda sock: sock.sendall(
        b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nTransfer-Encoding: chunked\r\n\r\n"
        b"3\r\n<p>\r\n4\r\nText\r\n0\r\n\r\n"
    ),
    "/here": to("/"),
    "/here-relative": to("gzip", "301 Moved Permanently"),
    "/here-307": to("/", "307 Temporary Redirect"),
    "/here-308": to("/", "308 Permanent Redirect"),
    "/with-fragment": to("/#place"),
}
TROUBLE: dict[str, tuple[Handler, str]] = {
    # where redirects lead
    "/to-loopback": (to("http://127.0.0.1/"), "loopback address; only public"),
    "/to-localhost": (to("http://localhost/"), r"localhost \(.*\): a loopback"),
    "/to-short": (to("http://127.1/"), "loopback"),
    "/to-number": (to("http://2130706433/"), "loopback"),
    "/to-octal": (to("http://0177.0.0.1/"), "loopback"),
    "/to-ipv6": (to("http://[::1]/"), "loopback"),
    "/to-mapped": (to("http://[::ffff:127.0.0.1]/"), "loopback"),
    "/to-metadata": (to("http://169.254.169.254/latest/meta-data/"), "link-local"),
    "/to-file": (to("file:///etc/passwd"), "only http and https"),
    "/to-script": (to("javascript:alert(1)"), "only http and https"),
    "/to-user": (to("http://user:word@example.org/"), "user or password"),
    "/to-ssh": (to("http://example.org:22/"), "port 22"),
    "/to-nothing": (to("https://?"), "no host"),
    "/to-blank": (to("http://127.0.0.2 /"), "blanks"),
    "/to-backslash": (to("http://127.0.0.2\\@127.0.0.1/"), "backslashes"),
    "/to-junk": (to("http://[::1"), "no URL"),
    "/to-long": (to("/" + "a" * 9_000), "longer than 8,192"),
    "/to-itself": (to("/to-itself"), "over 5 redirects"),
    "/to-nowhere": (to("http://crfclean.invalid/"), "no such host"),
    "/no-location": (fixed(b"", "302 Found"), "answered 302"),
    # what is no page
    "/missing": (fixed(HTML, "404 Not Found"), "answered 404"),
    "/not-modified": (fixed(b"", "304 Not Modified"), "answered 304"),
    "/image": (fixed(b"\x89PNG", kind="image/png"), "'image/png' is no HTML"),
    "/many-types": (fixed(kind="x" * 9_000), "is no HTML"),
    "/brotli": (fixed(b"\x0b", Content_Encoding="br"), "packed as 'br', which was not asked for"),
    "/unknown": (fixed(b"\x0b", Content_Encoding="x"), "packed as"),
    # too large
    "/flood": (flood, "over 10,485,760 bytes"),
    "/chunked-flood": (chunked_flood, "over 10,485,760 bytes"),
    "/bomb": (bomb(), "over 10,485,760 bytes"),
    "/deflate-bomb": (
        fixed(zlib.compress(b"\0" * 200_000_000, 9), Content_Encoding="deflate"),
        "over 10,485,760 bytes",
    ),
    "/chunked-bomb": (chunked_bomb, "over 10,485,760 bytes"),
    "/double-bomb": (bomb(2), "packed as 'gzip, gzip'"),
    "/long": (fixed(b"a" * 10_485_761), "over 10,485,760 bytes"),
    # no HTTP
    "/silent": (lambda sock: None, "broke off or is no HTTP"),
    "/ssh": (lambda sock: sock.sendall(b"SSH-2.0-OpenSSH_9.2\r\n"), "no HTTP"),
    "/junk": (lambda sock: sock.sendall(bytes(range(256)) * 9), "no HTTP"),
    "/many-headers": (
        lambda sock: sock.sendall(b"HTTP/1.1 200 OK\r\n" + b"A: b\r\n" * 500 + b"\r\n"),
        "no HTTP",
    ),
    "/long-header": (lambda sock: sock.sendall(b"HTTP/1.1 200 OK\r\nA: " + b"b" * 99_999), "HTTP"),
    "/cut": (fixed(HTML, Content_Length="1000"), "broke off"),
    "/bad-gzip": (fixed(b"no gzip at all", Content_Encoding="gzip"), "broke off"),
    "/bad-chunks": (
        lambda sock: sock.sendall(
            b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n"
            b"Transfer-Encoding: chunked\r\n\r\nzz\r\n"
        ),
        "broke off",
    ),
}
ENDLESS: dict[str, Handler] = {
    "/never": lambda sock: time.sleep(600),
    "/slow-status": drip(b"HTTP/1.1 20", b"0"),
    "/slow-headers": drip(b"HTTP/1.1 200 OK\r\nA: ", b"b"),
    "/hundred-continue": drip(b"", b"HTTP/1.1 100 Continue\r\n\r\n"),
    "/slow-body": drip(b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n\r\n<p>", b"a"),
    "/slow-chunks": drip(
        b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nTransfer-Encoding: chunked\r\n\r\n",
        b"1\r\na\r\n",
    ),
    "/slow-gzip": drip(
        b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nContent-Encoding: gzip\r\n\r\n"
        + gzip.compress(HTML * 99)[:40],
        b"",
    ),
    "/slow-redirect": drip(b"HTTP/1.1 302 Found\r\nLocation: /", b"a"),
}


@pytest.fixture(scope="module")
def server() -> Iterator[Server]:
    zeros(2)  # made before a clock runs
    troubled = {path: handler for path, (handler, _) in TROUBLE.items()}
    started = Server({**PAGES, **troubled, **ENDLESS}, None)
    yield started
    started.listener.close()


# pages


@pytest.mark.parametrize("path", ["/", "/path/a?b=c%20d", "/untyped", "/xhtml", "/until-closed"])
def test_a_page(server: Server, path: str) -> None:
    found = fetch(server.url(path), OK)
    assert (found.url, found.data) == (server.url(path), HTML)


@pytest.mark.parametrize("path", ["/here", "/here-307", "/here-308", "/with-fragment"])
def test_redirects_are_followed(server: Server, path: str) -> None:
    found = fetch(server.url(path), OK)
    assert (found.url, found.data) == (server.url("/"), HTML)


def test_what_is_asked_for(server: Server) -> None:
    fetch(server.url("/path/a?b=c%20d#fragment"), OK)
    lines = server.seen[-1].split("\r\n")
    assert lines[0] == "GET /path/a?b=c%20d HTTP/1.1"
    assert f"Host: {HERE}:{server.port}" in lines
    names = {line.partition(":")[0].lower() for line in lines[1:] if line}
    assert names == {"host", "user-agent", "accept", "accept-encoding", "connection"}


def test_proxies_and_credentials_of_the_environment_are_not_used(
    server: Server, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    for name in ("http_proxy", "HTTP_PROXY", "all_proxy", "ALL_PROXY", "https_proxy"):
        monkeypatch.setenv(name, "http://127.0.0.1:9/")
    (tmp_path / ".netrc").write_text(f"machine {HERE} login a password b\n", "utf-8")
    monkeypatch.setenv("HOME", str(tmp_path))
    assert fetch(server.url("/"), OK).data == HTML
    assert "Authorization" not in server.seen[-1]


# refusals


@pytest.mark.parametrize(("path", "told"), [(path, told) for path, (_, told) in TROUBLE.items()])
def test_trouble(server: Server, path: str, told: str) -> None:
    with pytest.raises(FetchError, match=told):
        fetch(server.url(path), OK)


@pytest.mark.parametrize("path", ENDLESS)
def test_whatever_is_waited_for_it_ends(server: Server, path: str) -> None:
    with pytest.raises(FetchError, match=r"took over 0\.3 seconds"):
        fetch(server.url(path), QUICK)


def test_redirects_share_the_time(server: Server) -> None:
    def slowly(sock: socket.socket) -> None:
        time.sleep(0.1)
        sock.sendall(answer(b"", "302 Found", Location="/slowly"))

    server.handlers["/slowly"] = slowly  # type: ignore[index]
    with pytest.raises(FetchError, match="took over"):
        fetch(server.url("/slowly"), replace(QUICK, max_redirects=1_000))


def test_nothing_is_asked_of_a_refused_address(server: Server) -> None:
    before = len(server.seen)
    with pytest.raises(FetchError, match="loopback"):
        fetch(server.url("/"))
    assert len(server.seen) == before


# names


def resolved(monkeypatch: pytest.MonkeyPatch, *answers: list[str]) -> list[str]:
    """Let names resolve to these addresses, one list a time; what was asked is noted."""
    asked: list[str] = []
    left = list(answers)

    def getaddrinfo(host: str, port: int, **_: object) -> list[tuple[object, ...]]:
        asked.append(host)
        found = left.pop(0) if len(left) > 1 else left[0]
        return [(2, 1, 6, "", (address, port)) for address in found]

    monkeypatch.setattr(socket, "getaddrinfo", getaddrinfo)
    return asked


@pytest.mark.parametrize(
    "found",
    [["127.0.0.1"], ["10.0.0.1"], ["::1"], ["8.8.8.8", "192.168.0.1"], ["8.8.8.8", "fe80::1%2"]],
)
def test_names_of_inner_addresses(monkeypatch: pytest.MonkeyPatch, found: list[str]) -> None:
    resolved(monkeypatch, found)
    with pytest.raises(FetchError, match=r"inner.example \(.*only public ones"):
        fetch("http://inner.example/")


def test_the_checked_address_is_the_one_connected_to(
    server: Server, monkeypatch: pytest.MonkeyPatch
) -> None:
    real = socket.getaddrinfo
    asked: list[str] = []

    def rebinding(host: str, *rest: object, **more: object) -> object:
        asked.append(host)
        if host == "rebinds.example":
            return real(HERE if asked.count(host) == 1 else "127.0.0.1", *rest, **more)  # type: ignore[arg-type]
        return real(host, *rest, **more)  # type: ignore[arg-type]

    monkeypatch.setattr(socket, "getaddrinfo", rebinding)
    found = fetch(server.url("/", "rebinds.example"), OK)
    assert found.data == HTML
    assert asked.count("rebinds.example") == 1
    assert f"Host: rebinds.example:{server.port}" in server.seen[-1]


def test_a_name_server_that_never_answers(monkeypatch: pytest.MonkeyPatch) -> None:
    def silent(*_: object, **__: object) -> list[object]:
        time.sleep(20)
        return []

    monkeypatch.setattr(socket, "getaddrinfo", silent)
    with pytest.raises(FetchError, match=r"took over 0\.3 seconds"):
        fetch("http://slow.example/", FetchParams(max_seconds=0.3))


def test_the_next_address_is_tried(server: Server, monkeypatch: pytest.MonkeyPatch) -> None:
    real = socket.getaddrinfo

    def two(host: str, port: int, *rest: object, **more: object) -> object:
        if host != "two.example":
            return real(host, port, *rest, **more)  # type: ignore[arg-type]
        return [(2, 1, 6, "", (one, port)) for one in ("127.0.0.9", HERE)]

    monkeypatch.setattr(socket, "getaddrinfo", two)
    wider = replace(OK, networks=("127.0.0.0/28",))
    assert fetch(server.url("/", "two.example"), wider).data == HTML


@pytest.mark.parametrize(
    ("url", "told"),
    [
        ("ftp://example.org/", "only http and https"),
        ("example.org", "only http and https"),
        ("", "only http and https"),
        ("http://", "no host"),
        ("http://user@example.org/", "user or password"),
        ("http://:@example.org/", "user or password"),
        ("https://example.org:25/", "port 25"),
        ("http://example.org:0/", "port 0"),
        ("http://example.org:99999/", "no URL"),
        ("http://exa mple.org/", "blanks"),
        ("http://example.org/\r\nHost: a", "control"),
        ("http://example.org\\x/", "backslashes"),
        ("http://①②⑦.⓪.⓪.①/", "no URL"),
        ("http://[::1", "no URL"),
        ("http://[fe80::1%25eth0]/", "no host"),
        ("http://" + "a." * 5_000, "longer than"),
    ],
)
def test_urls_that_are_refused(url: str, told: str) -> None:
    with pytest.raises(FetchError, match=told):
        split_url(url)


# TLS


@pytest.fixture(scope="module")
def secure(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    openssl = shutil.which("openssl")
    if openssl is None:
        pytest.skip("needs openssl")
    folder = tmp_path_factory.mktemp("tls")
    command = f"{openssl} req -x509 -newkey rsa:2048 -nodes -days 2 -subj /CN=good.example"
    command += " -addext subjectAltName=DNS:good.example -keyout key.pem -out cert.pem"
    subprocess.run(command.split(), cwd=folder, check=True, capture_output=True)
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(folder / "cert.pem", folder / "key.pem")
    names: list[str | None] = []
    context.sni_callback = lambda _sock, name, _context: names.append(name)
    started = Server(PAGES, context)
    started.names = names  # type: ignore[attr-defined]
    started.certificate = str(folder / "cert.pem")  # type: ignore[attr-defined]
    yield started
    started.listener.close()


def named(monkeypatch: pytest.MonkeyPatch) -> None:
    real = socket.getaddrinfo

    def getaddrinfo(host: str, *rest: object, **more: object) -> object:
        return real(HERE if host.endswith(".example") else host, *rest, **more)  # type: ignore[arg-type]

    monkeypatch.setattr(socket, "getaddrinfo", getaddrinfo)


def test_certificates_are_verified(secure: Server, monkeypatch: pytest.MonkeyPatch) -> None:
    named(monkeypatch)
    with pytest.raises(FetchError, match="certificate is not trusted"):
        fetch(secure.url("/", "good.example"), OK)


def test_the_name_is_asked_for_and_verified(
    secure: Server, monkeypatch: pytest.MonkeyPatch
) -> None:
    named(monkeypatch)
    monkeypatch.setenv("SSL_CERT_FILE", secure.certificate)  # type: ignore[attr-defined]
    assert fetch(secure.url("/", "good.example"), OK).data == HTML
    assert secure.names[-1] == "good.example"  # type: ignore[attr-defined]
    for other in ("bad.example", HERE):
        with pytest.raises(FetchError, match="certificate is not trusted"):
            fetch(secure.url("/", other), OK)


# crfclean clean URL


@pytest.fixture
def allowed(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let the command line reach the test server."""
    real = module.refusal

    def refusal(address: str, networks: tuple[str, ...]) -> str:
        return "" if address == HERE else real(address, networks)

    monkeypatch.setattr(module, "refusal", refusal)


@pytest.fixture
def params(tagger: CrfTagger) -> BatchParams:
    sure = tagger.with_cut(replace(tagger.cut, rule="threshold", threshold=0.0))
    return BatchParams(sure)


@pytest.mark.usefixtures("allowed")
@pytest.mark.parametrize("path", ["/missing", "/to-loopback", "/image"])
def test_what_cannot_be_fetched_is_a_page_that_failed(
    server: Server, params: BatchParams, tmp_path: Path, path: str
) -> None:
    (job,) = jobs_of(server.url(path), str(tmp_path))
    result = process_pages((page_input(job, 10**6),), params)[0]
    assert (result.failed, result.text, result.name) == (True, None, server.url(path))
    assert result.message
    assert not list(tmp_path.iterdir())


# addresses

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
