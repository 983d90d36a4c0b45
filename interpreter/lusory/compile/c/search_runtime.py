"""A search over the stepwise play that stands before it: plain UCT, without anything of a particular game.

Nodes keep counts and no states: each simulation begins at a root, draws anew what chance will do, and goes down by
answering (an *open loop*), so a node stands for a sequence of answers. Every seat is out for its own value (max^n).
Where the tree ends the game is played on at random. Several roots are taken in turn: worlds that agree with what a
player knows.

Source: L. Kocsis and C. Szepesvári, Bandit based Monte-Carlo planning (ECML 2006), with values taken to 0 … 1 by the
least and the greatest that were seen.
"""

from __future__ import annotations

from ...table.chance import CHOICES, name as stream_name
from .results import HEAD

MOST_DEPTH = 512
"""Answers of one simulation that the tree keeps."""

SIMULATIONS = "simulations"
"""The stream from which each simulation has its seed."""

SEARCH = f"""\
/* search: nodes keep counts, each simulation answers its way down from a root */
double log(double);
double sqrt(double);
enum {{ MOST_DEPTH = {MOST_DEPTH} }};
typedef struct {{ int32_t first, options; int64_t visits; double value; }} Node; /* value: of the seat that chose it */
typedef struct {{
    Node *pool; /* the first is the root; options of one node stand side by side */
    int64_t used, room;
    double c, low, high; /* how much is explored; the least and the greatest value so far */
    int depth;
    int32_t path[MOST_DEPTH];
    int16_t seats[MOST_DEPTH]; /* who chose */
}} Tree;

/* what each seat gets: the payoffs, or what winners share */
static void worth(S *s, double *values) {{
    s->row = s->ending;
    s->told = 0;
    s->top = s->items;
    outcome(s);
    const V *ranks = s->ending + {HEAD};
    if (PAYS) {{
        for (int i = 0; i < SEATS; i++) values[i] = (double)ranks[SEATS * RANKS + i];
        return;
    }}
    int best[SEATS], winners = 0, able = !SELECTIVE;
    for (int i = 0; SELECTIVE && i < SEATS; i++) able |= ranks[i * RANKS] != 0;
    for (int i = 0; i < SEATS; i++) {{
        best[i] = able;
        for (int j = 0; j < SEATS && best[i]; j++)
            for (int k = 0; k < RANKS; k++) {{
                V one = ranks[i * RANKS + k], other = ranks[j * RANKS + k];
                if (one != other) {{
                    best[i] = one > other;
                    break;
                }}
            }}
        winners += best[i];
    }}
    int others = SEATS - winners;
    for (int i = 0; i < SEATS; i++) {{
        if (ZERO_SUM && (!others || !winners)) values[i] = 0;
        else values[i] = best[i] ? 1.0 / winners : ZERO_SUM ? -1.0 / others : 0;
    }}
}}
/* an option that was not taken yet, any of them; else the one with the highest bound */
static int promising(S *s, const Tree *t, const Node *node, int options) {{
    const Node *children = t->pool + node->first;
    int fresh = 0;
    for (int i = 0; i < options; i++) fresh += !children[i].visits;
    if (fresh) {{
        V nth = choice(s, fresh);
        for (int i = 0;; i++) if (!children[i].visits && !nth--) return i;
    }}
    double logarithm = log((double)node->visits), scale = t->high > t->low ? 1 / (t->high - t->low) : 1, best = 0;
    int found = 0;
    for (int i = 0; i < options; i++) {{
        double visits = (double)children[i].visits, value = (children[i].value / visits - t->low) * scale;
        double bound = value + t->c * sqrt(logarithm / visits);
        if (!i || bound > best) best = bound, found = i;
    }}
    return found;
}}
/* down the tree, which grows by the options of one node, where there is room for them */
static void descend(S *s, Tree *t) {{
    int64_t at = 0;
    t->depth = 0;
    while (!s->over && t->depth < MOST_DEPTH) {{
        Node *node = t->pool + at;
        if (!node->first) {{
            if ((at && !node->visits) || t->used + s->offers > t->room) return;
            node->first = (int32_t)t->used, node->options = s->offers;
            memset(t->pool + t->used, 0, (size_t)s->offers * sizeof(Node));
            t->used += s->offers;
        }}
        int option = promising(s, t, node, s->offers < node->options ? s->offers : node->options);
        at = node->first + option;
        t->path[t->depth] = (int32_t)at, t->seats[t->depth++] = s->seat;
        answer(s, option);
    }}
}}
static void roll_out(S *s) {{
    while (!s->over) answer(s, choice(s, s->offers));
}}
static void back_up(Tree *t, const double *values) {{
    for (int i = 0; i < SEATS; i++) {{
        if (values[i] < t->low) t->low = values[i];
        if (values[i] > t->high) t->high = values[i];
    }}
    t->pool[0].visits++;
    for (int i = 0; i < t->depth; i++) {{
        Node *node = t->pool + t->path[i];
        node->visits++;
        node->value += values[t->seats[i]];
    }}
}}
static void simulate(S *s, Tree *t, const void *root, uint64_t seed) {{
    double values[SEATS];
    load(s, root);
    rechance(s, seed);
    s->choices = stream(seed, {stream_name(CHOICES)}ull);
    descend(s, t);
    roll_out(s);
    worth(s, values);
    back_up(t, values);
}}
int64_t node_size(void) {{ return (int64_t)sizeof(Node); }}
/* So many simulations, from the roots in turn. Visits and values (added up) of each option of the root are written, as
   far as there is room for them. What is given: how many simulations went well; the others found something wrong. */
int64_t search(
    S *s, const void *const *roots, int64_t count, int64_t simulations, double c, uint64_t seed,
    void *pool, int64_t room, int64_t *visits, double *values, int64_t options
) {{
    Tree t = {{.pool = pool, .used = 1, .room = room, .c = c, .low = __builtin_inf(), .high = -__builtin_inf()}};
    volatile int64_t well = 0;
    memset(t.pool, 0, sizeof(Node));
    for (volatile int64_t k = 0; k < simulations; k++) {{
        if (setjmp(s->back)) continue;
        simulate(s, &t, roots[k % count], stream(seed + (uint64_t)k, {stream_name(SIMULATIONS)}ull));
        well++;
    }}
    for (int64_t i = 0; i < options; i++) {{
        int there = t.pool[0].first && i < t.pool[0].options;
        visits[i] = there ? t.pool[t.pool[0].first + i].visits : 0;
        values[i] = there ? t.pool[t.pool[0].first + i].value : 0;
    }}
    return well;
}}
"""
