#pragma once
#include "numbers.h"

/* Random numbers. They are the same as those of `lusory.state.random_streams`, bit for bit. */

/* Starts the stream of random numbers with this name (a hash) for a seed. The bits are mixed as in
 * SplitMix64. */
static inline uint64_t seed_stream(uint64_t seed, uint64_t name) {
    uint64_t z = seed * RANDOM_MULTIPLIER + name;
    z = (z ^ z >> 30) * MIX_MULTIPLIER_1;
    z = (z ^ z >> 27) * MIX_MULTIPLIER_2;
    return z ^ z >> 31;
}

/* Returns a random number below n. Without bias (Lemire, 2019); 0 if n < 2. */
static inline Int random_below(uint64_t *rng, Int n) {
    if (n < 2)
        return 0;
    for (;;) {
        *rng = *rng * RANDOM_MULTIPLIER + RANDOM_INCREMENT;
        uint64_t product = (*rng >> 32) * (uint64_t)n;
        uint32_t low = (uint32_t)product;
        if (low >= n || low >= (uint32_t)((0x100000000ull - (uint64_t)n) % (uint64_t)n))
            return (Int)(product >> 32);
    }
}

/* Returns a random answer to a choice of n options, from the stream for answers. */
static inline Int random_answer(State *state, Int n) {
    state->answer_rng = state->answer_rng * RANDOM_MULTIPLIER + RANDOM_INCREMENT;
    return (Int)((state->answer_rng >> 32) * (uint64_t)n >> 32);
}
