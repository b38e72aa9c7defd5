// Natural logarithm, with an error of less than one unit in the last place and the same digits on every machine.
//
// x = 2^k m with m in [sqrt(1/2), sqrt(2)), f = m - 1 and s = f / (2 + f): log(m) = 2 artanh(s), and
// log(m) = f - f^2/2 + s (f^2/2 + R(s^2)), whose leading terms are exact or nearly so. It has no fused operations,
// tables or branches, so that loops of it vectorise.
#pragma once
#include "arrays.h"

#include <bit>

// R(z) = 2 artanh(s) / s - 2 = z (2/3 + 2/5 z + ...) for z = s^2: with the smallest error relative to z, 3e-16 (Remez).
constexpr double LOGARITHM[] = {
    0x1.5555555555558p-1, 0x1.999999999522ep-2, 0x1.2492492e02bd5p-2, 0x1.c71c62d1afefbp-3,
    0x1.7462b9bf192ccp-3, 0x1.39fdc6eb9e894p-3, 0x1.2b5f15b8214eep-3,
};

// The leading part of log(2) has so few digits that its multiples are exact.
constexpr double LOG_2 = 0x1.62e42fee00000p-1, REST_OF_LOG_2 = 0x1.a39ef35793c76p-33;

// x = 2^k (1 + f) for a positive number that is neither infinite nor subnormal.
struct Split {
    double k, f;

    explicit Split(double x) {
        constexpr u64 HALF_ROOT = 0x3FE6A09E667F3BCD;  // bits of sqrt(1/2)
        constexpr u64 BIAS = 1024;
        const u64 bits = std::bit_cast<u64>(x) - HALF_ROOT;
        // An integer among the last bits of 2^52 becomes a number without a conversion.
        k = std::bit_cast<double>(((bits + (BIAS << 52)) >> 52) | 0x4330000000000000) - (0x1p52 + BIAS);
        f = std::bit_cast<double>((bits & 0x000FFFFFFFFFFFFF) + HALF_ROOT) - 1.0;
    }
};

// R(z).
inline double rest_of_artanh(double z) {
    const double *c = LOGARITHM, w = z * z;
    return w * (c[1] + w * (c[3] + w * c[5])) + z * (c[0] + w * (c[2] + w * (c[4] + w * c[6])));
}

// log(x) + shift log(2) for a positive number that is neither infinite nor subnormal.
inline double log_of_normal(double x, double shift = 0.0) {
    const Split split(x);
    const double k = split.k + shift, f = split.f;
    const double s = f / (2.0 + f), r = rest_of_artanh(s * s);
    const double half_square = 0.5 * f * f;
    return k * LOG_2 - ((half_square - (s * (half_square + r) + k * REST_OF_LOG_2)) - f);
}

inline double natural_log(double x) {
    constexpr double LEAST_NORMAL = std::numeric_limits<double>::min();
    if (LEAST_NORMAL <= x && x < INF) [[likely]]
        return log_of_normal(x);
    if (x == 0.0) return -INF;
    if (!(x > 0.0)) return std::numeric_limits<double>::quiet_NaN();
    return x == INF ? INF : log_of_normal(x * 0x1p54, -54.0);
}

// log(1 + x), even for small x: what rounding took from 1 + x is given back to its logarithm.
inline double log_of_one_plus(double x) {
    const double sum = 1.0 + x;
    if (!(sum > 0.0 && sum < INF)) return natural_log(sum);
    return natural_log(sum) + (x - (sum - 1.0)) / sum;
}
