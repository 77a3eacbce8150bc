"""Programs outside -> crfclean and back: one foreign library a file, loaded by name.

Nothing in the core needs what is here, and no file here needs another one's library.
"""
