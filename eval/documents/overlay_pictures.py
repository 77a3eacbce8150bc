"""Draw the page with what was kept, as a file and in `crfclean serve`, for the documentation.

Run `python -m eval.documents.overlay_pictures` (needs Chromium, chromedriver, and the extras
`browser`, `web` and `plots`).

The page is the example of `crfclean serve`. Pictures are reduced to 64 colours.
"""

from __future__ import annotations

import io
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from PIL import Image
from selenium import webdriver
from selenium.webdriver.chrome.options import Options
from selenium.webdriver.common.by import By
from selenium.webdriver.support.ui import WebDriverWait

from crfclean.document.overlay import overlay_html
from crfclean.page.decode import decode
from crfclean.systems.load import load
from eval.lib.corpora import ROOT

EXAMPLE = ROOT / "crfclean" / "static" / "example.html"
PICTURES = ROOT / "docs" / "pictures"
COLOURS = 64
WAIT_SECONDS = 60
SERVER = "from crfclean.products.web.app import serve; "
SERVER += "from crfclean.products.web.inspection import ServeParams; "
SERVER += "serve(ServeParams(port=0, models=('default',)))"


@contextmanager
def browser(width: int, height: int, scheme: str = "light") -> Iterator[Any]:
    """Chromium without a window, with a page of this size in CSS pixels."""
    options = Options()
    for flag in ("--headless=new", "--no-sandbox", "--hide-scrollbars"):
        options.add_argument(flag)
    metrics = {"width": width, "height": height, "deviceScaleFactor": 1, "mobile": width < 500}
    features = [{"name": "prefers-color-scheme", "value": scheme}]
    with webdriver.Chrome(options) as driver:
        driver.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", metrics)
        driver.execute_cdp_cmd("Emulation.setEmulatedMedia", {"features": features})
        yield driver


def wait(driver: Any, condition: Callable[[], object]) -> None:
    """Wait until something is there."""
    WebDriverWait(driver, WAIT_SECONDS, 0.1).until(lambda _: condition())


def save(driver: Any, target: Path) -> None:
    """Write what is shown, in few colours."""
    image = Image.open(io.BytesIO(driver.get_screenshot_as_png())).convert("RGB")
    small = image.quantize(COLOURS, dither=Image.Dither.NONE)
    small.save(target, optimize=True)
    print(f"{target.relative_to(ROOT)}: {target.stat().st_size:,} bytes")


def click_in_page(driver: Any, selector: str) -> None:
    """Choose a block in the frame of a view."""
    wait(driver, lambda: driver.find_elements(By.TAG_NAME, "iframe"))
    driver.switch_to.frame(driver.find_element(By.TAG_NAME, "iframe"))
    wait(driver, lambda: driver.find_elements(By.CSS_SELECTOR, selector))
    driver.find_element(By.CSS_SELECTOR, selector).click()
    driver.switch_to.parent_frame()
    wait(driver, lambda: driver.find_element(By.ID, "verdict").text)


def draw_file(target: Path) -> None:
    """The file of `explain --html`, with the reasons of a block."""
    html = overlay_html(decode(EXAMPLE.read_bytes()), load("default"))
    with tempfile.TemporaryDirectory() as folder, browser(1_130, 620) as driver:
        (page := Path(folder, "view.html")).write_text(html, "utf-8")
        driver.get(page.as_uri())
        click_in_page(driver, ".newsletter p")
        save(driver, target)


def draw_server(target: Path) -> None:
    """The page of `crfclean serve`, which begins with its example."""
    command = [sys.executable, "-u", "-c", SERVER]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True, cwd=ROOT) as server:  # noqa: S603
        try:
            if server.stdout is None:
                raise RuntimeError("the server has no output")
            address = server.stdout.readline().strip()
            with browser(1_100, 860) as driver:
                driver.get(address)
                wait(driver, lambda: driver.find_element(By.ID, "view").is_displayed())
                driver.switch_to.frame("view")
                wait(driver, lambda: driver.find_element(By.ID, "summary").text)
                driver.switch_to.default_content()
                time.sleep(1)  # the page in the frame is painted
                save(driver, target)
        finally:
            server.terminate()


def main() -> None:
    """Draw both pictures."""
    draw_file(PICTURES / "overlay.png")
    draw_server(PICTURES / "serve.png")


if __name__ == "__main__":
    main()
