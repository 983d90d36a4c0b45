"""Compile a ruleset to Python or C, for one number of players and one set of game options.

The pipeline: ``lower`` turns the checked program into lowered nodes, ``instruction_selection`` turns these into the
intermediate representation (``ir``), ``passes`` transform it, and ``python`` or ``c`` prints it.
``build_stages_and_ir_listing`` runs these steps. ``generated_code_check_and_loading`` verifies the generated
Python, and ``generated_code_runner_and_fault_explanation`` plays games with it.
"""
