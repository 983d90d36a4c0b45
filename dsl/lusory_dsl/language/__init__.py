"""The vocabulary: types, what is built in, and the reference made of it."""
