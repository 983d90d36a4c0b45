"""Resolve names and check types: parsed rulesets become typed core programs.

A function that checks an expression reports a mistake where it finds it. It then returns the expression of
:func:`lusory_dsl.checker.context.make_faulty`, whose type fits everywhere, so that a mistake is reported once.
"""
