// Random contingency tables with both margins fixed, as two independent partitions would give.
//
// A table is drawn cell by cell from the conditional hypergeometric distributions (Patefield's method) or, if it has
// more cells than instances, by shuffling the labels of one partition. It is reduced at once to the sums that the
// indices need, or returned.
//
// Tables come in blocks, and every block has its own stream of random numbers, so that results do not depend on the
// number of threads. The tables of a block are drawn in lockstep, one lane each: the same cell of all tables at a time.
#include "exponential.h"
#include "random_stream.h"

#include <mutex>
#include <numeric>

namespace {

// Tables that are drawn in lockstep: enough for long inner loops, few enough to stay in the cache.
constexpr i64 MOST_LANES = 256, CELLS_PER_BLOCK = 1 << 20;
// Up to 2^20 instances, log-factorials are looked up (8 MiB); differences of larger ones come from Stirling's series.
constexpr int FEWEST_BITS = 6, MOST_BITS = 20;
// Not all larger integers are exact doubles.
constexpr i64 MOST_INSTANCES = i64{1} << 52;

// From this standard deviation upwards (a variance of 10), rejection beats inversion, and its constants hold.
constexpr double WIDE = 3.1622776601683795;
// Hörmann's constants: his a and b in the transformation of a uniform number, the largest height v_r up to which a
// central point is accepted at once, and the scale alpha of the hat.
constexpr double B0 = 1.15, B1 = 2.53, A0 = -0.0873, A1 = 0.0248;
constexpr double SQUEEZE0 = 0.92, SQUEEZE1 = 4.2, CENTRAL = 0.07, HAT0 = 2.83, HAT1 = 5.1;

// Tables per block: the number depends only on the shape, and so do the results.
i64 lanes_for(i64 n_rows, i64 n_cols) {
    require(n_rows > 0 && n_cols > 0, "a table without cells");
    return std::max<i64>(1, std::min(MOST_LANES, CELLS_PER_BLOCK / n_rows / n_cols));
}

// log(k!) for small numbers k.
struct LogFactorials {
    const double *at;
    double size;

    // log(end!) - log(start!) with an error that does not grow with `start`.
    double change(double start, double end) const {
        if (start < size && end < size) return at[static_cast<i64>(end)] - at[static_cast<i64>(start)];
        const double x = start + 1.0, y = end + 1.0, step = y - x;
        return (y - 0.5) * log_of_one_plus(step / x) + step * (natural_log(x) - 1.0) + (1.0 / y - 1.0 / x) / 12.0;
    }
};

// The table for n instances, made once per process; threads may still read it when the process ends.
LogFactorials log_factorials(i64 n) {
    static auto *tables = new std::vector<double>[MOST_BITS + 1];
    static auto *made = new std::once_flag[MOST_BITS + 1];
    const int bits = std::clamp<int>(std::bit_width(static_cast<u64>(n + 2)), FEWEST_BITS, MOST_BITS);
    std::vector<double> &table = tables[bits];
    std::call_once(made[bits], [&] {
        std::vector<double> found(size_t{1} << bits, 0.0);
        for (size_t k = 1; k < found.size(); k++) found[k] = found[k - 1] + natural_log(static_cast<double>(k));
        table = std::move(found);
    });
    return {table.data(), static_cast<double>(table.size())};
}

// The law of a hypergeometric number k: the weights of k + 1 and of k - 1 relative to that of k.
struct Law {
    double good, bad, sample, low, high, slack;

