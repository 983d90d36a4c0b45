#pragma once
#include "serialization.h"

/* Entry points that serialize states. */

/* Writes a state and returns how many numbers it takes; only counts if the target is null. */
int64_t serialize_state(State *state, Int *target) {
    int64_t n = 0;
    write_table(state, target, &n);
    write_progress(state, target, &n);
    write_random_state(state, target, &n);
    return n;
}

/* Reads a state that was written like that. */
int deserialize_state(State *state, const Int *source, int64_t length) {
    const Int *end = source + length;
    if (setjmp(state->fault_target))
        return 1;
    read_state(state, source, end);
    return 0;
}
