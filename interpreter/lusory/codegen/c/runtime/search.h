#pragma once
#include "state_serialization.h"
#include "playouts.h"
#include "stepping_api.h"
#include "option_rows.h"

/* Monte Carlo search: the data structures, and everything that both search algorithms share.

   The results are those of `lusory.search` in Python, to the last bit: the same simulations, in the same
   order, with the same random numbers and floats. Where a simulation faults, C stops. Python plays that
   simulation and says what it was worth, and C goes on. */

double sqrt(double);
void *calloc(size_t, size_t), *realloc(void *, size_t);
void free(void *);

/* The stage in which a simulation stopped. */
enum { STAGE_OPTIONS = 1, STAGE_TREE = 2, STAGE_PLAYOUT = 3 };

/* What Python asks for: the fields of PLAN in `runtime_header_loading_and_search_formats.py`. */
typedef struct {
    Int seat, tree_count, is_deterministic, horizon, uses_payoffs, rank_column, is_weighted, seed;
    Int option_count, min_width, has_evaluation, uses_amaf;
    double exploration;
} SearchPlan;

/* A choice of the game; see CHOICE in `runtime_header_loading_and_search_formats.py`. */
typedef struct {
    Int site, is_hidden, is_weighted, first_alternative;
} Choice;

/* An alternative of a choice; see ALTERNATIVE in `runtime_header_loading_and_search_formats.py`. */
typedef struct {
    Int weight, value_count, hidden_values, text_values;
} Alternative;

_Static_assert(sizeof(SearchPlan) == PLAN_LENGTH * sizeof(Int) + sizeof(double), "PLAN names every field");
_Static_assert(sizeof(Choice) == CHOICE_LENGTH * sizeof(Int), "CHOICE names every field");
_Static_assert(sizeof(Alternative) == ALTERNATIVE_LENGTH * sizeof(Int), "ALTERNATIVE names every field");

/* An option that was tried in a node. `availability`: how often the option was there to be chosen. */
typedef struct {
    int64_t visits, availability;
    double sum;
    int32_t node;
} Edge;

/* An information set. Only trees with perfect information use `first_slot` and `option_count`. */
typedef struct {
    int64_t visits;
    int32_t first_slot, option_count;
} Node;

/* An entry of the hash table from keys to edges, nodes and statistics. target < 0: the entry is free. */
typedef struct {
    uint64_t hash;
    int32_t key, size, target;
} TableEntry;

typedef struct {
    int32_t edge, seat;
    Int option;
} PathStep;

/* How an action did for a seat, wherever it was taken (all moves as first). */
typedef struct {
    int64_t visits;
    double sum;
} AmafStatistic;

typedef struct {
    int32_t statistic, seat;
} TakenAction;

/* The arrays of a search that grow, as indices of `capacities`. */
enum {
    ARRAY_NODES,
    ARRAY_EDGES,
    ARRAY_SLOTS,
    ARRAY_KEYS,
    ARRAY_ENTRIES,
    ARRAY_PATH,
    ARRAY_WORLDS,
    ARRAY_STATISTICS,
    ARRAY_ACTIONS,
    ARRAY_COUNT
};

typedef struct {
    SearchPlan plan;
    const Choice *choices;
    const Alternative *alternatives;
    Int *tables;   /* what `choices` and `alternatives` point into */
    void **worlds; /* determinizations: saved states */
    double lowest_value, highest_value;
    int64_t id, simulation_count, failed_count, depth, world_count;
    int64_t edge_count, node_count, slot_count, key_length, entry_count, statistic_count, action_count;
    int64_t capacities[ARRAY_COUNT];
    uint64_t rng, playout_rng; /* of the simulation; and as its playout began */
    int stage;
    Edge *edges;
    Node *nodes;
    int32_t *slots; /* edge of each option of a node with perfect information, or -1 */
    Int *keys;
    TableEntry *entries;
    PathStep *path;
    AmafStatistic *statistics;
    TakenAction *actions;
    int32_t current_node[SEAT_COUNT];
    int32_t option_edge[OPTION_CAPACITY]; /* edge of each option of the current decision, or -1 */
    Int weights[OPTION_CAPACITY];
    Int key_buffer[OPTION_LENGTH + 4];
} Search;

