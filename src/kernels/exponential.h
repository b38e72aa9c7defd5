// Exponentials and powers, with the same digits on every machine, and an error of less than one unit in the last place:
// of up to twenty for powers beyond 10^100 or below 10^-100 that a base near 1 reaches.
//
// e^x = 2^k e^r with |r| <= log(2) / 2, whose series needs 13 terms. x^y = e^(y log(x)) needs the logarithm to more digits
// than a number has: it is a sum of two.
#pragma once
#include "logarithm.h"

// 1 / n! from n = 2 on.
constexpr double EXPONENTIAL[] = {
    1.0 / 2,     1.0 / 6,      1.0 / 24,      1.0 / 120,      1.0 / 720,       1.0 / 5040,
    1.0 / 40320, 1.0 / 362880, 1.0 / 3628800, 1.0 / 39916800, 1.0 / 479001600, 1.0 / 6227020800,
};

// e^(r + lost) - 1 for |r| <= log(2) / 2, where `lost` is below the last digit of r.
inline double exponential_less_one_near_0(double r, double lost = 0.0) {
    const double *c = EXPONENTIAL, w = r * r, q = w * w;
    const double low = (c[0] + r * c[1]) + w * (c[2] + r * c[3]);
    const double high = (c[4] + r * c[5]) + w * (c[6] + r * c[7]) + q * ((c[8] + r * c[9]) + w * (c[10] + r * c[11]));
    return r + (lost + w * (low + q * high));
}

// e^(x + rest), where the rest is below the last digit of x.
inline double exponential(double x, double rest = 0.0) {
    if (!(x < 0x1.62e42fefa39f0p+9)) return x >= 0x1.62e42fefa39f0p+9 ? INF : x;  // log(2^1024), or nan
    if (x < -746.0) return 0.0;
    const double shifted = x * 0x1.71547652b82fep+0 + 0x1.8p52;  // the last bits are the nearest integer to x / log(2)
    const double k = shifted - 0x1.8p52;
    const double lead = x - k * LOG_2, less = k * REST_OF_LOG_2 - rest;
    const double r = lead - less, lost = (lead - r) - less;
    const double found = 1.0 + exponential_less_one_near_0(r, lost);
    // Two factors, because 2^k itself may be no number; both are exact unless the result is subnormal.
    const i64 whole = static_cast<i64>(std::bit_cast<u64>(shifted) & 0xFFFF) - ((std::bit_cast<u64>(shifted) & 0x8000) ? 0x10000 : 0);
    const i64 half = whole / 2;
    const auto power_of_2 = [](i64 e) { return std::bit_cast<double>(static_cast<u64>(e + 1023) << 52); };
    return found * power_of_2(half) * power_of_2(whole - half);
}

// e^x - 1, even for small x: with an error of less than four units in the last place.
inline double exponential_less_one(double x) {
    return std::abs(x) < 0x1.62e42fefa39efp-2 ? exponential_less_one_near_0(x) : exponential(x) - 1.0;
}

// A number as the sum of two, each with half of its digits.
struct Halves {
    double high, low;

    explicit Halves(double x) {
        const double moved = x * 0x1p27 + x;
        high = moved - (moved - x);
        low = x - high;
    }
};

// What rounding took from the product of two numbers.
inline double lost_by_product(double a, double b, double product) {
    const Halves x(a), y(b);
    return ((x.high * y.high - product) + x.high * y.low + x.low * y.high) + x.low * y.low;
}

// x^y of a positive number.
inline double power_of_positive(double x, double y) {
    double shift = 0.0;
    if (x < std::numeric_limits<double>::min()) x *= 0x1p54, shift = -54.0;
    const Split split(x);
    const double k = split.k + shift, f = split.f;
    const double t = 2.0 + f, s = f / t;
    const double product = s * t;
    const double rest = (((f - product) - lost_by_product(s, t, product)) - s * (f - (t - 2.0))) / t, z = s * s;
    // log(1 + f) = 2 artanh(s + rest), to which multiples of log(2) are added; the larger part comes first.
    const double lead = k * LOG_2, own = 2.0 * s;
    const double high = lead + own, part = high - lead;
    const double low = ((lead - (high - part)) + (own - part)) + (k * REST_OF_LOG_2 + (s * rest_of_artanh(z) + 2.0 * rest * (1.0 + z)));
    const double logarithm = high + low, lost = low - (logarithm - high);
    const double exponent = y * logarithm;
    if (!(std::abs(exponent) < 1000.0)) return exponential(exponent);
    return exponential(exponent, lost_by_product(y, logarithm, exponent) + y * lost);
}

// x^y; nan for a negative x, unless y is 0, 1, 2 or -1.
inline double power(double x, double y) {
    if (y == 0.0 || x == 1.0) return 1.0;
    if (y == 1.0) return x;
    if (y == 2.0) return x * x;
    if (y == -1.0) return 1.0 / x;
    if (std::isnan(y) || !(x >= 0.0)) return std::numeric_limits<double>::quiet_NaN();
    if (x == 0.0 || x == INF) return (x == 0.0) == (y > 0.0) ? 0.0 : INF;
    if (std::isinf(y)) return (x > 1.0) == (y > 0.0) ? INF : 0.0;
    return y == 0.5 ? std::sqrt(x) : power_of_positive(x, y);
}
