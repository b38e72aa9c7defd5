// Few points and their clusters in one call, where calls take as long as the passes: same loops, same digits.
#include "cluster_rows.h"
#include "counts.h"

namespace {

// The shape of the points, the codes of their labels, and the sizes of the clusters.
struct Coded {
    i64 n, p, k;
    std::vector<i64> codes, sizes;

    Codes<i64> each() const { return {codes.data(), k}; }
};

template <class Label> Coded coded(const Label *labels, i64 n, i64 p) {
    Coded found{n, p, 0, std::vector<i64>(n), std::vector<i64>(n)};
    found.k = code_and_count_of(labels, n, found.codes.data(), found.sizes.data());
    found.sizes.resize(found.k);
    return found;
}

// Fill in the origin, (p,), and the means, (K, p), which hold zeros beforehand.
template <class T> void place(const T *points, const Coded &c, double *origin, double *means) {
    std::vector<i64> members(c.k, 0);
    std::vector<double> bases(c.k * c.p);
    middles_of(points, c.n, c.p, origin);
    find_first_members(c.each(), c.n, members.data());
    for (i64 k = 0; k < c.k; k++) std::copy_n(points + members[k] * c.p, c.p, bases.data() + k * c.p);
    add_steps_of(points, c.each(), 0, c.n, bases.data(), c.p, means);
    steps_to_means_of(bases.data(), origin, c.sizes.data(), c.k, c.p, means);
}

// Call `use` with points and labels, each typed.
template <class Use> void with_rows(const AnyMatrix &X, const AnyVector &labels, Use &&use) {
    require(length(X) > 0 && length(X, 1) > 0 && length(labels) == length(X), "not one label for each point");
    with_type<double, float>(X, "coordinates are floats of 4 or 8 bytes", [&](const auto *points) {
        with_type<i64, i32>(labels, "labels are integers of 4 or 8 bytes", [&](const auto *label) {
            const Unlocked unlocked;
            use(points, coded(label, length(X), length(X, 1)));
        });
    });
}

// Sizes of the clusters, and a table, (2 K + 3, p): the origin, the centre, the squares of each column between
// clusters, the means, and the squares within clusters. Both are empty unless the labels are consecutive integers
// that all occur.
std::tuple<NewVector<i64>, NewMatrix<double>> moments(AnyMatrix X, AnyVector labels) {
    std::vector<i64> sizes;
    std::vector<double> table;
    const i64 p = length(X, 1);
    with_rows(X, labels, [&](const auto *points, Coded c) {
        if (c.k == 0) return;
        table.resize((2 * c.k + 3) * p);
        double *origin = table.data(), *centre = origin + p, *means = centre + 2 * p, *squares = means + c.k * p;
        place(points, c, origin, means);
        with_width(p, [&](auto width) { add_squares_of(points, c.each(), 0, c.n, origin, width, means, squares); });
        spread_of(c.sizes.data(), c.k, p, means, centre, centre + p);
        sizes = std::move(c.sizes);
    });
    const i64 rows = static_cast<i64>(table.size()) / p;
    return {as_array(std::move(sizes)), as_matrix(std::move(table), rows, p)};
}

// Sizes of the clusters, and a table, (2, K): sums of distances to the own centroid, and largest overlaps; whether two
// clusters, each of equal points, coincide. All are empty where those of `moments` are, or above `most` clusters.
std::tuple<NewVector<i64>, NewMatrix<double>, bool> overlaps(AnyMatrix X, AnyVector labels, i64 most) {
    std::vector<i64> sizes;
    std::vector<double> table;
    bool coinciding = false;
    with_rows(X, labels, [&](const auto *points, Coded c) {
        if (c.k == 0 || c.k > most) return;
        std::vector<double> origin(c.p), means(c.k * c.p), radii(c.k);
        table.resize(2 * c.k);
        place(points, c, origin.data(), means.data());
        add_distances_of(points, c.each(), 0, c.n, origin.data(), c.p, means.data(), table.data());
        for (i64 k = 0; k < c.k; k++) radii[k] = table[k] / static_cast<double>(c.sizes[k]);
        coinciding = largest_overlaps(means.data(), radii.data(), c.k, c.p, table.data() + c.k);
        sizes = std::move(c.sizes);
    });
    const i64 k = static_cast<i64>(sizes.size());
    return {as_array(std::move(sizes)), as_matrix(std::move(table), 2, k), coinciding};
}

}  // namespace

void bind_few_points(nb::module_ &m) {
    m.doc() = "Statistics of few points in one call.";
    define(m, "moments", moments, "X", "labels");
    define(m, "overlaps", overlaps, "X", "labels", "most");
}
