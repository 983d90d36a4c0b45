"""What generated text is made of, may be made of, and finds when it runs."""