/* Returns an array with room for `needed` elements, which may have moved. */
static void *grow(State *state, Search *search, void *array, int index, int64_t needed, size_t size) {
    if (needed <= search->capacities[index])
        return array;
    int64_t capacity = 2 * needed + 64;
    void *new_array = capacity < INT32_MAX ? realloc(array, (size_t)capacity * size) : 0;
    if (!new_array)
        fault(state);
    search->capacities[index] = capacity;
    return new_array;
}

static int32_t new_node(State *state, Search *search) {
    search->nodes = grow(state, search, search->nodes, ARRAY_NODES, search->node_count + 1, sizeof(Node));
    search->nodes[search->node_count] = (Node){0, -1, 0};
    return (int32_t)search->node_count++;
}

static int32_t new_edge(State *state, Search *search) {
    search->edges = grow(state, search, search->edges, ARRAY_EDGES, search->edge_count + 1, sizeof(Edge));
    search->edges[search->edge_count] = (Edge){0, 1, 0.0, -1};
    search->edges[search->edge_count].node = new_node(state, search);
    return (int32_t)search->edge_count++;
}

/* Returns the entry of the key in `key_buffer`, or the free entry where it belongs. */
static TableEntry *find_entry(Search *search, int size, uint64_t *hash) {
    uint64_t key_hash = (uint64_t)size, mask = (uint64_t)search->capacities[ARRAY_ENTRIES] - 1;
    for (int i = 0; i < size; i++)
        key_hash = (key_hash ^ (uint64_t)search->key_buffer[i]) * RANDOM_MULTIPLIER,
        key_hash ^= key_hash >> 29;
    *hash = key_hash;
    for (uint64_t position = key_hash & mask;; position = (position + 1) & mask) {
        TableEntry *entry = search->entries + position;
        if (entry->target < 0)
            return entry;
        if (entry->hash == key_hash && entry->size == size &&
            !memcmp(search->keys + entry->key, search->key_buffer, (size_t)size * sizeof(Int)))
            return entry;
    }
}

static void grow_table(State *state, Search *search) {
    int64_t old_capacity = search->capacities[ARRAY_ENTRIES],
            capacity = old_capacity ? 2 * old_capacity : 1024;
    TableEntry *old_entries = search->entries,
               *new_entries = capacity < INT32_MAX ? calloc((size_t)capacity, sizeof(TableEntry)) : 0;
    if (!new_entries)
        fault(state);
    for (int64_t i = 0; i < capacity; i++)
        new_entries[i].target = -1;
    for (int64_t i = 0; i < old_capacity; i++) {
        if (old_entries[i].target < 0)
            continue;
        uint64_t position = old_entries[i].hash & (uint64_t)(capacity - 1);
        while (new_entries[position].target >= 0)
            position = (position + 1) & (uint64_t)(capacity - 1);
        new_entries[position] = old_entries[i];
    }
    free(old_entries);
    search->entries = new_entries, search->capacities[ARRAY_ENTRIES] = capacity;
}

/* Maps the key in `key_buffer` to a target. */
static void table_insert(State *state, Search *search, int size, int32_t target) {
    if (2 * search->entry_count >= search->capacities[ARRAY_ENTRIES])
        grow_table(state, search);
    search->keys = grow(state, search, search->keys, ARRAY_KEYS, search->key_length + size, sizeof(Int));
    uint64_t hash;
    TableEntry *entry = find_entry(search, size, &hash);
    *entry = (TableEntry){hash, (int32_t)search->key_length, size, target};
    memcpy(search->keys + search->key_length, search->key_buffer, (size_t)size * sizeof(Int));
    search->key_length += size;
    search->entry_count++;
}

