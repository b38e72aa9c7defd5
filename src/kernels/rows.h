// Functions that loops over rows share.
#pragma once
#include "lanes.h"

// Sum of the squares of n numbers, which are computed on the fly, a pack of them or a single one.
template <class PackOf, class NumberOf> double sum_of_squares(i64 n, PackOf pack_of, NumberOf number_of) {
    LaneSum sum;
    i64 j = 0;
    for (; j + LANES <= n; j += LANES)
        each_pack([&](int k) {
            const Pack v = pack_of(j + k * WIDTH_OF_PACK);
            sum.add(k, v * v);
        });
    double rest[LANES];
    for (i64 i = j; i < n; i++) {
        const double v = number_of(i);
        rest[i - j] = v * v;
    }
    return sum.total(rest, n - j);
}
inline double sum_of_squares(const double *row, i64 n) {
    return sum_of_squares(n, [=](i64 j) { return load(row + j); }, [=](i64 j) { return row[j]; });
}

// The largest absolute entry; 0 if there is none.
template <class T> double largest_entry(const T *row, i64 n) {
    i64 d = 0;
    double largest = 0.0;
    if (n >= LANES) {
        Pack high[PACKS] = {};
        for (; d + LANES <= n; d += LANES)
            each_pack([&](int k) {
                Pack v;
                for (int i = 0; i < WIDTH_OF_PACK; i++) v[i] = static_cast<double>(row[d + k * WIDTH_OF_PACK + i]);
                high[k] = larger(larger(v, -v), high[k]);
            });
        each_pack([&](int k) { high[0] = larger(high[k], high[0]); });
        for (int i = 0; i < WIDTH_OF_PACK; i++) largest = std::max(largest, high[0][i]);
    }
    for (; d < n; d++) largest = std::max(largest, std::abs(static_cast<double>(row[d])));
    return largest;
}
