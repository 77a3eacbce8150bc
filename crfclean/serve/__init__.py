"""The web page and the JSON API of `crfclean serve`."""
