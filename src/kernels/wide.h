// Vectors of single or double precision, as wide as the machine's, and a check that loops over products share.
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

// Require that clusters begin in order where `bounds` says, and that the columns from `offset` onwards lie in some.
inline void require_bounds(const Vector<const i64> &bounds, i64 k, i64 offset, i64 n_columns) {
    const i64 *bound = bounds.data();
    require_runs(bounds, std::numeric_limits<i64>::max(), "bounds of other clusters");
    require(length(bounds) > 1 && length(bounds) <= k + 1, "bounds of other clusters");
    require(bound[0] <= offset && bound[length(bounds) - 1] - n_columns >= offset, "columns of no cluster");
}
