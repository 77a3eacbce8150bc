"""The page of `crfclean serve` in a browser, as its user sees it."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any

from selenium.webdriver import ActionChains
from selenium.webdriver.common.by import By
from selenium.webdriver.support.ui import WebDriverWait


class Tab:
    """The page in the browser, as its user sees it."""

    def __init__(self, driver: Any) -> None:
        self.driver = driver

    def at(self, selector: str) -> Any:
        return self.driver.find_element(By.CSS_SELECTOR, selector)

    def all(self, selector: str) -> list[Any]:
        return list(self.driver.find_elements(By.CSS_SELECTOR, selector))

    def run(self, script: str, *arguments: object) -> Any:
        return self.driver.execute_script(script, *arguments)

    def wait(self, condition: Callable[[], object]) -> None:
        WebDriverWait(self.driver, 120, 0.02).until(lambda _: condition())

    def open(self, address: str) -> None:
        self.driver.get(address)
        self.wait(lambda: self.all("#result:not([hidden]), #error:not([hidden])"))
        self.unfold()
        self.settle()

    def unfold(self) -> None:
        """Open all that is folded; a phone folds the form when its size is set."""
        found = "document.querySelectorAll('#ask-part, #advanced, #blocks-list')"
        self.run(f"for (const part of {found}) part.open = true")

    def settle(self) -> None:
        """Wait until the settings have been taken up, and nothing is under way."""
        time.sleep(0.25)
        self.wait(lambda: not self.all("body.busy"))

    def paste(self, html: str) -> None:
        """Clean a page; typing one would take minutes."""
        self.run("document.getElementById('html').value = arguments[0]", html)
        self.clean()
        self.unfold()

    def clean(self) -> None:
        self.at("#clean").click()
        self.settle()

    def error(self) -> str:
        return str(self.at("#error").text)

    def status(self) -> str:
        return str(self.at("#status").text)

    def rows(self) -> list[Any]:
        """The rows that are shown."""
        return self.all("#blocks > li:not([hidden])")

    def labels(self, side: int = 0) -> str:
        """First letters of the labels of the rows that are shown."""
        chips = "[...document.querySelectorAll('#blocks > li:not([hidden])')]"
        one = f".map((row) => row.querySelectorAll('.chip')[{side}].textContent[0]).join('')"
        return str(self.run(f"return {chips}{one}"))

    def text(self) -> str:
        return str(self.run("return document.getElementById('text').textContent"))

    def slide(self, side: str, value: float) -> None:
        """Move the slider as a pointer would."""
        script = (
            "const one = document.querySelector(`[data-side=${arguments[0]}] .threshold`);"
            "one.value = arguments[1];"
            "one.dispatchEvent(new Event('input', { bubbles: true }))"
        )
        self.run(script, side, value)
        self.settle()

    def choose(self, selector: str, value: str) -> None:
        options = self.all(f"{selector} option")
        next(one for one in options if one.get_attribute("value") == value).click()
        self.settle()

    def press(self, *keys: str) -> None:
        ActionChains(self.driver).send_keys(*keys).perform()
        self.settle()

    def size(self, width: int, height: int = 844) -> None:
        metrics = {"width": width, "height": height, "deviceScaleFactor": 1, "mobile": width < 500}
        self.driver.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", metrics)
        drawn = "requestAnimationFrame(() => requestAnimationFrame(arguments[0]))"
        self.driver.execute_async_script(drawn)
        self.unfold()

    def colours(self, scheme: str) -> None:
        features = [{"name": "prefers-color-scheme", "value": scheme}]
        self.driver.execute_cdp_cmd("Emulation.setEmulatedMedia", {"features": features})
