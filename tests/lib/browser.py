"""Headless Chromium, driven by selenium, for tests of web pages."""

from __future__ import annotations

import shutil
from pathlib import Path
from typing import Any

import pytest

webdriver = pytest.importorskip("selenium.webdriver", reason="needs crfclean[browser]")
from selenium.webdriver.chrome.service import Service  # noqa: E402

CHROMIUM = next(filter(None, map(shutil.which, ("chromium", "google-chrome", "chrome"))), "")
DRIVER = shutil.which("chromedriver") or ""
NEEDED = [
    pytest.mark.skipif(not CHROMIUM, reason="needs Chromium"),
    pytest.mark.skipif(not DRIVER, reason="needs chromedriver"),
]
FLAGS = """--headless=new --no-sandbox --disable-gpu --disable-quic --no-first-run
    --disable-background-networking --disable-component-update --disable-sync""".split()


def started(profile: Path) -> Any:
    """Start a browser with a new profile; its log is kept."""
    options = webdriver.ChromeOptions()
    options.binary_location = CHROMIUM
    for flag in [*FLAGS, f"--user-data-dir={profile}", "--window-size=1280,800"]:
        options.add_argument(flag)
    options.set_capability("goog:loggingPrefs", {"browser": "ALL"})
    return webdriver.Chrome(options=options, service=Service(DRIVER))
