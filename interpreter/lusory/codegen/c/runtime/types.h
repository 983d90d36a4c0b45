#pragma once

/* Types and macros that stand before everything else, also before the struct of the state. */

#include <setjmp.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

typedef int64_t Int;      /* a number of the language, or NONE */
typedef int32_t Item;     /* an item of a list, or NO_ITEM */
typedef __int128 WideInt; /* an intermediate result, before it is checked to fit an Int */

/* A list does not own its items: they lie in the arena of the state, in a table, or in another list. */
typedef struct {
    int length;
    const Item *items;
} List;

#define NONE                INT64_MIN
#define NO_ITEM             INT32_MIN
#define EMPTY_LIST          ((List){0, 0})
#define UNLIKELY(condition) __builtin_expect(!!(condition), 0)
