// Loops over rows of points by cluster: means, squares, distances, and the spread of the centroids.
//
// Coordinates, like the centroids, are relative to `origin`. Sums over the columns are in order, and nothing is fused.
#pragma once
#include "columns.h"

// Rows that are summed before they are added to the total, so that rounding does not grow with the number of rows.
constexpr i64 RUN = 256;

// Rows whose median is the origin: a few outliers do not move it outside the rest.
constexpr i64 SAMPLE = 101;

// Sort each lane of n rows of lanes by Batcher's odd-even merges (Knuth, 5.3.4), without a branch.
inline void sort_lanes(double *rows, i64 n) {
    auto order = [&](double *low, double *high) {
        each_pack([&](int k) {
            const Pack a = load(low + k * WIDTH_OF_PACK), b = load(high + k * WIDTH_OF_PACK);
            store(low + k * WIDTH_OF_PACK, smaller(a, b));
            store(high + k * WIDTH_OF_PACK, larger(a, b));
        });
    };
    for (i64 size = 1; size < n; size *= 2)
        for (i64 step = size; step > 0; step /= 2)
            for (i64 start = step % size; start + step < n; start += 2 * step)
                for (i64 i = start; i < std::min(start + step, n - step); i++)
                    if ((i ^ (i + step)) < 2 * size) order(rows + i * LANES, rows + (i + step) * LANES);
}

// Fill in the median value of each column over some rows.
template <class T> void middles_of(const T *points, i64 n, i64 p, double *found) {
    const i64 every = std::max<i64>(1, n / SAMPLE), rows = (n + every - 1) / every;
    std::vector<double> lanes(rows * LANES);
    for (i64 j = 0; j < p; j += LANES) {
        const i64 width = std::min<i64>(LANES, p - j);
        for (i64 r = 0; r < rows; r++) std::copy_n(points + r * every * p + j, width, lanes.data() + r * LANES);
        sort_lanes(lanes.data(), rows);
        std::copy_n(lanes.data() + rows / 2 * LANES, width, found + j);
    }
}

// Fill in the first point of each cluster, in a vector of zeros; stop when all are found.
inline void find_first_members(Codes<i64> codes, i64 n, i64 *members) {
    i64 found = 0;
    for (i64 i = 0; i < n && found < codes.k; i++) {
        const i64 c = codes[i];
        // The first point of all is point 0.
        if (i != 0 && (members[c] != 0 || c == codes[0])) continue;
        members[c] = i;
        found++;
    }
}

// What each point counts: 1, or its weight.
struct Ones {
    constexpr double operator[](i64) const { return 1.0; }
};

// Sums over runs of each cluster, (K, p), and the number of points in each run.
class Runs {
  public:
    Runs(i64 k, i64 p, double *steps) : k(k), p(p), steps(steps), sums(k * p, 0.0), counts(k, 0) {}

    template <class T> void add(const T *point, const double *bases, i64 c, double weight) {
        double *__restrict sum = sums.data() + c * p;
        const double *__restrict base = bases + c * p;
        for (i64 j = 0; j < p; j++) sum[j] += weight * (point[j] - base[j]);
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

// Add to `steps` the difference of each point from its cluster's base.
template <class T, class W = Ones>
void add_steps_of(const T *points, Codes<i64> codes, i64 first, i64 last, const double *bases, i64 p, double *steps, W weights = {}) {
    Runs runs(codes.k, p, steps);
    for (i64 i = first; i < last; i++) runs.add(points + i * p, bases, codes[i], weights[i]);
    runs.join_all();
}

// Turn sums of steps from the bases into means relative to the origin.
template <class T> void steps_to_means_of(const double *bases, const double *origin, const T *sizes, i64 k, i64 p, double *steps) {
    for (i64 c = 0; c < k; c++)
        for (i64 j = 0; j < p; j++)
            steps[c * p + j] = (bases[c * p + j] - origin[j]) + steps[c * p + j] / static_cast<double>(sizes[c]);
}

// Sum squared deviations from the means of the clusters.
template <class T, class P, class W = Ones>
void add_squares_of(const T *__restrict points, Codes<i64> codes, i64 first, i64 last, const double *__restrict origin, P p,
                    const double *__restrict means, double *__restrict squares, W weights = {}) {
    for (i64 i = first; i < last; i++) {
        const T *point = points + i * p;
        const double weight = weights[i];
        const i64 start = codes[i] * p;
        for (i64 j = 0; j < p; j++) {
            const double d = point[j] - origin[j] - means[start + j];
            squares[start + j] += weight * (d * d);
        }
    }
}

// Fill in the mean of all points, and the weighted squares of the centroids' steps from it; return how many points.
//
// The centre of a single cluster has no rounding error, which logarithms of the dispersion between clusters would show.
template <class T> double spread_of(const T *sizes, i64 k, i64 p, const double *at, double *__restrict mean, double *__restrict spread) {
    double n = 0.0;
    std::fill_n(mean, p, 0.0);
    std::fill_n(spread, p, 0.0);
    for (i64 c = 0; c < k; c++) {
        const double weight = static_cast<double>(sizes[c]);
        n += weight;
        for (i64 j = 0; j < p; j++) mean[j] += weight * at[c * p + j];
    }
    for (i64 j = 0; j < p; j++) mean[j] = k > 1 ? mean[j] / n : at[j];
    for (i64 c = 0; c < k; c++) {
        const double weight = static_cast<double>(sizes[c]);
        for (i64 j = 0; j < p; j++) {
            const double step = at[c * p + j] - mean[j];
            spread[j] += weight * (step * step);
        }
    }
    return n;
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

// Sum the distances of the points from the means of their clusters.
template <class T, class W = Ones>
void add_distances_of(const T *points, Codes<i64> codes, i64 first, i64 last, const double *origin, i64 p, const double *means,
                      double *__restrict sums, W weights = {}) {
    with_width(p, [&](auto width) {
        for (i64 i = first; i < last; i++) {
            const i64 c = codes[i];
            sums[c] += weights[i] * std::sqrt(squared_distance(points + i * width, origin, means + c * width, width));
        }
    });
}

// Sum of two radii over the distance between two centroids; NaN for 0/0. Summed over the variables in order.
inline double overlap(const double *x, const double *y, i64 p, double together) {
    double square = 0.0;
    for (i64 d = 0; d < p; d++) square += (x[d] - y[d]) * (x[d] - y[d]);
    return square == 0.0 && together == 0.0 ? NAN : together / std::sqrt(square);
}

// Fill in the largest (r_k + r_l) / d(k, l) of each of a few clusters, in a vector of zeros, leaving out 0/0; return
// whether there is any.
inline bool largest_overlaps(const double *centroids, const double *radii, i64 k, i64 p, double *best) {
    bool any = false;
    for (i64 a = 0; a < k; a++)
        for (i64 b = 0; b < a; b++) {
            const double ratio = overlap(centroids + a * p, centroids + b * p, p, radii[a] + radii[b]);
            any = any || (std::isnan(ratio) && std::equal(centroids + a * p, centroids + (a + 1) * p, centroids + b * p));
            best[a] = std::max(best[a], ratio);
            best[b] = std::max(best[b], ratio);
        }
    return any;
}
