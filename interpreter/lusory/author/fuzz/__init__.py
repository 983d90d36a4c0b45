"""Looks for what is wrong with rules by playing games that nobody would play. Behind ``lusory fuzz``; prints nothing.

What is made up here are decisions; the rules are given. (Made-up files, for the tools that read them, are a matter of
the tests alone.)
"""
