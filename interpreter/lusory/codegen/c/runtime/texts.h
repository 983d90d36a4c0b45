#pragma once
#include "lists.h"

/* Texts that are composed in play.

   A text is a number. Numbers below KNOWN_TEXT_COUNT are constants of the rules; those from there up to
   FIRST_COMPOSED_TEXT were loaded with a state from Python. From FIRST_COMPOSED_TEXT on a number is an offset
   into `words`, where the text has: the number of its template, its maximum length, how many words it takes,
   then its values. */

enum { PART_NUMBER = 1, PART_LIST, PART_TEXT, PART_LINES };

/* Returns the maximum length of a text in characters. */
static inline Int text_max_length(State *state, Int text) {
    return text < KNOWN_TEXT_COUNT      ? MAX_KNOWN_TEXT_LENGTH
           : text < FIRST_COMPOSED_TEXT ? MAX_TEXT_LENGTH
                                        : state->words[text - FIRST_COMPOSED_TEXT + 1];
}

static void write_word(State *state, Int value) {
    if (UNLIKELY(state->word_count >= WORD_CAPACITY))
        fault(state);
    state->words[state->word_count++] = value;
}

static void write_list_words(State *state, List list) {
    write_word(state, list.length);
    for (int i = 0; i < list.length; i++)
        write_word(state, from_item(list.items[i]));
}

/* Writes the head of a text: its template, maximum length and size in words. The caller writes the values. */
static Int begin_text(State *state, Int site, Int length, Int size) {
    Int offset = state->word_count;
    write_word(state, site);
    write_word(state, length);
    write_word(state, size);
    return FIRST_COMPOSED_TEXT + offset;
}

/* Returns the maximum length of texts that are joined by line breaks. */
static Int lines_max_length(State *state, List list) {
    Int n = list.length;
    for (int i = 0; i < list.length; i++)
        n += text_max_length(state, list.items[i]);
    return n;
}

/* Whether two texts are the same. Texts of one template are if their words are; if the words differ, they are
   different only if the template is unambiguous. Faults where that does not decide it. */
static Int text_equal(State *state, Int left, Int right) {
    if (left == right || (left < FIRST_COMPOSED_TEXT && right < FIRST_COMPOSED_TEXT))
        return left == right;
    if (left < FIRST_COMPOSED_TEXT || right < FIRST_COMPOSED_TEXT) {
        if (left == NONE || right == NONE)
            return 0;
        fault(state);
    }
    const Int *first = state->words + (left - FIRST_COMPOSED_TEXT),
              *second = state->words + (right - FIRST_COMPOSED_TEXT);
    if (first[0] != second[0])
        fault(state);
    if (first[2] == second[2] && !memcmp(first + 3, second + 3, (size_t)(first[2] - 3) * sizeof(Int)))
        return 1;
    if (!TEXT_IS_UNAMBIGUOUS[first[0]])
        fault(state);
    for (int i = 3, j = 3, k = 0; TEXT_PARTS[first[0]][k]; k++) {
        int is_list = TEXT_PARTS[first[0]][k] == PART_LIST;
        if (TEXT_PARTS[first[0]][k] == PART_TEXT &&
            (first[i] >= FIRST_COMPOSED_TEXT || second[j] >= FIRST_COMPOSED_TEXT))
            fault(state);
        i += 1 + (is_list ? (int)first[i] : 0), j += 1 + (is_list ? (int)second[j] : 0);
    }
    return 0;
}

/* Compares with every text, so that any comparison that is undecided faults. */
static Int list_contains_text(State *state, List list, Int text) {
    Int contains = 0;
    for (int i = 0; i < list.length; i++)
        contains |= text_equal(state, from_item(list.items[i]), text);
    return contains;
}

/* Faults if a text was composed in play, because its number does not identify it. */
static inline Int require_known_text(State *state, Int text) {
    if (UNLIKELY(text >= FIRST_COMPOSED_TEXT))
        fault(state);
    return text;
}

static List require_known_texts(State *state, List list) {
    for (int i = 0; i < list.length; i++)
        require_known_text(state, list.items[i]);
    return list;
}

/* Copies a text, and those within it, into the result row. Returns its number there. */
static Int export_text(State *state, Int text) {
    if (text < FIRST_COMPOSED_TEXT)
        return text;
    const Int *words = state->words + (text - FIRST_COMPOSED_TEXT);
    Int offset = state->row_word_count, size = words[2];
    if (UNLIKELY(offset + size > ROW_WORD_CAPACITY))
        fault(state);
    state->row_word_count += size;
    Int *target = state->row + RESULT_LENGTH + offset;
    memcpy(target, words, (size_t)size * sizeof(Int));
    for (int i = 3, k = 0; TEXT_PARTS[words[0]][k]; k++) {
        int kind = TEXT_PARTS[words[0]][k],
            item_count = kind == PART_LIST || kind == PART_LINES ? (int)target[i] : 0;
        if (kind == PART_TEXT)
            target[i] = export_text(state, target[i]);
        if (kind == PART_LINES)
            for (int j = 1; j <= item_count; j++)
                target[i + j] = export_text(state, target[i + j]);
        i += 1 + item_count;
    }
    return FIRST_COMPOSED_TEXT + offset;
}
