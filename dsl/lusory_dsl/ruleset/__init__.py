"""Load rulesets: files, packs, spreadsheets and the JSON Schema."""
