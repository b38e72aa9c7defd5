// One sweep over the distances between two groups of points, four rows against a tile of columns at a time.
//
// A group is one large cluster, or several small ones side by side; its points are sorted by cluster and stored in
// tiles, dimension by dimension (tiles[t, d, j]), so that every inner loop runs down contiguous columns. Distances are
// explicit differences, summed over the dimensions in order.
#include "pair_tiles.h"

#include <numeric>

namespace {

// Columns computed at a time: with four rows, they make eight sums, as many as registers hold.
constexpr i64 STEP = 2 * WIDTH_OF_PACK;

// Distances from four rows to two packs of columns, or squared ones; P is the dimension, or 0 for any. Roots are taken
// here because the processor takes them while it computes the next squares.
//
// The sums have names: GCC would keep an array of them in memory.
template <int P, bool ROOTED> inline void measure_packs(const Block &b, i64 j) {
    const i64 p = P ? P : b.p, stride = b.tile_stride;
    const i64 unfused = p % 4 == 2 ? 2 : 4;
    const double *at = b.tile + j, *row0 = b.rows, *row1 = row0 + p, *row2 = row1 + p, *row3 = row2 + p;
    Pack sum00{}, sum01{}, sum10{}, sum11{}, sum20{}, sum21{}, sum30{}, sum31{};
    for (i64 d = 0; d < unfused; d++, at += stride) {
        const Pack x = load(at), y = load(at + WIDTH_OF_PACK);
        sum00 += (x - row0[d]) * (x - row0[d]);
        sum01 += (y - row0[d]) * (y - row0[d]);
        sum10 += (x - row1[d]) * (x - row1[d]);
        sum11 += (y - row1[d]) * (y - row1[d]);
        sum20 += (x - row2[d]) * (x - row2[d]);
        sum21 += (y - row2[d]) * (y - row2[d]);
        sum30 += (x - row3[d]) * (x - row3[d]);
        sum31 += (y - row3[d]) * (y - row3[d]);
    }
#pragma GCC unroll 16
    for (i64 d = unfused; d < p; d++, at += stride) {
        const Pack x = load(at), y = load(at + WIDTH_OF_PACK);
        sum00 = fused_square(x - row0[d], sum00);
        sum01 = fused_square(y - row0[d], sum01);
        sum10 = fused_square(x - row1[d], sum10);
        sum11 = fused_square(y - row1[d], sum11);
        sum20 = fused_square(x - row2[d], sum20);
        sum21 = fused_square(y - row2[d], sum21);
        sum30 = fused_square(x - row3[d], sum30);
        sum31 = fused_square(y - row3[d], sum31);
    }
    auto put = [&](int r, Pack x, Pack y) {
        store(b.line(r) + j, ROOTED ? roots(x) : x);
        store(b.line(r) + j + WIDTH_OF_PACK, ROOTED ? roots(y) : y);
    };
    put(0, sum00, sum01);
    put(1, sum10, sum11);
    put(2, sum20, sum21);
    put(3, sum30, sum31);
}

}  // namespace

double squared_distance(const double *row, const Block &b, i64 j) {
    const i64 unfused = b.p % 4 == 2 ? 2 : 4;
    double sum = 0.0;
    for (i64 d = 0; d < b.p; d++) {
        const double step = b.tile[d * b.tile_stride + j] - row[d];
        sum = d < unfused ? sum + step * step : fused_square(step, sum);
    }
    return sum;
}

