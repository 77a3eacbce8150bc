"""Runners for public leaderboards: the board's data in, its output format and its measure out."""
