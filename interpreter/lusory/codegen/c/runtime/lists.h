#pragma once
#include "numbers.h"

/* Lists, and the arena that holds their items.

   Lists are never changed once they are made. A loop frees what a pass has allocated by resetting
   `arena_top`. */

/* Counts items that a query visits; faults beyond the limit. */
static inline void count_visits(State *state, Int n) {
    state->visits_left -= n > 0 ? n : 0;
    if (UNLIKELY(state->visits_left < 0))
        fault(state);
}

/* Returns room for n items, without initial values. */
static inline Item *arena_allocate(State *state, Int n) {
    Item *items = state->arena_top;
    if (UNLIKELY(n > state->arena + ARENA_CAPACITY - items))
        fault(state);
    state->arena_top += n > 0 ? n : 0;
    return items;
}

/* Returns aligned room for n Ints. */
static inline Int *arena_allocate_ints(State *state, Int n) {
    state->arena_top += ((uintptr_t)state->arena_top & 7) != 0;
    return (Int *)arena_allocate(state, 2 * n);
}

static inline Item to_item(State *state, Int value) {
    if (value == NONE)
        return NO_ITEM;
    if (UNLIKELY(value <= INT32_MIN || value > INT32_MAX))
        fault(state);
    return (Item)value;
}

static inline Int from_item(Item value) {
    return value == NO_ITEM ? NONE : value;
}

/* Returns how many numbers there are from low to high. Faults if a list may not be that long. */
static inline Int range_length(State *state, Int low, Int high) {
    if (UNLIKELY((WideInt)high - low >= MAX_LIST_LENGTH))
        fault(state);
    return high < low ? 0 : high - low + 1;
}

static inline Int list_at(State *state, List list, Int i) {
    return from_item(list.items[checked_index(state, i, (uint64_t)list.length)]);
}

static inline Int list_first(State *state, List list) {
    if (UNLIKELY(!list.length))
        fault(state);
    return from_item(list.items[0]);
}

static inline Int list_last(State *state, List list) {
    if (UNLIKELY(!list.length))
        fault(state);
    return from_item(list.items[list.length - 1]);
}

static inline Int list_sum(List list) {
    Int n = 0;
    for (int i = 0; i < list.length; i++)
        n += list.items[i];
    return n;
}

/* Returns the index of the first item with this value, or -1. */
static inline Int list_find(List list, Int value) {
    for (int i = 0; i < list.length; i++)
        if (from_item(list.items[i]) == value)
            return i;
    return -1;
}

static inline Int list_contains(List list, Int value) {
    return list_find(list, value) >= 0;
}

static inline Int list_count(List list, Int value) {
    Int n = 0;
    for (int i = 0; i < list.length; i++)
        n += from_item(list.items[i]) == value;
    return n;
}

static inline Int list_equal(List left, List right) {
    if (left.length != right.length)
        return 0;
    for (int i = 0; i < left.length; i++)
        if (left.items[i] != right.items[i])
            return 0;
    return 1;
}

static inline Int list_max(List list) {
    Int n = list.length ? list.items[0] : 0;
    for (int i = 1; i < list.length; i++)
        n = max_int(n, list.items[i]);
    return n;
}

static inline Int list_min(List list) {
    Int n = list.length ? list.items[0] : 0;
    for (int i = 1; i < list.length; i++)
        n = min_int(n, list.items[i]);
    return n;
}

/* Copies items into the arena. */
static List list_copy(State *state, int n, const Item *source) {
    Item *items = arena_allocate(state, n);
    for (int i = 0; i < n; i++)
        items[i] = source[i];
    return (List){n, items};
}

/* Stores a list into a variable. Faults if there is no room for it. */
static void list_store(State *state, int *length, Item *target, uint64_t capacity, List list) {
    if (UNLIKELY((uint64_t)list.length > capacity))
        fault(state);
    *length = list.length;
    if (list.length)
        memmove(target, list.items, (size_t)list.length * sizeof(Item));
}

static List require_list_limit(State *state, List list) {
    if (UNLIKELY(list.length > MAX_LIST_LENGTH))
        fault(state);
    return list;
}

/* Returns a list of one item, or an empty list for NONE. */
static List list_of_optional(State *state, Int value) {
    if (value == NONE)
        return EMPTY_LIST;
    Item *items = arena_allocate(state, 1);
    items[0] = to_item(state, value);
    return (List){1, items};
}

static List list_append(State *state, List list, Int value) {
    Item *items = arena_allocate(state, list.length + 1);
    for (int i = 0; i < list.length; i++)
        items[i] = list.items[i];
    items[list.length] = to_item(state, value);
    return (List){list.length + 1, items};
}

/* Returns the list with -1, the option to stop, before its items. */
static List list_prepend_stop(State *state, List list) {
    Item *items = arena_allocate(state, list.length + 1);
    items[0] = -1;
    for (int i = 0; i < list.length; i++)
        items[i + 1] = list.items[i];
    return (List){list.length + 1, items};
}

static List list_concat(State *state, List left, List right) {
    Item *items = arena_allocate(state, (Int)left.length + right.length);
    for (int i = 0; i < left.length; i++)
        items[i] = left.items[i];
    for (int i = 0; i < right.length; i++)
        items[left.length + i] = right.items[i];
    return (List){left.length + right.length, items};
}

static List list_reverse(State *state, List list) {
    Item *items = arena_allocate(state, list.length);
    for (int i = 0; i < list.length; i++)
        items[i] = list.items[list.length - 1 - i];
    return (List){list.length, items};
}

static List list_unique(State *state, List list) {
    Item *items = arena_allocate(state, list.length);
    int n = 0;
    for (int i = 0; i < list.length; i++)
        if (!list_contains((List){n, items}, from_item(list.items[i])))
            items[n++] = list.items[i];
    return (List){n, items};
}

