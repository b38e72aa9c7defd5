"""The inputs of a benchmark: labels on many data sets, tables of scores, folders of files, fitted models."""
