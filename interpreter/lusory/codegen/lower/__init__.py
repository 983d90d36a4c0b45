"""Specialise a program for one setting: inline calls and fold constants."""
