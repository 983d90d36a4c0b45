"""Selection: from the lowered game to the intermediate form. A table says which function is for which class of
nodes."""
