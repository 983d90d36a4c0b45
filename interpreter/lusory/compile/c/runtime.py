"""What printed C stands on: the types, and the functions that every game may call.

``TYPES`` stands before the struct of the game, ``FUNCTIONS`` behind it. A number is a ``V`` and holds ``NONE`` where it
is none; an item of a list is an ``I`` of half that width; a mask of spaces is an ``M``. Lists lie on an arena of the
context, from which what a pass of a loop made is taken back. Whatever goes wrong calls ``fault``: the game is left, and
Python plays it again to say it in words.
"""

from __future__ import annotations

from lusory_dsl.language.types import LIST_LIMIT

from ...table.chance import FACTOR, SPREAD, STEP

ROOM = 1 << 20
"""Items that the lists of one game can have in all, at one time."""

TOLD, MADE = 512, 1 << 16
"""Numbers that the texts in the row of a game can have in all; and all that are put together in it."""

TYPES = """\
#include <setjmp.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

typedef int64_t V;
typedef int32_t I;
typedef __int128 W;
typedef struct { int n; const I *v; } L;
#define NONE INT64_MIN
#define NO_ITEM INT32_MIN
#define NIL ((L){0, 0})
#define RARE(x) __builtin_expect(!!(x), 0)
#define USUAL static inline
#define SELDOM static
"""

