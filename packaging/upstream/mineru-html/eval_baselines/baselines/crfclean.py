from .base import MainHTMLExtractor


class CrfcleanExtractor(MainHTMLExtractor):
    """
    HTML extractor using crfclean library.

    Extracts main HTML content with a conditional random field over the blocks of a page.
    """

    name_str = 'crfclean'

    def __init__(self):
        """
        Initialize CrfcleanExtractor.
        """
        super().__init__()
        from crfclean import clean

        self.extractor = clean

    def extract_main_html(self, input_html: str, url: str) -> str:
        """
        Extract main HTML using crfclean.

        Args:
            input_html: Raw HTML string
            url: URL where the HTML was obtained from

        Returns:
            Extracted main HTML (empty string if the page has no text)
        """
        document = self.extractor(input_html, url)
        return document.html() if document.text else ''


class Crfclean_HTML_MD_Extractor(CrfcleanExtractor):
    """crfclean extractor with Markdown output format."""

    format_str = 'html-md'

    def set_format(self):
        """Set output format to Markdown."""
        self.format = 'MD'


class Crfclean_HTML_Text_Extractor(CrfcleanExtractor):
    """crfclean extractor with plain text output format."""

    format_str = 'html-text'

    def set_format(self):
        """Set output format to plain text."""
        self.format = 'TEXT'
