// Rankings of labels: how the true labels of an instance rank among all, row by row.
#include "arrays.h"

namespace {

// How many scores are above a given one, and how many equal it.
struct Standing {
    i64 above = 0, equal = 0;

    void see(double score, double own) {
        above += score > own;
        equal += score == own;
    }
};

// Average precision, coverage, lost pairs, tied pairs, and error of the top label, of one row.
template <class Score> void rank_row(const Score *scores, i64 width, const i64 *columns, i64 n_true, double *found) {
    double precision = 0.0;
    i64 coverage = 0, lost = 0, tied = 0;
    for (i64 a = 0; a < n_true; a++) {
        Standing among_all, among_true;
        for (i64 c = 0; c < width; c++) among_all.see(scores[c], scores[columns[a]]);
        for (i64 b = 0; b < n_true; b++) among_true.see(scores[columns[b]], scores[columns[a]]);
        const i64 up_to = among_all.above + among_all.equal;
        precision += static_cast<double>(among_true.above + among_true.equal) / static_cast<double>(up_to);
        coverage = std::max(coverage, up_to);
        lost += among_all.above - among_true.above;
        tied += among_all.equal - among_true.equal;
    }
    const double best = *std::max_element(scores, scores + width);
    i64 at_top = 0, true_at_top = 0;
    for (i64 c = 0; c < width; c++) at_top += scores[c] == best;
    for (i64 a = 0; a < n_true; a++) true_at_top += scores[columns[a]] == best;
    auto share = [](double of, i64 all) { return all ? of / static_cast<double>(all) : std::numeric_limits<double>::quiet_NaN(); };
    const i64 pairs = n_true * (width - n_true);
    found[0] = share(precision, n_true);
    found[1] = static_cast<double>(coverage);
    found[2] = share(static_cast<double>(lost), pairs);
    found[3] = share(static_cast<double>(tied), pairs);
    found[4] = 1.0 - static_cast<double>(true_at_top) / static_cast<double>(at_top);
}

// Fill `found`, of shape (n, 5): average precision, coverage, lost pairs, tied pairs, error of the top label.
//
// The true labels of row i are columns[starts[i]] to columns[starts[i + 1] - 1]. Average precision is nan without a
// true label; pairs of a true and another label are given as shares of all such pairs, and are nan if there are none.
void rank_labels(AnyMatrix scores, Vector<const i64> starts,
                 Vector<const i64> columns, Matrix<double> found) {
    const i64 n = length(scores), width = length(scores, 1);
    require(length(starts) == n + 1 && length(found) == n && length(found, 1) == 5 && width > 0, "not one row for each instance");
    require_runs(starts, length(columns), "labels that end beyond the columns");
    require_below(columns, width, "a label has no score");
    with_type<double, float>(scores, "scores are floats of 4 or 8 bytes", [&](const auto *of) {
        const Unlocked unlocked;
        for (i64 i = 0; i < n; i++) {
            const i64 first = starts.data()[i];
            rank_row(of + i * width, width, columns.data() + first, starts.data()[i + 1] - first, found.data() + 5 * i);
        }
    });
}

}  // namespace

void bind_label_ranks(nb::module_ &m) {
    m.doc() = "Rankings of labels.";
    define(m, "rank_labels", rank_labels, "scores", "starts", "columns", "found");
}