namespace {

template <int P, bool ROOTED> void measure_block(const Block &b) {
    // The space beyond the last column, up to a whole cache line, may be overwritten.
    const i64 room = std::min({(b.width + STEP - 1) / STEP * STEP, b.tile_stride, b.out_stride});
    i64 j = 0;
    for (; j + STEP <= room; j += STEP) measure_packs<P, ROOTED>(b, j);
    for (; j < b.width; j++)
        for (int r = 0; r < ROWS; r++) {
            const double square = squared_distance(b.rows + r * b.p, b, j);
            b.line(r)[j] = ROOTED ? std::sqrt(square) : square;
        }
}

// With up to sixteen dimensions, their loop is unrolled.
template <bool ROOTED> void measure(const Block &b) {
    auto with = [&]<int... D>(std::integer_sequence<int, D...>) {
        return ((b.p == 2 * D + 2 && (measure_block<2 * D + 2, ROOTED>(b), true)) || ...);
    };
    if (!with(std::make_integer_sequence<int, 8>{})) measure_block<0, ROOTED>(b);
}

// Sums, and smallest and largest values, of the columns of a tile.
struct Columns {
    double *sums, *smallest, *largest;
};

// Do something for each of N rows, unrolled as in `each_pack`.
template <int N, class Body> inline __attribute__((always_inline)) void each_row(Body body) {
    [&]<int... R>(std::integer_sequence<int, R...>) __attribute__((always_inline)) { (body(R), ...); }
    (std::make_integer_sequence<int, N>{});
}

// Add rows to the sums and extremes of the columns, one after the other; leave the sum of each in `totals`. Several rows
// load and store what is known of a column once.
template <int N, bool SUMS, bool EXTREMES> void gather(const double *rows, i64 stride, i64 n, Columns columns, double *totals) {
    double *sums = columns.sums, *smallest = columns.smallest, *largest = columns.largest;
    LaneSum total[N];
    i64 j = 0;
    for (; j + LANES <= n; j += LANES)
        each_pack([&](int k) __attribute__((always_inline)) {
            const i64 at = j + k * WIDTH_OF_PACK;
            Pack sum{}, least{}, most{};
            if constexpr (SUMS) sum = load(sums + at);
            if constexpr (EXTREMES) least = load(smallest + at), most = load(largest + at);
            each_row<N>([&](int r) __attribute__((always_inline)) {
                const Pack v = load(rows + r * stride + at);
                if constexpr (SUMS) sum += v, total[r].add(k, v);
                if constexpr (EXTREMES) least = smaller(v, least), most = larger(v, most);
            });
            if constexpr (SUMS) store(sums + at, sum);
            if constexpr (EXTREMES) store(smallest + at, least), store(largest + at, most);
        });
    for (int r = 0; r < N; r++) {
        const double *line = rows + r * stride;
        for (i64 i = j; i < n; i++) {
            const double v = line[i];
            if constexpr (SUMS) sums[i] += v;
            if constexpr (EXTREMES) {
                smallest[i] = v < smallest[i] ? v : smallest[i];
                largest[i] = v > largest[i] ? v : largest[i];
            }
        }
        totals[r] = SUMS ? total[r].total(line + j, n - j) : 0.0;
    }
}
template <int N> auto gather_of(bool sums, bool extremes) {
    if (sums) return extremes ? gather<N, true, true> : gather<N, true, false>;
    return extremes ? gather<N, false, true> : gather<N, false, false>;
}

}  // namespace

void bins_of(const double *__restrict line, i64 n, double scale, i64 n_bins, i32 *__restrict bins) {
    const double last = static_cast<double>(n_bins - 1);
    for (i64 j = 0; j < n; j++) {
        const double place = line[j] * scale;
        // nan goes into the last bin.
        const double within = place < last ? place : last;
        bins[j] = static_cast<i32>(within > 0.0 ? within : 0.0);
    }
}

void count_bins(const double *line, i64 n, double scale, u32 *counts, i64 n_bins) {
    i32 bins[BINNED];
    for (i64 start = 0; start < n; start += BINNED) {
        const i64 width = std::min(BINNED, n - start);
        bins_of(line + start, width, scale, n_bins, bins);
#pragma GCC unroll 8
        for (i64 j = 0; j < width; j++) counts[bins[j]]++;
    }
}

namespace {

// Distances from some rows of one group to the columns of another: the input of both passes.
struct Pass {
    std::pair<i64, i64> kind;
    bool rooted;
    i64 diagonal;
    const double *rows;
    i64 n_rows, p;
    const i64 *row_cluster;
    const double *tiles;
    i64 tile_stride;
    const i64 *widths;
    i64 n_tiles;
    const double *given;
    i64 given_rows, given_stride;
    const i64 *bounds;
    i64 k;
    double *buffer;
    i64 buffer_stride, n_columns;

