// k-means: greedy k-means++ and Lloyd's iterations with Hamerly's bounds.
#include "columns.h"

namespace {

// Rows of coordinates, one after the other: (n, p).
struct Rows {
    const double *at;
    i64 n, p;

    const double *operator[](i64 i) const { return at + i * p; }
};

// Squared distance between two places, in lanes if they have many columns.
template <class P> inline double squared(const double *__restrict a, const double *__restrict b, P p) {
    LaneSum sum;
    i64 j = 0;
    for (; j + LANES <= p; j += LANES)
        each_pack([&](int k) {
            const Pack d = load(a + j + k * WIDTH_OF_PACK) - load(b + j + k * WIDTH_OF_PACK);
            sum.add(k, d * d);
        });
    double rest = 0.0;
    for (; j < p; j++) rest += (a[j] - b[j]) * (a[j] - b[j]);
    return p < LANES ? rest : sum.total(&rest, 1);
}

struct Nearest {
    i64 code = 0;
    double first = INF, second = INF;
};

// The nearest centroid to a place (the first on ties), and the distances to the two nearest; `line` is a buffer.
Nearest two_nearest(const double *place, const Columns &centroids, std::vector<double> &line) {
    Nearest found;
    centroids.squares(line.data(), [&](i64 d, Pack column) { return place[d] - column; });
    for (i64 c = 0; c < centroids.k; c++) {
        const double d = line[c];
        if (d < found.first) {
            found.second = found.first;
            found.first = d;
            found.code = c;
        } else if (d < found.second) {
            found.second = d;
        }
    }
    found.first = std::sqrt(found.first);
    found.second = std::sqrt(found.second);
    return found;
}

// Fill in the smaller of `before` and the squared distances of all points to one of them; return the sum.
double distances_to(const Rows &X, i64 point, const std::vector<double> &before, std::vector<double> &found) {
    double total = 0.0;
    with_width(X.p, [&](auto p) {
        for (i64 i = 0; i < X.n; i++) total += found[i] = std::min(before[i], squared(X.at + i * p, X.at + point * p, p));
    });
    return total;
}

// The first point at which the running sum of squared distances exceeds a target.
i64 drawn_point(const std::vector<double> &nearest, double target) {
    const i64 n = static_cast<i64>(nearest.size());
    double running = 0.0;
    for (i64 i = 0; i < n; i++) {
        running += nearest[i];
        if (running > target) return i;
    }
    return n - 1;
}

// Choose centroids among the points: each time, the best of several candidates drawn by squared distance.
void seed(const Rows &X, Matrix<const double> draws, Matrix<double> &centroids) {
    const i64 trials = length(draws, 1), p = X.p;
    std::vector<double> nearest(X.n, INF), candidate(X.n), best(X.n);
    const i64 first = std::clamp<i64>(static_cast<i64>(draws.data()[0] * static_cast<double>(X.n)), 0, X.n - 1);
    std::copy_n(X[first], p, centroids.data());
    double total = distances_to(X, first, nearest, nearest);
    for (i64 c = 1; c < length(centroids); c++) {
        double best_total = INF;
        i64 best_point = 0;
        for (i64 t = 0; t < trials; t++) {
            const i64 point = drawn_point(nearest, draws.data()[c * trials + t] * total);
            const double candidate_total = distances_to(X, point, nearest, candidate);
            if (candidate_total < best_total) {
                best_total = candidate_total;
                best_point = point;
                std::swap(best, candidate);
            }
        }
        std::copy_n(X[best_point], p, centroids.data() + c * p);
        std::swap(nearest, best);
        total = best_total;
    }
}

// Lloyd's iterations: for each point its code, an upper bound on the distance to its centroid, and a lower bound on the
// distances to all others.
class Lloyd {
  public:
    Lloyd(const Rows &X, i64 *codes, double *centroids, i64 k)
        : X(X), k(k), p(X.p), codes(codes), centroids(centroids), places{centroids, k, p}, upper(X.n), lower(X.n), sums(k * p, 0.0),
          sizes(k, 0), half(k), steps(k), fresh(p), columns(centroids, k, p), line(columns.padded) {
        for (i64 i = 0; i < X.n; i++) {
            const Nearest found = two_nearest(X[i], columns, line);
            codes[i] = found.code;
            upper[i] = found.first;
            lower[i] = found.second;
            add(i, found.code);
        }
    }
    // Do one iteration; return whether points have moved, and the sum of the squared steps of the centroids.
    std::pair<bool, double> iterate() {
        for (i64 c = 0; c < k; c++)
            if (sizes[c] == 0) fill(c);
        const double moved = move_centroids();
        find_half_distances();
        return {assign(), moved};
    }
    double inertia() const {
        double total = 0.0;
        for (i64 i = 0; i < X.n; i++) total += squared(X[i], places[codes[i]], p);
        return total;
    }

