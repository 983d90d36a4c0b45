"""What a seat has learned, and positions that agree with it.

Fed with views and redacted events alone: nothing in here is ever handed the position of a match.
"""
