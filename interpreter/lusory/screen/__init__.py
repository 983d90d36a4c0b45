"""What a person sees of a game and can choose, as plain data: the one model that line mode and full screen draw."""
