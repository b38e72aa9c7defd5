// Squared distances from one place to points that are stored dimension by dimension; see reachability.cpp.
#pragma once
#include "arrays.h"

// Squared distances held at a time.
constexpr i64 HELD = 512;

// Points dimension by dimension: (p, n).
struct Points {
    double *at;
    i64 p, n;

    double &operator()(i64 d, i64 i) const { return at[d * n + i]; }
    void copy_place(i64 i, double *place) const {
        for (i64 d = 0; d < p; d++) place[d] = at[d * n + i];
    }
};

// Squared distances from one place to the points `start` to `stop`, summed over the dimensions in order.
void squares_to(const Points &points, i64 start, i64 stop, const double *place, double *__restrict out);