    Law(double good, double bad, double sample)
        : good(good), bad(bad), sample(sample), low(std::max(0.0, sample - bad)), high(std::min(good, sample)), slack(bad - sample) {}
    double mode() const {
        const double k = std::floor((sample + 1.0) * (good + 1.0) / (good + bad + 2.0));
        return std::min(std::max(k, low), high);
    }
    double up(double k) const { return ((good - k) * (sample - k)) / ((k + 1.0) * (slack + k + 1.0)); }
    double down(double k) const { return (k * (slack + k)) / ((good - k + 1.0) * (sample - k + 1.0)); }
    // Sum of the probabilities relative to that of the mode.
    double relative_total() const {
        double total = 1.0, weight = 1.0;
        for (double k = mode(); k < high && weight > 1e-20; k++) total += weight *= up(k);
        weight = 1.0;
        for (double k = mode(); k > low && weight > 1e-20; k--) total += weight *= down(k);
        return total;
    }
    double weight_of_mode(const LogFactorials &table) const {
        const double n = good + bad, k = mode();
        if (n >= table.size) return 1.0 / relative_total();
        auto log_factorial = [&](double number) { return table.at[static_cast<i64>(number)]; };
        return exponential((log_factorial(good) - log_factorial(k) - log_factorial(good - k)) +
                        (log_factorial(bad) - log_factorial(sample - k) - log_factorial(slack + k)) -
                        (log_factorial(n) - log_factorial(sample) - log_factorial(n - sample)));
    }
};

// Draw a hypergeometric number by walking outwards from the mode, for small variances.
double by_inversion(const Law &law, Stream &stream, const LogFactorials &table) {
    const double mode = law.mode(), weight = law.weight_of_mode(table);
    for (;;) {
        double rest = stream.uniform() - weight, above = weight, below = weight, up = mode, down = mode;
        if (rest < 0.0) return mode;
        while (up < law.high || down > law.low) {
            if (up < law.high) {
                above *= law.up(up++);
                rest -= above;
                if (rest < 0.0) return up;
            }
            if (down > law.low) {
                below *= law.down(down--);
                rest -= below;
                if (rest < 0.0) return down;
            }
        }
        // Only rounding makes the probabilities sum to less than the uniform number: draw another.
    }
}

// The state of the tables of a block while a cell is drawn, one lane each.
struct Lanes {
    i64 n;
    std::vector<double> others, sample, mean, deviation, margin, height, packed;
    std::vector<i64> names;

