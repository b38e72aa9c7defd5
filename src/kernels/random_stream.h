// A stream of random numbers: Blackman and Vigna's Xoshiro256++, its state of four words drawn by NumPy's generators.
#pragma once
#include "arrays.h"

#include <bit>

// It is a value, so that a loop can keep it in registers; the caller stores the state after drawing.
class Stream {
  public:
    explicit Stream(const u64 *state) : s0(state[0]), s1(state[1]), s2(state[2]), s3(state[3]) {}
    void keep(u64 *state) const { state[0] = s0, state[1] = s1, state[2] = s2, state[3] = s3; }

    u64 next() {
        const u64 result = std::rotl(s0 + s3, 23) + s0, shifted = s1 << 17;
        s2 ^= s0;
        s3 ^= s1;
        s1 ^= s2;
        s0 ^= s3;
        s2 ^= shifted;
        s3 = std::rotl(s3, 45);
        return result;
    }
    // Uniform number in [0, 1).
    double uniform() { return static_cast<double>(static_cast<i64>(next() >> 11)) * 0x1p-53; }

  private:
    u64 s0, s1, s2, s3;
};
