#pragma once
#include "stepping.h"

/* Entry points that play whole random games. */

int64_t context_size(void) {
    return (int64_t)sizeof(State);
}

/* Plays a random game. row[0] is 0 on success; see `Row` in `marshalling.py` for the rest. */
static void run_game(State *state, uint64_t seed, int64_t *row) {
    start_game(state, seed, row);
    row[0] = 1;
    if (!setjmp(state->fault_target)) {
        playout(state);
        row[0] = 0;
    }
}

/* Plays one game for each seed, and writes rows of ROW_LENGTH numbers. */
void play_games(void *context, const uint64_t *seeds, int64_t count, int64_t *rows) {
    for (int64_t i = 0; i < count; i++)
        run_game(context, seeds[i], rows + i * ROW_LENGTH);
}

/* Plays games with consecutive seeds and returns the number of decisions. */
int64_t count_decisions(void *context, uint64_t first, int64_t count, int64_t *row) {
    int64_t sum = 0;
    for (int64_t i = 0; i < count; i++) {
        run_game(context, first + (uint64_t)i, row);
        sum += ((State *)context)->decision_count;
    }
    return sum;
}
