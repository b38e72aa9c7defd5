"""File readers: text, Parquet and Arrow, in memory or streamed.

Start with `kinds` (which reader a file gets) and `table_file` (what a reader offers).
"""
