"""The book with one fault at a time: does each turn red, and is it named? `make tamper`."""
