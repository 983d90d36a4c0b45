"""Statistics of many games: simulation, tournaments, balance and tuning."""
