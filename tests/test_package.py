"""The wheel: built once, installed into an environment of its own, run far from the checkout."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import sysconfig
import venv
import zipfile
from collections.abc import Callable
from hashlib import sha256
from importlib.metadata import PackageNotFoundError, version
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path
from types import ModuleType

import pytest

SOURCES = ["crfclean", "models", "native", "README.md", "LICENSE", "MANIFEST.in"]
SOURCES += ["packaging", "pyproject.toml", "setup.cfg", "setup.py"]
OFFLINE = [b"ConnectionError", b"NewConnectionError", b"Temporary failure in name resolution"]
OFFLINE += [b"Network is unreachable", b"ConnectTimeoutError"]
needs_posix = pytest.mark.skipif(os.name == "nt", reason="there setuptools finds its compiler")
Done = subprocess.CompletedProcess[bytes]


def environment() -> dict[str, str]:
    """This process's, without what could put the checkout on the path."""
    hidden = {"PYTHONPATH", "PYTHONHOME", "VIRTUAL_ENV"}
    return {name: value for name, value in os.environ.items() if name not in hidden}


def call(*command: object, cwd: Path) -> Done:
    """Run a command that may need the package index; skip without a network."""
    done = subprocess.run(
        [*map(str, command)], cwd=cwd, env=environment(), capture_output=True, check=False
    )
    told = done.stdout + done.stderr
    if done.returncode and any(sign in told for sign in OFFLINE):
        pytest.skip("the package index cannot be reached")
    assert done.returncode == 0, told.decode("utf-8", "replace")
    return done


def has(package: str, least: int) -> bool:
    """Whether a package is here, and its major version is new enough."""
    try:
        return int(version(package).partition(".")[0]) >= least
    except PackageNotFoundError:
        return False


def build(kind: str, root: Path, copied: Path) -> Path:
    """What is built from a copy of the sources, so that the checkout stays clean."""
    pytest.importorskip("build")
    for name in SOURCES:
        source = root / name
        if source.is_dir():
            unwanted = shutil.ignore_patterns("__pycache__", "*.so", "*.pyd")
            shutil.copytree(source, copied / name, ignore=unwanted)
        else:
            shutil.copy(source, copied)
    isolation = ["--no-isolation"] if has("setuptools", 77) and has("cython", 3) else []
    call(sys.executable, "-m", "build", kind, *isolation, ".", cwd=copied)
    (built,) = (copied / "dist").iterdir()
    return built


def compiler(folder: Path, name: str, does: str) -> Path:
    """A compiler that is a line of the shell."""
    path = folder / name
    path.write_text(f"#!/bin/sh\n{does}\n")
    path.chmod(0o755)
    return path


