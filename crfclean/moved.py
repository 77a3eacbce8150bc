"""Find the modules of products by the names that they had beside the core."""

from __future__ import annotations

import sys
from importlib import import_module  # frozen in Python, as is the next line
from importlib.util import spec_from_loader

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from importlib.machinery import ModuleSpec
    from types import ModuleType

_PRODUCTS = "crfclean.products"
_ROOMS = {
    **{room: room for room in ("corpus", "forum", "teach", "web")},
    "extras": "adapters",
    "teach.audit": "tools.audit",
    "teach.audit_summary": "tools.audit_summary",
    "teach.drift": "tools.drift",
    "extras.mcp": "tools.mcp",
    "extras.page_tools": "tools.page_tools",
    "web.fetch": "corpus.fetch",
    "model.fit": "teach.fit",
    "systems.article": "papers.article",
    "systems.coherent": "papers.coherent",
    "systems.perceptron": "papers.perceptron",
}
"""Old name of a room or module, without `crfclean.` -> its name in `crfclean.products`."""


def moved(name: str) -> str:
    """The name of a module that has moved, "" if it has not.

    >>> moved("crfclean.teach.gold"), moved("crfclean.teach.audit"), moved("crfclean.page.decode")
    ('crfclean.products.teach.gold', 'crfclean.products.tools.audit', '')
    """
    short = name.removeprefix("crfclean.")
    if short == name:
        return ""
    if short in _ROOMS:
        return f"{_PRODUCTS}.{_ROOMS[short]}"
    room, _, rest = short.partition(".")
    return f"{_PRODUCTS}.{_ROOMS[room]}.{rest}" if room in _ROOMS and rest else ""


class OldNames:
    """A finder and loader: an old name is the module of the new one, not a second copy."""

    @staticmethod
    def find_spec(
        name: str, _path: Sequence[str] | None = None, _target: ModuleType | None = None
    ) -> ModuleSpec | None:
        """Return the spec of an old name, None for all other names."""
        return spec_from_loader(name, OldNames()) if moved(name) else None  # type: ignore[arg-type]

    def create_module(self, spec: ModuleSpec) -> ModuleType:
        """Import the module by its new name."""
        module = import_module(moved(spec.name))
        self.spec = module.__spec__
        return module

    def exec_module(self, module: ModuleType) -> None:
        """Give the module its own spec again: it has run already."""
        module.__spec__ = self.spec


def install() -> None:
    """Let the old names be imported; before other finders, as a room's path has the new ones."""
    if not any(finder is OldNames for finder in sys.meta_path):
        sys.meta_path.insert(0, OldNames)
