"""Many states stepped by one call, for :mod:`lusory.batch`: the states lie one after the other, and beside them what
each waits for, in arrays of whoever calls.

A context serves all of them: a state is loaded, answered and saved. What goes wrong in one leaves it as it was before
its step; the others go on.
"""

from __future__ import annotations

BATCH_CELLS = """\
/* what a seat sees of cells; numbers beyond 32 bits are the last that there is */
enum { HIDDEN = INT32_MIN + 1 };
USUAL int32_t batch_small(V x) {
    if (x == NONE) return INT32_MIN;
    V most = INT32_MAX, least = INT32_MIN + 2ll;
    return (int32_t)(x > most ? most : x < least ? least : x);
}
static void batch_cells(const S *s, int32_t *restrict to, const uint8_t *restrict shown) {
    CELL_BY_CELL
    (void)s, (void)to, (void)shown;
}
"""

BATCH = """\
/* many states. What each waits for stands in arrays of the caller; `most`: options that have room in `legal` */
typedef struct {
    S *s;
    char *states;
    int64_t count, stride, most, restart;
    uint64_t *seeds;
    int64_t *last; /* what was answered last, -1: nothing, it is a new game */
    int32_t *seat, *options;
    uint8_t *legal, *done, *wrong;
    double *returns;
} Batch;
int64_t batch_size(void) { return (int64_t)sizeof(Batch); }

static void batch_show(Batch *b, int64_t at, int64_t options, int seat) {
    int64_t before = b->options[at];
    uint8_t *row = b->legal + at * b->most;
    for (; before < options; before++) row[before] = 1;
    for (; before > options; before--) row[before - 1] = 0;
    b->options[at] = (int32_t)options;
    b->seat[at] = (int32_t)seat;
}
/* what an answer or a start came to; what must not happen comes before anything is written */
static void batch_settle(Batch *b, int64_t at) {
    S *s = b->s;
    char *to = b->states + at * b->stride;
    if (!s->over && s->offers > b->most) fault(s);
    if (s->over) {
        int places[SEATS];
        paid_out(rank_all(s), places, b->returns + at * SEATS);
        b->done[at] = 1;
        save(s, to);
        batch_show(b, at, 0, -1);
    } else {
        save(s, to);
        batch_show(b, at, s->offers, s->seat);
    }
}
static void batch_open(Batch *b, int64_t at) {
    b->last[at] = -1;
    open_game(b->s, b->seeds[at], 0);
    batch_settle(b, at);
}
static void batch_answer(Batch *b, int64_t at, int64_t option) {
    if (b->wrong[at]) return;
    if (b->done[at]) {
        if (!b->restart) return;
        b->done[at] = 0;
        for (int i = 0; i < SEATS; i++) b->returns[at * SEATS + i] = 0;
    }
    if (b->options[at]) {
        load(b->s, b->states + at * b->stride);
        b->last[at] = option;
        answer(b->s, option);
        batch_settle(b, at);
    }
    if (b->restart && !b->options[at]) {
        b->seeds[at] += (uint64_t)b->count;
        batch_open(b, at);
    }
}
static void batch_wrong(Batch *b, int64_t at) {
    b->wrong[at] = 1;
    batch_show(b, at, 0, -1);
    for (int i = 0; i < SEATS && !b->done[at]; i++) b->returns[at * SEATS + i] = __builtin_nan("");
}
/* new games where `where` says so, from their seeds */
void batch_reset(Batch *b, const uint8_t *where) {
    volatile int64_t at = 0;
    for (; at < b->count; at++) {
        if (!where[at]) continue;
        b->done[at] = b->wrong[at] = 0;
        for (int i = 0; i < SEATS; i++) b->returns[at * SEATS + i] = 0;
        if (setjmp(b->s->back)) batch_wrong(b, at);
        else batch_open(b, at);
    }
}
/* -1, or the first state for which there is no such option: then nothing was done */
int64_t batch_step(Batch *b, const int64_t *actions) {
    for (int64_t i = 0; i < b->count; i++)
        if (b->options[i] && (uint64_t)actions[i] >= (uint64_t)b->options[i]) return i;
    volatile int64_t at = 0;
    while (at < b->count) {
        if (setjmp(b->s->back)) {
            batch_wrong(b, at++);
            continue;
        }
        for (; at < b->count; at++) batch_answer(b, at, actions[at]);
    }
    return -1;
}

/* What a seat sees of each state: cells, how many components each zone has, of each component its zone and its place
   there. `viewer`: the seat, -1: nobody of the game, -2: whose turn it is. `sees`: of each viewer, the last nobody of
   the game, which cells and which zones it sees, and of which components it may know that they lie in no zone. */
enum { SEEN = CELLS + ZONES + 2 * COMPONENTS };
int64_t seen_width(void) { return SEEN; }
void batch_observe(const Batch *b, int32_t *to, int64_t viewer, const uint8_t *sees) {
    enum { WHAT = CELLS + ZONES + COMPONENTS };
    for (int64_t at = 0; at < b->count; at++, to += SEEN) {
        const S *s = (const S *)(const void *)(b->states + at * b->stride);
        int64_t seat = viewer == -2 ? b->seat[at] : viewer;
        const uint8_t *shown = sees + (seat < 0 ? SEATS : seat) * WHAT;
        if (b->wrong[at]) {
            for (int i = 0; i < SEEN; i++) to[i] = HIDDEN;
            continue;
        }
        batch_cells(s, to, shown);
        LYING
    }
}
"""

LYING = """\
for (int z = 0; z < ZONES; z++) to[CELLS + z] = s->count[z];
        int32_t *zone = to + CELLS + ZONES, *place = zone + COMPONENTS;
        for (int c = 0; c < COMPONENTS; c++)
            zone[c] = place[c] = shown[CELLS + ZONES + c] ? INT32_MIN : HIDDEN;
        for (int z = 0; z < ZONES; z++)
            for (int c = s->head[z], n = 0; shown[CELLS + z] && c >= 0; c = s->next[c], n++)
                zone[c] = z, place[c] = n;"""
