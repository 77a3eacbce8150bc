"""Tools for pages of which one takes long; worker processes import them from here."""

from __future__ import annotations

from doubles import compute

from crfclean.products.tools.page_tools import PageTools, ToolAnswer


class SleepyTools(PageTools):
    """Tools that do not end to clean a page."""

    def clean(self, page: str, format: str = "md", convention: str = "auto") -> ToolAnswer:  # noqa: A002
        compute(600.0, None)
        return super().clean(page, format, convention)