/* Returns the target of the key in `key_buffer`, or -1. */
static int32_t table_lookup(Search *search, int size) {
    uint64_t hash;
    return search->entry_count ? find_entry(search, size, &hash)->target : -1;
}

static inline uint64_t mix_bits(uint64_t z) {
    z = (z ^ z >> 30) * MIX_MULTIPLIER_1;
    z = (z ^ z >> 27) * MIX_MULTIPLIER_2;
    return z ^ z >> 31;
}

static inline uint64_t advance_rng(Search *search) {
    return search->rng = search->rng * RANDOM_MULTIPLIER + RANDOM_INCREMENT;
}

/* Loads the start of a simulation. Its determinization and random numbers follow from its number alone. */
static void load_simulation(State *state, Search *search, int64_t number) {
    search->rng = mix_bits((uint64_t)search->plan.seed + (uint64_t)number);
    search->action_count = 0;
    load_state(state, search->worlds[number % search->world_count]);
#define RESEED(stream, name) state->stream = mix_bits(advance_rng(search));
    FOR_EACH_STREAM(RESEED)
#undef RESEED
}

/* Like `answer_choice`, but without the limit for the work of a whole game. */
static void apply_in_simulation(State *state, Int option) {
    if (!state->is_prepared) {
        state->visits_left = MAX_VISITS;
        state->arena_top = state->arena;
        prepare_choice(state);
    }
    reset_limits(state);
    state->work_limit = state->work + MAX_WORK_PER_DECISION;
    state->decision_count++;
    run_blocks(state, resume_after_choice(state, option));
}

/* Fills `option_rows` for the pending choice. */
static void list_option_rows(State *state) {
    if (!state->is_prepared) {
        state->visits_left = MAX_VISITS;
        state->arena_top = state->arena;
        prepare_choice(state);
        state->is_prepared = 1;
    }
    state->visits_left = MAX_VISITS;
    list_options(state);
    if (state->option_row_count != state->option_count)
        fault(state);
}

/* Sets the weight of each option in a playout and returns their sum. */
static Int compute_weights(State *state, Search *search) {
    const Choice *choice = search->choices + state->pending_choice;
    Int sum = 0;
    if (choice->is_weighted)
        for (int i = 0; i < state->option_count; i++)
            sum += search->weights[i] =
                search->alternatives[choice->first_alternative + state->option_rows[i][0]].weight;
    if (sum)
        return sum;
    for (int i = 0; i < state->option_count; i++)
        search->weights[i] = 1;
    return state->option_count;
}

static inline Int pick_uniform(const Search *search, Int options) {
    return (Int)((search->rng >> 32) * (uint64_t)options >> 32);
}

static inline Int pick_weighted(const Search *search, Int sum) {
    Int remaining = pick_uniform(search, sum), i = 0;
    while ((remaining -= search->weights[i]) >= 0)
        i++;
    return i;
}

/* Faults for texts that were composed in play, because their numbers change. */
static inline Int require_stable_value(State *state, const Alternative *alternative, int k, Int value) {
    if (UNLIKELY(alternative->text_values >> k & 1) && value >= KNOWN_TEXT_COUNT)
        fault(state);
    return value;
}

/* Writes the key of an option in a node, as the deciding seat sees it, and returns its length. */
static int write_option_key(State *state, Search *search, int64_t node, int i) {
    const Choice *choice = search->choices + state->pending_choice;
    const Int *row = state->option_rows[i];
    search->key_buffer[0] = node, search->key_buffer[1] = choice->site;
    if (choice->is_hidden) {
        search->key_buffer[2] = i;
        return 3;
    }
    const Alternative *alternative = search->alternatives + choice->first_alternative + row[0];
    search->key_buffer[2] = row[0];
    for (int k = 0; k < alternative->value_count; k++)
        search->key_buffer[3 + k] = require_stable_value(state, alternative, k, row[1 + k]);
    return 3 + (int)alternative->value_count;
}

