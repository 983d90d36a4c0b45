"""Statistics of many games: simulations, tournaments, balance comparisons and tuning."""