    // Fill the buffer with distances from four rows to a tile, Euclidean ones squared unless they are rooted, or with
    // given ones.
    void load_block(i64 first, i64 t, i64 offset, i64 width) const {
        if (given) {
            for (i64 r = 0; r < std::min<i64>(ROWS, given_rows - first); r++)
                std::memcpy(buffer + r * buffer_stride, given + (first + r) * given_stride + offset, sizeof(double) * width);
            return;
        }
        const Block block{rows + first * p, p, tiles + t * p * tile_stride, tile_stride, width, buffer, buffer_stride};
        if (kind.first == EUCLIDEAN)
            rooted ? distances(block) : squared_distances(block);
        else
            metric_distances(kind.first, kind.second, block);
    }
};

// Rows and columns of two groups, as Python passes them.
//
// rows : (n_rows padded to a multiple of ROWS, p) coordinates, p even
// row_cluster : (n_rows,) position of each row's cluster in its group
// tiles, widths : columns of the other group; tiles are ignored where distances are given
// given : (n_rows, n_columns) distances, or (0, 0) to compute them
// bounds : (clusters of the column group + 1,) where each cluster's columns begin
// buffer : (ROWS, columns of a tile), for distances
using Groups = std::tuple<Matrix<const double>, Vector<const i64>, Cube<const double>, Vector<const i64>, Matrix<const double>,
                          Vector<const i64>, Matrix<double>>;

Pass pass_of(std::pair<i64, i64> kind, bool rooted, i64 diagonal, const Groups &groups) {
    const auto &[rows, row_cluster, tiles, widths, given, bounds, buffer] = groups;
    const i64 n_rows = length(row_cluster);
    const bool is_given = given.shape(0) > 0;
    require(length(bounds) >= 2 && length(buffer) == ROWS, "clusters or buffer too short");
    require(is_given ? length(given) >= n_rows : length(rows) >= (n_rows + ROWS - 1) / ROWS * ROWS, "fewer rows than clusters of them");
    require(is_given || (length(tiles) >= length(widths) && length(tiles, 1) == length(rows, 1) && length(rows, 1) > 0 && length(rows, 1) % 2 == 0),
            "tiles of other points");
    require(is_given || kind.first == EUCLIDEAN || length(rows, 1) >= numbers_of(kind), "points of another metric");
    const i64 room = is_given ? length(buffer, 1) : std::min(length(buffer, 1), length(tiles, 2));
    require_below(widths, room + 1, "tiles wider than their room");
    const i64 columns = std::accumulate(widths.data(), widths.data() + length(widths), i64{0});
    require(!is_given || length(given, 1) >= columns, "fewer distances than columns");
    const i64 *bound = bounds.data(), k = length(bounds) - 1;
    require(bound[0] == 0 && std::is_sorted(bound, bound + k + 1) && bound[k] >= columns, "columns of no cluster");
    require(diagonal < 0 || all_below(row_cluster.data(), n_rows, k), "a row of no cluster");
    return {kind, rooted, diagonal, rows.data(), n_rows, length(rows, 1), row_cluster.data(), tiles.data(), length(tiles, 2), widths.data(),
            length(widths), is_given ? given.data() : nullptr, length(given), length(given, 1), bound, k, buffer.data(), length(buffer, 1), columns};
}

// Distances from one row to the columns of a tile that it is compared with: all, or those before itself.
struct Line {
    double *at;
    i64 row, offset, stop;

