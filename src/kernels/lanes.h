// Vectors of the machine's native width, and sums in eight lanes regardless of it, so that digits are always the same.
//
// GCC keeps vectors that are wider than the machine's in memory.
#pragma once
#include "arrays.h"

#if defined(__AVX2__)
constexpr int WIDTH_OF_PACK = 4;
#else
constexpr int WIDTH_OF_PACK = 2;
#endif
constexpr int LANES = 8;
constexpr int PACKS = LANES / WIDTH_OF_PACK;

typedef double Pack __attribute__((vector_size(8 * WIDTH_OF_PACK)));
typedef double PackInMemory __attribute__((vector_size(8 * WIDTH_OF_PACK), aligned(8), may_alias));

inline Pack load(const double *at) { return *reinterpret_cast<const PackInMemory *>(at); }
inline void store(double *at, Pack values) { *reinterpret_cast<PackInMemory *>(at) = values; }
inline Pack smaller(Pack a, Pack b) { return a < b ? a : b; }
inline Pack larger(Pack a, Pack b) { return a > b ? a : b; }
inline Pack all(double value) { return Pack{} + value; }

inline Pack roots(Pack values) {
    Pack found;
    for (int i = 0; i < WIDTH_OF_PACK; i++) found[i] = std::sqrt(values[i]);
    return found;
}

// x^2 + sum, rounded once where the processor can: on x86-64 since 2013, and on all ARM processors.
inline double fused_square(double x, double sum) {
#if defined(__FMA__) || defined(__aarch64__)
    return __builtin_fma(x, x, sum);
#else
    return x * x + sum;
#endif
}
inline Pack fused_square(Pack x, Pack sum) {
    Pack found;
    for (int i = 0; i < WIDTH_OF_PACK; i++) found[i] = fused_square(x[i], sum[i]);
    return found;
}

// Do something for each pack of a group of lanes, unrolled: GCC keeps what a loop indexes in memory.
template <class Body> inline __attribute__((always_inline)) void each_pack(Body body) {
    [&]<int... K>(std::integer_sequence<int, K...>) __attribute__((always_inline)) { (body(K), ...); }
    (std::make_integer_sequence<int, PACKS>{});
}

// Element j of a line goes to lane j modulo 8, and the lanes are added in pairs.
struct LaneSum {
    Pack packs[PACKS] = {};

    void add(int pack, Pack values) { packs[pack] += values; }
    double total(const double *rest, i64 n_rest) const {
        alignas(64) double lanes[LANES];
        for (int k = 0; k < PACKS; k++) store(lanes + k * WIDTH_OF_PACK, packs[k]);
        for (i64 j = 0; j < n_rest; j++) lanes[j] += rest[j];
        return ((lanes[0] + lanes[4]) + (lanes[2] + lanes[6])) + ((lanes[1] + lanes[5]) + (lanes[3] + lanes[7]));
    }
};

// Sum of the values of `of` over the numbers of a line.
template <class Of> double lane_sum(const double *line, i64 n, Of of) {
    LaneSum sum;
    i64 j = 0;
    for (; j + LANES <= n; j += LANES)
        each_pack([&](int k) { sum.add(k, of(load(line + j + k * WIDTH_OF_PACK))); });
    alignas(64) double rest[LANES] = {};
    for (i64 i = j; i < n; i++) rest[i - j] = line[i];
    alignas(64) double made[LANES];
    for (int k = 0; k < PACKS; k++) store(made + k * WIDTH_OF_PACK, of(load(rest + k * WIDTH_OF_PACK)));
    return sum.total(made, n - j);
}
inline double lane_sum(const double *line, i64 n) {
    return lane_sum(line, n, [](Pack v) { return v; });
}

// The best number of a line, where `better` picks one of two; `worst` if the line is empty.
template <class Better> double best_of(const double *line, i64 n, double worst, Better better) {
    Pack packs[PACKS];
    for (Pack &pack : packs) pack = all(worst);
    i64 j = 0;
    for (; j + LANES <= n; j += LANES)
        each_pack([&](int k) { packs[k] = better(load(line + j + k * WIDTH_OF_PACK), packs[k]); });
    double best = worst;
    for (const Pack &pack : packs)
        for (int i = 0; i < WIDTH_OF_PACK; i++) best = better(double(pack[i]), best);
    for (; j < n; j++) best = better(line[j], best);
    return best;
}
inline double least_of(const double *line, i64 n) {
    return best_of(line, n, INF, [](auto a, auto b) { return a < b ? a : b; });
}
inline double greatest_of(const double *line, i64 n) {
    return best_of(line, n, -INF, [](auto a, auto b) { return a > b ? a : b; });
}
