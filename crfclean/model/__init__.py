"""What a model of blocks is made of: columns, networks, kinds, page types, and their folders."""
