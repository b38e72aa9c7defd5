// Distances between sparse rows, and means of such rows.
#include "rows.h"

namespace {

// Cosine distances below this are computed again, by differences: one minus a product near one has few digits.
constexpr double CLOSE = 1e-3;

// Where the entries of a row begin and end.
struct Entries {
    i64 first, last;
};

// Rows as in a CSR matrix; positions of rows are checked when they are read.
template <class Index> struct Sparse {
    const i64 *indptr;
    i64 n;
    const Index *indices;
    const double *data;
    i64 nnz;

    Sparse(const Vector<const i64> &indptr, const Vector<const Index> &indices, const Vector<const double> &data)
        : indptr(indptr.data()), n(length(indptr) - 1), indices(indices.data()), data(data.data()), nnz(length(data)) {
        require(n >= 0 && length(indices) == nnz, "entries without a column");
    }
    // Entries of the rows `first` to `last`.
    Entries of(i64 first, i64 last) const {
        require(0 <= first && first <= last && last <= n, "no such row");
        const Entries found{indptr[first], indptr[last]};
        require(0 <= found.first && found.first <= found.last && found.last <= nnz, "a row of no entries");
        return found;
    }
    Entries of(i64 row) const {
        require(row < n, "no such row");
        return of(row, row + 1);
    }
    i64 feature(i64 e, i64 n_features) const {
        const i64 f = indices[e];
        require(0 <= f && f < n_features, "no such feature");
        return f;
    }
};

// Sum of squared differences between two rows with sorted indices, after adding `shift` to all values of the first.
template <class Index>
double squared_distance(const Sparse<Index> &rows, Entries row, const Sparse<Index> &others, Entries other, double shift, i64 n_columns) {
    const Index *indices = rows.indices, *other_indices = others.indices;
    double total = 0.0;
    i64 n_stored = 0;
    auto add = [&](double difference) {
        difference += shift;
        total += difference * difference;
        n_stored++;
    };
    i64 i = row.first, j = other.first;
    while (i < row.last && j < other.last) {
        if (indices[i] < other_indices[j]) {
            add(rows.data[i++]);
        } else if (other_indices[j] < indices[i]) {
            add(-others.data[j++]);
        } else {
            add(rows.data[i] - others.data[j]);
            i++;
            j++;
        }
    }
    for (; i < row.last; i++) add(rows.data[i]);
    for (; j < other.last; j++) add(-others.data[j]);
    return total + static_cast<double>(n_columns - n_stored) * (shift * shift);
}

// Euclidean distances by explicit differences.
template <class Index>
NewMatrix<double> sparse_distances(Vector<const i64> indptr, Vector<const Index> indices, Vector<const double> data,
                                   Vector<const i64> rows, Vector<const i64> columns) {
    const Sparse<Index> points(indptr, indices, data);
    const i64 n = length(rows), m = length(columns);
    std::vector<double> out(n * m);
    {
        const Unlocked unlocked;
        for (i64 r = 0; r < n; r++) {
            const Entries row = points.of(rows.data()[r]);
            for (i64 c = 0; c < m; c++)
                out[r * m + c] = std::sqrt(squared_distance(points, row, points, points.of(columns.data()[c]), 0.0, 0));
        }
    }
    return as_matrix(std::move(out), n, m);
}

void divide(double *line, i64 n, double by) {
    for (i64 e = 0; e < n; e++) line[e] /= by;
}

// Scale rows in place; return the position of the first row with only zeros, or -1.
//
// Each is divided by its largest entry first, as `of_length` does.
i64 scale_to_length_one(Vector<const i64> indptr, Vector<double> data) {
    require_runs(indptr, length(data), "rows of no entries");
    const Unlocked unlocked;
    for (i64 i = 0; i < length(indptr) - 1; i++) {
        double *line = data.data() + indptr.data()[i];
        const i64 n = indptr.data()[i + 1] - indptr.data()[i];
        const double largest = largest_entry(line, n);
        if (largest == 0.0) return i;
        divide(line, n, largest);
        divide(line, n, std::sqrt(sum_of_squares(line, n)));
    }
    return -1;
}

// Scale rows in place, and fill in the level of each, which, added to all values, makes a centred row of length one.
//
// One of its values is first subtracted from a row without zeros. Returns the position of the first row whose values
// are all equal, or -1.
i64 centre_and_scale(Vector<const i64> indptr, Vector<double> data, i64 n_columns, Vector<double> levels) {
    require_runs(indptr, length(data), "rows of no entries");
    require(length(levels) == length(indptr) - 1, "rows without a level");
    const Unlocked unlocked;
    for (i64 i = 0; i < length(levels); i++) {
        double *line = data.data() + indptr.data()[i];
        const i64 n = indptr.data()[i + 1] - indptr.data()[i];
        if (n == n_columns && n > 0) {
            const double base = line[0];
            for (i64 e = 0; e < n; e++) line[e] -= base;
        }
        const double largest = largest_entry(line, n);
        if (largest == 0.0) return i;
        double total = 0.0;
        for (i64 e = 0; e < n; e++) {
            line[e] /= largest;
            total += line[e];
        }
        const double mean = total / static_cast<double>(n_columns);
        double squares = static_cast<double>(n_columns - n) * (mean * mean);
        for (i64 e = 0; e < n; e++) squares += (line[e] - mean) * (line[e] - mean);
        const double size = std::sqrt(squares);
        divide(line, n, size);
        levels.data()[i] = -mean / size;
    }
    return -1;
}

// Some rows transposed: where the entries of each feature begin, the points they belong to, and their values.
struct ByFeature {
    std::vector<i64> ends;
    std::vector<i32> owners;
    std::vector<double> entries;

