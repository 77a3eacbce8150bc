"""axe-core in a browser: the faults of a web page that keep people from using it.

Needs axe-core: `npm install axe-core`, and the path of its `axe.min.js` in `CRFCLEAN_AXE`. It is no
part of the project.
"""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import pytest
from servetab import Tab

AXE = Path(os.environ.get("CRFCLEAN_AXE", ""))
WITHOUT_AXE = pytest.mark.skipif(not AXE.is_file(), reason="needs axe-core: set CRFCLEAN_AXE")
CHECK = """
const done = arguments[arguments.length - 1];
axe.run(document, { resultTypes: ["violations"] }).then(({ violations }) => done(violations
  .filter(({ impact }) => ["serious", "critical"].includes(impact))
  .map(({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html.slice(0, 120)).join(" ")}`)));
"""


def faults(tab: Tab) -> list[Any]:
    """The serious and critical violations of the page that is shown."""
    tab.run(AXE.read_text("utf-8"))
    return list(tab.driver.execute_async_script(CHECK))
