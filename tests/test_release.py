"""The files of a release agree with pyproject.toml, and linters find nothing in them."""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from checkout import ROOT

from crfclean import __version__
from crfclean._version import YEAR
from crfclean.teach.audit_summary import TITLE

PROJECT = (ROOT / "pyproject.toml").read_text("utf-8")
WORKFLOWS = sorted((ROOT / ".github" / "workflows").glob("*.yml"))
CONDA = (ROOT / "packaging/conda/recipe.yaml").read_text("utf-8")
DOCKER = (ROOT / "packaging/docker/Dockerfile").read_text("utf-8")
COMPOSE = (ROOT / "packaging/docker/compose.yaml").read_text("utf-8")
HOOKS = (ROOT / ".pre-commit-config.yaml").read_text("utf-8")


def strings(text: str, name: str) -> list[str]:
    """The strings of a list of pyproject.toml."""
    body = re.search(rf"^{name} = \[\n(.*?)^\]", text, re.DOTALL | re.MULTILINE)
    assert body
    return re.findall(r'^ *"([^"]+)"', body[1], re.MULTILINE)


def test_versions() -> None:
    citation = (ROOT / "CITATION.cff").read_text("utf-8")
    assert re.findall(r"^version: (.*)$", citation, re.MULTILINE) == [__version__]
    assert re.findall(r'^title: "(.*)"$', citation, re.MULTILINE) == [TITLE]
    assert re.findall(r"^date-released: (\d+)-\d\d-\d\d$", citation, re.MULTILINE) == [str(YEAR)]
    assert re.findall(r"^  version: ([\d.]+)$", CONDA, re.MULTILINE) == [__version__]


def test_extras_of_the_readme_need_no_newer_pip() -> None:
    """pip 23.2, which Python 3.11 brings, fails on the peers."""
    (listed,) = re.findall(r'pip install "\.\[([\w,]+)\]"', (ROOT / "README.md").read_text("utf-8"))
    extras = re.findall(r"^([a-z]+) = \[", PROJECT, re.MULTILINE)
    assert set(listed.split(",")) <= set(extras) - {"peers", "extras", "test"}


def test_conda_has_the_same_dependencies() -> None:
    run = CONDA.partition("  run:\n")[2].partition("\n\n")[0]
    listed = [line.strip()[2:].replace(" ", "") for line in run.splitlines()]
    (python,) = re.findall(r'^requires-python = "(.*)"$', PROJECT, re.MULTILINE)
    assert listed == [f"python{python}", *strings(PROJECT, "dependencies")]
    (needed,) = re.findall(r"^requires = \[(.*)\]$", PROJECT, re.MULTILINE)
    for name, least in re.findall(r'"(\w+)(>=[\d.]+)"', needed):
        assert f"- {name} {least}\n" in CONDA


def test_hooks_have_the_versions_of_the_project() -> None:
    (ruff,) = [entry for entry in strings(PROJECT, "test") if entry.startswith("ruff==")]
    assert re.findall(r"additional_dependencies: \[(.*)\]", HOOKS) == [ruff, ruff]


def test_the_image_runs_without_root_on_loopback() -> None:
    assert re.findall(r"^USER (.*)$", DOCKER, re.MULTILINE) == ["10001:10001"]
    assert re.findall(r'^CMD \["--host", "(.*)"\]$', DOCKER, re.MULTILINE) == ["127.0.0.1"]
    assert re.findall(r"ports: \[(.*)\]", COMPOSE) == ['"127.0.0.1:8600:8600"']
    for line in ("read_only: true", "cap_drop: [ALL]", 'security_opt: ["no-new-privileges:true"]'):
        assert f"    {line}\n" in COMPOSE


def test_the_image_is_built_from_what_a_build_needs() -> None:
    """What setup reads is not ignored, and nothing else gets in."""
    ignored = (ROOT / "packaging/docker/Dockerfile.dockerignore").read_text("utf-8").splitlines()
    assert ignored[0] == "**"
    needed = {line[1:] for line in ignored if line.startswith("!")}
    assert needed == {
        *("crfclean", "models", "native", "LICENSE", "MANIFEST.in", "README.md"),
        *("packaging/build_core.py", "pyproject.toml", "setup.cfg", "setup.py"),
    }
    assert all((ROOT / name).exists() for name in needed)


@pytest.mark.parametrize("path", WORKFLOWS, ids=lambda path: path.stem)
def test_workflows_are_cautious(path: Path) -> None:
    """Actions are pinned to a commit, and no job may do more than it says."""
    text = path.read_text("utf-8")
    uses = re.findall(r"uses: (\S+)", text)
    assert uses
    assert all(re.fullmatch(r"(actions|pypa)/[\w-]+@[0-9a-f]{40}", action) for action in uses)
    assert "\npermissions: {}\n" in text
    jobs = text.partition("\njobs:\n")[2]
    names = re.findall(r"^  (\w+):$", jobs, re.MULTILINE)
    for word in ("permissions", "timeout-minutes"):
        assert len(re.findall(rf"^    {word}:", jobs, re.MULTILINE)) == len(names)


@pytest.mark.parametrize("path", WORKFLOWS, ids=lambda path: path.stem)
def test_a_linter_finds_nothing_in_workflows(path: Path) -> None:
    linter = shutil.which("zizmor", path=str(Path(sys.executable).parent))
    if linter is None:
        pytest.skip("needs zizmor")
    done = subprocess.run([linter, "--offline", path], capture_output=True, check=False)
    assert done.returncode == 0, done.stdout.decode()


def test_a_release_is_built_and_published_with_known_tools() -> None:
    """The job with the right to publish installs nothing; files and their SBOM are attested."""
    wheels = (ROOT / ".github/workflows/wheels.yml").read_text("utf-8")
    build, _, publish = wheels.partition("\n  publish:\n")
    for line in re.findall(r"^      - run: python -m pip install (.*)$", build, re.MULTILINE):
        assert all(re.fullmatch(r"[\w-]+==[\d.]+", tool) for tool in line.split())
    assert "run:" not in publish
    assert "uses: actions/attest-sbom@" in publish
    assert "attestations: true\n" in publish
    jobs = ("wheels", "sources")
    assert build.count('echo "SOURCE_DATE_EPOCH=$(git log -1 --format=%ct)"') == len(jobs)
    assert 'linux.environment-pass = ["SOURCE_DATE_EPOCH"]' in PROJECT


def test_workflows_run_what_the_project_has() -> None:
    tests = (ROOT / ".github/workflows/tests.yml").read_text("utf-8")
    assert '"3.11", "3.12", "3.13", "3.14"' in tests
    assert "ubuntu-latest, macos-latest, windows-latest" in tests
    makefile = (ROOT / "Makefile").read_text("utf-8")
    for leg in ("test-extras", "test-oldest", "test-sanitized"):
        assert f"leg: {leg}\n" in tests
        assert f"\n{leg}: " in makefile
    assert "run: make docs\n" in (ROOT / ".github/workflows/docs.yml").read_text("utf-8")


def test_wheels_are_built_for_the_versions_that_are_tested() -> None:
    (build,) = re.findall(r'^build = "(.*)"$', PROJECT, re.MULTILINE)
    assert build.split() == [f"cp3{minor}-*" for minor in range(11, 15)]
    (page,) = re.findall(r"\{project\}/(\S+\.html)", PROJECT)
    assert (ROOT / page).is_file()