/* Writes the key of an action for the deciding seat and returns its statistic, or -1. */
static int32_t find_statistic(State *state, Search *search, Int option, int *size) {
    *size = write_option_key(state, search, (int64_t)INT32_MIN - 1 - state->seat,
                             (int)option); /* no node is called so */
    return table_lookup(search, *size);
}

/* Records an action, so that the value of this simulation is added to its statistic. */
static void record_action(State *state, Search *search, Int option) {
    int size;
    list_option_rows(state);
    int32_t statistic = find_statistic(state, search, option, &size);
    if (statistic < 0) {
        search->statistics = grow(state, search, search->statistics, ARRAY_STATISTICS,
                                  search->statistic_count + 1, sizeof(AmafStatistic));
        search->statistics[search->statistic_count] = (AmafStatistic){0, 0.0};
        table_insert(state, search, size, statistic = (int32_t)search->statistic_count++);
    }
    search->actions =
        grow(state, search, search->actions, ARRAY_ACTIONS, search->action_count + 1, sizeof(TakenAction));
    search->actions[search->action_count++] = (TakenAction){statistic, state->seat};
}

/* Plays at random, up to the horizon. */
static void run_playout(State *state, Search *search) {
    for (Int steps_left = search->plan.horizon; steps_left && !state->is_over; steps_left--) {
        int is_weighted = search->plan.is_weighted && search->choices[state->pending_choice].is_weighted;
        advance_rng(search);
        if (is_weighted)
            list_option_rows(state);
        Int option = is_weighted ? pick_weighted(search, compute_weights(state, search))
                                 : pick_uniform(search, state->option_count);
        if (search->plan.uses_amaf)
            record_action(state, search, option);
        apply_in_simulation(state, option);
    }
}

/* Faults if a number has no exact double. */
static inline double exact_double(State *state, Int x) {
    if (x < -MAX_EXACT_DOUBLE || x > MAX_EXACT_DOUBLE)
        fault(state);
    return (double)x;
}

static int ranks_before(const Int *first, const Int *second) {
    for (int k = 0; k < RANK_COUNT; k++)
        if (first[k] != second[k])
            return first[k] > second[k];
    return 0;
}

/* Returns the ranks of the seats if the game ended here. */
static const Int *rank_seats(State *state) {
    state->row = state->result_row;
    state->row_word_count = 0;
    state->arena_top = state->arena;
    state->visits_left = MAX_VISITS;
    outcome(state);
    return state->result_row + ROW_HEADER_LENGTH;
}

/* Computes the place of each seat, and its payoff or its share of the win. */
static void compute_returns(const Int *ranks, int *placings, double *values) {
    int winner_count = 0, first_place = IS_SELECTIVE ? 2 : 1;
    for (int i = 0; IS_SELECTIVE && i < SEAT_COUNT; i++)
        if (ranks[i * RANK_COUNT])
            first_place = 1;
    for (int i = 0; i < SEAT_COUNT; i++) {
        placings[i] = first_place;
        for (int j = 0; j < SEAT_COUNT; j++)
            placings[i] += ranks_before(ranks + j * RANK_COUNT, ranks + i * RANK_COUNT);
        winner_count += placings[i] == 1;
    }
    int loser_count = SEAT_COUNT - winner_count;
    for (int i = 0; i < SEAT_COUNT; i++) {
        if (HAS_PAYOFFS)
            values[i] = (double)ranks[SEAT_COUNT * RANK_COUNT + i];
        else if (IS_ZERO_SUM && (!loser_count || !winner_count))
            values[i] = 0;
        else
            values[i] = placings[i] == 1 ? 1 / (double)winner_count
                        : IS_ZERO_SUM    ? -1 / (double)loser_count
                                         : 0;
    }
}

