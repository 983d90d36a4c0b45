#pragma once
#include "batch_cells.h"
#include "search_api.h"

/* Many games stepped by one call, for `lusory.batch`.

   If a game faults, its saved state stays as it was before the step, and the other games go on. */

/* Games that are stepped together. The fields are those of `_Batch` in `batch/vector_env.py`. `states` and
   the arrays behind it belong to the caller; each has an entry, or a row, for every game. */
typedef struct {
    State *state; /* the context that plays all games, one after the other */
    char *states; /* the saved state of each game, `stride` bytes apart */
    int64_t count, stride;
    int64_t option_capacity; /* length of a row of `legal` */
    int64_t restarts;        /* whether a new game begins where one is over */
    uint64_t *seeds;
    int64_t *last_option;         /* the last answer; -1: none in this game yet */
    int32_t *seat, *option_count; /* the pending decision; seat -1 and 0 options: none */
    uint8_t *legal, *is_done, *has_failed;
    double *returns; /* SEAT_COUNT a game */
} Batch;

int64_t batch_size(void) {
    return (int64_t)sizeof(Batch);
}

static void batch_set_decision(Batch *batch, int64_t index, int64_t options, int seat) {
    int64_t old_count = batch->option_count[index];
    uint8_t *row = batch->legal + index * batch->option_capacity;
    for (; old_count < options; old_count++)
        row[old_count] = 1;
    for (; old_count > options; old_count--)
        row[old_count - 1] = 0;
    batch->option_count[index] = (int32_t)options;
    batch->seat[index] = (int32_t)seat;
}

/* Saves the state and writes its pending decision. All faults happen before anything is written. */
static void batch_finish_step(Batch *batch, int64_t index) {
    State *state = batch->state;
    char *target = batch->states + index * batch->stride;
    if (!state->is_over && state->option_count > batch->option_capacity)
        fault(state);
    if (state->is_over) {
        int placings[SEAT_COUNT];
        compute_returns(rank_seats(state), placings, batch->returns + index * SEAT_COUNT);
        batch->is_done[index] = 1;
        save_state(state, target);
        batch_set_decision(batch, index, 0, -1);
    } else {
        save_state(state, target);
        batch_set_decision(batch, index, state->option_count, state->seat);
    }
}

static void batch_open_game(Batch *batch, int64_t index) {
    batch->last_option[index] = -1;
    open_game(batch->state, batch->seeds[index], 0);
    batch_finish_step(batch, index);
}

static void batch_answer(Batch *batch, int64_t index, int64_t option) {
    if (batch->has_failed[index])
        return;
    if (batch->is_done[index]) {
        if (!batch->restarts)
            return;
        batch->is_done[index] = 0;
        for (int i = 0; i < SEAT_COUNT; i++)
            batch->returns[index * SEAT_COUNT + i] = 0;
    }
    if (batch->option_count[index]) {
        load_state(batch->state, batch->states + index * batch->stride);
        batch->last_option[index] = option;
        answer_choice(batch->state, option);
        batch_finish_step(batch, index);
    }
    if (batch->restarts && !batch->option_count[index]) {
        batch->seeds[index] += (uint64_t)batch->count;
        batch_open_game(batch, index);
    }
}

static void batch_mark_failed(Batch *batch, int64_t index) {
    batch->has_failed[index] = 1;
    batch_set_decision(batch, index, 0, -1);
    for (int i = 0; i < SEAT_COUNT && !batch->is_done[index]; i++)
        batch->returns[index * SEAT_COUNT + i] = __builtin_nan("");
}

/* Starts new games wherever `should_reset` says so. */
void batch_reset(Batch *batch, const uint8_t *should_reset) {
    volatile int64_t index = 0;
    for (; index < batch->count; index++) {
        if (!should_reset[index])
            continue;
        batch->is_done[index] = batch->has_failed[index] = 0;
        for (int i = 0; i < SEAT_COUNT; i++)
            batch->returns[index * SEAT_COUNT + i] = 0;
        if (setjmp(batch->state->fault_target))
            batch_mark_failed(batch, index);
        else
            batch_open_game(batch, index);
    }
}

/* Applies one action for each game. Returns -1, or the first game for which an action is illegal; then
 * nothing was done. */
int64_t batch_step(Batch *batch, const int64_t *actions) {
    for (int64_t i = 0; i < batch->count; i++)
        if (batch->option_count[i] && (uint64_t)actions[i] >= (uint64_t)batch->option_count[i])
            return i;
    volatile int64_t index = 0;
    while (index < batch->count) {
        if (setjmp(batch->state->fault_target)) {
            batch_mark_failed(batch, index++);
            continue;
        }
        for (; index < batch->count; index++)
            batch_answer(batch, index, actions[index]);
    }
    return -1;
}

enum { OBSERVATION_LENGTH = CELL_COUNT + ZONE_COUNT + 2 * COMPONENT_COUNT };

/* Returns the length of a row: cells, zone sizes, then the zone and the position of each component. */
int64_t observation_length(void) {
    return OBSERVATION_LENGTH;
}

/* Writes what a seat sees of each game. viewer: a seat, -1 for a spectator, -2 for the deciding seat.
   visibility: for each viewer, and last for a spectator, which cells and zones it sees, and which components
   it may know to be in no zone. */
void batch_observe(const Batch *batch, int32_t *target, int64_t viewer, const uint8_t *visibility) {
    enum { VISIBILITY_LENGTH = CELL_COUNT + ZONE_COUNT + COMPONENT_COUNT };

    for (int64_t index = 0; index < batch->count; index++, target += OBSERVATION_LENGTH) {
        const State *state = (const State *)(const void *)(batch->states + index * batch->stride);
        int64_t seat = viewer == -2 ? batch->seat[index] : viewer;
        const uint8_t *visible = visibility + (seat < 0 ? SEAT_COUNT : seat) * VISIBILITY_LENGTH;
        if (batch->has_failed[index]) {
            for (int i = 0; i < OBSERVATION_LENGTH; i++)
                target[i] = HIDDEN;
            continue;
        }
        observe_cells(state, target, visible);
#if COMPONENT_COUNT > 0
        for (int zone = 0; zone < ZONE_COUNT; zone++)
            target[CELL_COUNT + zone] = state->zone_size[zone];
        int32_t *zone_out = target + CELL_COUNT + ZONE_COUNT, *place_out = zone_out + COMPONENT_COUNT;
        for (int component = 0; component < COMPONENT_COUNT; component++)
            zone_out[component] = place_out[component] =
                visible[CELL_COUNT + ZONE_COUNT + component] ? INT32_MIN : HIDDEN;
        for (int zone = 0; zone < ZONE_COUNT; zone++)
            for (int component = state->zone_head[zone], n = 0; visible[CELL_COUNT + zone] && component >= 0;
                 component = state->next_in_zone[component], n++)
                zone_out[component] = zone, place_out[component] = n;
#endif
    }
}
