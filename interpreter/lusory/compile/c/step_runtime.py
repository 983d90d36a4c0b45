"""What the C of stepwise play stands on, beside :mod:`lusory.compile.c.runtime`: lists that stay in the state, going on
from one decision to the next, and what others call.

A *context* (``S``) begins with a state; behind it lies what only the code needs that plays on. A state by itself is the
part in front, with the items of its lists as far as there are some, and the words of its texts: ``save`` and ``load``
copy it. One context serves one thread.
"""

from __future__ import annotations

LISTS = """\
/* lists that stay: each has a place among the items of the state, where there is room for another it is left */
enum { MANY_USED = 512 };
SELDOM L held(S *s, const Slot *k) {
    if (k->n <= 0) return NIL;
    I *b = room(s, k->n);
    const H *from = s->heap + k->at;
    for (int i = 0; i < k->n; i++) b[i] = from[i] == NO_H ? NO_ITEM : from[i];
    return (L){k->n, b};
}
SELDOM void tidy(S *s) {
    H *old = (H *)room(s, s->used);
    memcpy(old, s->heap, (size_t)s->used * sizeof(H));
    int used = 0;
    for (int i = 0; i < SLOTS; i++) {
        Slot *k = s->slots + i;
        if (k->n <= 0) continue;
        memcpy(s->heap + used, old + k->at, (size_t)k->n * sizeof(H));
        k->at = used;
        used += k->n;
    }
    s->used = used;
}
USUAL void trim(S *s) { if (s->used > MANY_USED) tidy(s); }
SELDOM void hold(S *s, Slot *k, L l) {
    if (l.n > k->n) {
        if (s->used + l.n > HEAP) k->n = 0, tidy(s);
        if (RARE(s->used + l.n > HEAP)) fault(s);
        k->at = s->used;
        s->used += l.n;
    }
    k->n = l.n;
    H *to = s->heap + k->at;
    for (int i = 0; i < l.n; i++) {
        I x = l.v[i];
        if (RARE(x != NO_ITEM && (x != (H)x || (H)x == NO_H))) fault(s);
        to[i] = x == NO_ITEM ? NO_H : (H)x;
    }
}
"""

ROWS = """\
/* options as rows: alternative and values */
SELDOM void named_rows(S *s, L numbers) {
    if (RARE(numbers.n >= MOST_OPTIONS)) fault(s);
    for (int i = 0; i < numbers.n; i++) s->option[i][0] = numbers.v[i];
    s->options = numbers.n;
}
SELDOM void pick_rows(S *s, L source, L places) {
    if (RARE(places.n >= MOST_OPTIONS)) fault(s);
    for (int i = 0; i < places.n; i++) {
        s->option[i][0] = 0;
        s->option[i][OPTION > 1] = at(s, source, places.v[i]);
    }
    s->options = places.n;
}
SELDOM void stop_row(S *s) {
    if (RARE(s->options >= MOST_OPTIONS - 1)) fault(s);
    memmove(s->option[1], s->option[0], (size_t)s->options * sizeof(s->option[0]));
    s->option[0][0] = 1;
    s->options++;
}
"""

TEXTS_STAY = """\
/* texts that stay: the words of all others are given back where there are many */
enum { FEW_WORDS = 64 };
SELDOM V moved(S *s, V text, V *to, int *n) {
    if (text < TEXTS) return text;
    const V *words = s->words + (text - TEXTS);
    int at = *n, size = (int)words[2];
    if (RARE(at + size > WORDS)) fault(s);
    memcpy(to + at, words, (size_t)size * sizeof(V));
    *n += size;
    for (int i = at + 3, k = 0; SITES[words[0]][k]; k++) {
        int kind = SITES[words[0]][k], many = kind == SHOWN_LIST || kind == SHOWN_LINES ? (int)to[i] : 0;
        if (kind == SHOWN_TEXT) to[i] = moved(s, to[i], to, n);
        if (kind == SHOWN_LINES) for (int j = 1; j <= many; j++) to[i + j] = moved(s, to[i + j], to, n);
        i += 1 + many;
    }
    return TEXTS + at;
}
static void gather(S *s) {
    int n = 0;
    V *to = keys(s, WORDS);
    ROOTS
    memcpy(s->words, to, (size_t)n * sizeof(V));
    s->made = n;
    s->many_words = 2 * n + FEW_WORDS;
    s->fresh = 0; /* what is asked may be texts */
}
"""

STEPS = """\
/* the next decision, or the end of the game */
static void renew(S *s) {
    V until = s->work + MOST_DECISION;
    s->until = until < MOST_GAME ? until : MOST_GAME;
    s->visits = MOST_VISITS;
    s->fresh = 0;
}
static void go(S *s, int at) {
    while (at >= 0) at = block(s, at);
    if (s->over) s->offers = 0;
    AFTER
}
static void open_game(S *s, uint64_t seed, V *row) {
    start(s, seed, row);
    renew(s);
    go(s, 0);
}
static void answer(S *s, V option) {
    if (!s->fresh) {
        s->visits = MOST_VISITS;
        s->top = s->items;
        ask(s);
    }
    renew(s);
    s->decisions++;
    go(s, resume(s, option));
}
static void playout(S *s) {
    renew(s);
    go(s, 0);
    while (!s->over) answer(s, choice(s, s->offers));
    s->top = s->items;
    outcome(s);
}
"""

