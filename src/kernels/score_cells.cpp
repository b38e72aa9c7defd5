// Scores in narrow bins: the cell of each score, and sums of the scores of each cell.
#include "arrays.h"

namespace {

// Rows whose cells are found before any is added to.
constexpr i64 BLOCK = 512;

// The bin (b / n_bins, (b + 1) / n_bins] of a number from 0 to 1; 0 is in the first. Rounded quotients are the edges.
inline i64 bin_of(double value, double n_bins) {
    const double below = std::floor(value * n_bins);
    const double found = below - (value <= below / n_bins) + (value > (below + 1.0) / n_bins);
    return static_cast<i64>(std::max(found, 0.0));
}

// What a cell holds: how many scores there are, their sum, the least and the greatest. With weights above 0, the first
// two are sums of these, and the sum of their squares comes last.
constexpr i64 COUNTED = 4, WEIGHTED = 5;

// One more score in a cell.
template <i64 WIDTH> inline void add_to(double *cell, double value, double weight) {
    const bool is_first = cell[0] == 0.0;
    cell[0] += weight;
    cell[1] += WIDTH == WEIGHTED ? weight * value : value;
    cell[2] = is_first ? value : std::min(cell[2], value);
    cell[3] = is_first ? value : std::max(cell[3], value);
    if constexpr (WIDTH == WEIGHTED) cell[4] += weight * weight;
}

// Add scores to their cells; without weights, each weighs 1.
inline void add_each(const double *values, const i64 *cells, const double *weights, i64 n, double *sums) {
    if (weights == nullptr) {
        for (i64 i = 0; i < n; i++) add_to<COUNTED>(sums + COUNTED * cells[i], values[i], 1.0);
    } else {
        for (i64 i = 0; i < n; i++) add_to<WEIGHTED>(sums + WEIGHTED * cells[i], values[i], weights[i]);
    }
}

// The weights of n scores, or none; sums have a column more with them.
const double *weights_of(const Vector<const double> &weights, i64 n, const Matrix<double> &sums) {
    const i64 width = length(sums, 1), m = length(weights);
    require((width == COUNTED && m == 0) || (width == WEIGHTED && m == n), "not one weight for each score");
    return width == COUNTED ? nullptr : weights.data();
}

NewVector<i64> probability_bins(Vector<const double> values, i64 n_bins) {
    require(n_bins > 0, "there is no bin");
    std::vector<i64> bins(length(values));
    {
        const Unlocked unlocked;
        const double *value = values.data(), wide = static_cast<double>(n_bins);
        for (size_t i = 0; i < bins.size(); i++) bins[i] = bin_of(value[i], wide);
    }
    return as_array(std::move(bins));
}

// Add the probability of one class in each row, or of the class that the row names, to a row of `sums`: that of
// (group * 2 + whether the class is the true one) * (n_bins + 1) + bin.
void add_probabilities(Matrix<const double> values, Vector<const i64> codes, Vector<const i64> groups, Vector<const i64> named, i64 n_bins,
                       Vector<const double> weights, Matrix<double> sums) {
    const i64 n = length(values), k = length(values, 1), n_named = length(named), size = length(sums);
    require(length(codes) == n && length(groups) == n && (n_named == n || n_named == 1), "not one row for each instance");
    require(n_bins > 0 && n_bins < size, "there is no bin");
    const double *weight = weights_of(weights, n, sums);
    require_below(named, k, "a class without a column");
    require_below(groups, size, "a cell without sums");
    const Unlocked unlocked;
    const double wide = static_cast<double>(n_bins);
    double block[BLOCK];
    i64 cells[BLOCK];
    for (i64 first = 0; first < n; first += BLOCK) {
        const i64 m = std::min(BLOCK, n - first), *code = codes.data() + first, *group = groups.data() + first;
        const double *rows = values.data() + first * k;
        const i64 *own = named.data() + (n_named == 1 ? 0 : first), step = n_named == 1 ? 0 : 1;
        for (i64 i = 0; i < m; i++) block[i] = rows[i * k + own[i * step]];
        for (i64 i = 0; i < m; i++) cells[i] = bin_of(block[i], wide);
        for (i64 i = 0; i < m; i++) cells[i] += (group[i] * 2 + (own[i * step] == code[i])) * (n_bins + 1);
        require(all_below(cells, m, size), "a cell without sums");
        add_each(block, cells, weight == nullptr ? nullptr : weight + first, m, sums.data());
    }
}

// Add each score to the row of `sums` that its cell names.
void add_scores(Vector<const double> values, Vector<const i64> cells, Vector<const double> weights, Matrix<double> sums) {
    const i64 n = length(values);
    require(length(cells) == n, "not one cell for each score");
    require_below(cells, length(sums), "a cell without sums");
    const double *weight = weights_of(weights, n, sums);
    const Unlocked unlocked;
    add_each(values.data(), cells.data(), weight, n, sums.data());
}

}  // namespace

void bind_score_cells(nb::module_ &m) {
    m.doc() = "Sums of scores, bin by bin.";
    define(m, "probability_bins", probability_bins, "values", "n_bins");
    define(m, "add_probabilities", add_probabilities, "values", "codes", "groups", "named", "n_bins", "weights", "sums");
    define(m, "add_scores", add_scores, "values", "cells", "weights", "sums");
}
