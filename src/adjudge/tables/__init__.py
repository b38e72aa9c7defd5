"""Where columns come from: files, data frames, and tables in an engine; names become what a verb judges."""
