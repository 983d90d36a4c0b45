"""lusory: plays checked rulesets. The public face: Game and what it deals in."""
