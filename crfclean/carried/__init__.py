"""Text that a page carries but does not show, and whether its content is there at all."""