/* Returns the items of the first list, then those of the second that are not in the first. */
static List list_union(State *state, List left, List right) {
    if (!left.length || !right.length)
        return left.length ? left : right;
    Item *items = arena_allocate(state, (Int)left.length + right.length);
    int n = left.length;
    for (int i = 0; i < left.length; i++)
        items[i] = left.items[i];
    for (int i = 0; i < right.length; i++)
        if (!list_contains(left, from_item(right.items[i])))
            items[n++] = right.items[i];
    return (List){n, items};
}

static List list_difference(State *state, List left, List right) {
    Item *items = arena_allocate(state, left.length);
    int n = 0;
    for (int i = 0; i < left.length; i++)
        if (!list_contains(right, from_item(left.items[i])))
            items[n++] = left.items[i];
    return (List){n, items};
}

static List list_intersection(State *state, List left, List right) {
    Item *items = arena_allocate(state, left.length);
    int n = 0;
    for (int i = 0; i < left.length; i++)
        if (list_contains(right, from_item(left.items[i])))
            items[n++] = left.items[i];
    return (List){n, items};
}

static List list_range(State *state, Int low, Int high) {
    Int n = range_length(state, low, high);
    Item *items = arena_allocate(state, n);
    for (Int i = 0; i < n; i++)
        items[i] = to_item(state, low + i);
    return (List){(int)n, items};
}

/* Returns the items at these indices. */
static List list_gather(State *state, List list, List indices) {
    Item *items = arena_allocate(state, indices.length);
    for (int i = 0; i < indices.length; i++)
        items[i] = list.items[checked_index(state, indices.items[i], (uint64_t)list.length)];
    return (List){indices.length, items};
}

/* Returns the indices that may be picked next. In any order: those that are not picked yet. In ascending
   order: those after the last pick that leave enough items for `low` picks. */
static List remaining_picks(State *state, List source, List picks, Int low, Int is_ordered) {
    Item *items = arena_allocate(state, source.length);
    int n = 0;
    if (is_ordered) {
        for (int i = 0; i < source.length; i++)
            if (!list_contains(picks, i))
                items[n++] = i;
    } else {
        for (int i = picks.length ? picks.items[picks.length - 1] + 1 : 0; i < source.length; i++)
            if (picks.length + source.length - i >= low)
                items[n++] = i;
    }
    return (List){n, items};
}

static List list_take(List list, Int n) {
    return (List){(int)(n < 0 ? 0 : n < list.length ? n : list.length), list.items};
}

static List list_drop(List list, Int n) {
    int k = (int)(n < 0 ? 0 : n < list.length ? n : list.length);
    return (List){list.length - k, list.items + k};
}

static Int list_index(State *state, List list, Int value) {
    Int i = list_find(list, value);
    if (UNLIKELY(i < 0))
        fault(state);
    return i;
}

/* Returns the item n places after a value. The list is cyclic: its first item follows its last. */
static Int list_step(State *state, List list, Int value, Int n) {
    Int i = list_index(state, list, value);
    return from_item(list.items[floor_mod(state, checked_cast(state, (WideInt)i + n), list.length)]);
}

/* Returns the item at an index of a cyclic list. */
static Int list_cycle(State *state, List list, Int n) {
    return from_item(list.items[floor_mod(state, n, list.length)]);
}

/* Returns the items just before and just after a value. */
static List list_neighbours(State *state, List list, Int value) {
    Int i = list_index(state, list, value);
    Item *items = arena_allocate(state, 2);
    int n = 0;
    if (i > 0)
        items[n++] = list.items[i - 1];
    if (i + 1 < list.length)
        items[n++] = list.items[i + 1];
    return (List){n, items};
}

/* Sorts in place, ascending. This is Shell sort with gaps of 1 / 5; short lists get an insertion sort. */
static void sort_items(Item *items, int n) {
    for (int gap = n > 64 ? n / 5 : 1; gap; gap = gap > 1 && gap < 5 ? 1 : gap / 5)
        for (int i = gap; i < n; i++) {
            Item value = items[i];
            int j = i;
            for (; j >= gap && items[j - gap] > value; j -= gap)
                items[j] = items[j - gap];
            items[j] = value;
        }
}

/* Returns all items with the best key. sign: 1 for the greatest, -1 for the least. */
static List select_best(State *state, List list, const Int *key, Int sign) {
    Item *items = arena_allocate(state, list.length);
    int n = 0;
    Int best = 0;
    for (int i = 0; i < list.length; i++)
        if (!i || key[i] * sign > best * sign)
            best = key[i];
    for (int i = 0; i < list.length; i++)
        if (key[i] == best)
            items[n++] = list.items[i];
    return (List){n, items};
}

/* Returns the first item with each key. */
static List select_distinct(State *state, List list, const Int *key) {
    Item *items = arena_allocate(state, list.length);
    int n = 0;
    for (int i = 0; i < list.length; i++) {
        int j = 0;
        while (key[j] != key[i])
            j++;
        if (j == i)
            items[n++] = list.items[i];
    }
    return (List){n, items};
}

/* Returns the items sorted by key. The sort is stable; it sorts the keys too. */
static List sort_by_key(State *state, List list, Int *key) {
    Item *items = arena_allocate(state, list.length);
    for (int i = 0; i < list.length; i++) {
        Int k = key[i];
        int j = i;
        for (; j > 0 && key[j - 1] > k; j--)
            key[j] = key[j - 1], items[j] = items[j - 1];
        key[j] = k, items[j] = list.items[i];
    }
    return (List){list.length, items};
}
