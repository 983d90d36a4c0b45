#pragma once
#include "stepping.h"

/* Entry points of stepwise play.

   A function that returns an int returns 0 on success, and 1 after a fault; the context then holds no state.
   A context begins with a state. A saved state is a copy of this front part, without the unused room of its
   heap and words.
 */

int64_t max_state_size(void) {
    return (int64_t)(offsetof(State, words) + sizeof(((State *)0)->words));
}

/* Returns the bytes of a state before its words. */
static size_t fixed_size(const State *state) {
    return offsetof(State, heap) + (size_t)state->heap_length * sizeof(StoredItem);
}

/* Returns the bytes that `save_state` writes. */
int64_t state_size(const State *state) {
    return (int64_t)(fixed_size(state) + (size_t)state->word_count * sizeof(Int));
}

void save_state(const State *state, void *target) {
    memcpy(target, state, fixed_size(state));
    if (state->word_count)
        memcpy((char *)target + fixed_size(state), state->words, (size_t)state->word_count * sizeof(Int));
}

void load_state(State *state, const void *source) {
    memcpy(state, source, offsetof(State, heap));
    memcpy(state->heap, (const char *)source + offsetof(State, heap),
           (size_t)state->heap_length * sizeof(StoredItem));
    if (state->word_count)
        memcpy(state->words, (const char *)source + fixed_size(state),
               (size_t)state->word_count * sizeof(Int));
    state->is_prepared = 0;
}

int begin_game(State *state, uint64_t seed) {
    if (setjmp(state->fault_target))
        return 1;
    open_game(state, seed, 0);
    return 0;
}

/* Returns 2 if there is no such option. */
int apply_option(State *state, int64_t option) {
    if (state->is_over || option < 0 || option >= state->option_count)
        return 2;
    if (setjmp(state->fault_target))
        return 1;
    answer_choice(state, option);
    return 0;
}

/* Writes the seat, the number of options and the number of the choice; -1 each if the game is over. */
void current_decision(const State *state, int64_t *decision) {
    decision[0] = state->is_over ? -1 : state->seat;
    decision[1] = state->is_over ? -1 : state->option_count;
    decision[2] = state->is_over ? -1 : state->pending_choice;
}

/* Writes the result of a game that is over into a row of ROW_LENGTH numbers. */
int write_result(State *state, int64_t *row) {
    row[0] = 1;
    state->row = row;
    state->row_word_count = 0;
    state->arena_top = state->arena;
    state->visits_left = MAX_VISITS;
    if (setjmp(state->fault_target))
        return 1;
    outcome(state);
    row[0] = 0;
    return 0;
}
