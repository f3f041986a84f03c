"""Whether everybody can read the book: what a program can find out about it."""
