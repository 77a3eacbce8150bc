from .base import BaseExtractor


class Crfclean(BaseExtractor):
    """crfclean extractor: a conditional random field labels each block of the page as text or boilerplate

    Args:
        model: name or folder of a model
        as_: what belongs to the text: "auto" (the model decides), "article", "body", "page", "thread", "everything"
        timeout: the timeout for extraction, per document, in seconds. The first page of a process also loads the model
        **kwargs: any other option will be passed to crfclean.extract
    """

    name = "⛏ crfclean"
    _requires_dependencies = ["crfclean"]

    def __init__(self, model: str = "default", as_: str = "auto", timeout: float = 10, **kwargs):
        super().__init__(timeout)
        self.model = model
        self.as_ = as_
        self.kwargs = kwargs

    def extract(self, text: str) -> str:
        """

        Args:
          text: str: html content

        Returns: plain text extracted text

        """
        from crfclean import extract

        return extract(text, model=self.model, as_=self.as_, **self.kwargs)
