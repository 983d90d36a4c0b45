"""Sessions: matches with seats on one machine or on several."""
