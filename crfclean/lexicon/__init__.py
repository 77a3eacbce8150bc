"""Words by language and markup -> the tables that readers use."""
