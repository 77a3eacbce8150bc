"""The features of blocks, a file a group, and the table of them all."""
