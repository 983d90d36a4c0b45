#pragma once
#include "stored_lists.h"
#include "stored_texts.h"
#include "random.h"

/* Play from one decision to the next. */

/* Sets the limits for the work up to the next decision. */
static void reset_limits(State *state) {
    Int limit = state->work + MAX_WORK_PER_DECISION;
    state->work_limit = limit < MAX_WORK_PER_GAME ? limit : MAX_WORK_PER_GAME;
    state->visits_left = MAX_VISITS;
    state->is_prepared = 0;
}

/* Runs blocks until the game waits for an answer or is over. */
static void run_blocks(State *state, int block) {
    while (block >= 0)
        block = run_block(state, block);
    if (state->is_over)
        state->option_count = 0;
#if SLOT_COUNT > 0
    compact_heap_if_large(state);
#endif
#if HAS_STORED_TEXTS
    if (state->word_count > state->compaction_limit)
        compact_texts(state);
#elif HAS_COMPOSED_TEXTS
    if (state->word_count && !state->is_over)
        state->word_count = state->is_prepared = 0; /* the prepared choice may refer to texts */
#endif
}

static void open_game(State *state, uint64_t seed, Int *row) {
    start_game(state, seed, row);
    reset_limits(state);
    run_blocks(state, 0);
}

/* Goes on with the answer to the pending choice. A loaded state first prepares that choice again. */
static void answer_choice(State *state, Int option) {
    if (!state->is_prepared) {
        state->visits_left = MAX_VISITS;
        state->arena_top = state->arena;
        prepare_choice(state);
    }
    reset_limits(state);
    state->decision_count++;
    run_blocks(state, resume_after_choice(state, option));
}

static void playout(State *state) {
    reset_limits(state);
    run_blocks(state, 0);
    while (!state->is_over)
        answer_choice(state, random_answer(state, state->option_count));
    state->arena_top = state->arena;
    outcome(state);
}
