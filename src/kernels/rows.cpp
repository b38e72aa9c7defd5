// Loops over rows, each of which gives the same digits regardless of the other rows.
#include "rows.h"

namespace {

// Product of rows, (n, p), and a matrix, (p, q); with BLAS a row's digits would depend on its place.
NewMatrix<double> multiplied(Matrix<const double> rows, Matrix<const double> matrix) {
    const i64 n = length(rows), p = length(rows, 1), q = length(matrix, 1);
    require(length(matrix) == p, "rows of another dimension");
    std::vector<double> out(n * q, 0.0);
    {
        const Unlocked unlocked;
        for (i64 i = 0; i < n; i++) {
            double *__restrict line = out.data() + i * q;
            const double *x = rows.data() + i * p;
            i64 d = 0;
            for (; d + 3 < p; d += 4) {
                const double *__restrict row = matrix.data() + d * q;
                const double a = x[d], b = x[d + 1], c = x[d + 2], e = x[d + 3];
                for (i64 j = 0; j < q; j++)
                    line[j] = (((line[j] + a * row[j]) + b * row[q + j]) + c * row[2 * q + j]) + e * row[3 * q + j];
            }
            for (; d < p; d++) {
                const double *__restrict row = matrix.data() + d * q;
                for (i64 j = 0; j < q; j++) line[j] += x[d] * row[j];
            }
        }
    }
    return as_matrix(std::move(out), n, q);
}

// Rows, (n, p), scaled to a given length, in double precision; none is zero.
//
// Each is divided by its largest entry first, to avoid overflow, and because multiples of a row then often become
// equal.
template <class T> NewMatrix<double> of_length(Matrix<const T> rows, double length_of_each) {
    const i64 n = length(rows), p = length(rows, 1);
    // Not a vector, which would write zeros first.
    std::unique_ptr<double[]> out(new double[n * p]);
    {
        const Unlocked unlocked;
        for (i64 i = 0; i < n; i++) {
            const T *__restrict row = rows.data() + i * p;
            double *__restrict line = out.get() + i * p;
            const double largest = largest_entry(row, p);
            for (i64 d = 0; d < p; d++) line[d] = static_cast<double>(row[d]) / largest;
            const double scale = length_of_each / std::sqrt(sum_of_squares(line, p));
            for (i64 d = 0; d < p; d++) line[d] *= scale;
        }
    }
    nb::capsule owner(out.get(), [](void *at) noexcept { delete[] static_cast<double *>(at); });
    return NewMatrix<double>(out.release(), {static_cast<size_t>(n), static_cast<size_t>(p)}, owner);
}

// Sum the differences between rows and a base, for each run of rows in a given order.
//
// rows : (n, p)
// order : (n,) positions of rows
// starts : (runs + 1,) where each run begins in the order, and the end
// bases : (runs, p)
NewMatrix<double> sums_from_bases(Matrix<const double> rows, Vector<const i64> order, Vector<const i64> starts,
                                  Matrix<const double> bases) {
    const i64 n = length(rows), p = length(rows, 1), runs = length(bases), *start = starts.data();
    require(length(bases, 1) == p && length(starts) == runs + 1, "runs without a base");
    require_runs(starts, length(order), "runs of no rows");
    require_below(order, n, "an order of other rows");
    std::vector<double> out(runs * p, 0.0);
    {
        const Unlocked unlocked;
        for (i64 r = 0; r < runs; r++) {
            double *__restrict line = out.data() + r * p;
            const double *__restrict base = bases.data() + r * p;
            for (i64 i = start[r]; i < start[r + 1]; i++) {
                const double *__restrict row = rows.data() + order.data()[i] * p;
                for (i64 d = 0; d < p; d++) line[d] += row[d] - base[d];
            }
        }
    }
    return as_matrix(std::move(out), runs, p);
}

// Squared distances from rows, (n, p), to the centroids of their clusters, given as (K, p) bases and steps from these.
NewVector<double> squares_from_bases(Matrix<const double> rows, Vector<const i64> codes, Matrix<const double> bases,
                                     Matrix<const double> steps) {
    const i64 n = length(rows), p = length(rows, 1), k = length(bases);
    require(length(codes) == n && length(bases, 1) == p && length(steps) == k && length(steps, 1) == p, "rows of another dimension");
    require_below(codes, k, "a row of no cluster");
    std::vector<double> out(n);
    {
        const Unlocked unlocked;
        for (i64 i = 0; i < n; i++) {
            const i64 c = codes.data()[i];
            const double *row = rows.data() + i * p, *base = bases.data() + c * p, *step = steps.data() + c * p;
            // In this order, because a member of the cluster is near, so that the first difference loses nothing.
            out[i] = sum_of_squares(
                p, [=](i64 d) { return (load(row + d) - load(base + d)) - load(step + d); },
                [=](i64 d) { return (row[d] - base[d]) - step[d]; });
        }
    }
    return as_array(std::move(out));
}

}  // namespace

void bind_rows(nb::module_ &m) {
    m.doc() = "Loops over rows, each of which gives the same digits whatever rows are beside it.";
    define(m, "multiplied", multiplied, "rows", "matrix");
    define(m, "of_length", of_length<double>, "rows", "length");
    define(m, "of_length", of_length<float>, "rows", "length");
    define(m, "sums_from_bases", sums_from_bases, "rows", "order", "starts", "bases");
    define(m, "squares_from_bases", squares_from_bases, "rows", "codes", "bases", "steps");
}
