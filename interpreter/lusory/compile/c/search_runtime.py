"""Searches behind the stepwise play that stands before them: what :mod:`lusory.search` does in Python, in C.

The same simulations from the same chance, in the same order, with the same floats; so the same comes of it, to the last
bit. What divides simulations among options in rounds stays in Python, which asks for so many at a time.

Where something goes wrong in a simulation, C stops: either the rules are at fault there, or C was short of room. Python
plays that simulation (:mod:`lusory.native_search`), says what came of it, and C goes on.
"""

from __future__ import annotations

from ...table.chance import FACTOR, SPREAD, STEP
from .results import HEAD

LONGEST_FLOAT = 1 << 52
"""Whole numbers up to here are the same as floats."""

PLAN = (
    *("seat", "trees", "certain", "horizon", "paid", "column", "weighs", "stream", "options"),
    *("few", "tried", "valued", "gathers"),
)
"""What a search is told, number by number; behind them as a float how much it explores."""

CHOICE = ("site", "unseen", "weighs", "first")
"""What it is told of each choice: its site, whether who decides sees not all of what is offered, whether its
alternatives differ in weight, and where they stand behind."""

ALTERNATIVE = ("weight", "values", "heard", "texts")
"""Of each alternative: how likely it is, how many values it has, which of them others don't learn, a bit each (-1: they
learn nothing at all), and which are texts, likewise."""

REPORT = 6
"""Numbers of what is reported before the visits."""

LISTING, ALONG, ON = 1, 2, 3
"""Where a simulation stopped: as options were listed, as one was taken, or behind the tree."""