    explicit Lanes(i64 n)
        : n(n), others(n), sample(n), mean(n), deviation(n), margin(n), height(n), packed(n), names(n) {}
};

// Propose a number for each of the first `filled` named lanes; count those not accepted at once, and keep their names.
i64 propose(Lanes &lanes, i64 filled, Stream &random, double *__restrict counts) {
    Stream stream = random;
    i64 doubtful = 0, *__restrict names = lanes.names.data();
    for (i64 p = 0; p < filled; p++) {
        const i64 lane = names[p];
        const double b = B0 + B1 * lanes.deviation[lane], a = A0 + A1 * b;
        const double u = stream.uniform() - 0.5, v = stream.uniform(), inside = 0.5 - std::abs(u);
        counts[lane] = std::floor(2.0 * a * (u / inside) + b * u + (lanes.mean[lane] + 0.5));
        lanes.margin[lane] = inside;
        lanes.height[lane] = 1.0 - v;
        names[doubtful] = lane;
        doubtful += !((inside >= CENTRAL) & (1.0 - v <= SQUEEZE0 - SQUEEZE1 / b));
    }
    random = stream;
    return doubtful;
}

// Logarithms of the heights under the hat at which the numbers of the first `doubtful` named lanes were proposed,
// packed. At the end of the range of the uniform number the height is 0, and the number proposed is never accepted.
void find_log_heights(Lanes &lanes, i64 doubtful) {
    double *__restrict packed = lanes.packed.data();
    for (i64 p = 0; p < doubtful; p++) {
        const i64 lane = lanes.names[p];
        const double deviation = lanes.deviation[lane], margin = lanes.margin[lane];
        const double b = B0 + B1 * deviation, a = A0 + A1 * b;
        packed[p] = lanes.height[lane] * ((HAT0 + HAT1 / b) * deviation / (a / (margin * margin) + b));
    }
    for (i64 p = 0; p < doubtful; p++) packed[p] = log_of_normal(packed[p]);
}

// Whether the number proposed for a lane lies under the density.
bool is_accepted(const Lanes &lanes, i64 lane, double log_height, double good, const LogFactorials &table, double count) {
    const double wanted = lanes.sample[lane], slack = lanes.others[lane] - wanted, n = good + lanes.others[lane];
    const double k = std::min(std::max(count, std::max(0.0, -slack)), std::min(good, wanted));
    const double mode = std::floor((wanted + 1.0) * (good + 1.0) / (n + 2.0));
    const double log_probability = -(table.change(mode, k) + table.change(good - mode, good - k) +
                                     table.change(wanted - mode, wanted - k) + table.change(slack + mode, slack + k));
    return (log_height <= log_probability) & (k == count);
}

// Draw hypergeometric numbers with variance >= 10 in the first `filled` named lanes.
//
// Hörmann's transformed rejection with a squeeze (1993), whose constants for the binomial distribution also hold for
// the hypergeometric one, which is a sum of independent Bernoulli variables, too: tests check hat and squeeze. Each
// round draws for all pending lanes at once and packs those not accepted, which leaves no branch to mispredict.
void draw_wide(Lanes &lanes, i64 filled, const double *good, Stream &stream, const LogFactorials &table, double *counts) {
    while (filled > 0) {
        const i64 doubtful = propose(lanes, filled, stream, counts);
        find_log_heights(lanes, doubtful);
        filled = 0;
        for (i64 p = 0; p < doubtful; p++) {
            const i64 lane = lanes.names[p];
            lanes.names[filled] = lane;
            filled += !is_accepted(lanes, lane, lanes.packed[p], good[lane], table, counts[lane]);
        }
    }
}

// Fill in the moments of the next cell of each lane, whose column has `good` instances left.
void find_moments(const double *__restrict good, Lanes &lanes) {
    double *__restrict others = lanes.others.data(), *__restrict mean = lanes.mean.data();
    double *__restrict deviation = lanes.deviation.data();
    const double *__restrict sample = lanes.sample.data();
    for (i64 lane = 0; lane < lanes.n; lane++) {
        others[lane] -= good[lane];
        const double inverse = 1.0 / (good[lane] + others[lane]), expected = sample[lane] * good[lane] * inverse;
        mean[lane] = expected;
        deviation[lane] = std::sqrt(expected * (others[lane] * inverse) * (1.0 - sample[lane] * inverse) * (1.0 + inverse));
    }
}

// Draw a cell of each lane.
void draw_cells(const double *good, Lanes &lanes, Stream &stream, const LogFactorials &table, double *counts) {
    i64 wide = 0;
    for (i64 lane = 0; lane < lanes.n; lane++) {
        lanes.names[wide] = lane;
        wide += lanes.deviation[lane] >= WIDE;
    }
    draw_wide(lanes, wide, good, stream, table, counts);
    if (wide == lanes.n) return;
    for (i64 lane = 0; lane < lanes.n; lane++) {
        if (lanes.deviation[lane] >= WIDE) continue;
        if (lanes.others[lane] == 0.0)
            counts[lane] = lanes.sample[lane];
        else if (lanes.mean[lane] > 0.0)
            counts[lane] = by_inversion({good[lane], lanes.others[lane], lanes.sample[lane]}, stream, table);
        else
            counts[lane] = 0.0;
    }
}

// The tables of a block: the remainder of each column for later rows, and the last row drawn, with one lane per table.
struct Block {
    const i64 *rows, *cols;
    i64 n_rows, n_cols, n;
    Lanes lanes;
    std::vector<double> left, row;
    LogFactorials table;

    Block(const Vector<const i64> &rows, const Vector<const i64> &cols, i64 lanes)
        : rows(rows.data()), cols(cols.data()), n_rows(length(rows)), n_cols(length(cols)),
          n(std::accumulate(rows.data(), rows.data() + length(rows), i64{0})), lanes(lanes), left(n_cols * lanes),
          row(n_cols * lanes), table(log_factorials(n)) {}

