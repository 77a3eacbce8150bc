"""What the wings share."""