    template <class Index> ByFeature(const Sparse<Index> &rows, const Vector<const i64> &points, i64 n_features) : ends(n_features + 1, 0) {
        for (i64 c = 0; c < length(points); c++) {
            const auto [first, last] = rows.of(points.data()[c]);
            for (i64 e = first; e < last; e++) ends[rows.feature(e, n_features) + 1]++;
        }
        for (i64 f = 0; f < n_features; f++) ends[f + 1] += ends[f];
        owners.resize(ends[n_features]);
        entries.resize(ends[n_features]);
        std::vector<i64> starts = ends;
        for (i64 c = 0; c < length(points); c++) {
            const auto [first, last] = rows.of(points.data()[c]);
            for (i64 e = first; e < last; e++) {
                const i64 place = starts[rows.indices[e]]++;
                owners[place] = static_cast<i32>(c);
                entries[place] = rows.data[e];
            }
        }
    }

    // Add the products of a row with all points, feature by feature: in the same order for each pair.
    template <class Index> void add_products(const Sparse<Index> &rows, Entries row, double *line) const {
        const i64 n_features = static_cast<i64>(ends.size()) - 1;
        const i32 *owner = owners.data();
        const double *entry = entries.data();
        for (i64 e = row.first; e < row.last; e++) {
            const i64 f = rows.feature(e, n_features);
            const double x = rows.data[e];
            for (i64 place = ends[f]; place < ends[f + 1]; place++) line[owner[place]] += x * entry[place];
        }
    }
};

// indptr, indices (sorted in each row) and data of sparse rows, the level that is added to all values of each (0, or
// what centres it), and, for a mean, the mean of half the squared distances of its rows from it.
template <class Index>
using Levelled = std::tuple<Vector<const i64>, Vector<const Index>, Vector<const double>, Vector<const double>, Vector<const double>>;

template <class Index> Sparse<Index> sparse_of(const Levelled<Index> &rows) {
    const auto &[indptr, indices, data, levels, spreads] = rows;
    const Sparse<Index> found(indptr, indices, data);
    require(length(levels) == found.n && length(spreads) == found.n, "rows without a level");
    return found;
}

// One minus the products of rows of length one, or of means of such rows: the mean distance between what they stand
// for.
//
// For rows that nearly agree, it is half the squared differences plus the spreads.
//
// rows, columns : positions in `row_rows` and `column_rows`
// n_features, n_columns : number of columns that have an entry, and of all columns
template <class Index>
NewMatrix<double> cosine_distances(Levelled<Index> row_rows, Vector<const i64> rows, Levelled<Index> column_rows,
                                   Vector<const i64> columns, i64 n_features, i64 n_columns) {
    const Sparse<Index> here = sparse_of(row_rows), there = sparse_of(column_rows);
    require(n_features >= 0, "no features");
    const i64 n = length(rows), m = length(columns), *others = columns.data();
    std::vector<double> out(n * m, 0.0);
    {
        const Unlocked unlocked;
        const double *levels = std::get<3>(row_rows).data(), *other_levels = std::get<3>(column_rows).data();
        const double *spreads = std::get<4>(row_rows).data(), *other_spreads = std::get<4>(column_rows).data();
        const ByFeature transposed(there, columns, n_features);
        // The values of a centred row add up to 0, so the stored ones add up to -n_columns * level.
        const double root = std::sqrt(static_cast<double>(n_columns));
        std::vector<double> heights(m);
        for (i64 c = 0; c < m; c++) heights[c] = root * other_levels[others[c]];
        for (i64 r = 0; r < n; r++) {
            double *line = out.data() + r * m;
            const i64 mine = rows.data()[r];
            const Entries row = here.of(mine);
            const double level = levels[mine], height = root * level;
            transposed.add_products(here, row, line);
            for (i64 c = 0; c < m; c++) line[c] = 1.0 - (line[c] - height * heights[c]);
            for (i64 c = 0; c < m; c++) {
                if (!(line[c] < CLOSE)) continue;
                const i64 other = others[c];
                const double squares = squared_distance(here, row, there, there.of(other), level - other_levels[other], n_columns);
                line[c] = squares / 2.0 + (spreads[mine] + other_spreads[other]);
            }
        }
    }
    return as_matrix(std::move(out), n, m);
}

// How many features have an entry in each run of rows between two `bounds`.
template <class Index>
NewVector<i64> n_features_of_means(Vector<const i64> indptr, Vector<const Index> indices, Vector<const i64> bounds, i64 n_features) {
    const i64 n = length(bounds) - 1, nnz = length(indices);
    require(n >= 0 && n_features >= 0, "runs without bounds");
    std::vector<i64> counts(n, 0);
    {
        const Unlocked unlocked;
        std::vector<i64> last_seen(n_features, -1);
        for (i64 k = 0; k < n; k++) {
            const i64 first = bounds.data()[k], last = bounds.data()[k + 1];
            require(0 <= first && first <= last && last < length(indptr), "no such row");
            require(0 <= indptr.data()[first] && indptr.data()[last] <= nnz, "a row of no entries");
            for (i64 e = indptr.data()[first]; e < indptr.data()[last]; e++) {
                const i64 f = indices.data()[e];
                require(0 <= f && f < n_features, "no such feature");
                counts[k] += last_seen[f] != k;
                last_seen[f] = k;
            }
        }
    }
    return as_array(std::move(counts));
}

// Mean of some rows, by differences from the first of them, so that the mean of equal rows is exact.
struct Mean {
    std::vector<double> base, steps;
    std::vector<i64> counts;

