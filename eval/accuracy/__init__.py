"""Texts and labels beside the gold and the peers."""