FUNCTIONS = f"""\
__attribute__((noreturn, noinline, cold)) static void fault(S *s) {{ longjmp(s->back, 1); }}

/* numbers */
USUAL V known(S *s, V x) {{ if (RARE(x == NONE)) fault(s); return x; }}
USUAL V fits(S *s, W x) {{ if (RARE(x <= (W)INT64_MIN || x > (W)INT64_MAX)) fault(s); return (V)x; }}
USUAL V in_range(S *s, V x, V low, V end) {{ if (RARE(x < low || x >= end)) fault(s); return x; }}
USUAL uint64_t ix(S *s, V i, uint64_t size) {{ if (RARE((uint64_t)i >= size)) fault(s); return (uint64_t)i; }}
USUAL V div_(S *s, V a, V b) {{
    if (RARE(b == 0)) fault(s);
    if (b == -1) return fits(s, -(W)a);
    return a / b - (a % b != 0 && (a < 0) != (b < 0));
}}
USUAL V mod_(S *s, V a, V b) {{
    if (RARE(b == 0)) fault(s);
    if (b == -1) return 0;
    V r = a % b;
    return r != 0 && (r < 0) != (b < 0) ? r + b : r;
}}
USUAL V larger(V a, V b) {{ return a > b ? a : b; }}
USUAL V smaller(V a, V b) {{ return a < b ? a : b; }}
USUAL V absolute(V a) {{ return a < 0 ? -a : a; }}

/* cells: the smallest number of the width stands for none */
USUAL V of8(int8_t x) {{ return x == INT8_MIN ? NONE : x; }}
USUAL V of16(int16_t x) {{ return x == INT16_MIN ? NONE : x; }}
USUAL V of32(int32_t x) {{ return x == INT32_MIN ? NONE : x; }}
USUAL int8_t to8(S *s, V x) {{ if (RARE(x != (int8_t)x)) fault(s); return (int8_t)x; }}
USUAL int16_t to16(S *s, V x) {{ if (RARE(x != (int16_t)x)) fault(s); return (int16_t)x; }}
USUAL int32_t to32(S *s, V x) {{ if (RARE(x != (int32_t)x)) fault(s); return (int32_t)x; }}
USUAL int8_t any8(S *s, V x) {{ return x == NONE ? INT8_MIN : to8(s, x); }}
USUAL int16_t any16(S *s, V x) {{ return x == NONE ? INT16_MIN : to16(s, x); }}
USUAL int32_t any32(S *s, V x) {{ return x == NONE ? INT32_MIN : to32(s, x); }}

/* chance */
USUAL uint64_t stream(uint64_t seed, uint64_t name) {{
    uint64_t z = seed * {FACTOR}ull + name;
    z = (z ^ z >> 30) * {SPREAD[0]}ull;
    z = (z ^ z >> 27) * {SPREAD[1]}ull;
    return z ^ z >> 31;
}}
USUAL V draw(uint64_t *cell, V n) {{
    if (n < 2) return 0;
    for (;;) {{
        *cell = *cell * {FACTOR}ull + {STEP}ull;
        uint64_t product = (*cell >> 32) * (uint64_t)n;
        uint32_t low = (uint32_t)product;
        if (low >= n || low >= (uint32_t)((0x100000000ull - (uint64_t)n) % (uint64_t)n)) return (V)(product >> 32);
    }}
}}
USUAL V choice(S *s, V n) {{
    s->choices = s->choices * {FACTOR}ull + {STEP}ull;
    return (V)((s->choices >> 32) * (uint64_t)n >> 32);
}}

/* work that is counted */
USUAL void visit(S *s, V n) {{ s->visits -= n > 0 ? n : 0; if (RARE(s->visits < 0)) fault(s); }}

/* lists */
USUAL I *room(S *s, V n) {{
    I *found = s->top;
    if (RARE(n > s->items + {ROOM} - found)) fault(s);
    s->top += n > 0 ? n : 0;
    return found;
}}
USUAL V *keys(S *s, V n) {{
    s->top += ((uintptr_t)s->top & 7) != 0;
    return (V *)room(s, 2 * n);
}}
USUAL I item(S *s, V x) {{
    if (x == NONE) return NO_ITEM;
    if (RARE(x <= INT32_MIN || x > INT32_MAX)) fault(s);
    return (I)x;
}}
USUAL V of_item(I x) {{ return x == NO_ITEM ? NONE : x; }}
USUAL V span(S *s, V low, V high) {{
    if (RARE((W)high - low >= {LIST_LIMIT})) fault(s);
    return high < low ? 0 : high - low + 1;
}}
USUAL V at(S *s, L l, V i) {{ return of_item(l.v[ix(s, i, (uint64_t)l.n)]); }}
USUAL V front(S *s, L l) {{ if (RARE(!l.n)) fault(s); return of_item(l.v[0]); }}
USUAL V back(S *s, L l) {{ if (RARE(!l.n)) fault(s); return of_item(l.v[l.n - 1]); }}
USUAL V sum(L l) {{ V n = 0; for (int i = 0; i < l.n; i++) n += l.v[i]; return n; }}
USUAL V find(L l, V x) {{ for (int i = 0; i < l.n; i++) if (of_item(l.v[i]) == x) return i; return -1; }}
USUAL V has(L l, V x) {{ return find(l, x) >= 0; }}
USUAL V occurrences(L l, V x) {{ V n = 0; for (int i = 0; i < l.n; i++) n += of_item(l.v[i]) == x; return n; }}
USUAL V same(L a, L b) {{
    if (a.n != b.n) return 0;
    for (int i = 0; i < a.n; i++) if (a.v[i] != b.v[i]) return 0;
    return 1;
}}
USUAL V greatest(L l) {{ V n = l.n ? l.v[0] : 0; for (int i = 1; i < l.n; i++) n = larger(n, l.v[i]); return n; }}
USUAL V least(L l) {{ V n = l.n ? l.v[0] : 0; for (int i = 1; i < l.n; i++) n = smaller(n, l.v[i]); return n; }}
SELDOM L kept(S *s, int n, const I *v) {{
    I *b = room(s, n);
    for (int i = 0; i < n; i++) b[i] = v[i];
    return (L){{n, b}};
}}
SELDOM void keep(S *s, int *n, I *v, uint64_t most, L l) {{
    if (RARE((uint64_t)l.n > most)) fault(s);
    *n = l.n;
    if (l.n) memmove(v, l.v, (size_t)l.n * sizeof(I));
}}
SELDOM L listed(S *s, L l) {{ if (RARE(l.n > {LIST_LIMIT})) fault(s); return l; }}
SELDOM L alone(S *s, V x) {{ if (x == NONE) return NIL; I *b = room(s, 1); b[0] = item(s, x); return (L){{1, b}}; }}
SELDOM L extended(S *s, L l, V x) {{
    I *b = room(s, l.n + 1);
    for (int i = 0; i < l.n; i++) b[i] = l.v[i];
    b[l.n] = item(s, x);
    return (L){{l.n + 1, b}};
}}
SELDOM L stop_first(S *s, L l) {{
    I *b = room(s, l.n + 1);
    b[0] = -1;
    for (int i = 0; i < l.n; i++) b[i + 1] = l.v[i];
    return (L){{l.n + 1, b}};
}}
SELDOM L joined(S *s, L a, L c) {{
    I *b = room(s, (V)a.n + c.n);
    for (int i = 0; i < a.n; i++) b[i] = a.v[i];
    for (int i = 0; i < c.n; i++) b[a.n + i] = c.v[i];
    return (L){{a.n + c.n, b}};
}}
SELDOM L reversed(S *s, L l) {{
    I *b = room(s, l.n);
    for (int i = 0; i < l.n; i++) b[i] = l.v[l.n - 1 - i];
    return (L){{l.n, b}};
}}
SELDOM L unique(S *s, L l) {{
    I *b = room(s, l.n);
    int n = 0;
    for (int i = 0; i < l.n; i++) if (!has((L){{n, b}}, of_item(l.v[i]))) b[n++] = l.v[i];
    return (L){{n, b}};
}}
SELDOM L without_first(S *s, L l, V x) {{
    V gone = find(l, x);
    if (gone < 0) return l;
    I *b = room(s, l.n - 1);
    for (int i = 0, n = 0; i < l.n; i++) if (i != gone) b[n++] = l.v[i];
    return (L){{l.n - 1, b}};
}}
SELDOM L set_union(S *s, L a, L c) {{
    if (!a.n || !c.n) return a.n ? a : c;
    I *b = room(s, (V)a.n + c.n);
    int n = a.n;
    for (int i = 0; i < a.n; i++) b[i] = a.v[i];
    for (int i = 0; i < c.n; i++) if (!has(a, of_item(c.v[i]))) b[n++] = c.v[i];
    return (L){{n, b}};
}}
SELDOM L set_except(S *s, L a, L c) {{
    I *b = room(s, a.n);
    int n = 0;
    for (int i = 0; i < a.n; i++) if (!has(c, of_item(a.v[i]))) b[n++] = a.v[i];
    return (L){{n, b}};
}}
SELDOM L set_intersect(S *s, L a, L c) {{
    I *b = room(s, a.n);
    int n = 0;
    for (int i = 0; i < a.n; i++) if (has(c, of_item(a.v[i]))) b[n++] = a.v[i];
    return (L){{n, b}};
}}
SELDOM L span_of(S *s, V low, V high) {{
    V n = span(s, low, high);
    I *b = room(s, n);
    for (V i = 0; i < n; i++) b[i] = item(s, low + i);
    return (L){{(int)n, b}};
}}
SELDOM L items_at(S *s, L l, L places) {{
    I *b = room(s, places.n);
    for (int i = 0; i < places.n; i++) b[i] = l.v[ix(s, places.v[i], (uint64_t)l.n)];
    return (L){{places.n, b}};
}}
SELDOM L picks_left(S *s, L source, L picked, V low, V ordered) {{
    I *b = room(s, source.n);
    int n = 0;
    if (ordered) {{
        for (int i = 0; i < source.n; i++) if (!has(picked, i)) b[n++] = i;
    }} else {{
        for (int i = picked.n ? picked.v[picked.n - 1] + 1 : 0; i < source.n; i++)
            if (picked.n + source.n - i >= low) b[n++] = i;
    }}
    return (L){{n, b}};
}}
SELDOM L take(L l, V n) {{ return (L){{(int)(n < 0 ? 0 : n < l.n ? n : l.n), l.v}}; }}
SELDOM L drop(L l, V n) {{ int k = (int)(n < 0 ? 0 : n < l.n ? n : l.n); return (L){{l.n - k, l.v + k}}; }}
SELDOM V place_of(S *s, L l, V x) {{ V i = find(l, x); if (RARE(i < 0)) fault(s); return i; }}
SELDOM V step_in(S *s, L l, V x, V n) {{
    V i = place_of(s, l, x);
    return of_item(l.v[mod_(s, fits(s, (W)i + n), l.n)]);
}}
SELDOM V cycled(S *s, L l, V n) {{ return of_item(l.v[mod_(s, n, l.n)]); }}
SELDOM L neighbours(S *s, L l, V x) {{
    V i = place_of(s, l, x);
    I *b = room(s, 2);
    int n = 0;
    if (i > 0) b[n++] = l.v[i - 1];
    if (i + 1 < l.n) b[n++] = l.v[i + 1];
    return (L){{n, b}};
}}
SELDOM L cyclic(S *s, V players, V first, V direction) {{
    I *b = room(s, players);
    for (V i = 0; i < players; i++) b[i] = (I)mod_(s, first + direction * i, players);
    return (L){{(int)players, b}};
}}
SELDOM void arrange(I *b, int n) {{
    for (int gap = n > 64 ? n / 5 : 1; gap; gap = gap > 1 && gap < 5 ? 1 : gap / 5)
        for (int i = gap; i < n; i++) {{
            I x = b[i];
            int j = i;
            for (; j >= gap && b[j - gap] > x; j -= gap) b[j] = b[j - gap];
            b[j] = x;
        }}
}}
SELDOM L best_of(S *s, L l, const V *key, V sign) {{
    I *b = room(s, l.n);
    int n = 0;
    V best = 0;
    for (int i = 0; i < l.n; i++) if (!i || key[i] * sign > best * sign) best = key[i];
    for (int i = 0; i < l.n; i++) if (key[i] == best) b[n++] = l.v[i];
    return (L){{n, b}};
}}
SELDOM L distinct_of(S *s, L l, const V *key) {{
    I *b = room(s, l.n);
    int n = 0;
    for (int i = 0; i < l.n; i++) {{
        int j = 0;
        while (key[j] != key[i]) j++;
        if (j == i) b[n++] = l.v[i];
    }}
    return (L){{n, b}};
}}
SELDOM L sorted_of(S *s, L l, V *key) {{
    I *b = room(s, l.n);
    for (int i = 0; i < l.n; i++) {{
        V k = key[i];
        int j = i;
        for (; j > 0 && key[j - 1] > k; j--) key[j] = key[j - 1], b[j] = b[j - 1];
        key[j] = k, b[j] = l.v[i];
    }}
    return (L){{l.n, b}};
}}
"""

