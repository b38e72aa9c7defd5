// Scores and probabilities: splitting by class, merging sorted scores with their ties, losses row by row.
#include "logarithm.h"

namespace {


template <class Array, class Use> auto with_floats(const Array &values, Use &&use) {
    return with_type<double, float>(values, "scores and probabilities are floats of 4 or 8 bytes", std::forward<Use>(use));
}

// Copy the scores of the instances of one class, and those of all others.
std::pair<NewVector<double>, NewVector<double>> split_by_class(AnyVector values, AnyVector codes, i64 code) {
    const i64 n = length(codes);
    require(length(values) == n, "not one score for each instance");
    std::vector<double> inside, outside;
    with_floats(values, [&](const auto *value) {
        with_codes(codes, [&](const auto *own) {
            const Unlocked unlocked;
            const i64 n_inside = std::count_if(own, own + n, [&](auto c) { return static_cast<i64>(c) == code; });
            inside.resize(n_inside);
            outside.resize(n - n_inside);
            i64 a = 0, b = 0;
            for (i64 i = 0; i < n; i++)
                if (static_cast<i64>(own[i]) == code)
                    inside[a++] = value[i];
                else
                    outside[b++] = value[i];
        });
    });
    return {as_array(std::move(inside)), as_array(std::move(outside))};
}

// Merge the sorted scores of two classes: distinct scores, ascending, and how often each class has them.
std::tuple<NewVector<double>, NewVector<i64>, NewVector<i64>> merge_sorted(Vector<const double> positives, Vector<const double> negatives) {
    const double *p = positives.data(), *n = negatives.data();
    const i64 n_p = length(positives), n_n = length(negatives);
    std::vector<double> scores;
    std::vector<i64> in_positives, in_negatives;
    {
        const Unlocked unlocked;
        for (i64 a = 0, b = 0; a < n_p || b < n_n;) {
            const double score = a == n_p ? n[b] : b == n_n ? p[a] : std::min(p[a], n[b]);
            const i64 first_a = a, first_b = b;
            while (a < n_p && p[a] == score) a++;
            while (b < n_n && n[b] == score) b++;
            if (a == first_a && b == first_b) throw std::invalid_argument("a score is not a number");
            scores.push_back(score);
            in_positives.push_back(a - first_a);
            in_negatives.push_back(b - first_b);
        }
    }
    return {as_array(std::move(scores)), as_array(std::move(in_positives)), as_array(std::move(in_negatives))};
}

// Twice the number of pairs in which the positive has the higher score, with ties counting half; scores are sorted.
i64 twice_wins(Vector<const double> positives, Vector<const double> negatives) {
    const Unlocked unlocked;
    const double *n = negatives.data();
    const i64 n_n = length(negatives);
    i64 below = 0, up_to = 0, total = 0;
    for (i64 i = 0; i < length(positives); i++) {
        const double score = positives.data()[i];
        while (below < n_n && n[below] < score) below++;
        up_to = std::max(up_to, below);
        while (up_to < n_n && n[up_to] == score) up_to++;
        total += below + up_to;
    }
    return total;
}

// Sum over the positives of the precision at their score, which is the average precision times their number.
double precision_sum(Vector<const double> positives, Vector<const double> negatives) {
    const Unlocked unlocked;
    const double *p = positives.data(), *n = negatives.data();
    const i64 n_p = length(positives), n_n = length(negatives);
    double total = 0.0;
    for (i64 a = n_p, b = n_n; a > 0;) {
        const double score = p[a - 1];
        const i64 first = a;
        while (a > 0 && p[a - 1] == score) a--;
        if (a == first) return std::numeric_limits<double>::quiet_NaN();
        while (b > 0 && n[b - 1] >= score) b--;
        const i64 found = n_p - a;
        total += static_cast<double>(first - a) * (static_cast<double>(found) / static_cast<double>(found + n_n - b));
    }
    return total;
}

// Add to `sums`, of shape (3, n_bins), the number of instances in each bin, their scores, and the number of hits.
void bin_scores(Vector<const double> values, Vector<const bool> hits, Vector<const double> edges, bool holds_right, Matrix<double> sums) {
    const i64 n = length(values), n_bins = length(edges) - 1;
    require(n_bins > 0 && length(hits) == n && length(sums) == 3 && length(sums, 1) == n_bins, "not one bin between two edges");
    const Unlocked unlocked;
    const double *edge = edges.data(), last = static_cast<double>(n_bins - 1);
    double *counts = sums.data(), *scores = counts + n_bins, *came_true = scores + n_bins;
    for (i64 i = 0; i < n; i++) {
        const double value = values.data()[i];
        i64 b = static_cast<i64>(std::max(0.0, std::min(last, value * static_cast<double>(n_bins))));
        // The product is rounded, so the edges decide.
        if (holds_right) {
            while (b > 0 && value <= edge[b]) b--;
            while (b < n_bins - 1 && value > edge[b + 1]) b++;
        } else {
            while (b > 0 && value < edge[b]) b--;
            while (b < n_bins - 1 && value >= edge[b + 1]) b++;
        }
        counts[b] += 1.0;
        scores[b] += value;
        came_true[b] += hits.data()[i] ? 1.0 : 0.0;
    }
}

// -log of the probability of the true class, from that of the second of two classes, row by row.
void log_rows(AnyVector values, Vector<const i64> codes, Vector<double> rows) {
    const i64 n = length(codes);
    require(length(values) == n && length(rows) == n, "not one probability for each instance");
    with_floats(values, [&](const auto *of) {
        const Unlocked unlocked;
        for (i64 i = 0; i < n; i++) {
            const double value = of[i];
            // log1p keeps the digits that 1 - p loses.
            if (codes.data()[i] == 1)
                rows.data()[i] = value > 0.0 ? -natural_log(value) : INF;
            else
                rows.data()[i] = value < 1.0 ? -log_of_one_plus(-value) : INF;
        }
    });
}

// Sum over the classes of the squared difference between forecast and outcome, row by row.
void brier_rows(AnyMatrix probabilities, Vector<const i64> codes, Vector<double> rows) {
    const i64 n = length(codes), k = length(probabilities, 1);
    require(length(probabilities) == n && length(rows) == n, "not one row of probabilities for each instance");
    with_floats(probabilities, [&](const auto *of) {
        const Unlocked unlocked;
        for (i64 i = 0; i < n; i++) {
            double total = 0.0;
            for (i64 c = 0; c < k; c++) {
                const double off = static_cast<double>(of[i * k + c]) - (c == codes.data()[i] ? 1.0 : 0.0);
                total += off * off;
            }
            rows.data()[i] = total;
        }
    });
}

// For each row, how many classes score higher than the true one, and how many score the same (including itself).
std::pair<NewVector<i32>, NewVector<i32>> rank_of_truth(AnyMatrix scores, Vector<const i64> codes) {
    const i64 n = length(codes), k = length(scores, 1);
    require(length(scores) == n, "not one row of scores for each instance");
    std::vector<i32> higher(n), tied(n);
    with_floats(scores, [&](const auto *of) {
        const Unlocked unlocked;
        for (i64 i = 0; i < n; i++) {
            const auto *row = of + i * k;
            const i64 code = codes.data()[i];
            if (code < 0 || code >= k) throw std::invalid_argument("a code is none of the classes");
            for (i64 c = 0; c < k; c++) {
                higher[i] += row[c] > row[code];
                tied[i] += row[c] == row[code];
            }
        }
    });
    return {as_array(std::move(higher)), as_array(std::move(tied))};
}

// The column of the highest score of each row, the first among ties.
NewVector<i64> highest_of_rows(AnyMatrix scores) {
    const i64 n = length(scores), k = length(scores, 1);
    require(k > 0, "there is no class");
    std::vector<i64> highest(n);
    with_floats(scores, [&](const auto *of) {
        const Unlocked unlocked;
        for (i64 i = 0; i < n; i++) {
            const auto *row = of + i * k;
            auto most = row[0];
            i64 at = 0;
            for (i64 c = 1; c < k; c++) {
                at = row[c] > most ? c : at;
                most = row[c] > most ? row[c] : most;
            }
            highest[i] = at;
        }
    });
    return as_array(std::move(highest));
}

// How many entries of each column lie outside [0, 1] or are not numbers, and the least and greatest sum of a row that
// has only numbers.
std::tuple<NewVector<i64>, double, double> seen_in_rows(AnyMatrix probabilities) {
    const i64 n = length(probabilities), k = length(probabilities, 1);
    std::vector<i64> bad(k);
    double least = INF, greatest = -INF;
    with_floats(probabilities, [&](const auto *of) {
        const Unlocked unlocked;
        for (i64 i = 0; i < n; i++) {
            double total = 0.0;
            for (i64 c = 0; c < k; c++) {
                const double value = of[i * k + c];
                bad[c] += !(0.0 <= value && value <= 1.0);
                total += value;
            }
            least = total < least ? total : least;
            greatest = total > greatest ? total : greatest;
        }
    });
    return {as_array(std::move(bad)), least, greatest};
}

// Row and column of the first entry outside [0, 1] or not a number; column -1 where a sum is not 1; else row -1.
std::pair<i64, i64> first_bad_row(AnyMatrix probabilities, double tolerance) {
    const i64 n = length(probabilities), k = length(probabilities, 1);
    return with_floats(probabilities, [&](const auto *of) -> std::pair<i64, i64> {
        const Unlocked unlocked;
        for (i64 i = 0; i < n; i++) {
            double total = 0.0;
            for (i64 c = 0; c < k; c++) {
                const double value = of[i * k + c];
                if (!(0.0 <= value && value <= 1.0)) return {i, c};
                total += value;
            }
            if (std::abs(total - 1.0) > tolerance) return {i, -1};
        }
        return {-1, -1};
    });
}

}  // namespace

void bind_scores(nb::module_ &m) {
    m.doc() = "Scores and probabilities.";
    define(m, "split_by_class", split_by_class, "values", "codes", "code");
    define(m, "merge_sorted", merge_sorted, "positives", "negatives");
    define(m, "twice_wins", twice_wins, "positives", "negatives");
    define(m, "precision_sum", precision_sum, "positives", "negatives");
    define(m, "bin_scores", bin_scores, "values", "hits", "edges", "holds_right", "sums");
    define(m, "log_rows", log_rows, "values", "codes", "rows");
    define(m, "brier_rows", brier_rows, "probabilities", "codes", "rows");
    define(m, "rank_of_truth", rank_of_truth, "scores", "codes");
    define(m, "highest_of_rows", highest_of_rows, "scores");
    define(m, "seen_in_rows", seen_in_rows, "probabilities");
    define(m, "first_bad_row", first_bad_row, "probabilities", "tolerance");
}
