// One pass over the points against the centroids: sums, squares, scatter, distances, densities.
//
// All take a run of rows X[first:last] with their codes; coordinates are relative to `origin`, as are the centroids. Sums
// over the columns are in order, and nothing is fused.
#include "columns.h"

namespace {

// Rows that are summed up before they are added to the total, so that rounding does not grow with the number of rows.
constexpr i64 RUN = 256;

template <class Use> auto with_points(const AnyMatrix &X, Use &&use) {
    return with_type<double, float>(X, "coordinates are floats of 4 or 8 bytes", std::forward<Use>(use));
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

// Fill in the first point of each cluster, in a vector of zeros; it ends when all are found.
void find_first_members(Codes<i64> codes, i64 n, i64 *members) {
    i64 found = 0;
    for (i64 i = 0; i < n && found < codes.k; i++) {
        const i64 c = codes[i];
        // The first point of all is point 0.
        if (i != 0 && (members[c] != 0 || c == codes[0])) continue;
        members[c] = i;
        found++;
    }
}
void first_members(Vector<const i64> codes, Vector<i64> members) {
    const Unlocked unlocked;
    find_first_members({codes.data(), length(members)}, length(codes), members.data());
}

// Sums of runs of each cluster: (K, p), and how many points each has.
class Runs {
  public:
    Runs(i64 k, i64 p, double *steps) : k(k), p(p), steps(steps), sums(k * p, 0.0), counts(k, 0) {}

    template <class T> void add(const T *point, const double *bases, i64 c) {
        double *__restrict sum = sums.data() + c * p;
        const double *__restrict base = bases + c * p;
        for (i64 j = 0; j < p; j++) sum[j] += point[j] - base[j];
        if (++counts[c] == RUN) join(c);
    }
    void join_all() {
        for (i64 c = 0; c < k; c++) join(c);
    }

  private:
    void join(i64 c) {
        for (i64 j = c * p; j < (c + 1) * p; j++) {
            steps[j] += sums[j];
            sums[j] = 0.0;
        }
        counts[c] = 0;
    }
    i64 k, p;
    double *steps;
    std::vector<double> sums;
    std::vector<i64> counts;
};

// Add to `steps` what each point differs from its cluster's base.
template <class T> void add_steps_of(const T *points, Codes<i64> codes, i64 first, i64 last, const double *bases, i64 p, double *steps) {
    Runs runs(codes.k, p, steps);
    for (i64 i = first; i < last; i++) runs.add(points + i * p, bases, codes[i]);
    runs.join_all();
}
void add_steps(AnyMatrix X, Vector<const i64> codes, i64 first, i64 last, Matrix<const double> bases, Matrix<double> steps) {
    require_rows(X, codes, first, last);
    const i64 k = length(bases), p = length(X, 1);
    require_table(bases, k, p);
    require_table(steps, k, p);
    with_points(X, [&](const auto *points) {
        const Unlocked unlocked;
        add_steps_of(points, {codes.data(), k}, first, last, bases.data(), p, steps.data());
    });
}

// Turn sums of steps from the bases into means relative to the origin.
template <class T> void steps_to_means_of(const double *bases, const double *origin, const T *sizes, i64 k, i64 p, double *steps) {
    for (i64 c = 0; c < k; c++)
        for (i64 j = 0; j < p; j++)
            steps[c * p + j] = (bases[c * p + j] - origin[j]) + steps[c * p + j] / static_cast<double>(sizes[c]);
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

// Do what a pass for means does, in one call; `means` holds zeros before.
void means_at_once(AnyMatrix X, Vector<const i64> codes, AnyVector sizes, Vector<const double> origin, Matrix<double> means) {
    const i64 n = length(codes), k = length(sizes), p = length(X, 1);
    require(n > 0 || k == 0, "no points have no means");
    require_rows(X, codes, 0, n);
    require_place(X, origin);
    require_table(means, k, p);
    with_points(X, [&](const auto *points) {
        with_sizes(sizes, [&](const auto *size) {
            const Unlocked unlocked;
            std::vector<i64> members(k, 0);
            std::vector<double> bases(k * p);
            find_first_members({codes.data(), k}, n, members.data());
            for (i64 c = 0; c < k; c++) std::copy_n(points + members[c] * p, p, bases.data() + c * p);
            add_steps_of(points, {codes.data(), k}, 0, n, bases.data(), p, means.data());
            steps_to_means_of(bases.data(), origin.data(), size, k, p, means.data());
        });
    });
}

template <class T, class P>
void add_squares_of(const T *__restrict points, Codes<i64> codes, i64 first, i64 last, const double *__restrict origin, P p,
                    const double *__restrict means, double *__restrict squares) {
    for (i64 i = first; i < last; i++) {
        const T *point = points + i * p;
        const i64 start = codes[i] * p;
        for (i64 j = 0; j < p; j++) {
            const double d = point[j] - origin[j] - means[start + j];
            squares[start + j] += d * d;
        }
    }
}

// Add up squared deviations from the means of the clusters.
void add_squares(AnyMatrix X, Vector<const i64> codes, i64 first, i64 last, Vector<const double> origin, Matrix<const double> means,
                 Matrix<double> squares) {
    const i64 p = length(X, 1);
    require_rows(X, codes, first, last);
    require_place(X, origin);
    require_table(means, length(means), p);
    require_table(squares, length(means), p);
    with_points(X, [&](const auto *points) {
        const Unlocked unlocked;
        with_width(p, [&](auto width) {
            add_squares_of(points, {codes.data(), length(means)}, first, last, origin.data(), width, means.data(), squares.data());
        });
    });
}

// Fill in the mean of all points, and the weighted squares of the centroids' steps from it; the number of points.
//
// The centre of a single cluster has no rounding error: logarithms of the dispersion between clusters would show it.
double add_spread(AnyVector sizes, Matrix<const double> centroids, Vector<double> centre, Vector<double> columns) {
    const i64 k = length(sizes), p = length(centre);
    require(k > 0, "no clusters");
    require_table(centroids, k, p);
    require(length(columns) == p, "a table of another shape is wanted");
    return with_sizes(sizes, [&](const auto *size) {
        const Unlocked unlocked;
        const double *__restrict at = centroids.data();
        double *__restrict mean = centre.data(), *__restrict spread = columns.data(), n = 0.0;
        for (i64 c = 0; c < k; c++) {
            const double weight = static_cast<double>(size[c]);
            n += weight;
            for (i64 j = 0; j < p; j++) mean[j] += weight * at[c * p + j];
        }
        for (i64 j = 0; j < p; j++) mean[j] = k > 1 ? mean[j] / n : at[j];
        for (i64 c = 0; c < k; c++) {
            const double weight = static_cast<double>(size[c]);
            for (i64 j = 0; j < p; j++) {
                const double step = at[c * p + j] - mean[j];
                spread[j] += weight * (step * step);
            }
        }
        return n;
    });
}

template <class T, class P> double squared_distance(const T *point, const double *origin, const double *place, P p) {
    auto step_squared = [&](i64 j) {
        const double d = point[j] - origin[j] - place[j];
        return d * d;
    };
    double square = 0.0;
    i64 j = 0;
    for (; j + 4 <= p; j += 4) square = square + step_squared(j) + step_squared(j + 1) + step_squared(j + 2) + step_squared(j + 3);
    for (; j < p; j++) square += step_squared(j);
    return square;
}

// Add up distances from the means of the clusters.
void add_distances(AnyMatrix X, Vector<const i64> codes, i64 first, i64 last, Vector<const double> origin, Matrix<const double> means,
                   Vector<double> distances) {
    const i64 p = length(X, 1);
    require_rows(X, codes, first, last);
    require_place(X, origin);
    require_table(means, length(distances), p);
    with_points(X, [&](const auto *points) {
        const Unlocked unlocked;
        const Codes<i64> code{codes.data(), length(distances)};
        const double *middle = origin.data(), *mean = means.data();
        double *__restrict sums = distances.data();
        with_width(p, [&](auto width) {
            for (i64 i = first; i < last; i++) {
                const i64 c = code[i];
                sums[c] += std::sqrt(squared_distance(points + i * width, middle, mean + c * width, width));
            }
        });
    });
}

// Add up distances from one place; the sum and the largest.
std::pair<double, double> distances_from_one(AnyMatrix X, i64 first, i64 last, Vector<const double> origin, Vector<const double> place) {
    const i64 p = length(X, 1);
    require(0 <= first && last <= length(X), "fewer points than are wanted");
    require_place(X, origin);
    require_place(X, place);
    return with_points(X, [&](const auto *points) {
        const Unlocked unlocked;
        double total = 0.0, largest = 0.0;
        with_width(p, [&](auto width) {
            for (i64 i = first; i < last; i++) {
                const double square = squared_distance(points + i * width, origin.data(), place.data(), width);
                total += std::sqrt(square);
                largest = std::max(largest, square);
            }
        });
        return std::pair(total, std::sqrt(largest));
    });
}

// Rows of deviations that are multiplied at a time.
constexpr i64 GROUP = 4;

// Add the products of the columns of four deviations, (4, p), to a lower triangle, one after the other.
void add_products(const double *__restrict v, i64 p, double *__restrict triangle) {
    for (i64 j = 0; j < p; j++) {
        double *__restrict line = triangle + j * p;
        const double a = v[j], b = v[p + j], c = v[2 * p + j], d = v[3 * p + j];
        for (i64 h = 0; h <= j; h++) line[h] = line[h] + a * v[h] + b * v[p + h] + c * v[2 * p + h] + d * v[3 * p + h];
    }
}

// Add the products of deviations from the own centroid to the lower triangle of the scatter matrix, (p, p).
void add_scatter(AnyMatrix X, Vector<const i64> codes, i64 first, i64 last, Vector<const double> origin, Matrix<const double> centroids,
                 Matrix<double> scatter) {
    const i64 p = length(X, 1);
    require_rows(X, codes, first, last);
    require_place(X, origin);
    require_table(centroids, length(centroids), p);
    require_table(scatter, p, p);
    with_points(X, [&](const auto *points) {
        const Unlocked unlocked;
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
                    const double *centroid = centroids.data() + code[i + r] * p;
                    for (i64 j = 0; j < p; j++) v[r * p + j] = (point[j] - origin.data()[j]) - centroid[j];
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

// Add d(point, own centroid) / d(point, nearest other centroid) up by cluster; 0/0 is nan.
void add_ratios(AnyMatrix X, Vector<const i64> codes, i64 first, i64 last, Vector<const double> origin, Matrix<const double> centroids,
                Vector<double> sums) {
    const i64 p = length(X, 1);
    require_rows(X, codes, first, last);
    require_place(X, origin);
    require_table(centroids, length(sums), p);
    with_points(X, [&](const auto *points) {
        const Unlocked unlocked;
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
                sums.data()[c] += std::sqrt(own) / std::sqrt(nearest);
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
// Row r stands for cluster own_start + r, and `others` are the centroids of other clusters: `at_centroid` counts the points
// of the first at the centroid of the second, `at_middle` those at the midpoint of the two centroids.
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

// Fill in the distances of all centroids to all, (K, K); the smallest and the largest to another.
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

}  // namespace

void bind_centroids(nb::module_ &m) {
    m.doc() = "One pass over the points against the centroids: sums, squares, scatter, distances, densities.";
    define(m, "first_members", first_members, "codes", "members");
    define(m, "add_steps", add_steps, "X", "codes", "first", "last", "bases", "steps");
    define(m, "steps_to_means", steps_to_means, "bases", "origin", "sizes", "steps");
    define(m, "means_at_once", means_at_once, "X", "codes", "sizes", "origin", "means");
    define(m, "add_squares", add_squares, "X", "codes", "first", "last", "origin", "means", "squares");
    define(m, "add_spread", add_spread, "sizes", "centroids", "centre", "columns");
    define(m, "add_distances", add_distances, "X", "codes", "first", "last", "origin", "means", "distances");
    define(m, "distances_from_one", distances_from_one, "X", "first", "last", "origin", "place");
    define(m, "add_scatter", add_scatter, "X", "codes", "first", "last", "origin", "centroids", "scatter");
    define(m, "add_ratios", add_ratios, "X", "codes", "first", "last", "origin", "centroids", "sums");
    define(m, "count_near", count_near, "X", "codes", "first", "last", "origin", "centroids", "others", "own_start", "radius",
           "at_centroid", "at_middle");
    define(m, "centroid_distances", centroid_distances, "centroids", "distances");
}
