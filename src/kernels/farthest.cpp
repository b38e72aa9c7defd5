// The largest distance in a set of points: over all pairs if there are few, else skipping most of them.
#include "pair_tiles.h"
#include "trees.h"

namespace {

// How far rounding may raise a distance above the sum of two radii.
constexpr double SLACK = 1.0 + 1e-12;

// Continue the search for the largest squared distance between two of `n` points, for about `most` tiles in one call.
//
// Points are sorted by descending distance `radii` from some common point; `rows` and `tiles` hold the same points. A
// pair cannot be farther apart than the sum of its radii, so the search ends where that falls below the largest
// distance known or found. Returns the point to continue with, `n` if none is left, and the largest found.
std::pair<i64, double> farthest(Matrix<const double> rows, i64 first, i64 n, Vector<const double> radii, Cube<const double> tiles,
                                double best, i64 most) {
    const i64 p = length(rows, 1), tile = length(tiles, 2);
    const double *radius = radii.data();
    require(p > 0 && p % 2 == 0 && length(tiles, 1) == p && length(tiles) * tile >= n, "tiles of other points");
    require(n > 0 && first >= 0 && first % ROWS == 0 && length(rows) >= (n + ROWS - 1) / ROWS * ROWS, "rows of other points");
    require(length(radii) >= n, "points without a radius");
    const Unlocked unlocked;
    Room room(ROWS * tile);
    double largest = std::sqrt(best);
    for (i64 i = first; i < n; i += ROWS) {
        if ((radius[i] + radius[0]) * SLACK < largest) return {n, best};
        if (most <= 0) return {i, best};
        for (i64 offset = 0; offset < n; offset += tile) {
            if (offset > i + ROWS - 1 || (radius[i] + radius[offset]) * SLACK < largest) break;
            most--;
            const i64 width = std::min(tile, n - offset);
            const Block block{rows.data() + i * p, p, tiles.data() + offset * p, tile, width, room.data(), tile};
            squared_distances(block);
            for (i64 r = 0; r < std::min<i64>(ROWS, n - i); r++)
                best = std::max(best, greatest_of(block.line(static_cast<int>(r)), std::min(width, i + r + 1 - offset)));
        }
        largest = std::sqrt(best);
    }
    return {n, best};
}

// The largest squared distance between n points, over all pairs; P is the dimension, or 0 for any.
template <int P> double farthest_pair(const double *points, i64 n, i64 dimension) {
    const i64 p = P ? P : dimension;
    double best = 0.0;
    for (i64 i = 1; i < n; i++)
        for (i64 j = 0; j < i; j++) {
            const double *x = points + i * p, *y = points + j * p;
            double square = 0.0;
            for (i64 c = 0; c < p; c++) square += (x[c] - y[c]) * (x[c] - y[c]);
            best = std::max(best, square);
        }
    return best;
}

// The largest distance between two points from `first` to `last`, over all pairs.
double farthest_of_few(Matrix<const double> points, i64 first, i64 last) {
    const i64 p = length(points, 1);
    require(0 <= first && first <= last && last <= length(points), "fewer points than are wanted");
    const Unlocked unlocked;
    const auto find = p == 2 ? farthest_pair<2> : p == 3 ? farthest_pair<3> : farthest_pair<0>;
    return std::sqrt(find(points.data() + first * p, last - first, p));
}

// Squared length across two boxes: rounding does not lower it below the distance of any two of their points.
double squared_span(const Tree &tree, i64 a, i64 b) {
    const double *low = tree.lows + a * tree.p, *high = tree.highs + a * tree.p;
    const double *other_low = tree.lows + b * tree.p, *other_high = tree.highs + b * tree.p;
    double square = 0.0;
    for (i64 c = 0; c < tree.p; c++) {
        const double span = std::max(high[c] - other_low[c], other_high[c] - low[c]);
        square += span * span;
    }
    return square;
}

double farthest_in_leaves(const Tree &tree, i64 a, i64 b, double best) {
    for (i64 i = tree.first(a); i < tree.last(a); i++)
        for (i64 j = tree.first(b); j < tree.last(b); j++) best = std::max(best, tree.square(i, j));
    return best;
}

// Continue the search for the largest squared distance between two points, for at most `most` pairs of nodes.
//
// The first `n_todo` rows of `todo` are the remaining pairs of nodes, the next one last. Returns how many remain
// afterwards, and the largest found. Each level leaves at most three pairs of nodes, and there are at most 64 levels.
std::pair<i64, double> farthest_of_tree(Matrix<const double> points, Vector<const i64> bounds, Matrix<const double> lows,
                                        Matrix<const double> highs, Matrix<i64> todo, i64 n_todo, double best, i64 most) {
    const Tree tree(points, bounds, lows, highs);
    i64 *pairs = todo.data();
    require(length(todo, 1) == 2 && 0 <= n_todo && n_todo <= length(todo), "no room for pairs of nodes");
    const Unlocked unlocked;
    for (; n_todo > 0 && most > 0; most--) {
        n_todo--;
        const i64 a = pairs[2 * n_todo], b = pairs[2 * n_todo + 1];
        require(0 < a && a < 2 * tree.leaves && 0 < b && b < 2 * tree.leaves && tree.is_leaf(a) == tree.is_leaf(b), "no such nodes");
        if (squared_span(tree, a, b) <= best) continue;
        if (tree.is_leaf(a)) {
            best = farthest_in_leaves(tree, a, b, best);
            continue;
        }
        require(n_todo + 4 <= length(todo), "no room for pairs of nodes");
        // The pair of children with the longest span comes next.
        i64 longest = n_todo;
        double span = -1.0;
        for (i64 i = 0; i < 2; i++)
            for (i64 j = a == b && i == 1 ? 1 : 0; j < 2; j++, n_todo++) {
                pairs[2 * n_todo] = 2 * a + i;
                pairs[2 * n_todo + 1] = 2 * b + j;
                const double of_pair = squared_span(tree, 2 * a + i, 2 * b + j);
                if (of_pair > span) {
                    span = of_pair;
                    longest = n_todo;
                }
            }
        std::swap(pairs[2 * longest], pairs[2 * n_todo - 2]);
        std::swap(pairs[2 * longest + 1], pairs[2 * n_todo - 1]);
    }
    return {n_todo, best};
}

}  // namespace

void bind_farthest(nb::module_ &m) {
    m.doc() = "The largest distance in a set of points.";
    define(m, "farthest", farthest, "rows", "first", "n", "radii", "tiles", "best", "most");
    define(m, "farthest_of_few", farthest_of_few, "points", "first", "last");
    define(m, "farthest_of_tree", farthest_of_tree, "points", "bounds", "lows", "highs", "todo", "n_todo", "best", "most");
}
