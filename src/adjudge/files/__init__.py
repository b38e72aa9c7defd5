"""File readers: text, Parquet and Arrow, in memory or streamed."""
