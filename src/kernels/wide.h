// Vectors of single or double precision, as wide as the machine's, and checks that loops over products share.
#pragma once
#include "lanes.h"

template <class T> struct Wide {
    static constexpr int WIDTH = static_cast<int>(sizeof(::Pack) / sizeof(T));
    typedef T Pack __attribute__((vector_size(sizeof(::Pack))));

    static Pack load(const T *at) {
        Pack found;
        std::memcpy(&found, at, sizeof found);
        return found;
    }
    static Pack all(T value) { return Pack{} + value; }
};

// Whether clusters begin, one after the other, where `bounds` says, and the columns from `offset` on are in some.
inline void require_bounds(const Vector<const i64> &bounds, i64 k, i64 offset, i64 n_columns) {
    const i64 *bound = bounds.data();
    require(length(bounds) > 1 && length(bounds) <= k + 1 && std::is_sorted(bound, bound + length(bounds)), "bounds of other clusters");
    require(bound[0] <= offset && bound[length(bounds) - 1] >= offset + n_columns, "columns of no cluster");
}

inline void require_below(const Vector<const i64> &numbers, i64 limit, const char *what) {
    const i64 *first = numbers.data();
    require(std::all_of(first, first + length(numbers), [&](i64 i) { return 0 <= i && i < limit; }), what);
}
