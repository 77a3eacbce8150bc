"""Judging in a real browser: `crfclean audit --web` from its address to its figures.

Needs `crfclean[browser]`, Chromium and its driver (`chromium` and `chromium-driver` in Debian).
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("fastapi", reason="needs crfclean[web]")
pytest.importorskip("selenium.webdriver", reason="needs crfclean[browser]")
from auditruns import row, write_run
from browser import NEEDED
from selenium.webdriver.common.by import By
from selenium.webdriver.common.keys import Keys
from selenium.webdriver.support.ui import WebDriverWait
from serving import Running

pytestmark = NEEDED
HOSTILE = "<img src=x onerror=alert(1)> is text"


@pytest.fixture
def server(tmp_path: Path) -> Iterator[Running]:
    rows = [row(number) for number in range(30)]
    for fields in rows:
        fields["blocks"][0]["text"] = HOSTILE
    out = write_run(tmp_path / "x.jsonl", rows)
    command = "-m", "crfclean", "audit", out, "--web", "--sample", "10"
    with closing(Running(*command)) as running:
        yield running


def test_judging_from_the_address_to_the_figures(driver: Any, server: Running) -> None:
    def text(name: str) -> str:
        return str(driver.find_element(By.ID, name).text)

    def wait_for(name: str, part: str) -> None:
        WebDriverWait(driver, 60, 0.05).until(lambda _: part in text(name))

    def press(key: str) -> None:
        driver.switch_to.active_element.send_keys(key)

    driver.get(server.address)
    wait_for("count", "block 1 of 10, 0 judged")
    assert not driver.find_elements(By.CSS_SELECTOR, "#block *, #neighbours p *")
    assert text("block") == driver.find_element(By.CSS_SELECTOR, "#neighbours .here").text
    assert len(driver.find_elements(By.CSS_SELECTOR, "#neighbours p")) == 4
    beside, block = (driver.find_element(By.ID, name).rect for name in ("around", "block"))
    assert beside["x"] >= block["x"] + block["width"]
    press("t")
    wait_for("count", "block 2 of 10, 1 judged")
    driver.find_element(By.CSS_SELECTOR, "button[data-key=o]").click()
    wait_for("count", "block 3 of 10, 2 judged")
    press(Keys.ARROW_UP)
    wait_for("answer", "It does not belong to the text.")
    press("u")
    wait_for("count", "block 2 of 10, 1 judged")
    for judged in range(2, 11):
        press("t")
        wait_for("count", f"{judged} judged")
    wait_for("message", "Everything is judged.")
    assert not driver.get_log("browser")
    press("q")
    assert server.end()[0].startswith("10 blocks judged of 30 pages")
    assert server.process.returncode == 0
