// A few places to which the distances from many points are needed.
#pragma once
#include "lanes.h"

// Call `use` with the number of dimensions, as a constant if they are few: loops over them are then unrolled.
template <class Use> auto with_width(i64 p, Use &&use) {
    switch (p) {
    case 1: return use(std::integral_constant<i64, 1>());
    case 2: return use(std::integral_constant<i64, 2>());
    case 3: return use(std::integral_constant<i64, 3>());
    case 4: return use(std::integral_constant<i64, 4>());
    case 5: return use(std::integral_constant<i64, 5>());
    case 6: return use(std::integral_constant<i64, 6>());
    case 7: return use(std::integral_constant<i64, 7>());
    default: return use(p);
    }
}

// Places dimension by dimension, padded to a multiple of the lanes with places that are infinitely far away.
struct Columns {
    i64 p, k, padded;
    std::vector<double> at;

    // From consecutive places: (k, p).
    Columns(const double *places, i64 k, i64 p) : p(p), k(k), padded((k + LANES - 1) / LANES * LANES), at(p * padded, INF) { fill(places); }

    void fill(const double *places) {
        for (i64 j = 0; j < k; j++)
            for (i64 d = 0; d < p; d++) at[d * padded + j] = places[j * p + d];
    }
    // Sum, over the dimensions, the squares of what `of` makes of each dimension's columns.
    template <class Of> void squares(double *line, Of of) const {
        for (i64 j = 0; j < padded; j += LANES) {
            Pack sums[PACKS] = {};
            for (i64 d = 0; d < p; d++)
                each_pack([&](int pack) {
                    const Pack step = of(d, load(at.data() + d * padded + j + pack * WIDTH_OF_PACK));
                    sums[pack] += step * step;
                });
            each_pack([&](int pack) { store(line + j + pack * WIDTH_OF_PACK, sums[pack]); });
        }
    }
};
