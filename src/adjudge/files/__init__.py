"""Readers of files: text, Parquet and Arrow, in memory or streamed."""