WORDS = """\
/* texts: those below KNOWN are known, those below TEXTS came with a state from elsewhere; others begin at a place
   among the words, with the number of what they are made of, how long they are at the most, how many words they take,
   and then those */
enum { SHOWN_NUMBER = 1, SHOWN_LIST, SHOWN_TEXT, SHOWN_LINES };
USUAL V length_of(S *s, V text) {
    return text < KNOWN ? LONGEST : text < TEXTS ? MOST_TEXT : s->words[text - TEXTS + 1];
}
SELDOM void word(S *s, V x) {
    if (RARE(s->made >= WORDS)) fault(s);
    s->words[s->made++] = x;
}
SELDOM void words(S *s, L l) {
    word(s, l.n);
    for (int i = 0; i < l.n; i++) word(s, of_item(l.v[i]));
}
SELDOM V said(S *s, V site, V length, V size) {
    V at = s->made;
    word(s, site);
    word(s, length);
    word(s, size);
    return TEXTS + at;
}
SELDOM V lines_length(S *s, L l) {
    V n = l.n;
    for (int i = 0; i < l.n; i++) n += length_of(s, l.v[i]);
    return n;
}
/* Two texts of one form are the same where their words are; others only where that form can't be read in two ways. */
SELDOM V same_text(S *s, V a, V b) {
    if (a == b || (a < TEXTS && b < TEXTS)) return a == b;
    if (a < TEXTS || b < TEXTS) {
        if (a == NONE || b == NONE) return 0;
        fault(s);
    }
    const V *one = s->words + (a - TEXTS), *other = s->words + (b - TEXTS);
    if (one[0] != other[0]) fault(s);
    if (one[2] == other[2] && !memcmp(one + 3, other + 3, (size_t)(one[2] - 3) * sizeof(V))) return 1;
    if (!EXACT[one[0]]) fault(s);
    for (int i = 3, j = 3, k = 0; SITES[one[0]][k]; k++) {
        int is_list = SITES[one[0]][k] == SHOWN_LIST;
        if (SITES[one[0]][k] == SHOWN_TEXT && (one[i] >= TEXTS || other[j] >= TEXTS)) fault(s);
        i += 1 + (is_list ? (int)one[i] : 0), j += 1 + (is_list ? (int)other[j] : 0);
    }
    return 0;
}
SELDOM V has_text(S *s, L l, V text) {
    V found = 0;
    for (int i = 0; i < l.n; i++) found |= same_text(s, of_item(l.v[i]), text);
    return found;
}
USUAL V plain(S *s, V text) { if (RARE(text >= TEXTS)) fault(s); return text; }
SELDOM L all_plain(S *s, L l) {
    for (int i = 0; i < l.n; i++) plain(s, l.v[i]);
    return l;
}
/* a text goes into the row, with those in it */
SELDOM V told(S *s, V text) {
    if (text < TEXTS) return text;
    const V *words = s->words + (text - TEXTS);
    V at = s->told, size = words[2];
    if (RARE(at + size > TOLD)) fault(s);
    s->told += size;
    V *to = s->row + ROW + at;
    memcpy(to, words, (size_t)size * sizeof(V));
    for (int i = 3, k = 0; SITES[words[0]][k]; k++) {
        int kind = SITES[words[0]][k], many = kind == SHOWN_LIST || kind == SHOWN_LINES ? (int)to[i] : 0;
        if (kind == SHOWN_TEXT) to[i] = told(s, to[i]);
        if (kind == SHOWN_LINES) for (int j = 1; j <= many; j++) to[i + j] = told(s, to[i + j]);
        i += 1 + many;
    }
    return TEXTS + at;
}

/* masks of a variable by value, the last for none; mappings of numbers, in which none leads to none */
USUAL int mark_at(S *s, V value, int most) { return value == NONE ? most - 1 : (int)ix(s, value, (uint64_t)most); }
USUAL V mapped(S *s, const I *to, V size, V x) { return x == NONE ? NONE : of_item(to[ix(s, x, (uint64_t)size)]); }
"""

