// The smallest distance between points of different clusters, skipping most pairs.
#include "trees.h"

namespace {

// Squared distance between two boxes: rounding does not raise it above that of any two of their points.
double squared_gap(const Tree &tree, i64 a, i64 b) {
    const double *low = tree.lows + a * tree.p, *high = tree.highs + a * tree.p;
    const double *other_low = tree.lows + b * tree.p, *other_high = tree.highs + b * tree.p;
    double square = 0.0;
    for (i64 c = 0; c < tree.p; c++) {
        const double gap = std::max(std::max(low[c] - other_high[c], other_low[c] - high[c]), 0.0);
        square += gap * gap;
    }
    return square;
}

// The smaller of `best` and the smallest squared distance between points of two leaves in different clusters.
double closest_in_leaves(const Tree &tree, const i64 *codes, i64 first, i64 second, double best) {
    for (i64 i = tree.first(first); i < tree.last(first); i++)
        for (i64 j = first == second ? i + 1 : tree.first(second); j < tree.last(second); j++)
            if (codes[i] != codes[j]) best = std::min(best, tree.square(i, j));
    return best;
}

// The smallest squared distance between points of different clusters; inf for one cluster.
//
// `clusters` holds, for each node, the cluster of all its points, or -1.
double closest_of_clusters(Matrix<const double> points, Vector<const i64> codes, Vector<const i64> bounds, Matrix<const double> lows,
                           Matrix<const double> highs, Vector<const i64> clusters) {
    const Tree tree(points, bounds, lows, highs);
    const i64 *cluster = clusters.data();
    require(length(codes) == length(points) && length(clusters) == 2 * tree.leaves, "points or nodes without a cluster");
    const Unlocked unlocked;
    double best = INF;
    // Each level leaves at most three pairs of nodes, and there are at most 64 levels.
    std::vector<std::pair<i64, i64>> todo{{1, 1}};
    todo.reserve(256);
    while (!todo.empty()) {
        const auto [a, b] = todo.back();
        todo.pop_back();
        if (cluster[a] >= 0 && cluster[a] == cluster[b]) continue;
        if (squared_gap(tree, a, b) >= best) continue;
        if (tree.is_leaf(a)) {
            best = closest_in_leaves(tree, codes.data(), a, b, best);
            continue;
        }
        // The nearest pair comes next: those within a node, else the one with the smallest gap.
        if (a == b) {
            todo.insert(todo.end(), {{2 * a, 2 * a + 1}, {2 * a, 2 * a}, {2 * a + 1, 2 * a + 1}});
            continue;
        }
        size_t nearest = todo.size();
        double least = INF;
        for (i64 i = 0; i < 2; i++)
            for (i64 j = 0; j < 2; j++) {
                const double gap = squared_gap(tree, 2 * a + i, 2 * b + j);
                if (gap < least) {
                    least = gap;
                    nearest = todo.size();
                }
                todo.emplace_back(2 * a + i, 2 * b + j);
            }
        std::swap(todo[nearest], todo.back());
    }
    return best;
}

}  // namespace

void bind_closest(nb::module_ &m) {
    m.doc() = "The smallest distance between points of different clusters.";
    define(m, "closest_of_clusters", closest_of_clusters, "points", "codes", "bounds", "lows", "highs", "clusters");
}
