"""Readers of files: text, Parquet and Arrow, in memory or in passing."""
