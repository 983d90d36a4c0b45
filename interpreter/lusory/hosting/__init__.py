"""A match that others look at: what each seat is shown and may ask, at one keyboard or over a wire."""
