"""An input format: the HTML of the mails in a mailbox."""

from collections.abc import Iterator
from contextlib import closing
from mailbox import mbox
from pathlib import Path

from crfclean import Page


def read_mbox(path: Path, how: object) -> Iterator[Page]:
    """Yield the HTML parts of all mails of a file `x.mbox`."""
    with closing(mbox(path, create=False)) as mails:
        for mail in mails:
            for part in mail.walk():
                data = part.get_payload(decode=True)
                if part.get_content_type() == "text/html" and isinstance(data, bytes):
                    html = data.decode(part.get_content_charset("utf-8"), "replace")
                    yield Page(html, f"mid:{mail['message-id']}")