FACE = """\
/* What others call. A function that gives an int gives 0 where all went well, 1 where something is wrong with the
   game or C was short of room: the context holds no state then. */
int64_t state_most(void) { return (int64_t)(offsetof(S, words) + sizeof(((S *)0)->words)); }
static size_t fixed(const S *s) { return offsetof(S, heap) + (size_t)s->used * sizeof(H); }
/* bytes of the state in a context */
int64_t state_size(const S *s) { return (int64_t)(fixed(s) + (size_t)s->made * sizeof(V)); }
void save(const S *s, void *to) {
    memcpy(to, s, fixed(s));
    if (s->made) memcpy((char *)to + fixed(s), s->words, (size_t)s->made * sizeof(V));
}
void load(S *s, const void *from) {
    memcpy(s, from, offsetof(S, heap));
    memcpy(s->heap, (const char *)from + offsetof(S, heap), (size_t)s->used * sizeof(H));
    if (s->made) memcpy(s->words, (const char *)from + fixed(s), (size_t)s->made * sizeof(V));
    s->fresh = 0;
}
int begin(S *s, uint64_t seed) {
    if (setjmp(s->back)) return 1;
    open_game(s, seed, 0);
    return 0;
}
/* 2: there is no such option */
int apply(S *s, int64_t option) {
    if (s->over || option < 0 || option >= s->offers) return 2;
    if (setjmp(s->back)) return 1;
    answer(s, option);
    return 0;
}
/* the seat that decides, among how many options, and the number of the choice; -1 thrice: the game is over */
void decision(const S *s, int64_t *found) {
    found[0] = s->over ? -1 : s->seat;
    found[1] = s->over ? -1 : s->offers;
    found[2] = s->over ? -1 : s->waits;
}
/* a game that is over, as a row of WIDTH numbers */
int ended(S *s, int64_t *row) {
    row[0] = 1;
    s->row = row;
    s->told = 0;
    s->top = s->items;
    s->visits = MOST_VISITS;
    if (setjmp(s->back)) return 1;
    outcome(s);
    row[0] = 0;
    return 0;
}
/* what chance will do is drawn anew */
void rechance(S *s, uint64_t seed) {
    RECHANCE
}
"""

NUMBERS = """\
/* a state as numbers */
USUAL void tell_list(const S *s, const Slot *k, V *to, int64_t *n) {
    if (to) to[*n] = k->n;
    ++*n;
    for (int i = 0; i < k->n; i++, ++*n) if (to) to[*n] = s->heap[k->at + i] == NO_H ? NONE : s->heap[k->at + i];
}
USUAL void tell(V *to, int64_t *n, V x) {
    if (to) to[*n] = x;
    ++*n;
}
USUAL V next(S *s, const V **from, const V *end) {
    if (RARE(*from >= end)) fault(s);
    return *(*from)++;
}
USUAL void read_list(S *s, Slot *k, const V **from, const V *end) {
    V n = next(s, from, end);
    *k = (Slot){s->used, (int)n};
    if (n <= 0) return;
    if (RARE(n > HEAP - s->used || n > end - *from)) fault(s);
    s->used += (int)n;
    for (V i = 0; i < n; i++) {
        V x = *(*from)++;
        if (RARE(x != NONE && (x != (H)x || (H)x == NO_H))) fault(s);
        s->heap[k->at + i] = x == NONE ? NO_H : (H)x;
    }
}
"""

ALIKE = """\
/* as numbers: of the parts up to this one, how many there are; written where `to` is something. Parts are what lies on
   the table and which choice waits; where the game is in its phases, with the locals; chance, work and words. */
int64_t write_out(S *s, V *to, int parts) {
    int64_t n = 0;
    on_table(s, to, &n);
    if (parts > 1) under_way(s, to, &n);
    if (parts > 2) with_chance(s, to, &n);
    return n;
}
/* 0: the context holds the state that was written out whole; `from` was read as far as its length */
int read_in(S *s, const V *from, int64_t length) {
    const V *end = from + length;
    if (setjmp(s->back)) return 1;
    read(s, from, end);
    return 0;
}
/* words of texts that stay lie in the order of their places from here on: the same texts have the same numbers */
int settle(S *s) {
    if (setjmp(s->back)) return 1;
    s->top = s->items;
    SETTLE
    return 0;
}
uint64_t hash(S *s) {
    if (settle(s)) return 0;
    s->top = s->items;
    int64_t n = write_out(s, 0, 1);
    if (setjmp(s->back)) return 0;
    V *numbers = keys(s, n);
    write_out(s, numbers, 1);
    uint64_t found = 0;
    for (int64_t i = 0; i < n; i++) found = (found ^ (uint64_t)numbers[i]) * FACTOR, found ^= found >> 29;
    return found;
}
/* whether two contexts hold the same, but for chance and the work done */
int equal(S *s, S *other) {
    if (settle(s) || settle(other)) return 0;
    int64_t n = write_out(s, 0, 2);
    if (n != write_out(other, 0, 2)) return 0;
    s->top = s->items, other->top = other->items;
    if (setjmp(s->back) || setjmp(other->back)) return 0;
    V *one = keys(s, n), *two = keys(other, n);
    write_out(s, one, 2), write_out(other, two, 2);
    return !memcmp(one, two, (size_t)n * sizeof(V));
}
"""
