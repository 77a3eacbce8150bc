"""
crfclean extractor implementation.
"""
from importlib.metadata import version

from crfclean import clean

from .base import BaseExtractor, ExtractionResult
from .factory import extractor
from ..utils.main_html import HTML2TextWrapper


@extractor("crfclean")
class CrfcleanExtractor(BaseExtractor):
    """Extractor using crfclean."""

    version = version("crfclean")
    description = "crfclean based content extractor (main HTML, converted by html2text)"

    def _setup(self) -> None:
        """Set up the crfclean extractor."""
        self.html2text = HTML2TextWrapper()

    def _extract_content(self, html: str, url: str = None) -> ExtractionResult:
        """
        Extract content using crfclean.

        Args:
            html: HTML content to extract from
            url: Optional URL of the page

        Returns:
            ExtractionResult instance
        """
        document = clean(html, url)
        main_html = document.html() if document.text else ""

        return ExtractionResult(
            content=self.html2text(main_html, url or ""),
            main_html=main_html,
            version=self.version,
            title=document.title or None,
            author=", ".join(document.authors) or None,
            publish_date=document.date or None,
            language=document.language or None,
            confidence_score=document.score,
        )
