"""Instruction selection: lowered program to intermediate representation."""
