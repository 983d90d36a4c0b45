#pragma once
#include "search.h"

/* Tree search (MCTS): selection and expansion. */

/* Approximates ln(n): linear between powers of two, the same on every machine. */
static inline double approximate_log(int64_t n) {
    int power = 63 - __builtin_clzll((uint64_t)n);
    return LN2 * ((double)(power - 1) + (double)n / (double)(1ull << power));
}

/* Finds the edge of each option and returns how many options were tried. */
static int64_t find_edges(State *state, Search *search, int32_t node_index) {
    int64_t tried_count = 0;
    search->stage = STAGE_OPTIONS;
    if (search->plan.is_deterministic) {
        Node *node = search->nodes + node_index;
        if (node->first_slot < 0) {
            search->slots = grow(state, search, search->slots, ARRAY_SLOTS,
                                 search->slot_count + state->option_count, sizeof(int32_t));
            memset(search->slots + search->slot_count, -1, (size_t)state->option_count * sizeof(int32_t));
            node->first_slot = (int32_t)search->slot_count, node->option_count = state->option_count;
            search->slot_count += state->option_count;
        }
        memcpy(search->option_edge, search->slots + node->first_slot,
               (size_t)state->option_count * sizeof(int32_t));
        for (int i = 0; i < state->option_count; i++)
            tried_count += search->option_edge[i] >= 0;
        return tried_count;
    }
    list_option_rows(state);
    for (int i = 0; i < state->option_count; i++)
        tried_count += (search->option_edge[i] =
                            table_lookup(search, write_option_key(state, search, node_index, i))) >= 0;
    return tried_count;
}

/* Returns the option with the highest upper confidence bound, or -1. */
static Int select_by_ucb(State *state, Search *search) {
    double low = search->lowest_value, width = search->highest_value - search->lowest_value, best = -1.0;
    Int best_option = -1;
    for (int i = 0; i < state->option_count; i++) {
        if (search->option_edge[i] < 0)
            continue;
        Edge *edge = search->edges + search->option_edge[i];
        edge->availability++;
        double visits = (double)(edge->visits ? edge->visits : 1);
        double value = width > 0 ? (edge->sum / visits - low) / width : 0.5;
        value += search->plan.exploration * sqrt(approximate_log(edge->availability) / visits);
        if (value > best)
            best = value, best_option = i;
    }
    return best_option;
}

/* Adds an edge for an option. */
static Int add_branch(State *state, Search *search, int32_t node_index, Int option) {
    int32_t edge = new_edge(state, search);
    if (search->plan.is_deterministic)
        search->slots[search->nodes[node_index].first_slot + option] = edge;
    else
        table_insert(state, search, write_option_key(state, search, node_index, (int)option), edge);
    search->option_edge[option] = edge;
    return option;
}

/* Returns the most promising untried option by all-moves-as-first; ties are broken at random. */
static Int select_by_amaf(State *state, Search *search) {
    double low = search->lowest_value, width = search->highest_value - search->lowest_value, best = -1.0;
    Int first_option = pick_uniform(search, state->option_count), best_option = -1;
    for (Int k = 0; k < state->option_count; k++) {
        Int option = (first_option + k) % state->option_count;
        int size;
        int32_t index = find_statistic(state, search, option, &size);
        AmafStatistic statistic = index < 0 ? (AmafStatistic){0, 0.0} : search->statistics[index];
        double visits = (double)statistic.visits,
               mean = width > 0 ? (statistic.sum - low * visits) / width : 0.5 * visits;
        double value = (double)search->weights[option] * ((mean + 0.5) / (visits + 1));
        if (value > best)
            best = value, best_option = option;
    }
    return best_option;
}

