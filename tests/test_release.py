"""The files of a release agree with pyproject.toml."""

from __future__ import annotations

import re
import tomllib

from checkout import ROOT

from crfclean import __version__
from crfclean._version import RELEASE_YEAR
from crfclean.products.tools.methods import CITATION, TITLE

PROJECT = (ROOT / "pyproject.toml").read_text("utf-8")
TABLE = tomllib.loads(PROJECT)["project"]
CITED = (ROOT / "CITATION.cff").read_text("utf-8")
CONDA = (ROOT / "packaging/conda/recipe.yaml").read_text("utf-8")
DOCKER = (ROOT / "packaging/docker/Dockerfile").read_text("utf-8")
COMPOSE = (ROOT / "packaging/docker/compose.yaml").read_text("utf-8")


def strings(text: str, name: str) -> list[str]:
    """The strings of a list of pyproject.toml."""
    body = re.search(rf"^{name} = \[\n(.*?)^\]", text, re.DOTALL | re.MULTILINE)
    assert body
    return re.findall(r'^ *"([^"]+)"', body[1], re.MULTILINE)


def cited(name: str) -> list[str]:
    """The values of a key of CITATION.cff."""
    return re.findall(rf'^(?:  - )?{name}: "?(.*?)"?$', CITED, re.MULTILINE)


def test_versions() -> None:
    assert cited("version") == [__version__]
    assert re.findall(r"^  version: ([\d.]+)$", CONDA, re.MULTILINE) == [__version__]


def test_the_citation_agrees() -> None:
    (day,) = cited("date-released")
    authors = cited("name")
    assert cited("cff-version") == ["1.2.0"]
    assert authors == [author["name"] for author in TABLE["authors"]]
    assert cited("license") == [TABLE["license"]]
    assert cited("title") == [TITLE]
    assert day.startswith(f"{RELEASE_YEAR}-")
    assert f"{authors[0]} ({RELEASE_YEAR}). {TITLE}. Version {__version__}." == CITATION
    source = TABLE.get("urls", {}).get("Source")
    assert cited("repository-code") == ([source] if source else [])


def test_each_version_of_python_is_tested_and_has_wheels() -> None:
    tested = re.search(
        r"^ +python: \[(.*)\]$",
        (ROOT / ".github/workflows/tests.yml").read_text("utf-8"),
        re.MULTILINE,
    )
    built = re.search(r'^build = "(.*)"$', PROJECT, re.MULTILINE)
    assert tested
    assert built
    declared = re.findall(r'"Programming Language :: Python :: (3\.\d+)"', PROJECT)
    assert [version.strip('"') for version in tested[1].split(", ")] == declared
    assert built[1].split() == [f"cp{version.replace('.', '')}-*" for version in declared]
    assert declared[-1] == "3.14"


def test_conda_has_the_same_dependencies() -> None:
    run = CONDA.partition("  run:\n")[2].partition("\n  run_constraints:\n")[0]
    listed = [line.strip()[2:].replace(" ", "") for line in run.splitlines()]
    (python,) = re.findall(r'^requires-python = "(.*)"$', PROJECT, re.MULTILINE)
    assert listed == [f"python{python}", *strings(PROJECT, "dependencies")]
    (needed,) = re.findall(r"^requires = \[(.*)\]$", PROJECT, re.MULTILINE)
    for name, least in re.findall(r'"(\w+)(>=[\d.]+)"', needed):
        assert f"- {name} {least}\n" in CONDA


def test_the_image_runs_without_root_on_loopback() -> None:
    assert re.findall(r"^USER (.*)$", DOCKER, re.MULTILINE) == ["10001:10001"]
    assert re.findall(r'^CMD \["--host", "(.*)"\]$', DOCKER, re.MULTILINE) == ["127.0.0.1"]
    assert re.findall(r"ports: \[(.*)\]", COMPOSE) == ['"127.0.0.1:8600:8600"']
    for line in ("read_only: true", "cap_drop: [ALL]", 'security_opt: ["no-new-privileges:true"]'):
        assert f"    {line}\n" in COMPOSE