    // The columns, among these, of the row's own cluster; none between two groups.
    std::pair<i64, i64> own_run(const Pass &pass) const {
        if (pass.diagonal < 0) return {stop, stop};
        const i64 *own = pass.bounds + pass.row_cluster[row];
        return {std::clamp<i64>(own[0] - offset, 0, stop), std::clamp<i64>(own[1] - offset, 0, stop)};
    }
};

// Call `use` with the lines of four rows of a pass, tile by tile, and with the number of those that there are.
template <class Use> void each_block(const Pass &pass, Use use) {
    const i64 diagonal = pass.diagonal;
    i64 offset = 0;
    for (i64 t = 0; t < pass.n_tiles; t++) {
        const i64 width = pass.widths[t];
        for (i64 i = 0; i < pass.n_rows; i += ROWS) {
            if (diagonal >= 0 && diagonal + i + ROWS - 1 <= offset) continue;
            pass.load_block(i, t, offset, diagonal >= 0 ? std::min(width, diagonal + i + ROWS - 1 - offset) : width);
            Line lines[ROWS];
            i64 n = 0;
            for (i64 row = i; row < std::min(i + ROWS, pass.n_rows); row++) {
                const i64 stop = diagonal >= 0 ? std::min(width, diagonal + row - offset) : width;
                if (stop > 0) lines[n++] = {pass.buffer + (row - i) * pass.buffer_stride, row, offset, stop};
            }
            use(lines, n);
        }
        offset += width;
    }
}

// Call `use` with each line of a pass, tile by tile.
template <class Use> void each_line(const Pass &pass, Use use) {
    each_block(pass, [&](const Line *lines, i64 n) { std::for_each_n(lines, n, use); });
}

// Call `use` with the parts of each line, and 0 for those within clusters, 1 for those between.
template <class Use> void each_run(const Pass &pass, Use use) {
    each_line(pass, [&](const Line &line) {
        const auto [low, high] = line.own_run(pass);
        use(line.at, low, 1);
        use(line.at + low, high - low, 0);
        use(line.at + high, line.stop - high, 1);
    });
}

// Reduce the distances from some rows of one group to all columns of another (or the same) group.
//
// kind : which distance it is, and the number of variables
// squared : whether the tiles give squared distances
// diagonal : -1; or, if both groups are the same, the position of the first row: row i is compared with earlier
//     columns. For two parts of one cluster, the number of columns
// groups : see `Groups`
// tables : the sums and minima of rows, (n_rows, clusters of the column group), over the cluster's columns; the sums,
//     minima and maxima of columns, (clusters of the row group, n_columns), over the cluster's rows; empty ones are not
//     wanted, and sums of one side are those of both
// scale : bins of the histogram per unit of distance; 0 for none
// counts : of a histogram, within and between clusters
//
// Minima and maxima are of squared distances if nothing else is wanted and no distances are given.
void sweep(std::pair<i64, i64> kind, bool squared, i64 diagonal, Groups groups,
           std::tuple<Matrix<double>, Matrix<double>, Matrix<double>, Matrix<double>, Matrix<double>> tables, double scale,
           std::tuple<Vector<u32>, Vector<u32>> counts) {
    const auto &[row_sums, row_minima, column_sums, column_minima, column_maxima] = tables;
    const auto &[within, between] = counts;
    const bool want_sums = length(row_sums) > 0, want_extremes = length(column_minima) > 0, want_row_minima = length(row_minima) > 0;
    const Pass pass = pass_of(kind, squared && (want_sums || scale > 0.0), diagonal, groups);
    const i64 k = pass.k, n_rows = pass.n_rows, *cluster = pass.row_cluster, *bound = pass.bounds;
    i64 k_rows = diagonal >= 0 ? k : n_rows;
    auto require_columns = [&](const Matrix<double> &table, bool wanted) {
        if (!wanted) return;
        require(length(table, 1) >= pass.n_columns, "a table of other columns");
        k_rows = std::min(k_rows, length(table));
    };
    require_columns(column_sums, want_sums);
    require_columns(column_minima, want_extremes);
    require_columns(column_maxima, want_extremes);
    require(all_below(cluster, n_rows, k_rows), "a row of no cluster");
    require(!want_sums || (length(row_sums) >= n_rows && length(row_sums, 1) >= k), "a table of other rows");
    require(!want_row_minima || (length(row_minima) >= n_rows && length(row_minima, 1) >= k), "a table of other rows");
    require(!(scale > 0.0) || (length(within) > 0 && length(between) > 0), "no bins");
    const Unlocked unlocked;
    const auto of_one = gather_of<1>(want_sums, want_extremes), of_four = gather_of<ROWS>(want_sums, want_extremes);
    i64 first_cluster = 0;
    auto add = [&](const Line *lines, i64 n, double *totals) {
        const i64 own = cluster[lines->row], offset = lines->offset;
        (n == 1 ? of_one : of_four)(lines->at, pass.buffer_stride, lines->stop,
                                    {column_sums.data() + own * length(column_sums, 1) + offset,
                                     column_minima.data() + own * length(column_minima, 1) + offset,
                                     column_maxima.data() + own * length(column_maxima, 1) + offset},
                                    totals);
    };
    auto finish = [&](const Line &line, double total) {
        const i64 own = cluster[line.row], offset = line.offset, stop = line.stop;
        i64 c = first_cluster;
        for (i64 start = 0; start < stop && (want_sums || want_row_minima); c++) {
            const i64 end = std::min(bound[c + 1] - offset, stop);
            if (want_sums)
                row_sums.data()[line.row * length(row_sums, 1) + c] +=
                    end - start == stop ? total : lane_sum(line.at + start, end - start);
            if (want_row_minima) {
                double &least = row_minima.data()[line.row * length(row_minima, 1) + c];
                least = std::min(least, least_of(line.at + start, end - start));
            }
            start = end;
        }
        if (!(scale > 0.0)) return;
        const auto [low, high] = line.own_run(pass);
        count_bins(line.at, low, scale, between.data(), length(between));
        count_bins(line.at + low, high - low, scale, within.data(), length(within));
        count_bins(line.at + high, stop - high, scale, between.data(), length(between));
    };
    each_block(pass, [&](const Line *lines, i64 n) {
        if (n == 0) return;
        while (bound[first_cluster + 1] <= lines->offset) first_cluster++;
        double totals[ROWS];
        const Line &last = lines[n - 1];
        // Without extremes, four at once gain nothing.
        if (want_extremes && n == ROWS && lines->stop == last.stop && cluster[lines->row] == cluster[last.row])
            add(lines, n, totals);
        else
            for (i64 r = 0; r < n; r++) add(lines + r, 1, totals + r);
        for (i64 r = 0; r < n; r++) finish(lines[r], totals[r]);
    });
}

// Copy the values in [low, high); without a branch, since the next value overwrites one outside the range.
double *copy_between(const double *line, i64 n, double low, double high, double *to) {
    i64 found = 0;
    for (i64 j = 0; j < n; j++) found += (line[j] >= low) & (line[j] < high);
    if (found == n) return std::copy_n(line, n, to);
    const double *end = to + found;
    for (i64 j = 0; to < end; j++) {
        *to = line[j];
        to += (line[j] >= low) & (line[j] < high);
    }
    return to;
}

// Copy the distances in [low, high) within and between clusters; return how many there are. The first four arguments are
// those of `sweep`, here and below.
std::pair<i64, i64> collect_by_kind(std::pair<i64, i64> kind, bool squared, i64 diagonal, Groups groups, double low, double high,
                                    Vector<double> within, Vector<double> between) {
    const Pass pass = pass_of(kind, squared, diagonal, groups);
    const Unlocked unlocked;
    double *next[] = {within.data(), between.data()};
    const double *end[] = {within.data() + length(within), between.data() + length(between)};
    each_run(pass, [&](const double *line, i64 n, int of) {
        require(n <= end[of] - next[of], "no room for all distances");
        next[of] = copy_between(line, n, low, high, next[of]);
    });
    return {next[0] - within.data(), next[1] - between.data()};
}

// Count and add up distances in two windows, each cut into bins of equal width, and beyond them.
//
// windows : (2, 2) where each begins, and its bins per unit of distance
// counts, sums : (2, bins + 1), in the bins by how much distances exceed the beginning of the window; the last column is for
//     what lies below the first window, and above the second
void sum_tails(std::pair<i64, i64> kind, bool squared, i64 diagonal, Groups groups, Matrix<const double> windows, Matrix<i64> counts,
               Matrix<double> sums) {
    const Pass pass = pass_of(kind, squared, diagonal, groups);
    const i64 bins = length(counts, 1) - 1;
    require(length(windows) == 2 && length(windows, 1) == 2 && 0 < bins && bins <= INT32_MAX, "two windows have bins each");
    require(length(counts) == 2 && length(sums) == 2 && length(sums, 1) == bins + 1, "counts or sums are missing");
    const Unlocked unlocked;
    const double end = static_cast<double>(bins);
    using Mask = decltype(Pack{} < Pack{});
    auto look = [&](const Line &line, auto above) {
        const double start = windows.data()[2 * above], scale = windows.data()[2 * above + 1];
        i64 *count = counts.data() + above * (bins + 1);
        double *sum = sums.data() + above * (bins + 1);
        auto is_beyond = [=](auto place) { return above ? place >= end : place < 0.0; };
        Mask beyond{}, inside{};  // each a lane's count, negative
        sum[bins] += lane_sum(line.at, line.stop, [&](Pack v) __attribute__((always_inline)) {
            const Pack place = (v - start) * scale;
            const Mask outside = is_beyond(place);
            beyond += outside;
            inside += (place >= 0.0) & (place < end);
            return outside ? v : Pack{};
        });
        // The zeros after the last distance were counted as well.
        const i64 zeros = LANES - line.stop % LANES;
        const double place = (0.0 - start) * scale;
        i64 n_beyond = -zeros * is_beyond(place), n_inside = -zeros * (place >= 0.0 && place < end);
        for (int i = 0; i < WIDTH_OF_PACK; i++) n_beyond -= beyond[i], n_inside -= inside[i];
        count[bins] += n_beyond;
        for (i64 j = 0; n_inside > 0; j++) {
            const double at = (line.at[j] - start) * scale;
            if (!(at >= 0.0 && at < end)) continue;
            count[static_cast<i64>(at)]++;
            sum[static_cast<i64>(at)] += line.at[j] - start;
            n_inside--;
        }
    };
    each_line(pass, [&](const Line &line) {
        look(line, std::integral_constant<int, 0>());
        look(line, std::integral_constant<int, 1>());
    });
}

// Euclidean distances from rows to the columns of tiles, the last of which may be incomplete.
//
// rows : (n_rows padded to a multiple of ROWS, p), p even
// tiles : (tiles, p, columns)
// buffer : (ROWS, columns of a tile)
// out : (n_rows, n_columns)
void distances_to_tiles(Matrix<const double> rows, Cube<const double> tiles, Matrix<double> buffer, Matrix<double> out) {
    const i64 n = length(out), m = length(out, 1), p = length(rows, 1), tile = length(tiles, 2);
    require(length(rows) >= (n + ROWS - 1) / ROWS * ROWS && p > 0 && p % 2 == 0 && length(tiles, 1) == p, "rows of other points");
    require(length(tiles) * tile >= m && length(buffer) == ROWS && length(buffer, 1) >= tile, "tiles or buffer too short");
    const Unlocked unlocked;
    for (i64 t = 0, offset = 0; offset < m; t++, offset += tile) {
        const i64 width = std::min(tile, m - offset);
        for (i64 first = 0; first < n; first += ROWS) {
            const Block block{rows.data() + first * p, p, tiles.data() + t * p * tile, tile, width, buffer.data(), length(buffer, 1)};
            distances(block);
            for (i64 r = first; r < std::min(first + ROWS, n); r++)
                std::copy_n(block.line(static_cast<int>(r - first)), width, out.data() + r * m + offset);
        }
    }
}

}  // namespace

void squared_distances(const Block &block) { measure<false>(block); }
void distances(const Block &block) { measure<true>(block); }

void bind_pair_tiles(nb::module_ &m) {
    m.doc() = "Distances between groups of points, four rows against a tile of columns at a time.";
    m.attr("ROWS") = ROWS;
    m.attr("ALIGNMENT") = LANES;
    define(m, "sweep", sweep, "kind", "squared", "diagonal", "groups", "tables", "scale", "counts");
    define(m, "collect_by_kind", collect_by_kind, "kind", "squared", "diagonal", "groups", "low", "high", "within", "between");
    define(m, "sum_tails", sum_tails, "kind", "squared", "diagonal", "groups", "windows", "counts", "sums");
    define(m, "distances_to_tiles", distances_to_tiles, "rows", "tiles", "buffer", "out");
}
