"""`Blocks` -> the roles of its elements: main heading, main article, comments (an expert system).

After Golovko and Lapin, "Representative and role model of the web page content" (2015); the blocks
of its table 2, each run once: `elements` 1, `headings` 2 and 3, `article` 4, 5 and 9 to 12,
`commentwords` 6 to 8, `roles` 14 and 15; 13 and 16 to 18 are the HTML writer's.
"""
