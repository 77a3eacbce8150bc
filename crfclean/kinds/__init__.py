"""What each block of a page is, from title to legal notice, and how probably."""
