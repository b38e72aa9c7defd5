// Distances from matrix products, and their sums: for points in many dimensions, where a product is fastest.
//
// A squared distance is |x|^2 + |y|^2 - 2 x.y; where the difference loses too many digits, it is computed explicitly.
#include "wide.h"

namespace {

// Turn the products of one row into squared distances; return how many lost too many digits.
template <class T> i64 complete_squares(T *__restrict line, i64 n, T square, const T *__restrict squares, T close) {
    i64 lost = 0;
    for (i64 j = 0; j < n; j++) {
        const T together = square + squares[j], d = together - line[j] - line[j];
        lost += d < close * together;
        line[j] = d;
    }
    return lost;
}

// Replace the squared distances that lost digits by `again` of their positions.
template <class T, class Again> void replace_close(T *line, i64 n, T square, const T *squares, T close, Again again) {
    for (i64 j = 0; j < n; j++)
        if (line[j] < close * (square + squares[j])) line[j] = static_cast<T>(again(j));
}

// Sum of squared differences between two rows, in order.
template <class T> double square_in_order(const T *row, const T *column, i64 p) {
    double total = 0.0;
    for (i64 d = 0; d < p; d++) {
        const double difference = static_cast<double>(row[d]) - static_cast<double>(column[d]);
        total += difference * difference;
    }
    return total;
}

// A table each line of which may be part of a longer one.
using Lines = nb::ndarray<double, nb::ndim<2>, nb::device::cpu>;

template <class T> T distance_of(T square, bool rooted) { return rooted ? std::sqrt(square) : square; }

// As many distances as a pack of doubles holds.
template <class T, bool ROOTED> Pack distances_at(const T *at) {
    Pack found;
    for (int i = 0; i < WIDTH_OF_PACK; i++) found[i] = static_cast<double>(distance_of(at[i], ROOTED));
    return found;
}

// Add the distances to one cluster to the sums of its points; return the sum of these distances.
template <class T, bool ROOTED> double add_run(const T *line, i64 n, double *sums) {
    LaneSum sum;
    i64 j = 0;
    for (; j + LANES <= n; j += LANES)
        each_pack([&](int k) {
            const i64 at = j + k * WIDTH_OF_PACK;
            const Pack v = distances_at<T, ROOTED>(line + at);
            store(sums + at, load(sums + at) + v);
            sum.add(k, v);
        });
    double rest[LANES];
    for (i64 i = j; i < n; i++) {
        rest[i - j] = static_cast<double>(distance_of(line[i], ROOTED));
        sums[i] += rest[i - j];
    }
    return sum.total(rest, n - j);
}

// Add the distances from some rows to some columns to sums by cluster.
//
// products : (n_rows, n_columns), overwritten
// rows, columns : the points, (n_rows, p) and (n_columns, p)
// row_squares, column_squares : their squared lengths
// close : a squared distance below this fraction of the squared lengths is computed again
// rooted : whether square roots are taken; otherwise distances are squared
// row_cluster : (n_rows,), counted within its group
// bounds : where the clusters of the column group begin
// offset : position of the first column in its group
// diagonal : -1; or, if both groups are the same, how many of the columns come before the first row
// row_sums : (clusters of the columns, n_rows), each line of which may be part of a longer one
// column_sums : (clusters of the rows, n_columns), likewise, or nothing
template <class T>
void add_products(Matrix<T> products, Matrix<const T> rows, Matrix<const T> columns, Vector<const T> row_squares,
                  Vector<const T> column_squares, double close, bool rooted, Vector<const i64> row_cluster, Vector<const i64> bounds,
                  i64 offset, i64 diagonal, Lines row_sums, Lines column_sums) {
    const i64 n_rows = length(products), n_columns = length(products, 1), p = length(rows, 1), k = length(row_sums);
    const bool both = length(column_sums) > 0;
    const i64 *bound = bounds.data();
    require(length(rows) == n_rows && length(columns) == n_columns && length(columns, 1) == p, "products of other points");
    require(length(row_squares) == n_rows && length(column_squares) == n_columns && length(row_cluster) == n_rows,
            "squared lengths or clusters of other points");
    require_bounds(bounds, k, offset, n_columns);
    require_below(row_cluster, both ? length(column_sums) : n_rows, "a row of no cluster");
    require(length(row_sums, 1) == n_rows && (n_rows < 2 || row_sums.stride(1) == 1) &&
                (!both || (length(column_sums, 1) == n_columns && (n_columns < 2 || column_sums.stride(1) == 1))),
            "sums of other points");
    const Unlocked unlocked;
    const auto run = rooted ? add_run<T, true> : add_run<T, false>;
    const T enough = static_cast<T>(close), *squares = column_squares.data();
    std::vector<double> unread(both ? 0 : n_columns);
    const i64 first = std::upper_bound(bound, bound + length(bounds), offset) - bound - 1;
    for (i64 i = 0; i < n_rows; i++) {
        const i64 stop = diagonal >= 0 ? std::min(n_columns, diagonal + i) : n_columns;
        T *line = products.data() + i * n_columns;
        const T *row = rows.data() + i * p, square = row_squares.data()[i];
        if (complete_squares(line, stop, square, squares, enough) > 0)
            replace_close(line, stop, square, squares, enough, [&](i64 j) { return square_in_order(row, columns.data() + j * p, p); });
        double *sums = both ? column_sums.data() + row_cluster.data()[i] * column_sums.stride(0) : unread.data();
        i64 c = first;
        for (i64 start = 0; start < stop; c++) {
            const i64 end = std::min(bound[c + 1] - offset, stop);
            row_sums.data()[c * row_sums.stride(0) + i] += run(line + start, end - start, sums + start);
            start = end;
        }
    }
}

// Turn products of centred rows and centroids into squared distances.
//
// products : (n_rows, K), overwritten
// rows : (n_rows, p), not centred
// bases, steps : (K, p), a point of each cluster, and the step from it to the centroid
// row_squares, centroid_squares : squared lengths of the centred rows and centroids
// close : a squared distance below this fraction of the squared lengths is computed again
void squares_to_centroids(Matrix<double> products, Matrix<const double> rows, Matrix<const double> bases, Matrix<const double> steps,
                          Vector<const double> row_squares, Vector<const double> centroid_squares, double close) {
    const i64 n = length(products), k = length(products, 1), p = length(rows, 1);
    require(length(rows) == n && length(row_squares) == n, "products of other points");
    require(length(bases) == k && length(bases, 1) == p && length(steps) == k && length(steps, 1) == p && length(centroid_squares) == k,
            "products of other centroids");
    const Unlocked unlocked;
    const double *squares = centroid_squares.data();
    for (i64 i = 0; i < n; i++) {
        double *line = products.data() + i * k;
        const double *row = rows.data() + i * p, square = row_squares.data()[i];
        if (complete_squares(line, k, square, squares, close) == 0) continue;
        replace_close(line, k, square, squares, close, [&](i64 c) {
            const double *base = bases.data() + c * p, *step = steps.data() + c * p;
            double total = 0.0;
            for (i64 d = 0; d < p; d++) {
                // A member of the cluster is near, so that subtracting it is exact.
                const double difference = (row[d] - base[d]) - step[d];
                total += difference * difference;
            }
            return total;
        });
    }
}

template <class T> void bind_sums(nb::module_ &m) {
    define(m, "add_products", add_products<T>, "products", "rows", "columns", "row_squares", "column_squares", "close", "rooted",
           "row_cluster", "bounds", "offset", "diagonal", "row_sums", "column_sums");
}

}  // namespace

void bind_products(nb::module_ &m) {
    m.doc() = "Distances from products of matrices, and their sums.";
    bind_sums<double>(m);
    bind_sums<float>(m);
    define(m, "squares_to_centroids", squares_to_centroids, "products", "rows", "bases", "steps", "row_squares", "centroid_squares",
           "close");
}
