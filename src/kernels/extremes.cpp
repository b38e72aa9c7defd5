// Smallest and largest distances by matrix products: which pairs may be the extremes, and their exact distances.
#include "pair_tiles.h"
#include "wide.h"

namespace {

// Turn products into squared distances, with whatever precision they have.
template <class T> void complete(Matrix<T> products, Vector<const T> row_squares, Vector<const T> column_squares) {
    const i64 n = length(products), m = length(products, 1);
    require(length(row_squares) == n && length(column_squares) == m, "products of other points");
    const Unlocked unlocked;
    const T *__restrict squares = column_squares.data();
    for (i64 i = 0; i < n; i++) {
        T *__restrict line = products.data() + i * m;
        const T square = row_squares.data()[i];
        for (i64 j = 0; j < m; j++) line[j] = (square + squares[j]) - line[j] - line[j];
    }
}

// The smallest of the differences, and the largest of the sums, of two lines.
template <class T> struct Possible {
    T low, high;
};
template <class T> Possible<T> possible(const T *line, const T *errors, i64 n) {
    using W = Wide<T>;
    constexpr T limit = std::numeric_limits<T>::infinity();
    typename W::Pack low = W::all(limit), low_too = low, high = W::all(-limit), high_too = high;
    i64 j = 0;
    for (; j + 2 * W::WIDTH <= n; j += 2 * W::WIDTH) {
        const auto x = W::load(line + j), y = W::load(line + j + W::WIDTH);
        const auto e = W::load(errors + j), f = W::load(errors + j + W::WIDTH);
        low = x - e < low ? x - e : low;
        low_too = y - f < low_too ? y - f : low_too;
        high = x + e > high ? x + e : high;
        high_too = y + f > high_too ? y + f : high_too;
    }
    low = low_too < low ? low_too : low;
    high = high_too > high ? high_too : high;
    Possible<T> found{limit, -limit};
    for (int i = 0; i < W::WIDTH; i++) found = {std::min(found.low, low[i]), std::max(found.high, high[i])};
    for (; j < n; j++) found = {std::min(found.low, line[j] - errors[j]), std::max(found.high, line[j] + errors[j])};
    return found;
}

// A buffer of candidates, and their number.
struct Candidates {
    double *values;
    i64 *pairs;
    i64 n = 0;

    void add(double value, i64 pair) {
        values[n] = value;
        pairs[n++] = pair;
    }
};

// Distances of one row to one cluster.
template <class T> struct Run {
    const T *line, *errors;
    i64 n;
    T error;
    i64 first_pair;

    // Collect pairs that may be closer than `least`, which is tightened.
    void gather_lows(Candidates &lows, double &least) const {
        for (i64 j = 0; j < n; j++) {
            const double low = line[j] - errors[j] - error;
            if (low >= least) continue;
            lows.add(low, first_pair + j);
            least = std::min<double>(least, line[j] + errors[j] + error);
        }
    }
    // Collect pairs that may be farther than `most`.
    void gather_highs(Candidates &highs, double &most) const {
        for (i64 j = 0; j < n; j++) {
            const double high = line[j] + errors[j] + error;
            if (high <= most) continue;
            highs.add(high, first_pair + j);
            most = std::max<double>(most, line[j] - errors[j] - error);
        }
    }
};

// Find the pairs that may be the closest, or the farthest, of two clusters.
//
// distances : (n_rows, n_columns) squared distances
// row_errors, column_errors : their sum bounds the error of a squared distance
// row_cluster, bounds, offset, diagonal : as for `add_products`
// least, most : (clusters of the rows, clusters of the columns), bounds of the extremes, which are tightened
// lows, highs : (n_rows * n_columns,), filled with lower, or upper, bounds of each candidate's distance
// low_pairs, high_pairs : likewise, filled with its position in `distances`
//
// Pairs within a cluster are not candidates for the closest. Returns the number of candidates of both kinds.
template <class T>
std::pair<i64, i64> find_candidates(Matrix<const T> distances, Vector<const T> row_errors, Vector<const T> column_errors,
                                    Vector<const i64> row_cluster, Vector<const i64> bounds, i64 offset, i64 diagonal,
                                    Matrix<double> least, Matrix<double> most, Vector<double> lows, Vector<i64> low_pairs,
                                    Vector<double> highs, Vector<i64> high_pairs) {
    const i64 n_rows = length(distances), n_columns = length(distances, 1), size = n_rows * n_columns, k = length(least, 1);
    const i64 *bound = bounds.data();
    require(length(row_errors) == n_rows && length(column_errors) == n_columns && length(row_cluster) == n_rows,
            "rows or columns of other points");
    require(length(most) == length(least) && length(most, 1) == k, "bounds of other clusters");
    require_bounds(bounds, k, offset, n_columns);
    require_below(row_cluster, length(least), "a row of no cluster");
    require(length(lows) >= size && length(low_pairs) >= size && length(highs) >= size && length(high_pairs) >= size,
            "no room for candidates");
    const Unlocked unlocked;
    Candidates low{lows.data(), low_pairs.data()}, high{highs.data(), high_pairs.data()};
    const i64 first = std::upper_bound(bound, bound + length(bounds), offset) - bound - 1;
    for (i64 i = 0; i < n_rows; i++) {
        const i64 stop = diagonal >= 0 ? std::min(n_columns, diagonal + i) : n_columns, own = row_cluster.data()[i];
        i64 c = first;
        for (i64 start = 0; start < stop; c++) {
            const i64 end = std::min(bound[c + 1] - offset, stop);
            const Run<T> run{distances.data() + i * n_columns + start, column_errors.data() + start, end - start,
                             row_errors.data()[i], i * n_columns + start};
            double &closest = least.data()[own * k + c], &farthest = most.data()[own * k + c];
            const Possible<T> at = possible(run.line, run.errors, run.n);
            const bool apart = diagonal < 0 || c != own;
            if (apart && closest > 0.0 && at.low - run.error < closest) run.gather_lows(low, closest);
            if (at.high + run.error > farthest) run.gather_highs(high, farthest);
            start = end;
        }
    }
    return {low.n, high.n};
}

// Squared distances of pairs of points, (m, p) with p even, with the same digits as tiles give.
NewVector<double> squares_of_pairs(Matrix<const double> left, Matrix<const double> right) {
    const i64 m = length(left), p = length(left, 1);
    require(length(right) == m && length(right, 1) == p && p > 0 && p % 2 == 0, "points of another dimension");
    std::vector<double> found(m);
    {
        const Unlocked unlocked;
        for (i64 i = 0; i < m; i++) {
            const double *row = left.data() + i * p;
            found[i] = squared_distance(row, {row, p, right.data() + i * p, 1, 1, nullptr, 0}, 0);
        }
    }
    return as_array(std::move(found));
}

template <class T> void bind_both(nb::module_ &m) {
    define(m, "complete", complete<T>, "products", "row_squares", "column_squares");
    define(m, "find_candidates", find_candidates<T>, "distances", "row_errors", "column_errors", "row_cluster", "bounds", "offset",
           "diagonal", "least", "most", "lows", "low_pairs", "highs", "high_pairs");
}

}  // namespace

void bind_extremes(nb::module_ &m) {
    m.doc() = "Smallest and largest distances by matrix products.";
    bind_both<double>(m);
    bind_both<float>(m);
    define(m, "squares_of_pairs", squares_of_pairs, "left", "right");
}
