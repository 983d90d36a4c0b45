#pragma once
#include "types.h"

/* A stand-in for what the printer prints for each game: its constants, its state and its functions.
   It is never part of a printed file. It lets editors, clang-format and a compiler read each header alone:

       cc -std=gnu11 -Wall -Wextra -Wno-unused-function -fsyntax-only -x c lists.h
*/

/* Constants of the engine: RUNTIME_CONSTANTS in `whole_games.py`. */
#define RANDOM_MULTIPLIER   6364136223846793005ull
#define RANDOM_INCREMENT    1442695040888963407ull
#define MIX_MULTIPLIER_1    13787848793156543929ull
#define MIX_MULTIPLIER_2    10723151780598845931ull
#define MAX_LIST_LENGTH     100000
#define ARENA_CAPACITY      1024
#define ROW_HEADER_LENGTH   3
#define FIRST_COMPOSED_TEXT 1073741824ll

/* Constants of a game: `_make_constants` in `whole_games.py` and `stepwise_play.py`. */
#define MASK_WORDS            1
#define COMPONENT_COUNT       8
#define ZONE_COUNT            3
#define ROW_LENGTH            16
#define RESULT_LENGTH         8
#define ROW_WORD_CAPACITY     8
#define WORD_CAPACITY         64
#define OPTION_CAPACITY       65
#define OPTION_LENGTH         2
#define KNOWN_TEXT_COUNT      4
#define MAX_KNOWN_TEXT_LENGTH 20
#define MAX_TEXT_LENGTH       1000
#define MAX_LABEL_LENGTH      22
#define WAIT_FOR_ANSWER       (-1)
#define SLOT_COUNT            2
#define HEAP_CAPACITY         64
#define SEAT_COUNT            2
#define RANK_COUNT            1
#define HAS_PAYOFFS           0
#define IS_SELECTIVE          0
#define IS_ZERO_SUM           1
#define MAX_WORK_PER_DECISION 1000ll
#define MAX_WORK_PER_GAME     100000ll
#define MAX_VISITS            1000ll
#define CELL_COUNT            1
#define CHOICE_COUNT          1
#define CHOICE_LENGTH         4
#define ALTERNATIVE_LENGTH    4
#define PLAN_LENGTH           12
#define REPORT_HEADER_LENGTH  6
#define LN2                   0.6931471805599453
#define MAX_EXACT_DOUBLE      4503599627370496ll
#define HAS_COMPOSED_TEXTS    1
#define HAS_STORED_TEXTS      1
#define FOR_EACH_STREAM(X)    X(stream_deal, 1ull)

typedef uint64_t SpaceMask;
typedef int16_t Component;
typedef int16_t ZoneIndex;
typedef int16_t StoredItem;
#define NO_STORED_ITEM INT16_MIN

typedef struct {
    int offset, length;
} Slot;

typedef struct {
    /* the state */
    uint64_t stream_deal;
    Int work, end_reason, word_count;
    int32_t option_count, heap_length;
    int16_t seat, pending_choice, is_over;
    Component zone_head[ZONE_COUNT], zone_tail[ZONE_COUNT], zone_size[ZONE_COUNT];
    Component next_in_zone[COMPONENT_COUNT], previous_in_zone[COMPONENT_COUNT];
    ZoneIndex zone_of[COMPONENT_COUNT];
    Slot list_slots[SLOT_COUNT];
    StoredItem heap[HEAP_CAPACITY];
    Int words[WORD_CAPACITY];
    /* the context */
    jmp_buf fault_target;
    Item *arena_top;
    Int *row;
    uint64_t answer_rng;
    Int decision_count, work_limit, visits_left, option_row_count;
    Int row_word_count, is_prepared, compaction_limit;
    Int result_row[ROW_LENGTH];
    Int option_rows[OPTION_CAPACITY][OPTION_LENGTH];
    Item arena[ARENA_CAPACITY];
    void *search;
} State;

/* For each text template: the kinds of its values, then 0; and whether it can be read in only one way. */
static const unsigned char TEXT_PARTS[1][2] = {{1, 0}};
static const unsigned char TEXT_IS_UNAMBIGUOUS[1] = {1};

static void start_game(State *state, uint64_t seed, Int *row) {
    state->answer_rng = seed;
    state->row = row;
}

/* Runs a block and returns the next one, or WAIT_FOR_ANSWER. */
static int run_block(State *state, int block) {
    state->is_over = block > 0;
    return WAIT_FOR_ANSWER;
}

/* Prepare the pending choice; list its options; go on with an answer. */
static void prepare_choice(State *state) {
    state->option_count = 1;
}

static void list_options(State *state) {
    state->option_row_count = 1;
}

static int resume_after_choice(State *state, Int option) {
    return state->pending_choice + (int)option;
}

/* Write the result into the row; write an evaluation of each seat into `result_row`. */
static void outcome(State *state) {
    state->row[1] = state->decision_count;
}

static void standing(State *state) {
    state->result_row[0] = 0;
}

/* Write and read the parts of a state; see `serialize_state`. */
static void write_table(State *state, Int *target, int64_t *n) {
    (void)state, (void)target, (void)n;
}

static void write_progress(State *state, Int *target, int64_t *n) {
    (void)state, (void)target, (void)n;
}

static void write_random_state(State *state, Int *target, int64_t *n) {
    (void)state, (void)target, (void)n;
}

static void read_state(State *state, const Int *source, const Int *end) {
    (void)state, (void)source, (void)end;
}

static void move_stored_texts(State *state, Int *target, int *length) {
    (void)state, (void)target, (void)length;
}

static void observe_cells(const State *state, int32_t *restrict target, const uint8_t *restrict visible) {
    (void)state, (void)visible;
    target[0] = 0;
}
