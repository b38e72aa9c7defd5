"""How results look: tables, HTML, wording and colours; every number is formatted here.

Start with `tables`; `numbers` writes values, `terminal_width` fits a table to a terminal, `notebook` makes HTML.
"""