  private:
    void add(i64 i, i64 c) {
        sizes[c]++;
        for (i64 j = 0; j < p; j++) sums[c * p + j] += X[i][j];
    }
    void remove(i64 i, i64 c) {
        sizes[c]--;
        for (i64 j = 0; j < p; j++) sums[c * p + j] -= X[i][j];
    }
    // Give an emptied cluster the point farthest from its centroid, among those of clusters that can spare one.
    void fill(i64 c) {
        i64 far = -1;
        double distance = -1.0;
        for (i64 i = 0; i < X.n; i++) {
            if (sizes[codes[i]] <= 1) continue;
            const double d = squared(X[i], places[codes[i]], p);
            if (d > distance) {
                distance = d;
                far = i;
            }
        }
        require(far >= 0, "fewer points than clusters");
        remove(far, codes[far]);
        sizes[c] = 1;
        codes[far] = c;
        upper[far] = INF;
        lower[far] = 0.0;
        std::copy_n(X[far], p, sums.data() + c * p);
    }
    double move_centroids() {
        double moved = 0.0;
        longest = 0.0;
        for (i64 c = 0; c < k; c++) {
            for (i64 j = 0; j < p; j++) fresh[j] = sums[c * p + j] / static_cast<double>(sizes[c]);
            const double step = squared(fresh.data(), places[c], p);
            std::copy_n(fresh.data(), p, centroids + c * p);
            moved += step;
            steps[c] = std::sqrt(step);
            longest = std::max(longest, steps[c]);
        }
        columns.fill(centroids);
        return moved;
    }
    // Half the distance of each centroid to the nearest other one.
    void find_half_distances() {
        for (i64 c = 0; c < k; c++) {
            double nearest = INF;
            for (i64 d = 0; d < k; d++)
                if (d != c) nearest = std::min(nearest, squared(places[c], places[d], p));
            half[c] = std::sqrt(nearest) / 2;
        }
    }
    // Recode the points that may move according to their bounds; return whether any has.
    bool assign() {
        bool changed = false;
        for (i64 i = 0; i < X.n; i++) {
            const i64 c = codes[i];
            upper[i] += steps[c];
            lower[i] -= longest;
            const double bound = std::max(half[c], lower[i]);
            if (upper[i] < bound) continue;
            upper[i] = std::sqrt(squared(X[i], places[c], p));
            if (upper[i] < bound) continue;
            const Nearest found = two_nearest(X[i], columns, line);
            upper[i] = found.first;
            lower[i] = found.second;
            if (found.code == c) continue;
            changed = true;
            codes[i] = found.code;
            remove(i, c);
            add(i, found.code);
        }
        return changed;
    }

    Rows X;
    i64 k, p, *codes;
    double *centroids;
    Rows places;
    std::vector<double> upper, lower, sums;
    std::vector<i64> sizes;
    std::vector<double> half, steps, fresh;
    Columns columns;
    std::vector<double> line;
    double longest = 0.0;
};

// Code each point by its nearest centroid (the first on ties); return the sum of the squared distances.
double nearest_centroids(Matrix<const double> X, Matrix<const double> centroids, Vector<i64> codes) {
    const Rows points{X.data(), length(X), length(X, 1)};
    const i64 k = length(centroids);
    require(length(centroids, 1) == points.p && k > 0 && length(codes) == points.n, "centroids of other points, or no code for each point");
    const Unlocked unlocked;
    const Columns columns(centroids.data(), k, points.p);
    std::vector<double> line(columns.padded);
    double total = 0.0;
    for (i64 i = 0; i < points.n; i++) {
        const Nearest found = two_nearest(points[i], columns, line);
        codes.data()[i] = found.code;
        total += found.first * found.first;
    }
    return total;
}

// Cluster the points; fills `codes` and `centroids`, returns the inertia and the number of iterations.
//
// `draws`, (K, trials), are uniform random numbers. It stops when the squared steps of the centroids sum to `tol` or
// less. A cluster that becomes empty takes the point farthest from its centroid.
std::pair<double, i64> kmeans(Matrix<const double> X, Matrix<const double> draws, i64 max_iter, double tol, Vector<i64> codes,
                              Matrix<double> centroids) {
    const Rows points{X.data(), length(X), length(X, 1)};
    const i64 k = length(centroids);
    require(0 < k && k <= points.n && length(centroids, 1) == points.p, "fewer points than centroids, or of another shape");
    require(length(draws) == k && length(draws, 1) > 0 && length(codes) == points.n, "no draws for each centroid, or no code for each point");
    const Unlocked unlocked;
    seed(points, draws, centroids);
    Lloyd lloyd(points, codes.data(), centroids.data(), k);
    i64 iterations = 0;
    while (iterations < max_iter) {
        iterations++;
        const auto [changed, moved] = lloyd.iterate();
        if (!changed || moved <= tol) break;
    }
    return {lloyd.inertia(), iterations};
}

}  // namespace

void bind_kmeans(nb::module_ &m) {
    m.doc() = "k-means: greedy k-means++ and Lloyd's iterations with Hamerly's bounds.";
    define(m, "nearest_centroids", nearest_centroids, "X", "centroids", "codes");
    define(m, "kmeans", kmeans, "X", "draws", "max_iter", "tol", "codes", "centroids");
}
