"""How the parts of a table lie, as a style sheet."""

TABLE = """
Screen { layout: vertical; overflow: hidden; }
#head, #players, #asked, #options, #keys { width: 100%; height: 1; }
#head { background: $panel; }
#middle { width: 100%; height: 1fr; layout: vertical; }
#middle.-beside { layout: horizontal; }
#lying { width: 1fr; height: 1fr; }
#table { width: 100%; height: 1fr; }
#hand { width: 100%; height: 0; }
#side { width: 100%; height: auto; border-top: solid $panel; }
.-beside #side { height: 100%; border-top: none; border-left: solid $panel; padding-left: 1; }
#story { height: 1fr; }
#look { height: auto; max-height: 60%; display: none; border-top: dashed $panel; }
#ask { width: 100%; height: auto; border-top: solid $accent; }
.-low #side { border-top: none; background: $surface; }
.-low.-beside #side { background: $background; }
.-low #ask { border-top: none; }
.-low #look { border-top: none; max-height: 100%; }
.-low #asked { background: $panel; }
#keys { background: $panel; }
"""
