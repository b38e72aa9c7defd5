// One pass over the points against the centroids: sums, squares, scatter, distances, densities.
//
// All take a run of rows X[first:last] with their codes and, if they count differently, weights; coordinates, like the
// centroids, are relative to `origin`.
// Sums over the columns are in order, and nothing is fused.
#include "cluster_rows.h"

namespace {

template <class Use> auto with_points(const AnyMatrix &X, Use &&use) {
    return with_type<double, float>(X, "coordinates are floats of 4 or 8 bytes", std::forward<Use>(use));
}
// Call `use` with points and what each counts; no weights are as good as ones.
template <class Use> auto with_weighed(const AnyMatrix &X, const Vector<const double> &weights, Use &&use) {
    require(length(weights) == 0 || length(weights) == length(X), "not one weight for each point");
    return with_points(X, [&](const auto *points) {
        const Unlocked unlocked;
        return length(weights) == 0 ? use(points, Ones{}) : use(points, weights.data());
    });
}
template <class Use> auto with_sizes(const AnyVector &sizes, Use &&use) {
    return with_type<i64, double>(sizes, "sizes are integers, or weights", std::forward<Use>(use));
}

void require_rows(const AnyMatrix &X, const Vector<const i64> &codes, i64 first, i64 last) {
    require(0 <= first && last <= length(X) && last <= length(codes), "fewer points than are wanted");
}
template <class Table> void require_table(const Table &table, i64 rows, i64 columns) {
    require(length(table) == rows && length(table, 1) == columns, "a table of another shape is wanted");
}
void require_place(const AnyMatrix &X, const Vector<const double> &origin) {
    require(length(origin) == length(X, 1), "an origin of other points");
}

void middles(AnyMatrix X, Vector<double> found) {
    const i64 n = length(X), p = length(X, 1);
    require(n > 0 && length(found) == p, "not one middle for each column");
    with_points(X, [&](const auto *points) {
        const Unlocked unlocked;
        middles_of(points, n, p, found.data());
    });
}

void first_members(Vector<const i64> codes, Vector<i64> members) {
    const Unlocked unlocked;
    find_first_members({codes.data(), length(members)}, length(codes), members.data());
}

void add_steps(AnyMatrix X, Vector<const i64> codes, Vector<const double> weights, i64 first, i64 last, Matrix<const double> bases,
               Matrix<double> steps) {
    require_rows(X, codes, first, last);
    const i64 k = length(bases), p = length(X, 1);
    require_table(bases, k, p);
    require_table(steps, k, p);
    with_weighed(X, weights, [&](const auto *points, auto weight) {
        add_steps_of(points, {codes.data(), k}, first, last, bases.data(), p, steps.data(), weight);
    });
}

void steps_to_means(Matrix<const double> bases, Vector<const double> origin, AnyVector sizes, Matrix<double> steps) {
    const i64 k = length(sizes), p = length(origin);
    require_table(bases, k, p);
    require_table(steps, k, p);
    with_sizes(sizes, [&](const auto *size) {
        const Unlocked unlocked;
        steps_to_means_of(bases.data(), origin.data(), size, k, p, steps.data());
    });
}

void add_squares(AnyMatrix X, Vector<const i64> codes, Vector<const double> weights, i64 first, i64 last, Vector<const double> origin,
                 Matrix<const double> means, Matrix<double> squares) {
    const i64 p = length(X, 1);
    require_rows(X, codes, first, last);
    require_place(X, origin);
    require_table(means, length(means), p);
    require_table(squares, length(means), p);
    with_weighed(X, weights, [&](const auto *points, auto weight) {
        with_width(p, [&](auto width) {
            add_squares_of(points, {codes.data(), length(means)}, first, last, origin.data(), width, means.data(), squares.data(), weight);
        });
    });
}

double spread(AnyVector sizes, Matrix<const double> centroids, Vector<double> centre, Vector<double> columns) {
    const i64 k = length(sizes), p = length(centre);
    require(k > 0, "no clusters");
    require_table(centroids, k, p);
    require(length(columns) == p, "a table of another shape is wanted");
    return with_sizes(sizes, [&](const auto *size) {
        const Unlocked unlocked;
        return spread_of(size, k, p, centroids.data(), centre.data(), columns.data());
    });
}

void add_distances(AnyMatrix X, Vector<const i64> codes, Vector<const double> weights, i64 first, i64 last, Vector<const double> origin,
                   Matrix<const double> means, Vector<double> distances) {
    const i64 p = length(X, 1);
    require_rows(X, codes, first, last);
    require_place(X, origin);
    require_table(means, length(distances), p);
    with_weighed(X, weights, [&](const auto *points, auto weight) {
        const Codes<i64> code{codes.data(), length(distances)};
        add_distances_of(points, code, first, last, origin.data(), p, means.data(), distances.data(), weight);
    });
}

// Return the sum and the maximum of the distances from one place.
std::pair<double, double> distances_from_one(AnyMatrix X, Vector<const double> weights, i64 first, i64 last, Vector<const double> origin,
                                             Vector<const double> place) {
    const i64 p = length(X, 1);
    require(0 <= first && last <= length(X), "fewer points than are wanted");
    require_place(X, origin);
    require_place(X, place);
    return with_weighed(X, weights, [&](const auto *points, auto weight) {
        double total = 0.0, largest = 0.0;
        with_width(p, [&](auto width) {
            for (i64 i = first; i < last; i++) {
                const double square = squared_distance(points + i * width, origin.data(), place.data(), width);
                total += weight[i] * std::sqrt(square);
                largest = std::max(largest, square);
            }
        });
        return std::pair(total, std::sqrt(largest));
    });
}

// Rows of deviations that are multiplied at a time.
constexpr i64 GROUP = 4;

// Add the products of the columns of four deviations, (4, p), to a lower triangle, one by one.
void add_products(const double *__restrict v, i64 p, double *__restrict triangle) {
    for (i64 j = 0; j < p; j++) {
        double *__restrict line = triangle + j * p;
        const double a = v[j], b = v[p + j], c = v[2 * p + j], d = v[3 * p + j];
        for (i64 h = 0; h <= j; h++) line[h] = line[h] + a * v[h] + b * v[p + h] + c * v[2 * p + h] + d * v[3 * p + h];
    }
}

// Add the products of deviations from the points' own centroids to the lower triangle of the scatter matrix, (p, p).
void add_scatter(AnyMatrix X, Vector<const i64> codes, Vector<const double> weights, i64 first, i64 last, Vector<const double> origin,
                 Matrix<const double> centroids, Matrix<double> scatter) {
    const i64 p = length(X, 1);
    require_rows(X, codes, first, last);
    require_place(X, origin);
    require_table(centroids, length(centroids), p);
    require_table(scatter, p, p);
    with_weighed(X, weights, [&](const auto *points, auto weight) {
        const Codes<i64> code{codes.data(), length(centroids)};
        std::vector<double> v(GROUP * p), part(p * p);
        for (i64 start = first; start < last; start += RUN) {
            const i64 stop = std::min(start + RUN, last);
            std::fill(part.begin(), part.end(), 0.0);
            for (i64 i = start; i < stop; i += GROUP) {
                // Rows of zeros add nothing.
                if (i + GROUP > stop) std::fill(v.begin(), v.end(), 0.0);
                for (i64 r = 0; r < std::min(GROUP, stop - i); r++) {
                    const auto *point = points + (i + r) * p;
                    const double *centroid = centroids.data() + code[i + r] * p, root = std::sqrt(weight[i + r]);
                    for (i64 j = 0; j < p; j++) v[r * p + j] = root * ((point[j] - origin.data()[j]) - centroid[j]);
                }
                add_products(v.data(), p, part.data());
            }
            for (i64 j = 0; j < p; j++)
                for (i64 h = 0; h <= j; h++) scatter.data()[j * p + h] += part[j * p + h];
        }
    });
}

Columns columns_of(const Matrix<const double> &places) {
    return {places.data(), length(places), length(places, 1)};
}

// A point relative to the origin.
template <class T> void place_of(const T *point, const double *origin, i64 p, double *place) {
    for (i64 d = 0; d < p; d++) place[d] = point[d] - origin[d];
}

// Sum d(point, own centroid) / d(point, nearest other centroid) by cluster; 0/0 is nan.
void add_ratios(AnyMatrix X, Vector<const i64> codes, Vector<const double> weights, i64 first, i64 last, Vector<const double> origin,
                Matrix<const double> centroids, Vector<double> sums) {
    const i64 p = length(X, 1);
    require_rows(X, codes, first, last);
    require_place(X, origin);
    require_table(centroids, length(sums), p);
    with_weighed(X, weights, [&](const auto *points, auto weight) {
        const Columns columns = columns_of(centroids);
        const Codes<i64> code{codes.data(), columns.k};
        std::vector<double> place(p), line(columns.padded);
        for (i64 i = first; i < last; i++) {
            place_of(points + i * p, origin.data(), p, place.data());
            columns.squares(line.data(), [&](i64 d, Pack column) { return place[d] - column; });
            const i64 c = code[i];
            const double own = line[c];
            line[c] = INF;
            const double nearest = least_of(line.data(), columns.padded);
            if (nearest > 0.0)
                sums.data()[c] += weight[i] * (std::sqrt(own) / std::sqrt(nearest));
            else
                sums.data()[c] += own > 0.0 ? INF : std::numeric_limits<double>::quiet_NaN();
        }
    });
}

// Count the columns that are closer than a limit.
void count_closer(const double *__restrict line, double limit, i64 *__restrict counts, i64 k) {
    for (i64 j = 0; j < k; j++) counts[j] += line[j] < limit;
}

// Count the points of some clusters that are closer than the radius to centroids and to midpoints.
//
// Row r stands for cluster own_start + r, and `others` are the centroids of other clusters: `at_centroid` counts points
// of the former near the centroid of the latter, `at_middle` those near the midpoint of the two centroids.
void count_near(AnyMatrix X, Vector<const i64> codes, i64 first, i64 last, Vector<const double> origin, Matrix<const double> centroids,
                Matrix<const double> others, i64 own_start, double radius, Matrix<i64> at_centroid, Matrix<i64> at_middle) {
    const i64 p = length(X, 1), k = length(others), n_own = length(at_centroid);
    require_rows(X, codes, first, last);
    require_place(X, origin);
    require_table(centroids, length(centroids), p);
    require_table(others, k, p);
    require_table(at_centroid, n_own, k);
    require_table(at_middle, n_own, k);
    with_points(X, [&](const auto *points) {
        const Unlocked unlocked;
        const Columns columns = columns_of(others);
        const double limit = radius * radius;
        const Codes<i64> code{codes.data(), length(centroids)};
        std::vector<double> place(p), line(columns.padded);
        for (i64 i = first; i < last; i++) {
            const i64 c = code[i], row = c - own_start;
            if (row < 0 || row >= n_own) continue;
            const double *own = centroids.data() + c * p;
            place_of(points + i * p, origin.data(), p, place.data());
            columns.squares(line.data(), [&](i64 d, Pack column) { return place[d] - column; });
            count_closer(line.data(), limit, at_centroid.data() + row * k, k);
            columns.squares(line.data(), [&](i64 d, Pack column) { return place[d] - 0.5 * (own[d] + column); });
            count_closer(line.data(), limit, at_middle.data() + row * k, k);
        }
    });
}

// Fill in the distances between all centroids, (K, K); return the smallest and the largest between two of them.
std::pair<double, double> centroid_distances(Matrix<const double> centroids, Matrix<double> distances) {
    const i64 k = length(centroids), p = length(centroids, 1);
    require_table(distances, k, k);
    const Unlocked unlocked;
    const Columns columns = columns_of(centroids);
    std::vector<double> line(columns.padded);
    double smallest = INF, largest = 0.0;
    for (i64 own = 0; own < k; own++) {
        const double *place = centroids.data() + own * p;
        columns.squares(line.data(), [&](i64 d, Pack column) { return place[d] - column; });
        for (i64 j = 0; j < k; j++) largest = std::max(largest, line[j]);
        for (i64 j = 0; j < k; j++) distances.data()[own * k + j] = std::sqrt(line[j]);
        line[own] = INF;
        smallest = std::min(smallest, least_of(line.data(), k));
    }
    return {std::sqrt(smallest), std::sqrt(largest)};
}

// The largest (r_k + r_l) / d(k, l) of each cluster; 0/0 is left out.
NewVector<double> overlaps_of_all(Matrix<const double> centroids, Vector<const double> radii) {
    const i64 k = length(centroids), p = length(centroids, 1);
    require(length(radii) == k, "centroids without a radius");
    std::vector<double> best(k, 0.0);
    {
        const Unlocked unlocked;
        largest_overlaps(centroids.data(), radii.data(), k, p, best.data());
    }
    return as_array(std::move(best));
}

}  // namespace