    // Draw the next row of every lane.
    void draw_row(i64 size, i64 remaining, Stream &stream) {
        std::fill(lanes.sample.begin(), lanes.sample.end(), static_cast<double>(size));
        std::fill(lanes.others.begin(), lanes.others.end(), static_cast<double>(remaining));
        double *__restrict sample = lanes.sample.data();
        for (i64 j = 0; j < n_cols - 1; j++) {
            double *__restrict good = left.data() + j * lanes.n, *__restrict counts = row.data() + j * lanes.n;
            find_moments(good, lanes);
            draw_cells(good, lanes, stream, table, counts);
            for (i64 lane = 0; lane < lanes.n; lane++) {
                good[lane] -= counts[lane];
                sample[lane] -= counts[lane];
            }
        }
        const i64 last = (n_cols - 1) * lanes.n;
        for (i64 lane = 0; lane < lanes.n; lane++) {
            row[last + lane] = sample[lane];
            left[last + lane] -= sample[lane];
        }
    }
    // Draw the tables, and call `use` with each row, (C, lanes), and its number. The last row follows from the others.
    template <class Use> void draw(u64 *state, Use use) {
        Stream stream(state);
        for (i64 j = 0; j < n_cols; j++) std::fill_n(left.data() + j * lanes.n, lanes.n, static_cast<double>(cols[j]));
        i64 remaining = n;
        for (i64 i = 0; i < n_rows - 1; i++) {
            draw_row(rows[i], remaining, stream);
            remaining -= rows[i];
            use(row.data(), i);
        }
        use(left.data(), n_rows - 1);
        stream.keep(state);
    }
};

// C(k, 2) modulo 2^64.
inline u64 pairs_of(u64 k) {
    const u64 odd = k & 1;
    return (k >> (1 - odd)) * ((k - 1) >> odd);
}

// Sums of C(k, 2), modulo 2^64, and of k log k over the cells of each table of a block, as requested.
struct Sums {
    std::vector<u64> pairs;
    std::vector<double> entropies;

