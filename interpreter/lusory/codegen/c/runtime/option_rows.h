#pragma once
#include "lists.h"

/* The options of a choice as rows: the number of the alternative, then its values. */

/* The options are alternatives without values. */
static void list_numbered_options(State *state, List numbers) {
    if (UNLIKELY(numbers.length >= OPTION_CAPACITY))
        fault(state);
    for (int i = 0; i < numbers.length; i++)
        state->option_rows[i][0] = numbers.items[i];
    state->option_row_count = numbers.length;
}

/* The options are the items at these indices. */
static void list_pick_options(State *state, List source, List indices) {
    if (UNLIKELY(indices.length >= OPTION_CAPACITY))
        fault(state);
    for (int i = 0; i < indices.length; i++) {
        state->option_rows[i][0] = 0;
        state->option_rows[i][OPTION_LENGTH > 1] = list_at(state, source, indices.items[i]);
    }
    state->option_row_count = indices.length;
}

/* Inserts the option to stop before all others. */
static void insert_stop_option(State *state) {
    if (UNLIKELY(state->option_row_count >= OPTION_CAPACITY - 1))
        fault(state);
    memmove(state->option_rows[1], state->option_rows[0],
            (size_t)state->option_row_count * sizeof(state->option_rows[0]));
    state->option_rows[0][0] = 1;
    state->option_row_count++;
}
