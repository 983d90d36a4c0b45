"""The primitives of the intermediate form: what a runtime library of any backend provides besides the functions of the
language, which are called ``fn_`` and their name."""

from __future__ import annotations

PRIMITIVES: dict[str, tuple[str, ...]] = {
    # lists
    "copied": (),  # a list that a loop goes through while what it came from may change
    "extended": (),  # a list and one item more
    "front": (),
    "items_at": (),  # the items of a list at some places
    "back": (),
    "length": (),
    "occurrences": (),  # how often a list has an item
    "one": (),  # a list of what may be none
    "reversed": (),
    "without_first": (),  # a list without the first of its items that is some value
    "set_except": (),
    "set_intersect": (),
    "set_union": (),
    "snapshot": (),  # what lies in a zone, as a list
    "span_of": (),  # the list of the numbers from one to another
    "up_to": (),  # as many passes
    # regions of boards: lists, and masks
    "group": (),
    "groups": (),
    "group_among": (),
    "parts_of": (),
    "spaces_in": (),  # the items of a list in their order, each once, that are in a mask
    "leading_in": (),  # the items of a list before the first that is not in a mask
    "lowest_of_each": (),  # of each of some masks the lowest bit that is in another, in order
    "first_in": (),  # the place of the lowest bit of a mask; a fault, if it has none
    "lowest_of": (),  # the place of the lowest bit of a mask that has one
    "without_lowest": (),  # a mask that is not empty without its lowest bit
    "ones": (),  # how many bits a mask has
    # numbers
    "absolute": (),
    "greatest": (),  # of a list; 0 of none
    "larger_of": (),
    "least": (),
    "smaller_of": (),
    "added_up": (),
    # chance
    "any_below": (),  # a number below another, at random
    "pick": ("c",),  # from a stream, or dictated
    # options of a choice
    "and_stop": (),
    "append": (),
    "insert_stop": (),
    "named_options": (),
    "no_options": (),
    "pick_options": (),
    "picks_left": (),
    # seats and who won
    "bits": (),  # of the seats that see something
    "mask_of": (),
    "seen_by_both": (),
    "shares": (),
    "stakes": (),
    "winners": (),
    # texts, faults
    "both": (),  # two values, neither of which is used
    "bound_exceeded": (),
    "cannot_hold": (),
    "no_int": (),  # whether a number is one that an Int can't be
    "openly_said": ("c", "z"),
    "over_limit": (),
    "too_great": (),
}
"""What each needs of a position: its cells (``c``), its lists of components (``z``)."""
