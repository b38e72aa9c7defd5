"""What is judged: the kinds of labels, and the sample that a case of a kind is judged on."""
