"""What tests of products share: worker processes that start with the package imported."""

from __future__ import annotations

import multiprocessing

from crfclean.products.corpus.worker_process import PRELOADED

multiprocessing.set_forkserver_preload([*PRELOADED, "warm"])  # else imports take most of the time
