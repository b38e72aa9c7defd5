"""What a benchmark is made from: labels on many data sets, tables of scores, folders of files, fitted models."""
