#pragma once
#include "numbers.h"

/* What a seat observes of cells. */

enum { HIDDEN = INT32_MIN + 1 };

/* Clamps a number. INT32_MIN stands for NONE and HIDDEN for what the seat does not see. */
static inline int32_t clamp_to_int32(Int value) {
    if (value == NONE)
        return INT32_MIN;
    Int highest = INT32_MAX, lowest = INT32_MIN + 2ll;
    return (int32_t)(value > highest ? highest : value < lowest ? lowest : value);
}