ONE_WORD = """\
USUAL V lowest(M x) { return __builtin_ctzll(x); }
USUAL V ones(M x) { return __builtin_popcountll(x); }
"""

TWO_WORDS = """\
USUAL V lowest(M x) {
    return (uint64_t)x ? __builtin_ctzll((uint64_t)x) : 64 + __builtin_ctzll((uint64_t)(x >> 64));
}
USUAL V ones(M x) { return __builtin_popcountll((uint64_t)x) + __builtin_popcountll((uint64_t)(x >> 64)); }
"""

MASKS = """\
/* masks of spaces */
USUAL M without_lowest(M x) { return x & (x - 1); }
USUAL V first_space(S *s, M x) { if (RARE(!x)) fault(s); return lowest(x); }
USUAL M bit(V x) { return (M)1 << (x & (8 * (V)sizeof(M) - 1)); }
SELDOM M mask_of(S *s, L l) {
    M found = 0;
    for (int i = 0; i < l.n; i++) found |= (M)1 << ix(s, l.v[i], 8 * sizeof(M));
    return found;
}
SELDOM M spread(M part, M among, const M *touching) {
    M left = among & ~part, found = part, front = part;
    while (front) {
        V at = lowest(front);
        M new = touching[at] & left;
        left ^= new;
        found |= new;
        front ^= (M)1 << at | new;
    }
    return found;
}
SELDOM V parts_of(M among, const M *touching) {
    V parts = 0;
    for (; among; parts++) among &= ~spread(among & -among, among, touching);
    return parts;
}
SELDOM L group_among(S *s, M start, L among, const M *touching) {
    M mask = mask_of(s, among), found = spread(start & mask, mask, touching);
    I *b = room(s, among.n);
    int n = 0;
    for (int i = 0; i < among.n; i++) if (found >> among.v[i] & 1) b[n++] = among.v[i];
    return (L){n, b};
}
SELDOM L spaces_in(S *s, L spaces, M mask) {
    I *b = room(s, spaces.n);
    int n = 0;
    for (; mask; mask = without_lowest(mask)) b[n++] = (I)lowest(mask);
    return (L){n, b};
}
SELDOM L leading_in(S *s, L spaces, M mask) {
    int n = 0;
    while (n < spaces.n && mask >> ix(s, spaces.v[n], 8 * sizeof(M)) & 1) n++;
    return (L){n, spaces.v};
}
SELDOM L lowest_of_each(S *s, M mask, const M *groups, int count) {
    I *b = room(s, count);
    int n = 0;
    for (int i = 0; i < count; i++) if (mask & groups[i]) b[n++] = (I)lowest(mask & groups[i]);
    arrange(b, n);
    return (L){n, b};
}
"""