    // Add some cells of each lane.
    void add(const double *cells, i64 n_cells, i64 n_lanes) {
        for (i64 j = 0; j < n_cells; j++) {
            const double *__restrict counts = cells + j * n_lanes;
            u64 *__restrict own_pairs = pairs.data();
            double *__restrict own_entropies = entropies.data();
            // An integer is what it adds to the bits of 2^52.
            constexpr u64 DIGITS = (u64{1} << 52) - 1;
            for (size_t lane = 0; lane < pairs.size(); lane++)
                own_pairs[lane] += pairs_of(std::bit_cast<u64>(counts[lane] + 0x1p52) & DIGITS);
            // For empty cells, the logarithm is finite, too.
            for (size_t lane = 0; lane < entropies.size(); lane++)
                own_entropies[lane] += counts[lane] * log_of_normal(counts[lane]);
        }
    }
};

// A stream whose words are all zero stays there.
void require_streams(const Matrix<u64> &streams) {
    require(length(streams, 1) == 4, "a stream has four words");
    for (i64 i = 0; i < length(streams); i++) {
        const u64 *state = streams.data() + 4 * i;
        require((state[0] | state[1] | state[2] | state[3]) != 0, "a stream of zeros");
    }
}

void require_margins(const Vector<const i64> &rows, const Vector<const i64> &cols, i64 lanes, const Matrix<u64> &streams) {
    require(length(rows) > 0 && length(cols) > 0 && lanes > 0, "tables need rows, columns and lanes");
    require_streams(streams);
    i64 totals[2] = {0, 0};
    for (int axis = 0; axis < 2; axis++) {
        const Vector<const i64> &sums = axis == 0 ? rows : cols;
        for (i64 i = 0; i < length(sums); i++) {
            require(0 <= sums.data()[i] && sums.data()[i] < MOST_INSTANCES - totals[axis], "margins are counts");
            totals[axis] += sums.data()[i];
        }
    }
    require(totals[0] == totals[1], "margins with different sums");
}

// Draw one table per lane from each stream, and sum C(k, 2), modulo 2^64, and k log k over their cells.
//
// streams : (blocks, 4), random states
// pairs, entropies : filled in order; they may be shorter than blocks * lanes, and are skipped if empty.
void draw_sums(Vector<const i64> rows, Vector<const i64> cols, Matrix<u64> streams, i64 lanes, Vector<i64> pairs,
               Vector<double> entropies) {
    require_margins(rows, cols, lanes, streams);
    const Unlocked unlocked;
    Block drawn(rows, cols, lanes);
    Sums sums{std::vector<u64>(length(pairs) ? lanes : 0), std::vector<double>(length(entropies) ? lanes : 0)};
    for (i64 block = 0; block < length(streams); block++) {
        std::fill(sums.pairs.begin(), sums.pairs.end(), 0);
        std::fill(sums.entropies.begin(), sums.entropies.end(), 0.0);
        drawn.draw(streams.data() + 4 * block, [&](const double *cells, i64) { sums.add(cells, drawn.n_cols, lanes); });
        const i64 start = block * lanes;
        for (i64 t = start; t < std::min(start + lanes, length(pairs)); t++) pairs.data()[t] = static_cast<i64>(sums.pairs[t - start]);
        for (i64 t = start; t < std::min(start + lanes, length(entropies)); t++) entropies.data()[t] = sums.entropies[t - start];
    }
}

// Draw the same tables as `draw_sums` and write them to `out`, of shape (tables, R, C).
void draw_tables(Vector<const i64> rows, Vector<const i64> cols, Matrix<u64> streams, i64 lanes, Cube<i64> out) {
    require_margins(rows, cols, lanes, streams);
    require(length(out, 1) == length(rows) && length(out, 2) == length(cols), "no room for such tables");
    const Unlocked unlocked;
    Block drawn(rows, cols, lanes);
    for (i64 block = 0; block < length(streams); block++) {
        const i64 start = block * lanes, stop = std::min(start + lanes, length(out));
        drawn.draw(streams.data() + 4 * block, [&](const double *cells, i64 i) {
            for (i64 t = start; t < stop; t++) {
                i64 *row = out.data() + (t * drawn.n_rows + i) * drawn.n_cols;
                for (i64 j = 0; j < drawn.n_cols; j++) row[j] = static_cast<i64>(cells[j * lanes + t - start]);
            }
        });
    }
}

// Instances, row by row, and the column of each.
struct Shuffle {
    const i64 *rows;
    i64 n_rows, n;
    std::vector<i64> seen;

