// Expectations over the cells of a contingency table with both margins fixed.
//
// Under the null model of fixed margins, a cell is hypergeometric: of n instances, `row` are in one cluster and `col`
// in the other. Cells with equal margins have equal expectations, which are computed once.
#include "deviance.h"

namespace {

// Terms below this fraction of the sum cannot change its last bit.
constexpr double NEGLIGIBLE = 1e-18;
// From this mean upwards, a cell's distribution is so wide that walking it takes long, and an expansion is as accurate.
constexpr double LARGE_MEAN = 1e8;

// E[k log(k / mu)] from the second to fourth moments: further terms are below mu^-2 times the first.
double deviance_of_large_mean(double mean, double row, double col, double n) {
    const double variance = mean * ((n - row) / n) * ((n - col) / (n - 1.0));
    const double skewed = ((n - 2.0 * row) / n) * ((n - 2.0 * col) / (n - 2.0));
    return variance / mean * (0.5 - skewed / (6.0 * mean) + variance / mean / (4.0 * mean));
}

// Sums of the weights of a cell's counts, and of its weighted deviances, relative to the weight of the mode.
struct Walk {
    double mean, weights = 1.0, values, weight = 1.0;

    // Step to the count k, whose weight is `ratio` times the last one; return whether counts beyond it matter.
    bool step(double k, double ratio) {
        weight *= ratio;
        const double term = weight * deviance(k, mean, k - mean);
        weights += weight;
        values += term;
        // Also false for nan.
        return weight >= NEGLIGIBLE * weights || term >= NEGLIGIBLE * values;
    }
};

// E[k log(k / mu)] of one cell.
//
// Since E[k] = mu, this is the expectation of the non-negative `deviance`. The weights are computed outwards from the
// mode from ratios of neighbours and normalised by their own sum, without log-gamma.
double expected_deviance(double row, double col, double n) {
    const double mean = row * (col / n);
    if (mean >= LARGE_MEAN) return deviance_of_large_mean(mean, row, col, n);
    const double others = n - row - col, low = std::max(0.0, -others), high = std::min(row, col);
    const double mode = std::min(std::max(std::floor((row + 1.0) * ((col + 1.0) / (n + 2.0))), low), high);
    Walk walk{.mean = mean, .values = deviance(mode, mean, mode - mean)};
    for (double k = mode; k < high; k += 1.0)
        if (!walk.step(k + 1.0, ((row - k) * (col - k)) / ((k + 1.0) * (others + k + 1.0)))) break;
    walk.weight = 1.0;
    for (double k = mode; k > low; k -= 1.0)
        if (!walk.step(k - 1.0, (k * (others + k)) / ((row - k + 1.0) * (col - k + 1.0)))) break;
    return walk.values / walk.weights;
}

// Mean mutual information, in nats, of two independent partitions whose clusters have random sizes: exact for fixed
// margins, with a relative error of about 1e-15.
//
// The arguments are, for each partition, the sizes that occur and the expected number of clusters of each size.
double expected_mutual_information(Vector<const double> row_sizes, Vector<const double> row_counts,
                                   Vector<const double> col_sizes, Vector<const double> col_counts, i64 n) {
    require(length(row_sizes) == length(row_counts) && length(col_sizes) == length(col_counts),
            "not one number of clusters for each size");
    const Unlocked unlocked;
    const double scale = static_cast<double>(n);
    double total = 0.0, lost = 0.0;  // Kahan's compensation: thousands of positive terms of any size
    for (i64 i = 0; i < length(row_sizes); i++)
        for (i64 j = 0; j < length(col_sizes); j++) {
            const double deviance = expected_deviance(row_sizes.data()[i], col_sizes.data()[j], scale);
            const double term = row_counts.data()[i] * col_counts.data()[j] * deviance - lost;
            const double updated = total + term;
            lost = (updated - total) - term;
            total = updated;
        }
    return total / scale;
}

}  // namespace

void bind_hypergeometric(nb::module_ &m) {
    m.doc() = "Expectations over the cells of a contingency table whose two margins are fixed.";
    define(m, "deviance", deviance, "count", "mean", "difference");
    define(m, "deviance_of_large_mean", deviance_of_large_mean, "mean", "row", "col", "n");
    define(m, "expected_deviance", expected_deviance, "row", "col", "n");
    define(m, "expected_mutual_information", expected_mutual_information, "row_sizes", "row_counts", "col_sizes", "col_counts", "n");
}
