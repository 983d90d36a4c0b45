"""What is right, and hardly meant."""
