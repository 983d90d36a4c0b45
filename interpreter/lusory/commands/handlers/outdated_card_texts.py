"""Run ``lusory text``: list printed texts whose rules have changed, or accept all texts as they are."""

from __future__ import annotations

import argparse
from pathlib import Path

from lusory.commands.handlers.explain import load_ruleset
from lusory_dsl.lint.missing_wrong_and_outdated_card_texts import list_printed_texts
from lusory_dsl.source.ruleset_files_fingerprints_and_text_lock import find_text_lock, format_text_lock
from lusory_dsl.source.safe_files_and_bundled_data import find_ruleset_folder, write_atomically
from lusory_dsl.source.source import count_noun, make_one_line

from ...ui.line import plain_output_and_terminal_checks as plain_output


def run(args: argparse.Namespace) -> int:
    """Print where each text stands whose rules have changed since it was accepted. Returns 1 if there are any, else 0.

    For ``lusory text my-game``, a line is like ``card imp  my-game/cards.yaml:3``. Texts that are new or have changed
    themselves are only counted, in a summary on standard error. With ``--accept``, writes each lock file that
    changes instead, and returns 0.
    """
    ruleset = load_ruleset(args.game, args.packs)
    texts_by_lock = [(lock, list_printed_texts(ruleset, lock)) for lock in ruleset.text_locks]
    all_texts = [text for _, texts in texts_by_lock for text in texts]
    if args.accept:
        for lock, texts in texts_by_lock:
            digests = {text.name: text.digests for text in texts}
            if digests != lock.accepted_digests:
                file = find_text_lock(Path(lock.path))
                write_atomically(file, format_text_lock(digests), inside=find_ruleset_folder(file))
        plain_output.write_error_line(f"accepted {count_noun(len(all_texts), 'text')}")
        return 0
    outdated_texts = [text for text in all_texts if text.is_outdated]
    for text in outdated_texts:
        plain_output.write_line(make_one_line(f"{text.name}  {text.span.source.name}:{text.span.line}"))
    n_new = sum(text.accepted is None or text.accepted[0] != text.digests[0] for text in all_texts)
    parts = [f"{count_noun(len(outdated_texts), 'text')} may no longer describe the rules"] if outdated_texts else []
    parts += [f"{count_noun(n_new, 'text')} {'is' if n_new == 1 else 'are'} not accepted yet"] if n_new else []
    if parts:
        plain_output.write_error_line(" and ".join(parts) + "; `--accept` accepts all as they are")
    else:
        plain_output.write_error_line("all texts are accepted" if all_texts else "nothing in this game has a `text:`")
    return 1 if outdated_texts else 0