/* Evaluates the end of a game. Without payoffs, half of a value is the share of the win, half the place. */
static void evaluate_end(State *state, Search *search, const Int *ranks, double *values) {
    int placings[SEAT_COUNT];
    if (SEAT_COUNT == 1) {
        values[0] = exact_double(state, ranks[search->plan.rank_column]);
        return;
    }
    for (int i = 0; HAS_PAYOFFS && i < SEAT_COUNT; i++)
        exact_double(state, require(state, ranks[SEAT_COUNT * RANK_COUNT + i]));
    compute_returns(ranks, placings, values);
    for (int i = 0; !search->plan.uses_payoffs && i < SEAT_COUNT; i++) {
        int beaten_count = -1;
        for (int j = 0; j < SEAT_COUNT; j++)
            beaten_count += (placings[j] > placings[i]) + (placings[j] >= placings[i]);
        values[i] = (values[i] + (double)beaten_count / (2 * (SEAT_COUNT - 1))) / 2;
    }
}

/* Evaluates an unfinished game by the lead of each seat over the best other seat. */
static void evaluate_lead(State *state, Search *search, const Int *scores, double *values) {
    for (int i = 0; i < SEAT_COUNT; i++) {
        Int best = INT64_MIN;
        for (int j = 0; j < SEAT_COUNT; j++)
            if (j != i && scores[j] > best)
                best = scores[j];
        double score = exact_double(state, scores[i]);
        if (SEAT_COUNT == 1) {
            values[i] = score;
            continue;
        }
        double best_score = exact_double(state, best);
        double lead = (score - best_score) /
                      (1 + (score < 0 ? -score : score) + (best_score < 0 ? -best_score : best_score));
        values[i] = search->plan.uses_payoffs ? lead : (1 + lead) / 2;
    }
}

/* Evaluates the position that a playout has reached, for each seat. */
static void evaluate_position(State *state, Search *search, double *values) {
    if (search->plan.has_evaluation && !state->is_over) {
        state->arena_top = state->arena;
        state->visits_left = MAX_VISITS;
        standing(state);
        evaluate_lead(state, search, state->result_row, values);
        return;
    }
    const Int *ranks = rank_seats(state);
    for (int i = 0; i < SEAT_COUNT * RANK_COUNT; i++)
        require(state, ranks[i]);
    if (state->is_over) {
        evaluate_end(state, search, ranks, values);
    } else {
        Int scores[SEAT_COUNT];
        for (int i = 0; i < SEAT_COUNT; i++)
            scores[i] = ranks[i * RANK_COUNT + search->plan.rank_column];
        evaluate_lead(state, search, scores, values);
    }
}

static void back_propagate(Search *search, const double *values) {
    for (int i = 0; i < search->depth; i++) {
        Edge *edge = search->edges + search->path[i].edge;
        edge->visits++;
        edge->sum += values[search->path[i].seat];
    }
    search->simulation_count++;
}

/* Extends the range by which values are normalized. */
static void update_value_range(Search *search, const double *values) {
    for (int i = 0; i < SEAT_COUNT; i++) {
        int is_first = !i && !search->simulation_count;
        if (is_first || values[i] < search->lowest_value)
            search->lowest_value = values[i];
        if (is_first || values[i] > search->highest_value)
            search->highest_value = values[i];
    }
}

/* Plays on, evaluates and propagates the values. */
static void finish_simulation(State *state, Search *search) {
    double values[SEAT_COUNT];
    search->stage = STAGE_PLAYOUT, search->playout_rng = search->rng;
    run_playout(state, search);
    evaluate_position(state, search, values);
    update_value_range(search, values);
    back_propagate(search, values);
    for (int64_t i = 0; i < search->action_count; i++) {
        AmafStatistic *statistic = search->statistics + search->actions[i].statistic;
        statistic->visits++;
        statistic->sum += values[search->actions[i].seat];
    }
}

static void push_step(State *state, Search *search, int32_t edge, Int option) {
    search->path = grow(state, search, search->path, ARRAY_PATH, search->depth + 1, sizeof(PathStep));
    search->path[search->depth++] = (PathStep){edge, state->seat, option};
}
