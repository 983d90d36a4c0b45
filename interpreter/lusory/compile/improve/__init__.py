"""Passes over the intermediate form. Each takes a module or its functions and gives others."""
