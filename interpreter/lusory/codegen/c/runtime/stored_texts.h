#pragma once
#include "texts.h"

/* Texts that stay in the state from one decision to the next. */

enum { WORD_SLACK = 64 };

/* Copies a text, and those within it, to the end of `target`, and returns its new number. */
static Int move_text(State *state, Int text, Int *target, int *n) {
    if (text < FIRST_COMPOSED_TEXT)
        return text;
    const Int *words = state->words + (text - FIRST_COMPOSED_TEXT);
    int offset = *n, size = (int)words[2];
    if (UNLIKELY(offset + size > WORD_CAPACITY))
        fault(state);
    memcpy(target + offset, words, (size_t)size * sizeof(Int));
    *n += size;
    for (int i = offset + 3, k = 0; TEXT_PARTS[words[0]][k]; k++) {
        int kind = TEXT_PARTS[words[0]][k],
            item_count = kind == PART_LIST || kind == PART_LINES ? (int)target[i] : 0;
        if (kind == PART_TEXT)
            target[i] = move_text(state, target[i], target, n);
        if (kind == PART_LINES)
            for (int j = 1; j <= item_count; j++)
                target[i + j] = move_text(state, target[i + j], target, n);
        i += 1 + item_count;
    }
    return FIRST_COMPOSED_TEXT + offset;
}

/* Moves every text that the state refers to. The printer defines this function for each game. */
static void move_stored_texts(State *state, Int *target, int *length);

/* Drops every text that the state does not refer to. Moves the others into a canonical order. */
static void compact_texts(State *state) {
    int n = 0;
    Int *target = arena_allocate_ints(state, WORD_CAPACITY);
    move_stored_texts(state, target, &n);
    memcpy(state->words, target, (size_t)n * sizeof(Int));
    state->word_count = n;
    state->compaction_limit = 2 * n + WORD_SLACK;
    state->is_prepared = 0; /* the prepared choice may refer to texts */
}