SEARCH = f"""\
/* search */
double sqrt(double);
void *calloc(size_t, size_t), *realloc(void *, size_t);
void free(void *);
enum {{ LISTING = {LISTING}, ALONG = {ALONG}, ON = {ON} }};
typedef struct {{ V {", ".join(PLAN)}; double explore; }} Plan;
typedef struct {{ V {", ".join(CHOICE)}; }} Choice;
typedef struct {{ V {", ".join(ALTERNATIVE)}; }} Alternative;
typedef struct {{ int64_t visits, possible; double sum; int32_t node; }} Edge; /* an option of a decision */
typedef struct {{ int64_t visits; int32_t first, options; }} Node; /* what a seat has seen */
typedef struct {{ uint64_t hash; int32_t key, size, found; }} Entry; /* what a key in a node leads to */
typedef struct {{ int32_t edge, seat; V option; }} Step;
typedef struct {{ int64_t visits; double sum; }} Past; /* how an option did for a seat, wherever it was taken */
typedef struct {{ int32_t past, seat; }} Taken;
typedef struct {{
    Plan plan;
    const Choice *choices;
    const Alternative *alternatives;
    V *tables;
    void **worlds;
    double low, high; /* of all values so far */
    int64_t number, made, failed, depth, count;
    int64_t edges, nodes, slots, keys, entries, pasts, takes, rooms[9]; /* how many there are, and there is room for */
    uint64_t cell, begun;
    int where;
    Edge *edge;
    Node *node;
    int32_t *slot;
    V *key;
    Entry *entry;
    Step *path;
    Past *past;
    Taken *taken;
    int32_t at[SEATS], there[MOST_OPTIONS];
    V weight[MOST_OPTIONS], name[OPTION + 4];
}} Search;

/* room for one more, or so many */
static void *grown(S *s, Search *t, void *old, int of, int64_t need, size_t size) {{
    if (need <= t->rooms[of]) return old;
    int64_t room = 2 * need + 64;
    void *found = room < INT32_MAX ? realloc(old, (size_t)room * size) : 0;
    if (!found) fault(s);
    t->rooms[of] = room;
    return found;
}}
static int32_t new_node(S *s, Search *t) {{
    t->node = grown(s, t, t->node, 0, t->nodes + 1, sizeof(Node));
    t->node[t->nodes] = (Node){{0, -1, 0}};
    return (int32_t)t->nodes++;
}}
static int32_t new_edge(S *s, Search *t) {{
    t->edge = grown(s, t, t->edge, 1, t->edges + 1, sizeof(Edge));
    t->edge[t->edges] = (Edge){{0, 1, 0.0, -1}};
    t->edge[t->edges].node = new_node(s, t);
    return (int32_t)t->edges++;
}}
/* where a key stands, or would */
static Entry *entry_of(Search *t, int size, uint64_t *hash) {{
    uint64_t h = (uint64_t)size, last = (uint64_t)t->rooms[4] - 1;
    for (int i = 0; i < size; i++) h = (h ^ (uint64_t)t->name[i]) * {FACTOR}ull, h ^= h >> 29;
    *hash = h;
    for (uint64_t at = h & last;; at = (at + 1) & last) {{
        Entry *e = t->entry + at;
        if (e->found < 0) return e;
        if (e->hash == h && e->size == size && !memcmp(t->key + e->key, t->name, (size_t)size * sizeof(V))) return e;
    }}
}}
static void more_entries(S *s, Search *t) {{
    int64_t before = t->rooms[4], room = before ? 2 * before : 1024;
    Entry *old = t->entry, *new = room < INT32_MAX ? calloc((size_t)room, sizeof(Entry)) : 0;
    if (!new) fault(s);
    for (int64_t i = 0; i < room; i++) new[i].found = -1;
    for (int64_t i = 0; i < before; i++) {{
        if (old[i].found < 0) continue;
        uint64_t at = old[i].hash & (uint64_t)(room - 1);
        while (new[at].found >= 0) at = (at + 1) & (uint64_t)(room - 1);
        new[at] = old[i];
    }}
    free(old);
    t->entry = new, t->rooms[4] = room;
}}
/* a key leads somewhere from now on */
static void lead(S *s, Search *t, int size, int32_t found) {{
    if (2 * t->entries >= t->rooms[4]) more_entries(s, t);
    t->key = grown(s, t, t->key, 3, t->keys + size, sizeof(V));
    uint64_t hash;
    Entry *e = entry_of(t, size, &hash);
    *e = (Entry){{hash, (int32_t)t->keys, size, found}};
    memcpy(t->key + t->keys, t->name, (size_t)size * sizeof(V));
    t->keys += size;
    t->entries++;
}}
static int32_t led(Search *t, int size) {{
    uint64_t hash;
    return t->entries ? entry_of(t, size, &hash)->found : -1;
}}

/* the position of a simulation, with chance of its own: both follow from its number alone */
USUAL uint64_t mix(uint64_t z) {{
    z = (z ^ z >> 30) * {SPREAD[0]}ull;
    z = (z ^ z >> 27) * {SPREAD[1]}ull;
    return z ^ z >> 31;
}}
USUAL uint64_t onward(Search *t) {{ return t->cell = t->cell * {FACTOR}ull + {STEP}ull; }}
static void set_up(S *s, Search *t, int64_t number) {{
    t->cell = mix((uint64_t)t->plan.stream + (uint64_t)number);
    t->takes = 0;
    load(s, t->worlds[number % t->count]);
    NEW_CHANCE
}}
static void decide(S *s, V option) {{
    if (!s->fresh) {{
        s->visits = MOST_VISITS;
        s->top = s->items;
        ask(s);
    }}
    renew(s);
    s->until = s->work + MOST_DECISION; /* no game is too long to be thought of */
    s->decisions++;
    go(s, resume(s, option));
}}
/* options as rows: alternative and values */
static void rows(S *s) {{
    if (!s->fresh) {{
        s->visits = MOST_VISITS;
        s->top = s->items;
        ask(s);
        s->fresh = 1;
    }}
    s->visits = MOST_VISITS;
    list(s);
    if (s->options != s->offers) fault(s);
}}
/* the weight of each option, in a choice that has been listed where it weighs; their sum */
static V weights(S *s, Search *t) {{
    const Choice *c = t->choices + s->waits;
    V sum = 0;
    if (c->weighs)
        for (int i = 0; i < s->offers; i++) sum += t->weight[i] = t->alternatives[c->first + s->option[i][0]].weight;
    if (sum) return sum;
    for (int i = 0; i < s->offers; i++) t->weight[i] = 1;
    return s->offers;
}}
/* of so many options one, as chance decides */
USUAL V drawn(const Search *t, V options) {{ return (V)((t->cell >> 32) * (uint64_t)options >> 32); }}
USUAL V picked(const Search *t, V sum) {{
    V left = drawn(t, sum), i = 0;
    while ((left -= t->weight[i]) >= 0) i++;
    return i;
}}
static int option_name(S *s, Search *t, int64_t at, int i);
/* how an option did for who decides: its place; -1: it was not taken yet */
static int32_t past_of(S *s, Search *t, V option, int *size) {{
    *size = option_name(s, t, (int64_t)INT32_MIN - 1 - s->seat, (int)option); /* no node is called so */
    return led(t, *size);
}}
/* an option is taken, where it is kept how they do */
static void remember(S *s, Search *t, V option) {{
    int size;
    rows(s);
    int32_t past = past_of(s, t, option, &size);
    if (past < 0) {{
        t->past = grown(s, t, t->past, 7, t->pasts + 1, sizeof(Past));
        t->past[t->pasts] = (Past){{0, 0.0}};
        lead(s, t, size, past = (int32_t)t->pasts++);
    }}
    t->taken = grown(s, t, t->taken, 8, t->takes + 1, sizeof(Taken));
    t->taken[t->takes++] = (Taken){{past, s->seat}};
}}
static void play_on(S *s, Search *t) {{
    for (V most = t->plan.horizon; most && !s->over; most--) {{
        int weighs = t->plan.weighs && t->choices[s->waits].weighs;
        onward(t);
        if (weighs) rows(s);
        V option = weighs ? picked(t, weights(s, t)) : drawn(t, s->offers);
        if (t->plan.gathers) remember(s, t, option);
        decide(s, option);
    }}
}}

/* what a position is worth to each seat */
USUAL double exact(S *s, V x) {{
    if (x < -{LONGEST_FLOAT}ll || x > {LONGEST_FLOAT}ll) fault(s);
    return (double)x;
}}
static int before(const V *one, const V *other) {{
    for (int k = 0; k < RANKS; k++) if (one[k] != other[k]) return one[k] > other[k];
    return 0;
}}
/* the row of an end, or of what would be one here */
static const V *rank_all(S *s) {{
    s->row = s->ending;
    s->told = 0;
    s->top = s->items;
    s->visits = MOST_VISITS;
    outcome(s);
    return s->ending + {HEAD};
}}
/* the place of each seat, and what it gets: the payoffs, or what winners share */
static void paid_out(const V *ranks, int *places, double *values) {{
    int winners = 0, first = SELECTIVE ? 2 : 1;
    for (int i = 0; SELECTIVE && i < SEATS; i++) if (ranks[i * RANKS]) first = 1;
    for (int i = 0; i < SEATS; i++) {{
        places[i] = first;
        for (int j = 0; j < SEATS; j++) places[i] += before(ranks + j * RANKS, ranks + i * RANKS);
        winners += places[i] == 1;
    }}
    int others = SEATS - winners;
    for (int i = 0; i < SEATS; i++) {{
        if (PAYS) values[i] = (double)ranks[SEATS * RANKS + i];
        else if (ZERO_SUM && (!others || !winners)) values[i] = 0;
        else values[i] = places[i] == 1 ? 1 / (double)winners : ZERO_SUM ? -1 / (double)others : 0;
    }}
}}
static void end_worth(S *s, Search *t, const V *ranks, double *values) {{
    int places[SEATS];
    if (SEATS == 1) {{
        values[0] = exact(s, ranks[t->plan.column]);
        return;
    }}
    for (int i = 0; PAYS && i < SEATS; i++) exact(s, known(s, ranks[SEATS * RANKS + i]));
    paid_out(ranks, places, values);
    for (int i = 0; !t->plan.paid && i < SEATS; i++) {{
        int beaten = -1;
        for (int j = 0; j < SEATS; j++) beaten += (places[j] > places[i]) + (places[j] >= places[i]);
        values[i] = (values[i] + (double)beaten / (2 * (SEATS - 1))) / 2;
    }}
}}
static void ahead(S *s, Search *t, const V *found, double *values) {{
    for (int i = 0; i < SEATS; i++) {{
        V best = INT64_MIN;
        for (int j = 0; j < SEATS; j++) if (j != i && found[j] > best) best = found[j];
        double own = exact(s, found[i]);
        if (SEATS == 1) {{
            values[i] = own;
            continue;
        }}
        double other = exact(s, best);
        double lead = (own - other) / (1 + (own < 0 ? -own : own) + (other < 0 ? -other : other));
        values[i] = t->plan.paid ? lead : (1 + lead) / 2;
    }}
}}
static void worth(S *s, Search *t, double *values) {{
    if (t->plan.valued && !s->over) {{
        s->top = s->items;
        s->visits = MOST_VISITS;
        standing(s);
        ahead(s, t, s->ending, values);
        return;
    }}
    const V *ranks = rank_all(s);
    for (int i = 0; i < SEATS * RANKS; i++) known(s, ranks[i]);
    if (s->over) {{
        end_worth(s, t, ranks, values);
    }} else {{
        V found[SEATS];
        for (int i = 0; i < SEATS; i++) found[i] = ranks[i * RANKS + t->plan.column];
        ahead(s, t, found, values);
    }}
}}
static void count_in(Search *t, const double *values) {{
    for (int i = 0; i < t->depth; i++) {{
        Edge *edge = t->edge + t->path[i].edge;
        edge->visits++;
        edge->sum += values[t->path[i].seat];
    }}
    t->made++;
}}
/* what came so far lies between these, too */
static void widen(Search *t, const double *values) {{
    for (int i = 0; i < SEATS; i++) {{
        int first = !i && !t->made;
        if (first || values[i] < t->low) t->low = values[i];
        if (first || values[i] > t->high) t->high = values[i];
    }}
}}
static void finish(S *s, Search *t) {{
    double values[SEATS];
    t->where = ON, t->begun = t->cell;
    play_on(s, t);
    worth(s, t, values);
    widen(t, values);
    count_in(t, values);
    for (int64_t i = 0; i < t->takes; i++) {{
        Past *past = t->past + t->taken[i].past;
        past->visits++;
        past->sum += values[t->taken[i].seat];
    }}
}}
static void step(S *s, Search *t, int32_t edge, V option) {{
    t->path = grown(s, t, t->path, 5, t->depth + 1, sizeof(Step));
    t->path[t->depth++] = (Step){{edge, s->seat, option}};
}}
"""

