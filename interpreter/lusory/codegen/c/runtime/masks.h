#pragma once
#include "lists.h"

/* Sets of spaces as bit masks: bit i stands for space i. A mask has one or two machine words. */

/* Returns the index of the mask for a value of a variable. The last mask is that of NONE. */
static inline int mask_index(State *state, Int value, int mask_count) {
    return value == NONE ? mask_count - 1 : (int)checked_index(state, value, (uint64_t)mask_count);
}

/* Looks a number up in a table. NONE maps to NONE. */
static inline Int map_get(State *state, const Item *table, Int size, Int key) {
    return key == NONE ? NONE : from_item(table[checked_index(state, key, (uint64_t)size)]);
}

#if MASK_WORDS == 1
/* Returns the lowest space. The mask must not be empty. */
static inline Int lowest_space(SpaceMask mask) {
    return __builtin_ctzll(mask);
}

static inline Int count_spaces(SpaceMask mask) {
    return __builtin_popcountll(mask);
}
#else
/* Returns the lowest space. The mask must not be empty. */
static inline Int lowest_space(SpaceMask mask) {
    return (uint64_t)mask ? __builtin_ctzll((uint64_t)mask) : 64 + __builtin_ctzll((uint64_t)(mask >> 64));
}

static inline Int count_spaces(SpaceMask mask) {
    return __builtin_popcountll((uint64_t)mask) + __builtin_popcountll((uint64_t)(mask >> 64));
}
#endif
static inline SpaceMask without_lowest_space(SpaceMask mask) {
    return mask & (mask - 1);
}

/* Returns the lowest space. Faults if there is none. */
static inline Int first_space(State *state, SpaceMask mask) {
    if (UNLIKELY(!mask))
        fault(state);
    return lowest_space(mask);
}

/* Returns the mask of one space. */
static inline SpaceMask space_bit(Int space) {
    return (SpaceMask)1 << (space & (8 * (Int)sizeof(SpaceMask) - 1));
}

static SpaceMask mask_from_list(State *state, List list) {
    SpaceMask mask = 0;
    for (int i = 0; i < list.length; i++)
        mask |= (SpaceMask)1 << checked_index(state, list.items[i], 8 * sizeof(SpaceMask));
    return mask;
}

/* Returns all spaces of `among` that are connected with `start`. neighbours: those of each space. */
static SpaceMask flood_fill(SpaceMask start, SpaceMask among, const SpaceMask *neighbours) {
    SpaceMask unvisited = among & ~start, region = start, frontier = start;
    while (frontier) {
        Int space = lowest_space(frontier);
        SpaceMask new = neighbours[space] & unvisited;
        unvisited ^= new;
        region |= new;
        frontier ^= (SpaceMask)1 << space | new;
    }
    return region;
}

/* Returns the number of connected regions. */
static Int count_regions(SpaceMask among, const SpaceMask *neighbours) {
    Int count = 0;
    for (; among; count++)
        among &= ~flood_fill(among & -among, among, neighbours);
    return count;
}

/* Returns the spaces of `among` that are connected with the start, in the order of `among`. */
static List connected_group(State *state, SpaceMask start, List among, const SpaceMask *neighbours) {
    SpaceMask mask = mask_from_list(state, among), region = flood_fill(start & mask, mask, neighbours);
    Item *items = arena_allocate(state, among.length);
    int n = 0;
    for (int i = 0; i < among.length; i++)
        if (region >> among.items[i] & 1)
            items[n++] = among.items[i];
    return (List){n, items};
}

/* Returns the spaces of a mask, ascending. The list is at most as long as `spaces`. */
static List list_from_mask(State *state, List spaces, SpaceMask mask) {
    Item *items = arena_allocate(state, spaces.length);
    int n = 0;
    for (; mask; mask = without_lowest_space(mask))
        items[n++] = (Item)lowest_space(mask);
    return (List){n, items};
}

/* Returns the first items, up to the first that is not in the mask. */
static List leading_spaces(State *state, List spaces, SpaceMask mask) {
    int n = 0;
    while (n < spaces.length && mask >> checked_index(state, spaces.items[n], 8 * sizeof(SpaceMask)) & 1)
        n++;
    return (List){n, spaces.items};
}