CARDS = """\
/* a zone is a chain through its components: head, tail, how many; next, prev by component */
enum { BOTTOM, TOP, SORTED };
USUAL V where(S *s, V c) { int z = s->lies[ix(s, c, COMPONENTS)]; return z < 0 ? NONE : z; }
USUAL V lies_in(S *s, V z, V c) { return (uint64_t)c < COMPONENTS && s->lies[c] == z; }
USUAL V first_in(S *s, V z) { if (RARE(!s->count[z])) fault(s); return s->head[z]; }
USUAL V last_in(S *s, V z) { if (RARE(!s->count[z])) fault(s); return s->tail[z]; }
SELDOM L lying(S *s, V z) {
    I *b = room(s, s->count[z]);
    int n = 0;
    for (int c = s->head[z]; c >= 0; c = s->next[c]) b[n++] = c;
    return (L){n, b};
}
SELDOM V nth_in(S *s, V z, V i) {
    int c = s->head[z];
    if (RARE((uint64_t)i >= (uint64_t)s->count[z])) fault(s);
    while (i-- > 0) c = s->next[c];
    return c;
}
USUAL void lift(S *s, V c) {
    int z = s->lies[c], before = s->prev[c], after = s->next[c];
    if (z < 0) return;
    if (before >= 0) s->next[before] = (C)after; else s->head[z] = (C)after;
    if (after >= 0) s->prev[after] = (C)before; else s->tail[z] = (C)before;
    s->count[z]--;
    s->lies[c] = -1;
}
USUAL void put(S *s, V z, V c, int top) {
    int h = s->head[z], t = s->tail[z];
    s->prev[c] = (C)(top ? -1 : t);
    s->next[c] = (C)(top ? h : -1);
    if (top ? h >= 0 : t >= 0) *(top ? &s->prev[h] : &s->next[t]) = (C)c;
    if (top || t < 0) s->head[z] = (C)c;
    if (!top || h < 0) s->tail[z] = (C)c;
    s->count[z]++;
    s->lies[c] = (Z)z;
}
USUAL V take_end(S *s, V z, int first) {
    V c = first ? first_in(s, z) : last_in(s, z);
    lift(s, c);
    return c;
}
SELDOM void move_card(S *s, V c, V z) {
    ix(s, c, COMPONENTS);
    lift(s, c);
    put(s, z, c, 0);
}
SELDOM void arranged(S *s, V z, L l) {
    for (int i = 0; i < l.n; i++) {
        s->prev[l.v[i]] = (C)(i ? l.v[i - 1] : -1);
        s->next[l.v[i]] = (C)(i + 1 < l.n ? l.v[i + 1] : -1);
    }
    if (l.n) s->head[z] = (C)l.v[0], s->tail[z] = (C)l.v[l.n - 1];
}
SELDOM void move_cards(S *s, L l, V z, int to) {
    L cards = unique(s, l);
    for (int i = 0; i < cards.n; i++) {
        ix(s, cards.v[i], COMPONENTS);
        lift(s, cards.v[i]);
    }
    for (int i = 0; i < cards.n; i++) put(s, z, cards.v[to == TOP ? cards.n - 1 - i : i], to == TOP);
    if (to == SORTED && cards.n) {
        L all = lying(s, z);
        arrange((I *)all.v, all.n);
        arranged(s, z, all);
    }
}
SELDOM void shuffle(S *s, uint64_t *cell, V z) {
    L l = lying(s, z);
    I *b = (I *)l.v;
    for (int last = l.n - 1; last > 0; last--) {
        V k = draw(cell, last + 1);
        I x = b[last];
        b[last] = b[k], b[k] = x;
    }
    arranged(s, z, l);
}
"""

DRIVER = """\
/* so many games, each from its seed: a row of WIDTH numbers each, of which the first says whether it went wrong */
int64_t context_size(void) { return (int64_t)sizeof(S); }
static void game(S *s, uint64_t seed, int64_t *row) {
    start(s, seed, row);
    row[0] = 1;
    if (!setjmp(s->back)) {
        playout(s);
        row[0] = 0;
    }
}
void games(void *context, const uint64_t *seeds, int64_t count, int64_t *rows) {
    for (int64_t i = 0; i < count; i++) game(context, seeds[i], rows + i * WIDTH);
}
/* the same of seeds that follow each other, of which only decisions are counted */
int64_t decisions(void *context, uint64_t first, int64_t count, int64_t *row) {
    int64_t sum = 0;
    for (int64_t i = 0; i < count; i++) {
        game(context, first + (uint64_t)i, row);
        sum += ((S *)context)->decisions;
    }
    return sum;
}
"""
