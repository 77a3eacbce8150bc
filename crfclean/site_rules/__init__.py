"""What a site's pages have taught, in a file that later pages of the site are cleaned with."""
