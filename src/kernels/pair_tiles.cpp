// The meeting of two strips of points: distances from four rows to a tile of columns at a time, reduced to tables.
//
// A strip is a run of the points sorted by cluster; the columns are stored in tiles, dimension by dimension
// (tiles[t, d, j]), so that every inner loop runs down contiguous columns. Distances are explicit differences, summed
// over the dimensions in order.
#include "pair_tiles.h"

#include <numeric>

namespace {

#define INLINE inline __attribute__((always_inline))

// Columns computed at a time: with four rows, they make eight sums, as many as registers hold.
constexpr i64 STEP = 2 * WIDTH_OF_PACK;

// Numbers of four rows, a to d, and two packs of columns. They have names: GCC would keep an array of them in memory.
struct Eight {
    Pack a0{}, a1{}, b0{}, b1{}, c0{}, c1{}, d0{}, d1{};
};
template <class F> INLINE Eight each(const Eight &x, F f) {
    return {f(x.a0), f(x.a1), f(x.b0), f(x.b1), f(x.c0), f(x.c1), f(x.d0), f(x.d1)};
}

// Squared distances from four rows to the columns from j on; P is the dimension, or 0 for any.
template <int P> INLINE Eight squares_of(const Block &b, i64 j) {
    const i64 p = P ? P : b.p, stride = b.tile_stride;
    const i64 unfused = p % 4 == 2 ? 2 : 4;
    const double *at = b.tile + j, *row0 = b.rows, *row1 = row0 + p, *row2 = row1 + p, *row3 = row2 + p;
    // Not an `Eight`, which would be stored where it is returned in every step.
    Pack a0{}, a1{}, b0{}, b1{}, c0{}, c1{}, d0{}, d1{};
    auto add = [&](i64 d, auto plus) __attribute__((always_inline)) {
        const Pack x = load(at), y = load(at + WIDTH_OF_PACK);
        a0 = plus(x - row0[d], a0), a1 = plus(y - row0[d], a1), b0 = plus(x - row1[d], b0), b1 = plus(y - row1[d], b1);
        c0 = plus(x - row2[d], c0), c1 = plus(y - row2[d], c1), d0 = plus(x - row3[d], d0), d1 = plus(y - row3[d], d1);
        at += stride;
    };
#pragma GCC unroll 4
    for (i64 d = 0; d < unfused; d++) add(d, [](Pack y, Pack sum) { return sum + y * y; });
#pragma GCC unroll 16
    for (i64 d = unfused; d < p; d++) add(d, [](Pack y, Pack sum) { return fused_square(y, sum); });
    return {a0, a1, b0, b1, c0, c1, d0, d1};
}
// In any dimension, the loop has a function of its own, whose sums stay in registers.
__attribute__((noinline)) Eight squares_in_a_loop(const Block &b, i64 j) { return squares_of<0>(b, j); }
template <int P> INLINE Eight squares_at(const Block &b, i64 j) {
    if constexpr (P == 0) return squares_in_a_loop(b, j);
    else return squares_of<P>(b, j);
}

// Roots are taken here because the processor takes them while it computes the next squares.
template <int P, bool ROOTED> INLINE void measure_packs(const Block &b, i64 j) {
    Eight s = squares_at<P>(b, j);
    if constexpr (ROOTED) s = each(s, [](Pack v) { return roots(v); });
    auto put = [&](int r, Pack x, Pack y) {
        store(b.line(r) + j, x);
        store(b.line(r) + j + WIDTH_OF_PACK, y);
    };
    put(0, s.a0, s.a1);
    put(1, s.b0, s.b1);
    put(2, s.c0, s.c1);
    put(3, s.d0, s.d1);
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

// Call `use` with the dimension as a constant: with up to sixteen dimensions, their loop is unrolled.
template <class Use> void with_dimension(i64 p, Use use) {
    auto with = [&]<int... D>(std::integer_sequence<int, D...>) {
        return ((p == 2 * D + 2 && (use(std::integral_constant<int, 2 * D + 2>{}), true)) || ...);
    };
    if (!with(std::make_integer_sequence<int, 8>{})) use(std::integral_constant<int, 0>{});
}
template <bool ROOTED> void measure(const Block &b) {
    with_dimension(b.p, [&](auto p) { measure_block<decltype(p)::value, ROOTED>(b); });
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

// Distances from some rows of one strip to the columns of another: the input of everything below.
struct Pass {
    std::pair<i64, i64> kind;
    bool rooted;
    i64 diagonal, shift;
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

    Block block(i64 first, i64 t, i64 width) const {
        return {rows + first * p, p, tiles + t * p * tile_stride, tile_stride, width, buffer, buffer_stride};
    }
    // Fill the buffer with distances from four rows to a tile, Euclidean ones squared unless they are rooted, or with
    // given ones.
    void load_block(i64 first, i64 t, i64 offset, i64 width) const {
        if (given) {
            for (i64 r = 0; r < std::min<i64>(ROWS, given_rows - first); r++)
                std::memcpy(buffer + r * buffer_stride, given + (first + r) * given_stride + offset, sizeof(double) * width);
            return;
        }
        if (kind.first == EUCLIDEAN)
            rooted ? distances(block(first, t, width)) : squared_distances(block(first, t, width));
        else
            metric_distances(kind.first, kind.second, block(first, t, width));
    }
    // The columns of a tile that a row is compared with: all, or those before itself.
    i64 stop(i64 row, i64 offset, i64 width) const {
        return diagonal < 0 ? width : std::clamp<i64>(diagonal + row - offset, 0, width);
    }
};

// Rows and columns of two strips, as Python passes them.
//
// rows : (n_rows padded to a multiple of ROWS, p) coordinates, p even
// row_cluster : (n_rows,) position of each row's cluster in its strip
// tiles, widths : columns of the other strip; tiles are ignored where distances are given
// given : (n_rows, n_columns) distances, or (0, 0) to compute them
// bounds : (clusters of the columns + 1,) where each cluster's columns begin
// buffer : (ROWS, columns of a tile), for distances
using Groups = std::tuple<Matrix<const double>, Vector<const i64>, Cube<const double>, Vector<const i64>, Matrix<const double>,
                          Vector<const i64>, Matrix<double>>;
// -1; or, in a strip that meets itself, the position of the first row: row i is compared with earlier columns. And what
// to add to the position of a row's cluster for that of the same cluster among those of the columns.
using Places = std::pair<i64, i64>;

Pass pass_of(std::pair<i64, i64> kind, bool rooted, Places places, const Groups &groups) {
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
    return {kind, rooted, places.first, places.second, rows.data(), n_rows, length(rows, 1), row_cluster.data(), tiles.data(),
            length(tiles, 2), widths.data(), length(widths), is_given ? given.data() : nullptr, length(given), length(given, 1), bound, k,
            buffer.data(), length(buffer, 1), columns};
}

// Distances from one row to the columns of a tile that it is compared with.
struct Line {
    double *at;
    i64 row, offset, stop;

    // The columns, among these, of the row's own cluster.
    std::pair<i64, i64> own_run(const Pass &pass) const {
        // What overflows wraps, and is then among the clusters or not.
        const i64 own = static_cast<i64>(static_cast<std::uint64_t>(pass.row_cluster[row]) + static_cast<std::uint64_t>(pass.shift));
        if (own < 0 || own >= pass.k) return {stop, stop};
        const i64 *ends = pass.bounds + own;
        return {std::clamp<i64>(ends[0] - offset, 0, stop), std::clamp<i64>(ends[1] - offset, 0, stop)};
    }
};

// Call `use` with each line of a pass, tile by tile.
template <class Use> void each_line(const Pass &pass, Use use) {
    i64 offset = 0;
    for (i64 t = 0; t < pass.n_tiles; t++) {
        const i64 width = pass.widths[t];
        for (i64 i = 0; i < pass.n_rows; i += ROWS) {
            const i64 last = std::min(i + ROWS, pass.n_rows), most = pass.stop(last - 1, offset, width);
            if (most == 0) continue;
            pass.load_block(i, t, offset, most);
            for (i64 row = i; row < last; row++) {
                const i64 stop = pass.stop(row, offset, width);
                if (stop > 0) use(Line{pass.buffer + (row - i) * pass.buffer_stride, row, offset, stop});
            }
        }
        offset += width;
    }
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

// A table that Python made, or none.
struct Table {
    double *at;
    i64 stride;

    explicit Table(const Matrix<double> &table) : at(length(table) ? table.data() : nullptr), stride(length(table, 1)) {}
    explicit operator bool() const { return at; }
    double *line(i64 i) const { return at + i * stride; }
};

// What two strips find in a meeting; see `meet`.
struct Found {
    Table row_sums, column_sums, least, most, row_least, column_least;
};

// Sums, or extremes, of four rows to one cluster of columns, in four lanes along the columns.
struct Lanes {
    Pack low, high;  // of which packs of four need one

    explicit Lanes(double value) : low(all(value)), high(low) {}
    template <class Join> INLINE void add(Pack x, Pack y, Join join) {
        low = join(low, x);
        Pack &next = WIDTH_OF_PACK == 4 ? low : high;
        next = join(next, y);
    }
    template <class Join> INLINE double total(Join join) const {
        if constexpr (WIDTH_OF_PACK == 4) return join(join(low[0], low[2]), join(low[1], low[3]));
        else return join(join(low[0], high[0]), join(low[1], high[1]));
    }
};
struct FourLanes {
    Lanes a, b, c, d;

    explicit FourLanes(double value) : a(value), b(value), c(value), d(value) {}
    template <class Join> INLINE void add(const Eight &x, Join join) {
        a.add(x.a0, x.a1, join), b.add(x.b0, x.b1, join), c.add(x.c0, x.c1, join), d.add(x.d0, x.d1, join);
    }
};

using Mask = decltype(Pack{} < Pack{});

constexpr auto plus = [](auto x, auto y) __attribute__((always_inline)) { return x + y; };
constexpr auto lesser = [](auto x, auto y) __attribute__((always_inline)) { return x < y ? x : y; };
constexpr auto greater = [](auto x, auto y) __attribute__((always_inline)) { return x > y ? x : y; };

// Euclidean distances, whose sums and extremes stay in registers while four rows meet the columns of one cluster.
template <int P, bool SUMS, bool EXTREMES, bool OF_POINTS> struct InRegisters {
    const Pass &pass;
    const Found &to;

    void run() const {
        i64 offset = 0, first = 0;
        for (i64 t = 0; t < pass.n_tiles; t++) {
            const i64 width = pass.widths[t];
            while (pass.bounds[first + 1] <= offset) first++;
            for (i64 i = 0; i < pass.n_rows; i += ROWS) {
                const i64 n = std::min<i64>(ROWS, pass.n_rows - i), stop = pass.stop(i, offset, width);
                const bool together = n == ROWS && pass.row_cluster[i] == pass.row_cluster[i + ROWS - 1];
                const Block block = pass.block(i, t, width);
                i64 c = first;
                for (i64 j = 0; j < stop; c++) {
                    const i64 end = std::min(pass.bounds[c + 1] - offset, stop);
                    together ? meet_cluster<true>(block, i, ROWS, c, j, end, offset) : meet_cluster<false>(block, i, n, c, j, end, offset);
                    j = end;
                }
                if (pass.diagonal >= 0) meet_one_by_one(block, i, n, stop, pass.stop(i + n - 1, offset, width), offset);
            }
            offset += width;
        }
    }

    // Four rows, all of one cluster or not, and the columns from j on, of another.
    template <bool TOGETHER> INLINE void meet_cluster(const Block &block, i64 i, i64 n, i64 c, i64 j, i64 end, i64 offset) const {
        const i64 *own = pass.row_cluster + i;
        FourLanes sums(0.0), least(INF), most(0.0);
        // Join two packs of each row with the columns' part of a table.
        auto down = [&](const Table &table, const Eight &s, auto join) __attribute__((always_inline)) {
            if (!table) return;
            auto put = [&](i64 r, Pack x, Pack y) __attribute__((always_inline)) {
                double *at = table.line(own[r]) + offset + j;
                store(at, join(load(at), x));
                store(at + WIDTH_OF_PACK, join(load(at + WIDTH_OF_PACK), y));
            };
            if constexpr (TOGETHER) return put(0, join(join(s.a0, s.b0), join(s.c0, s.d0)), join(join(s.a1, s.b1), join(s.c1, s.d1)));
            put(0, s.a0, s.a1);
            if (n > 1) put(1, s.b0, s.b1);
            if (n > 2) put(2, s.c0, s.c1);
            if (n > 3) put(3, s.d0, s.d1);
        };
        auto add = [&](const Eight &s, const Eight &near) __attribute__((always_inline)) {
            if constexpr (SUMS) sums.add(s, plus), down(to.column_sums, s, plus);
            if constexpr (EXTREMES) least.add(near, lesser), most.add(s, greater);
            if constexpr (OF_POINTS) down(to.column_least, near, lesser);
        };
        auto measured = [&]() __attribute__((always_inline)) {
            const Eight s = squares_at<P>(block, j);
            if constexpr (SUMS) return each(s, [](Pack v) __attribute__((always_inline)) { return roots(v); });
            else return s;
        };
        for (; j + STEP <= end; j += STEP) {
            const Eight s = measured();
            add(s, s);
        }
        if (j < end) {
            // Columns of other clusters, or none, are nowhere near, and add nothing.
            const i64 left = end - j;
            auto live = [&](int half) {
                Mask found;
                for (int k = 0; k < WIDTH_OF_PACK; k++) found[k] = -(half * WIDTH_OF_PACK + k < left);
                return found;
            };
            const Mask low = live(0), high = live(1);
            const Eight s = measured();
            auto chosen = [&](auto choose) __attribute__((always_inline)) {
                return Eight{choose(s.a0, low), choose(s.a1, high), choose(s.b0, low), choose(s.b1, high),
                             choose(s.c0, low), choose(s.c1, high), choose(s.d0, low), choose(s.d1, high)};
            };
            add(chosen([](Pack v, Mask is) { return is ? v : Pack{}; }), chosen([](Pack v, Mask is) { return is ? v : all(INF); }));
        }
        if constexpr (SUMS) {
            double *row = to.row_sums.line(c) + i;
            each_row(n, [&](i64 r, auto of) __attribute__((always_inline)) { row[r] += of(sums).total(plus); });
        }
        if constexpr (EXTREMES)
            each_row(n, [&](i64 r, auto of) __attribute__((always_inline)) {
                note_extremes(i + r, c, of(least).total(lesser), of(most).total(greater));
            });
    }

    INLINE void note_extremes(i64 row, i64 c, double least, double most) const {
        if (to.least) {
            double &low = to.least.line(pass.row_cluster[row])[c], &high = to.most.line(pass.row_cluster[row])[c];
            low = lesser(low, least);
            high = greater(high, most);
        }
        if constexpr (OF_POINTS) to.row_least.line(c)[row] = lesser(to.row_least.line(c)[row], least);
    }

    // Call `use` with the number of each row, and what takes its lanes.
    template <class Use> static INLINE void each_row(i64 n, Use use) {
        use(0, [](const FourLanes &x) { return x.a; });
        if (n > 1) use(1, [](const FourLanes &x) { return x.b; });
        if (n > 2) use(2, [](const FourLanes &x) { return x.c; });
        if (n > 3) use(3, [](const FourLanes &x) { return x.d; });
    }

    // The few columns before which some of four rows stop.
    __attribute__((noinline)) void meet_one_by_one(const Block &block, i64 i, i64 n, i64 j, i64 last, i64 offset) const {
        for (i64 c = 0; j < last; j++) {
            while (pass.bounds[c + 1] - offset <= j) c++;
            for (i64 r = 0; r < n; r++) {
                if (j >= pass.stop(i + r, offset, last)) continue;
                const i64 own = pass.row_cluster[i + r];
                const double square = squared_distance(block.rows + r * block.p, block, j), v = SUMS ? std::sqrt(square) : square;
                if constexpr (SUMS) {
                    to.row_sums.line(c)[i + r] += v;
                    if (to.column_sums) to.column_sums.line(own)[offset + j] += v;
                }
                if constexpr (EXTREMES) note_extremes(i + r, c, v, v);
                if (OF_POINTS && to.column_least) to.column_least.line(own)[offset + j] = lesser(to.column_least.line(own)[offset + j], v);
            }
        }
    }
};

template <bool SUMS, bool EXTREMES, bool OF_POINTS> void meet_in_registers(const Pass &pass, const Found &to) {
    with_dimension(pass.p, [&](auto p) { InRegisters<decltype(p)::value, SUMS, EXTREMES, OF_POINTS>{pass, to}.run(); });
}

// Any distances, line by line: weighted, counted in bins, or of the points themselves as well.
void meet_by_lines(const Pass &pass, const Found &to, const double *row_weights, const double *column_weights, double scale,
                   const Vector<u32> &within, const Vector<u32> &between) {
    std::vector<double> room(row_weights ? pass.buffer_stride : 0);
    i64 first = 0;
    each_line(pass, [&](const Line &line) {
        const i64 own = pass.row_cluster[line.row], offset = line.offset, stop = line.stop;
        while (pass.bounds[first + 1] <= offset) first++;
        const double *summed = line.at;
        if (to.column_sums) {
            double *__restrict sums = to.column_sums.line(own) + offset;
            const double weight = row_weights ? row_weights[line.row] : 1.0;
            for (i64 j = 0; j < stop; j++) sums[j] += weight * line.at[j];
        }
        if (row_weights) {
            for (i64 j = 0; j < stop; j++) room[j] = column_weights[offset + j] * line.at[j];
            summed = room.data();
        }
        if (to.column_least) {
            double *__restrict least = to.column_least.line(own) + offset;
            for (i64 j = 0; j < stop; j++) least[j] = lesser(line.at[j], least[j]);
        }
        const bool by_cluster = to.row_sums || to.least || to.row_least;
        for (i64 start = 0, c = first; by_cluster && start < stop; c++) {
            const i64 end = std::min(pass.bounds[c + 1] - offset, stop), n = end - start;
            if (to.row_sums) to.row_sums.line(c)[line.row] += lane_sum(summed + start, n);
            const double low = to.least || to.row_least ? least_of(line.at + start, n) : INF;
            if (to.row_least) to.row_least.line(c)[line.row] = lesser(low, to.row_least.line(c)[line.row]);
            if (to.least) {
                to.least.line(own)[c] = lesser(low, to.least.line(own)[c]);
                to.most.line(own)[c] = greater(greatest_of(line.at + start, n), to.most.line(own)[c]);
            }
            start = end;
        }
        if (!(scale > 0.0)) return;
        const auto [low, high] = line.own_run(pass);
        count_bins(line.at, low, scale, between.data(), length(between));
        count_bins(line.at + low, high - low, scale, within.data(), length(within));
        count_bins(line.at + high, stop - high, scale, between.data(), length(between));
    });
}

// Add the distances between some rows of one strip and the columns of another to the tables of both; in a strip that meets
// itself, each pair once.
//
// kind : which distance it is, and the number of variables
// squared : whether the tiles give squared distances
// places, groups : see `Places` and `Groups`
// tables : sums of rows, (clusters of the columns, n_rows), and of columns, (clusters of the rows, n_columns); least and
//     most of two clusters, (clusters of the rows, clusters of the columns); and the least of rows and columns, shaped
//     like their sums. Empty ones are not wanted
// weights : of the rows and of the columns, if sums are weighted
// scale : bins of the histogram per unit of distance; 0 for none
// counts : of a histogram, within and between clusters
//
// Extremes are of squared distances if nothing else is wanted and no distances are given.
void meet(std::pair<i64, i64> kind, bool squared, Places places, Groups groups,
          std::tuple<Matrix<double>, Matrix<double>, Matrix<double>, Matrix<double>, Matrix<double>, Matrix<double>> tables,
          std::tuple<Vector<const double>, Vector<const double>> weights, double scale, std::tuple<Vector<u32>, Vector<u32>> counts) {
    const auto &[row_sums, column_sums, least, most, row_least, column_least] = tables;
    const auto &[row_weights, column_weights] = weights;
    const auto &[within, between] = counts;
    const bool want_sums = length(row_sums) > 0, want_extremes = length(least) > 0, counts_bins = scale > 0.0;
    const Pass pass = pass_of(kind, squared && (want_sums || counts_bins), places, groups);
    i64 k_rows = pass.n_rows;
    auto fits = [&](const Matrix<double> &table, i64 lines, i64 columns) {
        require(!length(table) || (length(table) >= lines && length(table, 1) >= columns), "a table of other points");
    };
    auto of_columns = [&](const Matrix<double> &table, i64 columns) {
        if (length(table)) k_rows = std::min(k_rows, length(table));
        fits(table, 1, columns);
    };
    fits(row_sums, pass.k, pass.n_rows);
    fits(row_least, pass.k, pass.n_rows);
    of_columns(column_sums, pass.n_columns);
    of_columns(column_least, pass.n_columns);
    of_columns(least, pass.k);
    of_columns(most, pass.k);
    require(all_below(pass.row_cluster, pass.n_rows, k_rows), "a row of no cluster");
    require(length(most) == length(least) && (want_sums || !length(column_sums)), "tables belong together");
    const bool weighted = length(row_weights) > 0;
    require(!weighted || (length(row_weights) >= pass.n_rows && length(column_weights) >= pass.n_columns), "weights of other points");
    require(!counts_bins || (length(within) > 0 && length(between) > 0), "no bins");
    const Found to{Table(row_sums), Table(column_sums), Table(least), Table(most), Table(row_least), Table(column_least)};
    const Unlocked unlocked;
    // Groups of columns are read, and added to, to their end.
    auto fits_groups = [&](const Matrix<double> &table) { return !length(table) || pass.n_columns + LANES <= length(table, 1); };
    i64 widest = 0;
    for (i64 t = 0; t < pass.n_tiles; t++) widest = std::max(widest, pass.widths[t]);
    const bool whole_groups = widest + LANES <= pass.tile_stride && fits_groups(column_sums) && fits_groups(column_least);
    if (pass.given || kind.first != EUCLIDEAN || weighted || counts_bins || !whole_groups || want_sums != pass.rooted)
        return meet_by_lines(pass, to, weighted ? row_weights.data() : nullptr, weighted ? column_weights.data() : nullptr, scale, within, between);
    if (to.row_least) return want_sums ? meet_in_registers<true, true, true>(pass, to) : meet_in_registers<false, true, true>(pass, to);
    if (want_sums) return want_extremes ? meet_in_registers<true, true, false>(pass, to) : meet_in_registers<true, false, false>(pass, to);
    if (want_extremes) meet_in_registers<false, true, false>(pass, to);
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
// those of `meet`, here and below.
std::pair<i64, i64> collect_by_kind(std::pair<i64, i64> kind, bool squared, Places places, Groups groups, double low, double high,
                                    Vector<double> within, Vector<double> between) {
    const Pass pass = pass_of(kind, squared, places, groups);
    const Unlocked unlocked;
    double *next[] = {within.data(), between.data()};
    const double *end[] = {within.data() + length(within), between.data() + length(between)};
    each_run(pass, [&](const double *line, i64 n, int of) {
        require(n <= end[of] - next[of], "no room for all distances");
        next[of] = copy_between(line, n, low, high, next[of]);
    });
    return {next[0] - within.data(), next[1] - between.data()};
}

// Copy all distances, each with a tag: a bit for each partition, which is set if both points are in one of its clusters.
//
// codes : (partitions, n) clusters of the points
// starts : the point of the first row, and that of the first column
void collect_with_tags(std::pair<i64, i64> kind, bool squared, Places places, Groups groups, Matrix<const i64> codes,
                       std::pair<i64, i64> starts, Vector<double> values, Vector<u64> tags) {
    const Pass pass = pass_of(kind, squared, places, groups);
    const i64 partitions = length(codes), n = length(codes, 1), room = std::min(length(values), length(tags));
    const auto [rows, columns] = starts;
    require(partitions <= 64 && rows >= 0 && rows + pass.n_rows <= n && columns >= 0 && columns + pass.n_columns <= n, "points of no cluster");
    const Unlocked unlocked;
    i64 found = 0;
    each_line(pass, [&](const Line &line) {
        require(line.stop <= room - found, "no room for all distances");
        std::copy_n(line.at, line.stop, values.data() + found);
        u64 *tag = tags.data() + found;
        std::fill_n(tag, line.stop, 0);
        for (i64 p = 0; p < partitions; p++) {
            const i64 *code = codes.data() + p * n, own = code[rows + line.row], *other = code + columns + line.offset;
            for (i64 j = 0; j < line.stop; j++) tag[j] |= static_cast<u64>(other[j] == own) << p;
        }
        found += line.stop;
    });
}

// Count and add up distances in two windows, each cut into bins of equal width, and beyond them.
//
// windows : (2, 2) where each begins, and its bins per unit of distance
// counts, sums : (2, bins + 1), in the bins by how much distances exceed the beginning of the window; the last column is for
//     what lies below the first window, and above the second
void sum_tails(std::pair<i64, i64> kind, bool squared, Places places, Groups groups, Matrix<const double> windows, Matrix<i64> counts,
               Matrix<double> sums) {
    const Pass pass = pass_of(kind, squared, places, groups);
    const i64 bins = length(counts, 1) - 1;
    require(length(windows) == 2 && length(windows, 1) == 2 && 0 < bins && bins <= INT32_MAX, "two windows have bins each");
    require(length(counts) == 2 && length(sums) == 2 && length(sums, 1) == bins + 1, "counts or sums are missing");
    const Unlocked unlocked;
    const double end = static_cast<double>(bins);
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
    m.doc() = "Meetings of two strips of points, four rows against a tile of columns at a time.";
    m.attr("ROWS") = ROWS;
    m.attr("ALIGNMENT") = LANES;
    define(m, "meet", meet, "kind", "squared", "places", "groups", "tables", "weights", "scale", "counts");
    define(m, "collect_by_kind", collect_by_kind, "kind", "squared", "places", "groups", "low", "high", "within", "between");
    define(m, "collect_with_tags", collect_with_tags, "kind", "squared", "places", "groups", "codes", "starts", "values", "tags");
    define(m, "sum_tails", sum_tails, "kind", "squared", "places", "groups", "windows", "counts", "sums");
    define(m, "distances_to_tiles", distances_to_tiles, "rows", "tiles", "buffer", "out");
}
