#pragma once
#include "lists.h"

/* Lists that stay in the state from one decision to the next.

   A slot says which part of the heap a list has. A list that grows moves to the end of the heap; the gap that
   it leaves is reclaimed by `compact_heap`. */

enum { COMPACTION_THRESHOLD = 512 };

/* Copies a stored list into the arena. */
static List load_list(State *state, const Slot *slot) {
    if (slot->length <= 0)
        return EMPTY_LIST;
    Item *items = arena_allocate(state, slot->length);
    const StoredItem *source = state->heap + slot->offset;
    for (int i = 0; i < slot->length; i++)
        items[i] = source[i] == NO_STORED_ITEM ? NO_ITEM : source[i];
    return (List){slot->length, items};
}

/* Moves all lists to the front of the heap. */
static void compact_heap(State *state) {
    StoredItem *old_heap = (StoredItem *)arena_allocate(state, state->heap_length);
    memcpy(old_heap, state->heap, (size_t)state->heap_length * sizeof(StoredItem));
    int length = 0;
    for (int i = 0; i < SLOT_COUNT; i++) {
        Slot *slot = state->list_slots + i;
        if (slot->length <= 0)
            continue;
        memcpy(state->heap + length, old_heap + slot->offset, (size_t)slot->length * sizeof(StoredItem));
        slot->offset = length;
        length += slot->length;
    }
    state->heap_length = length;
}

static inline void compact_heap_if_large(State *state) {
    if (state->heap_length > COMPACTION_THRESHOLD)
        compact_heap(state);
}

/* Stores a list, in place if it fits where the old one was. */
static void store_list(State *state, Slot *slot, List list) {
    if (list.length > slot->length) {
        if (state->heap_length + list.length > HEAP_CAPACITY)
            slot->length = 0, compact_heap(state);
        if (UNLIKELY(state->heap_length + list.length > HEAP_CAPACITY))
            fault(state);
        slot->offset = state->heap_length;
        state->heap_length += list.length;
    }
    slot->length = list.length;
    StoredItem *target = state->heap + slot->offset;
    for (int i = 0; i < list.length; i++) {
        Item value = list.items[i];
        if (UNLIKELY(value != NO_ITEM && (value != (StoredItem)value || (StoredItem)value == NO_STORED_ITEM)))
            fault(state);
        target[i] = value == NO_ITEM ? NO_STORED_ITEM : (StoredItem)value;
    }
}
