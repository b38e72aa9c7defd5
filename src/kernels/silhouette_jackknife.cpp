// Silhouette widths with points left out, from the sums of distances to clusters that the pass already has.
#include "arrays.h"

namespace {

// The second of two numbers, one of which may be nan, unless the first is larger (or smaller).
double larger_of(double a, double b) { return a > b ? a : b; }
double smaller_of(double a, double b) { return a < b ? a : b; }

// Smallest mean distance from each point to another cluster, that cluster, and the smallest to a third one.
std::tuple<NewVector<double>, NewVector<i64>, NewVector<double>> nearest_two(Matrix<const double> sums, Vector<const i64> codes,
                                                                             Vector<const i64> sizes) {
    const i64 n = length(sums), k = length(sums, 1);
    require(length(codes) == n && length(sizes) == k, "sums of other points");
    std::vector<double> best(n, INF), next_best(n, INF);
    std::vector<i64> which(n, -1);
    {
        const Unlocked unlocked;
        for (i64 i = 0; i < n; i++) {
            const double *line = sums.data() + i * k;
            for (i64 c = 0; c < k; c++) {
                if (c == codes.data()[i]) continue;
                const double mean = line[c] / static_cast<double>(sizes.data()[c]);
                if (mean < best[i]) {
                    next_best[i] = best[i];
                    best[i] = mean;
                    which[i] = c;
                } else if (mean < next_best[i]) {
                    next_best[i] = mean;
                }
            }
        }
    }
    return {as_array(std::move(best)), as_array(std::move(which)), as_array(std::move(next_best))};
}

// The input and output of `nearest_two`.
struct Widths {
    const i64 *codes, *sizes;
    const double *sums;  // (n, k)
    i64 k;
    const double *best;
    const i64 *which;
    const double *next_best;

    // Width of a point when one at the given distance is left out of the cluster `shrunk`, in which `rest` points
    // remain; 0 for the last of a cluster. `others` counts the points of each cluster without these two. Without a
    // branch, because which cluster comes next is unpredictable.
    double without(i64 i, i64 shrunk, double rest, const double *others, double distance) const {
        const i64 own = codes[i];
        const bool is_shrunk = own == shrunk;
        const double left = sums[i * k + shrunk] - distance, all_within = sums[i * k + own], of_own = others[own];
        const double nearest = best[i], next = next_best[i];
        const double other = which[i] == shrunk ? next : nearest;
        const double shrunk_or_other = smaller_of(other, left / rest);
        const double between = is_shrunk ? nearest : rest > 0.0 ? shrunk_or_other : other;
        const double mean = larger_of(0.0, (is_shrunk ? left : all_within) / of_own), larger = larger_of(mean, between);
        // 0/0 and infinite distances are undefined.
        const double width = 0.0 < larger && larger < INF ? (between - mean) / larger : std::numeric_limits<double>::quiet_NaN();
        return of_own == 0.0 ? 0.0 : width;
    }
};

// Sum the widths of each cluster without one point, for each point in `left_out`.
//
// block : (m, n), distances from the points that are left out to all points
// left_out : (m,)
// codes, sizes, sums, best, which, next_best : as in `nearest_two`
// found : (m, K), sums of the widths of the other points; nan where a width is undefined
void widths_without(Matrix<const double> block, Vector<const i64> left_out, Vector<const i64> codes, Vector<const i64> sizes,
                    Matrix<const double> sums, Vector<const double> best, Vector<const i64> which, Vector<const double> next_best,
                    Matrix<double> found) {
    const i64 m = length(block), n = length(block, 1), k = length(sizes);
    require(length(sums) == n && length(sums, 1) == k && length(codes) == n, "sums of other points");
    require(length(best) == n && length(which) == n && length(next_best) == n, "fewer points than distances");
    require(length(left_out) == m && length(found) == m && length(found, 1) == k, "no room for what is found");
    require_below(left_out, n, "no such point");
    require_below(codes, k, "a point of no cluster");
    const Unlocked unlocked;
    const Widths widths{codes.data(), sizes.data(), sums.data(), k, best.data(), which.data(), next_best.data()};
    std::vector<double> others(k);
    for (i64 row = 0; row < m; row++) {
        const i64 gone = left_out.data()[row], shrunk = widths.codes[gone];
        for (i64 c = 0; c < k; c++) others[c] = static_cast<double>(widths.sizes[c] - (c == shrunk ? 2 : 1));
        const double rest = static_cast<double>(widths.sizes[shrunk] - 1);
        const double *distances = block.data() + row * n;
        double *line = found.data() + row * k;
        for (i64 i = 0; i < n; i++)
            if (i != gone) line[widths.codes[i]] += widths.without(i, shrunk, rest, others.data(), distances[i]);
    }
}

}  // namespace

void bind_silhouette_jackknife(nb::module_ &m) {
    m.doc() = "Silhouette widths when points are left out.";
    define(m, "nearest_two", nearest_two, "sums", "codes", "sizes");
    define(m, "widths_without", widths_without, "block", "left_out", "codes", "sizes", "sums", "best", "which", "next_best", "found");
}
