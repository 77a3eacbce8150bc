"""Build crfclean by setuptools, with a C compiler from PyPI where none works here (PEP 517).

The TOML files of the package are compiled to one file, which is read faster.
"""

from __future__ import annotations

import gzip
import io
import json
import os
import shlex
import subprocess
import sys
import sysconfig
import tarfile
import tempfile
import tomllib
from collections.abc import Iterator
from contextlib import contextmanager
from hashlib import sha256
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from setuptools import build_meta
from setuptools.build_meta import (
    get_requires_for_build_sdist,
    prepare_metadata_for_build_editable,
    prepare_metadata_for_build_wheel,
)

__all__ = [
    "build_editable",
    "build_sdist",
    "build_wheel",
    "get_requires_for_build_editable",
    "get_requires_for_build_sdist",
    "get_requires_for_build_wheel",
    "prepare_metadata_for_build_editable",
    "prepare_metadata_for_build_wheel",
]

ZIG = "ziglang>=0.13"
"""The package of PyPI with a C compiler."""

_ZIG_COMMAND = f"{shlex.quote(sys.executable)} -P -m ziglang cc -mcpu=baseline"
"""For any processor of the kind, as other compilers do: an image may run on another machine."""

_PROBE = "#include <stdlib.h>\nint main(void) { return EXIT_SUCCESS; }\n"

_Settings = dict[str, Any] | None


def get_requires_for_build_wheel(config_settings: _Settings = None) -> list[str]:
    """A compiler if there is none, and what setuptools needs."""
    return [*_compiler_needed(), *build_meta.get_requires_for_build_wheel(config_settings)]


def get_requires_for_build_editable(config_settings: _Settings = None) -> list[str]:
    """The same for an editable installation."""
    return [*_compiler_needed(), *build_meta.get_requires_for_build_editable(config_settings)]


def build_wheel(
    wheel_directory: str, config_settings: _Settings = None, metadata_directory: str | None = None
) -> str:
    """The name of the wheel that was built."""
    compile_toml()
    with _compiler_set():
        return build_meta.build_wheel(wheel_directory, config_settings, metadata_directory)


def build_sdist(sdist_directory: str, config_settings: _Settings = None) -> str:
    """The name of the source archive; with `SOURCE_DATE_EPOCH`, equal sources give equal bytes."""
    name = build_meta.build_sdist(sdist_directory, config_settings)
    if epoch := os.environ.get("SOURCE_DATE_EPOCH"):
        _date(Path(sdist_directory) / name, int(epoch))
    return name


def _date(archive: Path, epoch: int) -> None:
    """Write an archive again, with files of one time and of no owner."""
    packed = io.BytesIO()
    with (
        tarfile.open(archive) as old,
        gzip.GzipFile("", "wb", mtime=epoch, fileobj=packed) as stream,
        tarfile.open(fileobj=stream, mode="w", format=tarfile.PAX_FORMAT) as new,
    ):
        for member in sorted(old.getmembers(), key=lambda member: member.name):
            file = tarfile.TarInfo(member.name)
            file.type, file.size, file.mtime = member.type, member.size, epoch
            file.mode = 0o755 if member.mode & 0o100 else 0o644
            new.addfile(file, old.extractfile(member))
    archive.write_bytes(packed.getvalue())


def build_editable(
    wheel_directory: str, config_settings: _Settings = None, metadata_directory: str | None = None
) -> str:
    """The name of the wheel of an editable installation."""
    compile_toml()
    with _compiler_set():
        return build_meta.build_editable(wheel_directory, config_settings, metadata_directory)


def compile_toml(package: Path = Path("crfclean")) -> None:
    """Write the tables of all TOML files as one JSON file, by the SHA-256 of each file's bytes."""
    files = [path.read_bytes() for path in sorted(package.rglob("*.toml"))]
    tables = {sha256(data).hexdigest(): tomllib.loads(data.decode("utf-8")) for data in files}
    (package / "toml.json").write_bytes(json.dumps(tables, ensure_ascii=False).encode("utf-8"))


def _compiler_needed() -> list[str]:
    """The compiler of PyPI, if there is no other one; ends the build if it could not succeed."""
    _check_headers()
    return [] if sys.platform == "win32" or _own_compiler() else [ZIG]


@contextmanager
def _compiler_set() -> Iterator[None]:
    """A context in which setuptools takes the compiler that works; on Windows it finds its own."""
    _check_headers()
    before = os.environ.get("CC")
    if sys.platform != "win32":
        os.environ["CC"] = _own_compiler() or _zig()
    try:
        yield
    finally:
        os.environ.pop("CC", None)
        if before is not None:
            os.environ["CC"] = before


def _zig() -> str:
    """The command of the compiler of PyPI; ends the build if it is not installed."""
    if find_spec("ziglang") is None:
        sys.exit(
            "crfclean is compiled, and no C compiler works here: install one, or the package "
            "ziglang, or leave out --no-build-isolation."
        )
    return _ZIG_COMMAND


def _check_headers() -> None:
    """End the build if Python's headers are missing."""
    header = Path(sysconfig.get_path("include")) / "Python.h"
    if not header.is_file():
        sys.exit(
            f"crfclean is compiled, and Python's headers are missing ({header}): install them "
            "(package python3-dev or python3-devel), or a wheel of crfclean."
        )


def _own_compiler() -> str:
    """The command of a compiler of this machine that works, "" without one; `CC` comes first."""
    named = os.environ.get("CC")
    commands = [named] if named else [sysconfig.get_config_var("CC") or "cc", "cc", "gcc", "clang"]
    return next(filter(_works, commands), "")


def _works(command: str) -> bool:
    """Whether a compiler makes a program: on some machines it has no headers, or only a name."""
    with tempfile.TemporaryDirectory() as folder:
        source = Path(folder) / "probe.c"
        source.write_text(_PROBE, "ascii")
        call = [*shlex.split(command), str(source), "-o", str(source.with_suffix(""))]
        try:
            done = subprocess.run(call, capture_output=True, check=False)  # noqa: S603
        except OSError:
            return False
        return done.returncode == 0
