"""Load rulesets: YAML files, packs, spreadsheets and the JSON Schema."""
