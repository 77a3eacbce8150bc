"""An expert system for the roles of elements: main heading, main article, comments.

After Golovko and Lapin, "Representative and role model of the web page content" (2015). Each step
of its table 2 runs once: step 1 is `page.tree`, 2 and 3 `headings`, 4, 5 and 9 to 11
`article`, 6 to 8 `comments`, 12, 14 and 15 `parts`; 13 and 16 to 18 belong to the HTML writer.
`headline` comes after step 11 where no heading element is like the title.
"""