    explicit Mean(i64 n_features) : base(n_features, 0.0), steps(n_features, 0.0), counts(n_features, 0) {}

    // Add rows, and list the features that have an entry; return their number.
    template <class Index> i64 take(const Sparse<Index> &rows, Entries first, Entries all_of_them, Index *found, i64 room) {
        const i64 n_features = static_cast<i64>(base.size());
        for (i64 e = first.first; e < first.last; e++) base[rows.feature(e, n_features)] = rows.data[e];
        i64 n_found = 0;
        for (i64 e = all_of_them.first; e < all_of_them.last; e++) {
            const i64 f = rows.feature(e, n_features);
            if (counts[f] == 0) {
                require(n_found < room, "no room for a mean");
                found[n_found++] = static_cast<Index>(f);
            }
            counts[f]++;
            steps[f] += rows.data[e] - base[f];
        }
        return n_found;
    }
    // Return the mean of n rows in one feature, and reset the feature.
    double pop(i64 f, i64 n) {
        // Rows without an entry for this feature have a zero.
        steps[f] -= static_cast<double>(n - counts[f]) * base[f];
        const double mean = base[f] + steps[f] / static_cast<double>(n);
        base[f] = steps[f] = 0.0;
        counts[f] = 0;
        return mean;
    }
};

// Fill in the mean of each run of rows.
template <class Index>
void fill_means(Vector<const i64> indptr, Vector<const Index> indices, Vector<const double> data, Vector<const i64> bounds,
                i64 n_features, Vector<const i64> mean_indptr, Vector<Index> mean_indices, Vector<double> mean_data) {
    const Sparse<Index> rows(indptr, indices, data);
    const i64 n = length(bounds) - 1, *bound = bounds.data(), *ends = mean_indptr.data();
    require(n >= 0 && n_features >= 0 && length(mean_indptr) == n + 1, "runs without a mean");
    require_runs(mean_indptr, std::min(length(mean_data), length(mean_indices)), "no room for means");
    const Unlocked unlocked;
    Mean mean(n_features);
    for (i64 k = 0; k < n; k++) {
        if (bound[k] == bound[k + 1]) continue;
        Index *found = mean_indices.data() + ends[k];
        const Entries all_of_them = rows.of(bound[k], bound[k + 1]);
        const i64 n_found = mean.take(rows, rows.of(bound[k]), all_of_them, found, ends[k + 1] - ends[k]);
        std::sort(found, found + n_found);
        for (i64 place = 0; place < n_found; place++)
            mean_data.data()[ends[k] + place] = mean.pop(found[place], bound[k + 1] - bound[k]);
    }
}

// Squared lengths of rows.
NewVector<double> products_with_themselves(Vector<const i64> indptr, Vector<const double> data, Vector<const double> levels,
                                           i64 n_columns) {
    const i64 n = length(indptr) - 1, *start = indptr.data();
    require(length(levels) == n, "rows without a level");
    require_runs(indptr, length(data), "rows of no entries");
    std::vector<double> out(n);
    {
        const Unlocked unlocked;
        for (i64 i = 0; i < n; i++) {
            const double level = levels.data()[i];
            out[i] = sum_of_squares(data.data() + start[i], start[i + 1] - start[i]) - static_cast<double>(n_columns) * level * level;
        }
    }
    return as_array(std::move(out));
}

// Sum of half the squared distances of a run of rows from one of `column_rows`, by explicit differences.
template <class Index>
double add_half_squares(Levelled<Index> row_rows, i64 first, i64 last, Levelled<Index> column_rows, i64 column, i64 n_columns) {
    const Sparse<Index> here = sparse_of(row_rows), there = sparse_of(column_rows);
    const Unlocked unlocked;
    const Entries other = there.of(column);
    here.of(first, std::max(first, last));
    const double *levels = std::get<3>(row_rows).data(), level = std::get<3>(column_rows).data()[column];
    double total = 0.0;
    for (i64 r = first; r < last; r++) total += squared_distance(here, here.of(r), there, other, levels[r] - level, n_columns);
    return total / 2.0;
}

template <class Index> void bind_indexed(nb::module_ &m) {
    define(m, "sparse_distances", sparse_distances<Index>, "indptr", "indices", "data", "rows", "columns");
    define(m, "cosine_distances", cosine_distances<Index>, "row_rows", "rows", "column_rows", "columns", "n_features", "n_columns");
    define(m, "n_features_of_means", n_features_of_means<Index>, "indptr", "indices", "bounds", "n_features");
    define(m, "fill_means", fill_means<Index>, "indptr", "indices", "data", "bounds", "n_features", "mean_indptr", "mean_indices",
           "mean_data");
    define(m, "add_half_squares", add_half_squares<Index>, "row_rows", "first", "last", "column_rows", "column", "n_columns");
}

}  // namespace

void bind_sparse_rows(nb::module_ &m) {
    m.doc() = "Distances between sparse rows, and means of them.";
    bind_indexed<i32>(m);
    bind_indexed<i64>(m);
    define(m, "scale_to_length_one", scale_to_length_one, "indptr", "data");
    define(m, "centre_and_scale", centre_and_scale, "indptr", "data", "n_columns", "levels");
    define(m, "products_with_themselves", products_with_themselves, "indptr", "data", "levels", "n_columns");
}
