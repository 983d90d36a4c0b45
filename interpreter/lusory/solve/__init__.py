"""What best play of small games comes to: their value, how to play, and how much the best answer to that wins."""