    Shuffle(const Vector<const i64> &rows, const i32 *labels, i64 n, i64 n_cols) : rows(rows.data()), n_rows(length(rows)), n(n), seen(n_cols, 0) {
        i64 rest = n;
        for (i64 i = 0; i < n_rows; i++) {
            require(0 <= this->rows[i] && this->rows[i] <= rest, "not one column for each instance of a row");
            rest -= this->rows[i];
        }
        require(rest == 0, "not one column for each instance of a row");
        for (i64 i = 0; i < n; i++) require(0 <= labels[i] && labels[i] < n_cols, "no such column");
    }
    // Shuffle the columns in place, and call `use` with the row, column and count of each non-empty cell.
    template <class Use> void operator()(i32 *labels, Stream &random, std::vector<i32> &columns, Use use) {
        Stream stream = random;
        for (i64 i = n - 1; i > 0; i--) std::swap(labels[i], labels[static_cast<i64>(stream.uniform() * static_cast<double>(i + 1))]);
        random = stream;
        const i32 *label = labels;
        for (i64 i = 0; i < n_rows; i++) {
            columns.clear();
            for (const i32 *end = label + rows[i]; label < end; label++)
                if (seen[*label]++ == 0) columns.push_back(*label);
            for (i32 column : columns) {
                use(i, i64{column}, seen[column]);
                seen[column] = 0;
            }
        }
    }
};

// Shuffle the columns of the instances in place and count their table with the rows: rows, columns and counts of the
// non-empty cells.
std::tuple<NewVector<i64>, NewVector<i64>, NewVector<i64>> shuffle_cells(Vector<const i64> rows, Vector<i32> labels, i64 n_cols,
                                                                         Vector<u64> stream) {
    require(length(stream) == 4, "a stream has four words");
    std::vector<i64> row, col, count;
    {
        const Unlocked unlocked;
        Shuffle shuffle(rows, labels.data(), length(labels), n_cols);
        Stream random(stream.data());
        std::vector<i32> columns;
        for (std::vector<i64> *part : {&row, &col, &count}) part->reserve(length(labels));
        shuffle(labels.data(), random, columns, [&](i64 i, i64 j, i64 k) {
            row.push_back(i);
            col.push_back(j);
            count.push_back(k);
        });
        random.keep(stream.data());
    }
    return {as_array(std::move(row)), as_array(std::move(col)), as_array(std::move(count))};
}

// Do the same as `draw_sums` by shuffling, for tables with more cells than instances.
void shuffle_sums(Vector<const i64> rows, Vector<const i32> labels, i64 n_cols, Matrix<u64> streams, i64 lanes, Vector<i64> pairs,
                  Vector<double> entropies) {
    require(lanes > 0, "tables need lanes");
    require_streams(streams);
    const Unlocked unlocked;
    const i64 n = length(labels), n_pairs = length(pairs), n_entropies = length(entropies);
    Shuffle shuffle(rows, labels.data(), n, n_cols);
    std::vector<i32> mine(n), columns;
    for (i64 block = 0, t = 0; block < length(streams); block++) {
        Stream stream(streams.data() + 4 * block);
        std::copy_n(labels.data(), n, mine.begin());
        for (const i64 stop = t + std::min(lanes, std::max(n_pairs, n_entropies) - t); t < stop; t++) {
            u64 joined = 0;
            double entropy = 0.0;
            shuffle(mine.data(), stream, columns, [&](i64, i64, i64 k) {
                joined += pairs_of(static_cast<u64>(k));
                if (n_entropies && k > 1) entropy += static_cast<double>(k) * log_of_normal(static_cast<double>(k));
            });
            if (t < n_pairs) pairs.data()[t] = static_cast<i64>(joined);
            if (t < n_entropies) entropies.data()[t] = entropy;
        }
        stream.keep(streams.data() + 4 * block);
    }
}

}  // namespace

void bind_random_tables(nb::module_ &m) {
    m.doc() = "Random contingency tables with both margins fixed: what two independent partitions would give.";
    const std::pair<const char *, double> constants[] = {
        {"WIDE", WIDE}, {"B0", B0}, {"B1", B1}, {"A0", A0}, {"A1", A1}, {"SQUEEZE0", SQUEEZE0}, {"SQUEEZE1", SQUEEZE1},
        {"CENTRAL", CENTRAL}, {"HAT0", HAT0}, {"HAT1", HAT1},
    };
    for (const auto &[name, value] : constants) m.attr(name) = value;
    define(m, "lanes_for", lanes_for, "n_rows", "n_cols");
    define(m, "draw_sums", draw_sums, "rows", "cols", "streams", "lanes", "pairs", "entropies");
    define(m, "draw_tables", draw_tables, "rows", "cols", "streams", "lanes", "out");
    define(m, "shuffle_cells", shuffle_cells, "rows", "labels", "n_cols", "stream");
    define(m, "shuffle_sums", shuffle_sums, "rows", "labels", "n_cols", "streams", "lanes", "pairs", "entropies");
}