FACE = f"""\
/* A context has one search at a time, which a number tells from those before it. A function that gives an int gives 0
   where all went well. */
static Search *opened(const S *s, int64_t number) {{
    Search *t = s->search;
    return t && t->number == number ? t : 0;
}}
void search_close(S *s, int64_t number) {{
    Search *t = opened(s, number);
    if (!t) return;
    for (int64_t i = 0; i < t->count; i++) free(t->worlds[i]);
    free(t->worlds), free(t->tables), free(t->edge), free(t->node), free(t->slot);
    free(t->key), free(t->entry), free(t->path), free(t->past), free(t->taken), free(t);
    s->search = 0;
}}
/* One world more, of the numbers that `read_in` reads. */
static int add_world(S *s, Search *t, const V *from, int64_t length) {{
    if (read_in(s, from, length) || setjmp(s->back)) return 1;
    t->worlds = grown(s, t, t->worlds, 6, t->count + 1, sizeof(void *));
    void *world = calloc(1, (size_t)state_size(s));
    if (!world) return 1;
    save(s, world);
    t->worlds[t->count++] = world;
    return 0;
}}
/* `tables` has the choices, then their alternatives; `worlds` the numbers of each, with their length before them */
int search_open(S *s, int64_t number, const V *plan, const V *tables, int64_t size, const V *worlds, int64_t length) {{
    if (s->search) search_close(s, ((Search *)s->search)->number);
    Search *t = s->search = calloc(1, sizeof(Search));
    if (!t) return 1;
    t->number = number;
    memcpy(&t->plan, plan, sizeof(Plan));
    t->tables = calloc((size_t)size + 1, sizeof(V));
    t->edge = calloc((size_t)t->plan.options + 64, sizeof(Edge));
    t->node = calloc(SEATS + 64, sizeof(Node));
    t->rooms[0] = SEATS + 64, t->rooms[1] = t->plan.options + 64;
    if (!t->tables || !t->edge || !t->node) return 1;
    memcpy(t->tables, tables, (size_t)size * sizeof(V));
    t->choices = (const Choice *)t->tables;
    t->alternatives = (const Alternative *)(t->tables + MANY_CHOICES * {len(CHOICE)});
    for (int i = 0; i < t->plan.trees; i++) t->node[t->nodes++] = (Node){{0, -1, 0}};
    if (!t->plan.trees) t->edges = t->plan.options; /* options of one decision, without a tree */
    for (const V *from = worlds; from < worlds + length; from += 1 + from[0])
        if (add_world(s, t, from + 1, from[0])) return 1;
    return 0;
}}
/* What came so far. In numbers: how many simulations were made just now, in all, and went wrong; where one stopped, how
   many options it had taken, its chance behind them; of each option of the decision the visits. In floats: the range of
   values; of each option the values, added up. */
static int report(S *s, Search *t, int64_t done, V *found, double *sums) {{
    V state[] = {{done, t->made, t->failed, t->where, t->depth, (V)t->begun}};
    memcpy(found, state, sizeof state);
    sums[0] = t->low, sums[1] = t->high;
    if (setjmp(s->back)) return 1;
    for (int i = 0; !t->plan.trees && i < t->plan.options; i++) t->there[i] = i;
    if (t->plan.trees) {{
        set_up(s, t, 0);
        find_edges(s, t, t->plan.trees > 1 ? (int32_t)t->plan.seat : 0);
    }}
    for (int i = 0; i < t->plan.options; i++) {{
        const Edge *edge = t->edge + t->there[i];
        found[{REPORT} + i] = t->there[i] < 0 ? 0 : edge->visits;
        sums[2 + i] = t->there[i] < 0 ? 0 : edge->sum;
    }}
    return 0;
}}
/* So many simulations, one for each of some options in turn, from the pass `first` on. Where fewer are made, one
   stopped. */
int search_tries(
    S *s, int64_t number, const V *options, int64_t count, int64_t first, int64_t simulations, V *found, double *sums
) {{
    Search *t = opened(s, number);
    volatile int64_t done = 0;
    if (!t) return 1;
    for (; done < simulations; done++) {{
        t->depth = 0;
        if (setjmp(s->back)) break;
        t->where = ALONG;
        set_up(s, t, first + done / count);
        V option = options[done % count];
        step(s, t, (int32_t)option, option);
        t->path[0].seat = (int32_t)t->plan.seat;
        decide(s, option);
        finish(s, t);
    }}
    return report(s, t, done, found, sums);
}}
/* So many simulations down the tree, likewise; where no options are named, the tree chooses among them. */
int search_grow(
    S *s, int64_t number, const V *options, int64_t count, int64_t first, int64_t simulations, V *found, double *sums
) {{
    Search *t = opened(s, number);
    volatile int64_t done = 0;
    if (!t) return 1;
    for (; done < simulations; done++) {{
        t->depth = 0;
        if (setjmp(s->back)) break;
        if (count) set_up(s, t, first + done / count);
        descend(s, t, count ? options[done % count] : root_option(s, t));
        finish(s, t);
    }}
    return report(s, t, done, found, sums);
}}
/* The options that a simulation had taken which stopped, so many. */
int search_path(const S *s, int64_t number, int64_t depth, V *options) {{
    const Search *t = opened(s, number);
    for (int i = 0; t && i < depth && i < t->depth; i++) options[i] = t->path[i].option;
    return !t;
}}
/* What came of the simulation that stopped, as Python says: that nothing did, or the values of each seat. */
int search_settle(S *s, int64_t number, int even, const double *given, V *found, double *sums) {{
    Search *t = opened(s, number);
    double values[SEATS];
    if (!t) return 1;
    for (int i = 0; i < SEATS; i++) values[i] = even ? (t->low + t->high) / 2 : given[i];
    if (!even) widen(t, values);
    t->failed += even;
    count_in(t, values);
    return report(s, t, 0, found, sums);
}}
/* What is likely to follow on each option, as far as `most`: numbers of options, then -1. Where nothing is left to
   chance. */
int search_follows(const S *s, int64_t number, int64_t most, V *follows) {{
    const Search *t = opened(s, number);
    for (int i = 0; t && i < t->plan.options; i++, follows += most) {{
        for (int k = 0; k < most; k++) follows[k] = -1;
        int32_t edge = t->node[0].first < 0 ? -1 : t->slot[t->node[0].first + i];
        for (int k = 0; edge >= 0 && k < most; k++) {{
            const Node *node = t->node + t->edge[edge].node;
            int64_t visits = 0;
            int32_t best = -1;
            V option = -1;
            for (int j = 0; j < node->options; j++) {{
                int32_t other = t->slot[node->first + j];
                if (other < 0 || t->edge[other].visits < visits) continue;
                if (t->edge[other].visits == visits && best >= 0 && other > best) continue;
                visits = t->edge[other].visits, best = other, option = j;
            }}
            if (visits < t->plan.tried) break;
            follows[k] = option, edge = best;
        }}
    }}
    return !t;
}}
"""
