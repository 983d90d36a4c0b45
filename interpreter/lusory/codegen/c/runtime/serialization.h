#pragma once
#include "stored_lists.h"

/* Helpers that serialize and deserialize a state as numbers. */

/* Writes a number, or a list as its length and its items. If `target` is null, they are only counted. */
static inline void write_list(const State *state, const Slot *slot, Int *target, int64_t *n) {
    if (target)
        target[*n] = slot->length;
    ++*n;
    for (int i = 0; i < slot->length; i++, ++*n)
        if (target)
            target[*n] =
                state->heap[slot->offset + i] == NO_STORED_ITEM ? NONE : state->heap[slot->offset + i];
}

static inline void write_number(Int *target, int64_t *n, Int value) {
    if (target)
        target[*n] = value;
    ++*n;
}

static inline Int read_number(State *state, const Int **source, const Int *end) {
    if (UNLIKELY(*source >= end))
        fault(state);
    return *(*source)++;
}

static inline void read_list(State *state, Slot *slot, const Int **source, const Int *end) {
    Int n = read_number(state, source, end);
    *slot = (Slot){state->heap_length, (int)n};
    if (n <= 0)
        return;
    if (UNLIKELY(n > HEAP_CAPACITY - state->heap_length || n > end - *source))
        fault(state);
    state->heap_length += (int)n;
    for (Int i = 0; i < n; i++) {
        Int value = *(*source)++;
        if (UNLIKELY(value != NONE && (value != (StoredItem)value || (StoredItem)value == NO_STORED_ITEM)))
            fault(state);
        state->heap[slot->offset + i] = value == NONE ? NO_STORED_ITEM : (StoredItem)value;
    }
}
