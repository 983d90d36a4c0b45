#pragma once
#include "search_tree.h"

/* Entry points of searches. A context has one search at a time; its id tells it from earlier ones.

   A function that returns an int returns 0 on success. */

/* Returns the search with this id, or null. */
static Search *find_search(const State *state, int64_t number) {
    Search *search = state->search;
    return search && search->id == number ? search : 0;
}

void search_close(State *state, int64_t number) {
    Search *search = find_search(state, number);
    if (!search)
        return;
    for (int64_t i = 0; i < search->world_count; i++)
        free(search->worlds[i]);
    free(search->worlds), free(search->tables), free(search->edges), free(search->nodes), free(search->slots);
    free(search->keys), free(search->entries), free(search->path), free(search->statistics),
        free(search->actions), free(search);
    state->search = 0;
}

/* Adds a state that was serialized. */
static int add_determinization(State *state, Search *search, const Int *numbers, int64_t length) {
    if (deserialize_state(state, numbers, length) || setjmp(state->fault_target))
        return 1;
    search->worlds =
        grow(state, search, search->worlds, ARRAY_WORLDS, search->world_count + 1, sizeof(void *));
    void *world = calloc(1, (size_t)state_size(state));
    if (!world)
        return 1;
    save_state(state, world);
    search->worlds[search->world_count++] = world;
    return 0;
}

/* `tables` has the choices, then their alternatives. `worlds` has the length and the numbers of each
 * determinization. */
int search_open(State *state, int64_t number, const Int *plan, const Int *tables, int64_t size,
                const Int *worlds, int64_t length) {
    if (state->search)
        search_close(state, ((Search *)state->search)->id);
    Search *search = state->search = calloc(1, sizeof(Search));
    if (!search)
        return 1;
    search->id = number;
    memcpy(&search->plan, plan, sizeof(SearchPlan));
    search->tables = calloc((size_t)size + 1, sizeof(Int));
    search->edges = calloc((size_t)search->plan.option_count + 64, sizeof(Edge));
    search->nodes = calloc(SEAT_COUNT + 64, sizeof(Node));
    search->capacities[ARRAY_NODES] = SEAT_COUNT + 64,
    search->capacities[ARRAY_EDGES] = search->plan.option_count + 64;
    if (!search->tables || !search->edges || !search->nodes)
        return 1;
    memcpy(search->tables, tables, (size_t)size * sizeof(Int));
    search->choices = (const Choice *)search->tables;
    search->alternatives = (const Alternative *)(search->tables + CHOICE_COUNT * CHOICE_LENGTH);
    for (int i = 0; i < search->plan.tree_count; i++)
        search->nodes[search->node_count++] = (Node){0, -1, 0};
    if (!search->plan.tree_count)
        search->edge_count = search->plan.option_count; /* options of one decision, without a tree */
    for (const Int *row = worlds; row < worlds + length; row += 1 + row[0])
        if (add_determinization(state, search, row + 1, row[0]))
            return 1;
    return 0;
}

/* Writes a report. Numbers: simulations of this call, in all and failed; stage, depth and random state of the
   one that stopped; then the visits of each option. Floats: the range of values; then the sum of each option.
 */
static int write_report(State *state, Search *search, int64_t run_count, Int *report, double *sums) {
    Int header[] = {run_count,     search->simulation_count, search->failed_count, search->stage,
                    search->depth, (Int)search->playout_rng};
    memcpy(report, header, sizeof header);
    sums[0] = search->lowest_value, sums[1] = search->highest_value;
    if (setjmp(state->fault_target))
        return 1;
    for (int i = 0; !search->plan.tree_count && i < search->plan.option_count; i++)
        search->option_edge[i] = i;
    if (search->plan.tree_count) {
        load_simulation(state, search, 0);
        find_edges(state, search, search->plan.tree_count > 1 ? (int32_t)search->plan.seat : 0);
    }
    for (int i = 0; i < search->plan.option_count; i++) {
        const Edge *edge = search->edges + search->option_edge[i];
        report[REPORT_HEADER_LENGTH + i] = search->option_edge[i] < 0 ? 0 : edge->visits;
        sums[2 + i] = search->option_edge[i] < 0 ? 0 : edge->sum;
    }
    return 0;
}

/* Runs simulations that try these options in turn, without a tree. Runs fewer if one faults. */
int search_options(State *state, int64_t number, const Int *options, int64_t count, int64_t first,
                   int64_t simulations, Int *report, double *sums) {
    Search *search = find_search(state, number);
    volatile int64_t run_count = 0;
    if (!search)
        return 1;
    for (; run_count < simulations; run_count++) {
        search->depth = 0;
        if (setjmp(state->fault_target))
            break;
        search->stage = STAGE_TREE;
        load_simulation(state, search, first + run_count / count);
        Int option = options[run_count % count];
        push_step(state, search, (int32_t)option, option);
        search->path[0].seat = (int32_t)search->plan.seat;
        apply_in_simulation(state, option);
        finish_simulation(state, search);
    }
    return write_report(state, search, run_count, report, sums);
}

/* Runs simulations down the tree. If no options are given, the tree selects them. */
int search_grow_tree(State *state, int64_t number, const Int *options, int64_t count, int64_t first,
                     int64_t simulations, Int *report, double *sums) {
    Search *search = find_search(state, number);
    volatile int64_t run_count = 0;
    if (!search)
        return 1;
    for (; run_count < simulations; run_count++) {
        search->depth = 0;
        if (setjmp(state->fault_target))
            break;
        if (count)
            load_simulation(state, search, first + run_count / count);
        run_tree_policy(state, search,
                        count ? options[run_count % count] : select_root_option(state, search));
        finish_simulation(state, search);
    }
    return write_report(state, search, run_count, report, sums);
}

/* Writes the options that the faulted simulation had taken. */
int search_failed_path(const State *state, int64_t number, int64_t depth, Int *options) {
    const Search *search = find_search(state, number);
    for (int i = 0; search && i < depth && i < search->depth; i++)
        options[i] = search->path[i].option;
    return !search;
}

/* Counts the faulted simulation. has_no_value: its values count as the middle of the range. */
int search_resolve(State *state, int64_t number, int has_no_value, const double *given_values, Int *report,
                   double *sums) {
    Search *search = find_search(state, number);
    double values[SEAT_COUNT];
    if (!search)
        return 1;
    for (int i = 0; i < SEAT_COUNT; i++)
        values[i] = has_no_value ? (search->lowest_value + search->highest_value) / 2 : given_values[i];
    if (!has_no_value)
        update_value_range(search, values);
    search->failed_count += has_no_value;
    back_propagate(search, values);
    return write_report(state, search, 0, report, sums);
}
