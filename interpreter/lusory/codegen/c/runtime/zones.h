#pragma once
#include "lists.h"
#include "random.h"

/* Zones: each is a doubly linked list of its components, from the bottom to the top.

   `zone_head`, `zone_tail` and `zone_size` are by zone; `next_in_zone`, `previous_in_zone` and `zone_of` by
   component. */

enum { ZONE_BOTTOM, ZONE_TOP, ZONE_SORTED };

/* Returns the zone of a component, or NONE. */
static inline Int zone_containing(State *state, Int component) {
    int zone = state->zone_of[checked_index(state, component, COMPONENT_COUNT)];
    return zone < 0 ? NONE : zone;
}

static inline Int zone_contains(State *state, Int zone, Int component) {
    return (uint64_t)component < COMPONENT_COUNT && state->zone_of[component] == zone;
}

static inline Int zone_first(State *state, Int zone) {
    if (UNLIKELY(!state->zone_size[zone]))
        fault(state);
    return state->zone_head[zone];
}

static inline Int zone_last(State *state, Int zone) {
    if (UNLIKELY(!state->zone_size[zone]))
        fault(state);
    return state->zone_tail[zone];
}

/* Returns the components from the bottom to the top. */
static List zone_to_list(State *state, Int zone) {
    Item *items = arena_allocate(state, state->zone_size[zone]);
    int n = 0;
    for (int component = state->zone_head[zone]; component >= 0; component = state->next_in_zone[component])
        items[n++] = component;
    return (List){n, items};
}

static Int zone_get(State *state, Int zone, Int i) {
    int component = state->zone_head[zone];
    if (UNLIKELY((uint64_t)i >= (uint64_t)state->zone_size[zone]))
        fault(state);
    while (i-- > 0)
        component = state->next_in_zone[component];
    return component;
}

/* Takes a component out of its zone, if it is in one. */
static inline void zone_remove(State *state, Int component) {
    int zone = state->zone_of[component], previous = state->previous_in_zone[component],
        next = state->next_in_zone[component];
    if (zone < 0)
        return;
    if (previous >= 0)
        state->next_in_zone[previous] = (Component)next;
    else
        state->zone_head[zone] = (Component)next;
    if (next >= 0)
        state->previous_in_zone[next] = (Component)previous;
    else
        state->zone_tail[zone] = (Component)previous;
    state->zone_size[zone]--;
    state->zone_of[component] = -1;
}

/* Puts a component, which is in no zone, at an end of a zone. */
static inline void zone_insert(State *state, Int zone, Int component, int top) {
    int head = state->zone_head[zone], tail = state->zone_tail[zone];
    state->previous_in_zone[component] = (Component)(top ? -1 : tail);
    state->next_in_zone[component] = (Component)(top ? head : -1);
    if (top ? head >= 0 : tail >= 0)
        *(top ? &state->previous_in_zone[head] : &state->next_in_zone[tail]) = (Component)component;
    if (top || tail < 0)
        state->zone_head[zone] = (Component)component;
    if (!top || head < 0)
        state->zone_tail[zone] = (Component)component;
    state->zone_size[zone]++;
    state->zone_of[component] = (ZoneIndex)zone;
}

/* Takes the first or the last component out of a zone. */
static inline Int zone_take_end(State *state, Int zone, int is_first) {
    Int component = is_first ? zone_first(state, zone) : zone_last(state, zone);
    zone_remove(state, component);
    return component;
}

static void move_component(State *state, Int component, Int zone) {
    checked_index(state, component, COMPONENT_COUNT);
    zone_remove(state, component);
    zone_insert(state, zone, component, 0);
}

/* Links the components of a zone in the order of the list. */
static void zone_relink(State *state, Int zone, List list) {
    for (int i = 0; i < list.length; i++) {
        state->previous_in_zone[list.items[i]] = (Component)(i ? list.items[i - 1] : -1);
        state->next_in_zone[list.items[i]] = (Component)(i + 1 < list.length ? list.items[i + 1] : -1);
    }
    if (list.length)
        state->zone_head[zone] = (Component)list.items[0],
        state->zone_tail[zone] = (Component)list.items[list.length - 1];
}

/* Moves components to an end of a zone, or sorts them into it. */
static void move_components(State *state, List list, Int zone, int position) {
    List components = list_unique(state, list);
    for (int i = 0; i < components.length; i++) {
        checked_index(state, components.items[i], COMPONENT_COUNT);
        zone_remove(state, components.items[i]);
    }
    for (int i = 0; i < components.length; i++)
        zone_insert(state, zone, components.items[position == ZONE_TOP ? components.length - 1 - i : i],
                    position == ZONE_TOP);
    if (position == ZONE_SORTED && components.length) {
        List sorted = zone_to_list(state, zone);
        sort_items((Item *)sorted.items, sorted.length);
        zone_relink(state, zone, sorted);
    }
}

/* Shuffles a zone (Fisher-Yates). */
static void zone_shuffle(State *state, uint64_t *rng, Int zone) {
    List list = zone_to_list(state, zone);
    Item *items = (Item *)list.items; /* in the arena, made just now */
    for (int last = list.length - 1; last > 0; last--) {
        Int index = random_below(rng, last + 1);
        Item item = items[last];
        items[last] = items[index], items[index] = item;
    }
    zone_relink(state, zone, list);
}
