// Points in the leaves of a complete binary tree.
#pragma once
#include "arrays.h"

#include <bit>

// The nodes are numbered from 1, the children of t are 2 t and 2 t + 1, and leaf l of L is node L + l. It holds the
// points from `bounds[l]` to `bounds[l + 1]`. `lows` and `highs`, (2 L, p), are the corners of each node's box.
struct Tree {
    const double *points;
    i64 p;
    const i64 *bounds;
    i64 leaves;
    const double *lows, *highs;

    Tree(const Matrix<const double> &points, const Vector<const i64> &bounds, const Matrix<const double> &lows,
         const Matrix<const double> &highs)
        : points(points.data()), p(length(points, 1)), bounds(bounds.data()), leaves(length(bounds) - 1), lows(lows.data()),
          highs(highs.data()) {
        require(leaves > 0 && std::has_single_bit(static_cast<u64>(leaves)), "leaves of no complete tree");
        require(length(lows) == 2 * leaves && length(highs) == 2 * leaves && length(lows, 1) == p && length(highs, 1) == p,
                "boxes of other nodes");
        require_runs(bounds, length(points), "leaves without points");
    }

    bool is_leaf(i64 node) const { return node >= leaves; }
    i64 first(i64 leaf) const { return bounds[leaf - leaves]; }
    i64 last(i64 leaf) const { return bounds[leaf - leaves + 1]; }
    // Squared distance between two points, summed over the dimensions in order.
    double square(i64 i, i64 j) const {
        const double *x = points + i * p, *y = points + j * p;
        double square = 0.0;
        for (i64 c = 0; c < p; c++) square += (x[c] - y[c]) * (x[c] - y[c]);
        return square;
    }
};
