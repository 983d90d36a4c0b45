"""The tree of a search in C: what options are called, which is tried, and down from one to the next. It stands between
what simulations share and what searches are asked for by (:mod:`lusory.compile.c.search_runtime`)."""

from __future__ import annotations

LN2 = 0.6931471805599453

TREE = f"""\
/* down the tree, and one option further */
USUAL double logarithm(int64_t n) {{
    int power = 63 - __builtin_clzll((uint64_t)n);
    return {LN2!r} * ((double)(power - 1) + (double)n / (double)(1ull << power));
}}
/* what leads on from each option that was tried: how many those are */
static int64_t find_edges(S *s, Search *t, int32_t at) {{
    int64_t tried = 0;
    t->where = LISTING;
    if (t->plan.certain) {{
        Node *node = t->node + at;
        if (node->first < 0) {{
            t->slot = grown(s, t, t->slot, 2, t->slots + s->offers, sizeof(int32_t));
            memset(t->slot + t->slots, -1, (size_t)s->offers * sizeof(int32_t));
            node->first = (int32_t)t->slots, node->options = s->offers;
            t->slots += s->offers;
        }}
        memcpy(t->there, t->slot + node->first, (size_t)s->offers * sizeof(int32_t));
        for (int i = 0; i < s->offers; i++) tried += t->there[i] >= 0;
        return tried;
    }}
    rows(s);
    for (int i = 0; i < s->offers; i++) tried += (t->there[i] = led(t, option_name(s, t, at, i))) >= 0;
    return tried;
}}
static V tried_best(S *s, Search *t) {{
    double low = t->low, width = t->high - t->low, best = -1.0;
    V found = -1;
    for (int i = 0; i < s->offers; i++) {{
        if (t->there[i] < 0) continue;
        Edge *edge = t->edge + t->there[i];
        edge->possible++;
        double visits = (double)(edge->visits ? edge->visits : 1);
        double value = width > 0 ? (edge->sum / visits - low) / width : 0.5;
        value += t->plan.explore * sqrt(logarithm(edge->possible) / visits);
        if (value > best) best = value, found = i;
    }}
    return found;
}}
/* an option that was not tried yet gets its place */
static V branch(S *s, Search *t, int32_t at, V option) {{
    int32_t edge = new_edge(s, t);
    if (t->plan.certain) t->slot[t->node[at].first + option] = edge;
    else lead(s, t, option_name(s, t, at, (int)option), edge);
    t->there[option] = edge;
    return option;
}}
/* the option that did best wherever it was taken, in proportion to its weight; of equals the next one behind where
   chance points */
static V promising(S *s, Search *t) {{
    double low = t->low, width = t->high - t->low, best = -1.0;
    V first = drawn(t, s->offers), found = -1;
    for (V k = 0; k < s->offers; k++) {{
        V option = (first + k) % s->offers;
        int size;
        int32_t at = past_of(s, t, option, &size);
        Past past = at < 0 ? (Past){{0, 0.0}} : t->past[at];
        double visits = (double)past.visits, mean = width > 0 ? (past.sum - low * visits) / width : 0.5 * visits;
        double value = (double)t->weight[option] * ((mean + 0.5) / (visits + 1));
        if (value > best) best = value, found = option;
    }}
    return found;
}}
/* an option that was not tried yet, by how they did or as chance decides; -1: there is none that is ever taken */
static V untried(S *s, Search *t, int32_t at) {{
    onward(t);
    if (t->plan.certain && (t->plan.gathers || (t->plan.weighs && t->choices[s->waits].weighs))) rows(s);
    V sum = weights(s, t);
    for (int i = 0; i < s->offers; i++) if (t->there[i] >= 0) sum -= t->weight[i], t->weight[i] = 0;
    return sum ? branch(s, t, at, t->plan.gathers ? promising(s, t) : picked(t, sum)) : -1;
}}
/* the option to try on this visit */
static V choose(S *s, Search *t, int32_t at, int64_t visits) {{
    int64_t tried = find_edges(s, t, at);
    V option = tried_best(s, t), new = -1;
    int64_t most = t->plan.gathers ? visits : 4 * visits;
    if (tried < s->offers && (tried < t->plan.few || tried * tried < most)) new = untried(s, t, at);
    return new >= 0 ? new : option;
}}
/* the option to try of the decision that is searched, in the simulation whose number is how often it was before, or how
   many were made */
static V root_option(S *s, Search *t) {{
    int32_t at = t->plan.trees > 1 ? (int32_t)t->plan.seat : 0;
    set_up(s, t, t->made);
    V option = choose(s, t, at, t->node[at].visits + 1);
    set_up(s, t, t->plan.gathers ? t->made : t->edge[t->there[option]].visits);
    return option;
}}
/* from an option of the decision that is searched */
static void descend(S *s, Search *t, V first) {{
    int several = t->plan.trees > 1, is_new = 0;
    for (int i = 0; i < SEATS; i++) t->at[i] = i < t->plan.trees ? i : 0;
    while (!s->over && !is_new) {{
        int own = several ? s->seat : 0;
        int32_t at = t->at[own];
        int64_t visits = ++t->node[at].visits;
        V option = first;
        if (t->depth) {{
            option = choose(s, t, at, visits);
        }} else {{
            find_edges(s, t, at);
            if (t->there[option] < 0) branch(s, t, at, option);
        }}
        int32_t edge = t->there[option];
        is_new = !t->edge[edge].visits;
        step(s, t, edge, option);
        t->at[own] = t->edge[edge].node;
        if (several) tell_others(s, t, option);
        t->where = ALONG;
        if (t->plan.gathers) remember(s, t, option);
        decide(s, option);
    }}
}}
"""

NAMES = """\
/* a value by which an option is known: a text that was put together in play has no number that lasts */
USUAL V lasting(S *s, const Alternative *a, int k, V value) {
    if (RARE(a->texts >> k & 1) && value >= KNOWN) fault(s);
    return value;
}
/* what an option of a node is called for who decides, from its row: so many numbers */
static int option_name(S *s, Search *t, int64_t at, int i) {
    const Choice *c = t->choices + s->waits;
    const V *row = s->option[i];
    t->name[0] = at, t->name[1] = c->site;
    if (c->unseen) {
        t->name[2] = i;
        return 3;
    }
    const Alternative *a = t->alternatives + c->first + row[0];
    t->name[2] = row[0];
    for (int k = 0; k < a->values; k++) t->name[3 + k] = lasting(s, a, k, row[1 + k]);
    return 3 + (int)a->values;
}
/* everybody else goes on to what they see of an option */
static void tell_others(S *s, Search *t, V option) {
    const Choice *c = t->choices + s->waits;
    const V *row = s->option[option];
    const Alternative *a = t->alternatives + c->first + row[0];
    if (a->heard < 0) return;
    for (int i = 0; i < SEATS; i++) {
        if (i == s->seat) continue;
        t->name[0] = -1 - t->at[i], t->name[1] = s->seat, t->name[2] = c->site, t->name[3] = row[0];
        for (int k = 0; k < a->values; k++) t->name[4 + k] = a->heard >> k & 1 ? 0 : lasting(s, a, k, row[1 + k]);
        int size = 4 + (int)a->values;
        int32_t found = led(t, size);
        if (found < 0) lead(s, t, size, found = new_node(s, t));
        t->at[i] = found;
    }
}
"""
