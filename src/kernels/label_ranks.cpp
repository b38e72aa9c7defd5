// Rankings of labels: how the true labels of an instance stand among all, row by row.
#include "lanes.h"

namespace {

struct Counts {
    i64 above = 0, equal = 0;
};

// How many of all labels score more than `own`, or as much.
template <class T> Counts count_all(const T *__restrict scores, i64 width, T own) {
    // Integers as wide as the scores: the loop vectorises.
    using Count = std::conditional_t<sizeof(T) == 8, i64, i32>;
    Count above = 0, equal = 0;
    for (i64 c = 0; c < width; c++) {
        above += scores[c] > own ? 1 : 0;
        equal += scores[c] == own ? 1 : 0;
    }
    return {above, equal};
}
// How many of some labels do.
template <class T> Counts count_true(const T *scores, const i64 *columns, i64 n, T own) {
    Counts found;
    for (i64 b = 0; b < n; b++) {
        found.above += scores[columns[b]] > own;
        found.equal += scores[columns[b]] == own;
    }
    return found;
}

// Largest of some scores, in lanes.
template <class T> T greatest(const T *scores, i64 width) {
    T lanes[LANES];
    std::fill_n(lanes, LANES, scores[0]);
    i64 c = 0;
    for (; c + LANES <= width; c += LANES)
        for (int j = 0; j < LANES; j++) lanes[j] = scores[c + j] > lanes[j] ? scores[c + j] : lanes[j];
    for (; c < width; c++) lanes[0] = std::max(lanes[0], scores[c]);
    return *std::max_element(lanes, lanes + LANES);
}

double share(double part, i64 whole) { return whole ? part / static_cast<double>(whole) : std::numeric_limits<double>::quiet_NaN(); }

// Average precision, coverage, lost pairs, tied pairs, error of the top label of an instance, from the scores of all labels
// and the columns of its n true ones.
template <class T> void rank_row(const T *scores, i64 width, const i64 *columns, i64 n, double *found) {
    double precision = 0.0;
    i64 coverage = 0, lost = 0, tied = 0;
    for (i64 a = 0; a < n; a++) {
        const T own = scores[columns[a]];
        const Counts all = count_all(scores, width, own), of_true = count_true(scores, columns, n, own);
        precision += static_cast<double>(of_true.above + of_true.equal) / static_cast<double>(all.above + all.equal);
        coverage = std::max(coverage, all.above + all.equal);
        lost += all.above - of_true.above;
        tied += all.equal - of_true.equal;
    }
    const i64 pairs = n * (width - n);
    const T best = greatest(scores, width);
    found[0] = share(precision, n);
    found[1] = static_cast<double>(coverage);
    found[2] = share(static_cast<double>(lost), pairs);
    found[3] = share(static_cast<double>(tied), pairs);
    found[4] = 1.0 - static_cast<double>(count_true(scores, columns, n, best).equal) / static_cast<double>(count_all(scores, width, best).equal);
}

// Fill `found`, of shape (n, 5): see `rank_row`.
//
// The true labels of row i are columns[starts[i]] to columns[starts[i + 1]], the latter not included. Average precision is
// nan without a true label; pairs are of a true label and another, as shares of all such pairs, and nan if there is none.
void rank_labels(AnyMatrix scores, Vector<const i64> starts, Vector<const i64> columns, Matrix<double> found) {
    const i64 n = length(scores), width = length(scores, 1);
    require(width > 0 && length(starts) == n + 1 && length(found) == n && length(found, 1) == 5, "not one start and five numbers for each row");
    require(0 <= starts.data()[0] && std::is_sorted(starts.data(), starts.data() + n + 1) && starts.data()[n] <= length(columns),
            "starts beyond the columns");
    with_type<double, float>(scores, "scores are floats of 4 or 8 bytes", [&](const auto *score) {
        const Unlocked unlocked;
        for (i64 i = 0; i < n; i++) {
            const i64 first = starts.data()[i];
            rank_row(score + i * width, width, columns.data() + first, starts.data()[i + 1] - first, found.data() + i * 5);
        }
    });
}

}  // namespace

void bind_label_ranks(nb::module_ &m) {
    m.doc() = "Rankings of labels: how the true labels of an instance stand among all, row by row.";
    define(m, "rank_labels", rank_labels, "scores", "starts", "columns", "found");
}
