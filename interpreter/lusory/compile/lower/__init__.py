"""From core to core for one game: without calls and options, with facts about what values can be."""