/* Adds an option that was not tried yet, or returns -1 if none is left. */
static Int expand(State *state, Search *search, int32_t node_index) {
    advance_rng(search);
    if (search->plan.is_deterministic &&
        (search->plan.uses_amaf ||
         (search->plan.is_weighted && search->choices[state->pending_choice].is_weighted)))
        list_option_rows(state);
    Int sum = compute_weights(state, search);
    for (int i = 0; i < state->option_count; i++)
        if (search->option_edge[i] >= 0)
            sum -= search->weights[i], search->weights[i] = 0;
    return sum ? add_branch(state, search, node_index,
                            search->plan.uses_amaf ? select_by_amaf(state, search)
                                                   : pick_weighted(search, sum))
               : -1;
}

/* Selects by UCB, or widens the node: progressively, with the square root of the visits. */
static Int select_option(State *state, Search *search, int32_t node_index, int64_t visits) {
    int64_t tried_count = find_edges(state, search, node_index);
    Int option = select_by_ucb(state, search), new_option = -1;
    int64_t limit = search->plan.uses_amaf ? visits : 4 * visits;
    if (tried_count < state->option_count &&
        (tried_count < search->plan.min_width || tried_count * tried_count < limit))
        new_option = expand(state, search, node_index);
    return new_option >= 0 ? new_option : option;
}

/* Selects an option of the decision that is searched, and loads the simulation that tries it. */
static Int select_root_option(State *state, Search *search) {
    int32_t node_index = search->plan.tree_count > 1 ? (int32_t)search->plan.seat : 0;
    load_simulation(state, search, search->simulation_count);
    Int option = select_option(state, search, node_index, search->nodes[node_index].visits + 1);
    load_simulation(state, search,
                    search->plan.uses_amaf ? search->simulation_count
                                           : search->edges[search->option_edge[option]].visits);
    return option;
}

/* Moves every other seat to the node for what that seat sees of an action. */
static void update_other_seats(State *state, Search *search, Int option) {
    const Choice *choice = search->choices + state->pending_choice;
    const Int *row = state->option_rows[option];
    const Alternative *alternative = search->alternatives + choice->first_alternative + row[0];
    if (alternative->hidden_values < 0)
        return;
    for (int i = 0; i < SEAT_COUNT; i++) {
        if (i == state->seat)
            continue;
        search->key_buffer[0] = -1 - search->current_node[i], search->key_buffer[1] = state->seat,
        search->key_buffer[2] = choice->site, search->key_buffer[3] = row[0];
        for (int k = 0; k < alternative->value_count; k++)
            search->key_buffer[4 + k] = alternative->hidden_values >> k & 1
                                            ? 0
                                            : require_stable_value(state, alternative, k, row[1 + k]);
        int size = 4 + (int)alternative->value_count;
        int32_t node = table_lookup(search, size);
        if (node < 0)
            table_insert(state, search, size, node = new_node(state, search));
        search->current_node[i] = node;
    }
}

/* Descends from an option of the root to a new edge or the end of the game. */
static void run_tree_policy(State *state, Search *search, Int root_option) {
    int has_several_trees = search->plan.tree_count > 1, is_new = 0;
    for (int i = 0; i < SEAT_COUNT; i++)
        search->current_node[i] = i < search->plan.tree_count ? i : 0;
    while (!state->is_over && !is_new) {
        int tree = has_several_trees ? state->seat : 0;
        int32_t node_index = search->current_node[tree];
        int64_t visits = ++search->nodes[node_index].visits;
        Int option = root_option;
        if (search->depth) {
            option = select_option(state, search, node_index, visits);
        } else {
            find_edges(state, search, node_index);
            if (search->option_edge[option] < 0)
                add_branch(state, search, node_index, option);
        }
        int32_t edge = search->option_edge[option];
        is_new = !search->edges[edge].visits;
        push_step(state, search, edge, option);
        search->current_node[tree] = search->edges[edge].node;
        if (has_several_trees)
            update_other_seats(state, search, option);
        search->stage = STAGE_TREE;
        if (search->plan.uses_amaf)
            record_action(state, search, option);
        apply_in_simulation(state, option);
    }
}
