#pragma once
#include "serialization.h"
#include "stored_texts.h"

/* Entry points that serialize, hash and compare states. */

/* Writes the first parts of a state and returns how many numbers they take; only counts if the target is
   null. Part 1 is the table and the pending choice, part 2 the phases and locals, part 3 random numbers, work
   and texts. */
int64_t serialize_state(State *state, Int *target, int parts) {
    int64_t n = 0;
    write_table(state, target, &n);
    if (parts > 1)
        write_progress(state, target, &n);
    if (parts > 2)
        write_random_state(state, target, &n);
    return n;
}

/* Reads a state that was written with all three parts. */
int deserialize_state(State *state, const Int *from, int64_t length) {
    const Int *end = from + length;
    if (setjmp(state->fault_target))
        return 1;
    read_state(state, from, end);
    return 0;
}

/* Gives equal texts equal numbers, so that states can be compared by number. */
int normalize_texts(State *state) {
    if (setjmp(state->fault_target))
        return 1;
    state->arena_top = state->arena;
#if HAS_STORED_TEXTS
    compact_texts(state);
#endif
    return 0;
}

uint64_t hash_state(State *state) {
    if (normalize_texts(state))
        return 0;
    state->arena_top = state->arena;
    int64_t n = serialize_state(state, 0, 1);
    if (setjmp(state->fault_target))
        return 0;
    Int *numbers = arena_allocate_ints(state, n);
    serialize_state(state, numbers, 1);
    uint64_t hash = 0;
    for (int64_t i = 0; i < n; i++)
        hash = (hash ^ (uint64_t)numbers[i]) * RANDOM_MULTIPLIER, hash ^= hash >> 29;
    return hash;
}

/* Whether two states are the same, apart from random numbers and work. */
int states_equal(State *state, State *other) {
    if (normalize_texts(state) || normalize_texts(other))
        return 0;
    int64_t n = serialize_state(state, 0, 2);
    if (n != serialize_state(other, 0, 2))
        return 0;
    state->arena_top = state->arena, other->arena_top = other->arena;
    if (setjmp(state->fault_target) || setjmp(other->fault_target))
        return 0;
    Int *one = arena_allocate_ints(state, n), *two = arena_allocate_ints(other, n);
    serialize_state(state, one, 2), serialize_state(other, two, 2);
    return !memcmp(one, two, (size_t)n * sizeof(Int));
}
