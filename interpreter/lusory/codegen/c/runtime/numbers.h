#pragma once
#include "game.h"

/* Faults, checked arithmetic, and cells that are narrower than an Int.

   Whatever goes wrong calls `fault`: the game is abandoned, and Python plays it again to explain the error.
 */

/* Abandons the game: jumps to whoever started it. */
__attribute__((noreturn, noinline, cold)) static void fault(State *state) {
    longjmp(state->fault_target, 1);
}

/* Faults if the value is missing. */
static inline Int require(State *state, Int value) {
    if (UNLIKELY(value == NONE))
        fault(state);
    return value;
}

/* Faults if a result does not fit an Int. INT64_MIN is reserved for NONE. */
static inline Int checked_cast(State *state, WideInt value) {
    if (UNLIKELY(value <= (WideInt)INT64_MIN || value > (WideInt)INT64_MAX))
        fault(state);
    return (Int)value;
}

/* Faults unless low <= value < end. */
static inline Int require_in_range(State *state, Int value, Int low, Int end) {
    if (UNLIKELY(value < low || value >= end))
        fault(state);
    return value;
}

/* Faults unless 0 <= index < size. */
static inline uint64_t checked_index(State *state, Int index, uint64_t size) {
    if (UNLIKELY((uint64_t)index >= size))
        fault(state);
    return (uint64_t)index;
}

/* Division that rounds down, as in Python. */
static inline Int floor_div(State *state, Int dividend, Int divisor) {
    if (UNLIKELY(divisor == 0))
        fault(state);
    if (divisor == -1)
        return checked_cast(state, -(WideInt)dividend);
    return dividend / divisor - (dividend % divisor != 0 && (dividend < 0) != (divisor < 0));
}

/* Remainder with the sign of the divisor, as in Python. */
static inline Int floor_mod(State *state, Int dividend, Int divisor) {
    if (UNLIKELY(divisor == 0))
        fault(state);
    if (divisor == -1)
        return 0;
    Int remainder = dividend % divisor;
    return remainder != 0 && (remainder < 0) != (divisor < 0) ? remainder + divisor : remainder;
}

static inline Int max_int(Int left, Int right) {
    return left > right ? left : right;
}

static inline Int min_int(Int left, Int right) {
    return left < right ? left : right;
}

static inline Int abs_int(Int value) {
    return value < 0 ? -value : value;
}

/* Cells of 8, 16 and 32 bits: the smallest number of the width stands for NONE. */
static inline Int decode8(int8_t value) {
    return value == INT8_MIN ? NONE : value;
}

static inline Int decode16(int16_t value) {
    return value == INT16_MIN ? NONE : value;
}

static inline Int decode32(int32_t value) {
    return value == INT32_MIN ? NONE : value;
}

/* Encode a number that is not NONE; fault if it does not fit. */
static inline int8_t encode8(State *state, Int value) {
    if (UNLIKELY(value != (int8_t)value))
        fault(state);
    return (int8_t)value;
}

static inline int16_t encode16(State *state, Int value) {
    if (UNLIKELY(value != (int16_t)value))
        fault(state);
    return (int16_t)value;
}

static inline int32_t encode32(State *state, Int value) {
    if (UNLIKELY(value != (int32_t)value))
        fault(state);
    return (int32_t)value;
}

/* Encode a number or NONE. */
static inline int8_t encode_optional8(State *state, Int value) {
    return value == NONE ? INT8_MIN : encode8(state, value);
}

static inline int16_t encode_optional16(State *state, Int value) {
    return value == NONE ? INT16_MIN : encode16(state, value);
}

static inline int32_t encode_optional32(State *state, Int value) {
    return value == NONE ? INT32_MIN : encode32(state, value);
}