@pytest.fixture(scope="module")
def wheel(root: Path, default_model: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The wheel, built from a copy of the sources so that the checkout stays clean."""
    assert default_model.parent == root / "models"
    folder = tmp_path_factory.mktemp("compiler")
    with pytest.MonkeyPatch.context() as patch:
        if shutil.which("gcc"):  # to optimise takes half a minute
            patch.setenv("CC", str(compiler(folder, "cc", 'exec gcc "$@" -O0')))
        return build("--wheel", root, tmp_path_factory.mktemp("sources"))


@pytest.fixture(scope="module")
def names(wheel: Path) -> set[str]:
    """The files in the wheel."""
    with zipfile.ZipFile(wheel) as archive:
        return set(archive.namelist())


@pytest.fixture(scope="module")
def installed(wheel: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The directory of the scripts of a new environment with the wheel in it.

    Its dependencies are those of this environment.
    """
    home = tmp_path_factory.mktemp("installed")
    scripts = home / ("Scripts" if os.name == "nt" else "bin")
    options = ["-q", "--disable-pip-version-check", "--no-input", "--no-deps"]
    if has("pip", 23):  # it installs into others, too: that spares the environment one of its own
        venv.create(home)
        python = [sys.executable, "-m", "pip", "--python", scripts / "python"]
    else:
        venv.create(home, with_pip=True)
        python = [scripts / "python", "-m", "pip"]
    call(*python, "install", *options, "--no-compile", wheel, cwd=home)
    (packages,) = home.rglob("site-packages")
    (packages / "dependencies.pth").write_text(sysconfig.get_path("purelib"), "utf-8")
    return scripts


@pytest.fixture
def run(installed: Path, tmp_path: Path) -> Callable[..., Done]:
    """Run a script of the environment in an empty directory."""

    def run(*command: object) -> Done:
        script, *arguments = command
        return call(installed / str(script), *arguments, cwd=tmp_path)

    return run


def test_equal_sources_give_equal_archives(
    root: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SOURCE_DATE_EPOCH", "1767225600")
    for name in "ab":
        (tmp_path / name).mkdir()
    one, other = (build("--sdist", root, tmp_path / name).read_bytes() for name in "ab")
    assert one == other  # although copied files have times of their own


# what type checkers say of a program that uses it


def checked(command: list[str], program: Path, installed: Path) -> set[tuple[str, int]]:
    """The files and lines with an error, by the JSON of a type checker."""
    python = {"mypy": "--python-executable", "basedpyright": "--pythonpath"}[command[0]]
    done = subprocess.run(
        [sys.executable, "-m", *command, python, str(installed / "python"), program.name],
        cwd=program.parent,
        env=environment(),
        capture_output=True,
        check=False,
    )
    told = done.stdout.decode()
    assert told, done.stderr
    if command[0] == "mypy":
        errors = [json.loads(line) for line in told.splitlines()]
        return {(each["file"], each["line"]) for each in errors if each["severity"] == "error"}
    errors = json.loads(told)["generalDiagnostics"]
    return {(Path(each["file"]).name, each["range"]["start"]["line"] + 1) for each in errors}


@pytest.mark.parametrize(
    "command",
    [["mypy", "--strict", "--output", "json"], ["basedpyright", "--outputjson"]],
    ids=["mypy", "pyright"],
)
def test_types_are_as_users_need_them(
    command: list[str], root: Path, installed: Path, tmp_path: Path
) -> None:
    pytest.importorskip(command[0])
    program = tmp_path / "program.py"
    shutil.copy(root / "tests" / "lib" / "typed_program.py", program)
    settings = {"typeCheckingMode": "strict"}  # of pyright, not the stricter rules of its fork
    (tmp_path / "pyrightconfig.json").write_text(json.dumps(settings))
    lines = enumerate(program.read_text("utf-8").splitlines(), 1)
    wrong = {(program.name, number) for number, line in lines if line.endswith("# wrong")}
    assert checked(command, program, installed) == wrong


# what is in it


def test_wheel_holds_what_the_checkout_has(root: Path, names: set[str]) -> None:
    kinds = {".py", ".pyi", ".json", ".html", ".js", ".css", ".typed", ".toml"}
    files = {path for path in (root / "crfclean").rglob("*") if path.suffix in kinds}
    assert {path.relative_to(root).as_posix() for path in files} <= names | {"crfclean/toml.json"}
    models = {path for path in (root / "models").rglob("*") if path.is_file()}
    assert {f"crfclean/{path.relative_to(root).as_posix()}" for path in models} <= names
    assert {"crfclean/models/default/weights.crf", "crfclean/py.typed"} <= names


def test_wheel_holds_what_is_compiled(names: set[str]) -> None:
    sources = [name.removesuffix(".pyi") for name in names if name.endswith(".pyi")]
    assert {"crfclean/core/table", "crfclean/decision/sums"} <= {*sources}
    for module in sources:
        assert [name for name in names if name.startswith(f"{module}.c")]


def test_wheel_holds_every_toml_file_compiled(wheel: Path, names: set[str]) -> None:
    files = [name for name in names if name.endswith(".toml")]
    with zipfile.ZipFile(wheel) as archive:
        compiled = json.loads(archive.read("crfclean/toml.json"))
        digests = {sha256(archive.read(name)).hexdigest() for name in files}
    assert set(compiled) == digests
    assert len(files) > 50


# how it is built


@pytest.fixture
def backend(root: Path) -> ModuleType:
    """The backend that builds the package."""
    place = spec_from_file_location("build_core", root / "packaging" / "build_core.py")
    assert place is not None
    assert place.loader is not None
    module = module_from_spec(place)
    place.loader.exec_module(module)
    return module


@pytest.fixture
def own_compilers(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Path:
    """An empty directory that is all that is searched for a compiler."""
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.delenv("CC", raising=False)
    return tmp_path


@needs_posix
def test_a_compiler_is_taken_from_the_index_where_none_works(
    backend: ModuleType, own_compilers: Path
) -> None:
    assert backend._compiler_needed() == [backend.ZIG]
    compiler(own_compilers, "cc", "exit 1")  # a name alone, as on a Mac without its tools
    assert backend._compiler_needed() == [backend.ZIG]
    compiler(own_compilers, "clang", "exit 0")
    assert backend._compiler_needed() == []


@needs_posix
def test_a_build_without_any_compiler_ends_in_a_sentence(
    backend: ModuleType, own_compilers: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(backend, "find_spec", lambda _: None)
    with pytest.raises(SystemExit, match="no C compiler works here: install one"):
        backend._zig()
    assert not list(own_compilers.iterdir())


def test_a_build_without_headers_ends_in_a_sentence(
    backend: ModuleType, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr("sysconfig.get_path", lambda _: str(tmp_path))
    for requires in (
        backend.get_requires_for_build_wheel,
        backend.get_requires_for_build_editable,
    ):
        with pytest.raises(SystemExit, match=r"headers are missing \(.*Python\.h\): install them"):
            requires()


# what it does


def test_installed_package_is_not_the_checkout(run: Callable[..., Done], root: Path) -> None:
    code = (
        "import crfclean; from crfclean.model.folder import find_model;"
        "print(crfclean.__file__, find_model('default'))"
    )
    told = run("python", "-c", code).stdout.decode()
    assert str(root) not in told
    assert told.count("site-packages") == 2


def test_installed_command_cleans_the_demo(
    run: Callable[..., Done], demo: Path, tmp_path: Path
) -> None:
    done = run("crfclean", "clean", demo, "out")
    assert done.stdout == b""
    assert done.stderr.endswith(b"Wrote 24 texts to out/\n")
    texts = sorted(path.relative_to(tmp_path / "out") for path in tmp_path.rglob("*.txt"))
    assert texts == sorted(path.relative_to(demo) for path in demo.rglob("*.txt"))
    for path in texts:
        ours = (tmp_path / "out" / path).read_text("utf-8").split()
        gold = (demo / path).read_text("utf-8").split()
        assert len(set(ours) & set(gold)) > 0.2 * len(set(gold)), path
