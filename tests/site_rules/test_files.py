"""Tests of `site_rules/files.py`: what is known of a site, written and read."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from sitepages import NAMES, site_page, tagged

from crfclean.site_rules.files import as_json, file_name, from_json, read_sites, write_file
from crfclean.site_rules.learn import learn, page_notes
from crfclean.site_rules.values import SiteRules
from crfclean.types import CrfcleanError

RULES = learn(
    "ferry.example", [page_notes(tagged(site_page(name))) for name in NAMES], "2026-11-23"
)


def test_what_is_written_is_read(tmp_path: Path) -> None:
    write_file(tmp_path / "new" / "sites", file_name(RULES.site), as_json(RULES))
    sites = read_sites(tmp_path / "new" / "sites")
    assert {name: site.rules for name, site in sites.by_name.items()} == {RULES.site: RULES}
    assert read_sites(tmp_path / "new" / "sites" / "ferry.example.json") == sites


def test_the_digest_changes_with_the_rules(tmp_path: Path) -> None:
    write_file(tmp_path, "a.json", as_json(RULES))
    first = read_sites(tmp_path).digest
    write_file(tmp_path, "b.json", as_json(SiteRules("b.example", 4)))
    assert read_sites(tmp_path).digest != first


def test_a_file_can_be_read_by_people() -> None:
    lines = as_json(RULES).splitlines()
    rows = sum(map(len, (RULES.text, RULES.strip, RULES.fields, RULES.places, RULES.repeated)))
    assert sum(line.startswith("  {") for line in lines) == rows > 5
    assert max(map(len, lines)) < 300


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"format": "crfclean-site/0"}, "learn it again"),
        ({"format": None, "sites": []}, "learn it again"),
        ({"pages": "4"}, "'pages' is a str"),
        ({"pages": True}, "'pages' is a bool"),
        ({"score": 1.5}, "'score' is out of bounds"),
        ({"score": float("nan")}, "'score' is out of bounds"),
        ({"places": [{"path": "p"}]}, "no file of learn-site"),
        ({"places": [7]}, "no file of learn-site"),
        ({"places": 7}, "no file of learn-site"),
        ({"more": 1}, "no file of learn-site"),
    ],
)
def test_other_values_are_refused(change: dict[str, Any], message: str) -> None:
    text = json.dumps(json.loads(as_json(RULES)) | change)
    with pytest.raises(CrfcleanError, match=message):
        from_json(text, "a.json")


@pytest.mark.parametrize("text", ["", "[]", "7", "{}", "{", "[" * 100_000])
def test_other_files_are_refused(text: str) -> None:
    with pytest.raises(CrfcleanError, match=r"a\.json: no file of learn-site"):
        from_json(text, "a.json")


def test_folders_without_sites_are_refused(tmp_path: Path) -> None:
    with pytest.raises(CrfcleanError, match="crfclean learn-site"):
        read_sites(tmp_path)
    with pytest.raises(CrfcleanError, match="cannot be read"):
        read_sites(tmp_path / "missing")
    (tmp_path / "a.json").write_bytes(b"\xff")
    with pytest.raises(CrfcleanError, match="no file of learn-site"):
        read_sites(tmp_path)


def test_two_files_of_one_site_are_refused(tmp_path: Path) -> None:
    for name in ("a.json", "b.json"):
        write_file(tmp_path, name, as_json(RULES))
    with pytest.raises(CrfcleanError, match="two files of one site"):
        read_sites(tmp_path)


def test_files_of_odd_sites_have_names_of_their_own() -> None:
    names = [file_name(site) for site in ("a/b", "a\\b", "..", "a b", "ž")]
    assert len(set(names)) == 5
    assert not any("/" in name or "\\" in name or name.startswith(".") for name in names)


def test_a_file_that_cannot_be_written(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("x")
    with pytest.raises(CrfcleanError, match="cannot be written"):
        write_file(tmp_path / "file", "a.json", "{}")