void bind_centroids(nb::module_ &m) {
    m.doc() = "One pass over the points against the centroids: sums, squares, scatter, distances, densities.";
    m.attr("SAMPLE") = SAMPLE;
    define(m, "middles", middles, "X", "found");
    define(m, "first_members", first_members, "codes", "members");
    define(m, "add_steps", add_steps, "X", "codes", "weights", "first", "last", "bases", "steps");
    define(m, "steps_to_means", steps_to_means, "bases", "origin", "sizes", "steps");
    define(m, "add_squares", add_squares, "X", "codes", "weights", "first", "last", "origin", "means", "squares");
    define(m, "spread", spread, "sizes", "centroids", "centre", "columns");
    define(m, "add_distances", add_distances, "X", "codes", "weights", "first", "last", "origin", "means", "distances");
    define(m, "distances_from_one", distances_from_one, "X", "weights", "first", "last", "origin", "place");
    define(m, "add_scatter", add_scatter, "X", "codes", "weights", "first", "last", "origin", "centroids", "scatter");
    define(m, "add_ratios", add_ratios, "X", "codes", "weights", "first", "last", "origin", "centroids", "sums");
    define(m, "count_near", count_near, "X", "codes", "first", "last", "origin", "centroids", "others", "own_start", "radius",
           "at_centroid", "at_middle");
    define(m, "centroid_distances", centroid_distances, "centroids", "distances");
    define(m, "largest_overlaps", overlaps_of_all, "centroids", "radii");
}
