// Mutual reachability: core distances, minimum spanning trees and separations, without storing distances.
//
// Everything is squared until the end. Points are sorted by cluster and stored in tiles, as in pair_tiles.
#include "exponential.h"
#include "pair_tiles.h"
#include "reachability.h"

namespace {

// Sum of (nearest / d²)^(p / 2) over a line of squared distances.
double sum_of_powers(const double *line, i64 n, double nearest, i64 p) {
    const Pack low = all(nearest);
    return lane_sum(line, n, [&](Pack squares) {
        Pack base = low / squares;
        Pack power = p % 2 == 1 ? roots(base) : all(1.0);
        for (i64 rest = p / 2; rest > 0; rest >>= 1) {
            if (rest & 1) power *= base;
            base *= base;
        }
        return power;
    });
}

// Tiles of n points, sorted by cluster.
struct Tiles {
    const double *at;
    i64 p, width, n;

    explicit Tiles(const Cube<const double> &tiles, i64 n) : at(tiles.data()), p(length(tiles, 1)), width(length(tiles, 2)), n(n) {
        require(length(tiles) * width >= n && width > 0 && p > 0 && p % 2 == 0, "fewer tiles than points");
    }
    i64 width_from(i64 offset) const { return std::min(width, n - offset); }
    // Squared distances from four rows to the tile that begins at the point `offset`.
    Block block(const double *rows, i64 offset, double *out) const {
        const Block found{rows, p, at + offset * p, width, width_from(offset), out, width};
        squared_distances(found);
        return found;
    }
};

// Squared core distances of some of n points: a^-p is the mean of d^-p over the other points.
//
// Row r is the point first + r. Distances are measured in units of the nearest one, so that no power overflows. Columns
// of the rows beyond the dimension p of the points are zeros.
void core_squares(Matrix<const double> rows, i64 n_rows, i64 first, i64 n, i64 p, Cube<const double> tiles, Vector<double> found) {
    const Tiles all_tiles(tiles, n);
    require(length(rows) >= (n_rows + ROWS - 1) / ROWS * ROWS && length(rows, 1) == all_tiles.p, "rows of other points");
    require(0 <= n_rows && n_rows <= length(found), "no room for what is found");
    const Unlocked unlocked;
    std::vector<double> nearest(n_rows, INF), totals(n_rows, 0.0), room(ROWS * all_tiles.width);
    for (i64 offset = 0; offset < n; offset += all_tiles.width) {
        for (i64 i = 0; i < n_rows; i += ROWS) {
            const Block block = all_tiles.block(rows.data() + i * all_tiles.p, offset, room.data());
            for (i64 r = i; r < std::min(i + ROWS, n_rows); r++) {
                double *line = block.line(static_cast<int>(r - i));
                const i64 me = first + r - offset;
                if (0 <= me && me < block.width) line[me] = INF;
                const double low = least_of(line, block.width);
                if (low == 0.0 || nearest[r] == 0.0) {
                    nearest[r] = 0.0;
                    continue;
                }
                if (low < nearest[r]) {
                    totals[r] *= power(low / nearest[r], 0.5 * static_cast<double>(p));
                    nearest[r] = low;
                }
                if (nearest[r] < INF) totals[r] += sum_of_powers(line, block.width, nearest[r], p);
            }
        }
    }
    for (i64 r = 0; r < n_rows; r++) {
        const double mean = totals[r] / static_cast<double>(n - 1);
        found.data()[r] = nearest[r] > 0.0 ? nearest[r] * power(mean, -2.0 / static_cast<double>(p)) : 0.0;
    }
}

// Sum the distances from some points to those from `starts` to `ends`, their clusters; `points` has shape (p, n).
void add_within(Matrix<const double> points, i64 first, i64 last, Vector<const i64> starts, Vector<const i64> ends,
                Vector<double> sums) {
    const Points given{const_cast<double *>(points.data()), length(points), length(points, 1)};
    require(given.p > 0 && 0 <= first && last <= given.n && length(starts) >= last && length(ends) >= last && length(sums) >= last,
            "fewer points than are wanted");
    require_below(starts, given.n + 1, "a cluster of other points");
    require_below(ends, given.n + 1, "a cluster of other points");
    const Unlocked unlocked;
    std::vector<double> place(given.p), room(HELD);
    for (i64 i = first; i < last; i++) {
        given.copy_place(i, place.data());
        for (i64 start = starts.data()[i]; start < ends.data()[i]; start += HELD) {
            const i64 stop = std::min(start + HELD, ends.data()[i]);
            squares_to(given, start, stop, place.data(), room.data());
            sums.data()[i] += lane_sum(room.data(), stop - start, roots);
        }
    }
}

// Whether, of two edges with equal reachability, the one of length d between i and j comes first.
bool comes_first(double d, i64 i, i64 j, double other_d, i64 other_i, i64 other_j) {
    if (d != other_d) return d < other_d;
    const i64 low = std::min(i, j), other_low = std::min(other_i, other_j);
    return low < other_low || (low == other_low && std::max(i, j) < std::max(other_i, other_j));
}

// Waiting points that are compared together.
constexpr i64 RUN = 256;

// Points that have not joined the tree yet, and the shortest edge from each to it.
//
// `listed`: an edge is replaced only by a strictly shorter one, and of equally near points the first one joins.
template <bool listed> struct Waiting {
    Points points;
    double *core;
    std::vector<i64> position, source;
    std::vector<double> best, apart;  // squared mutual reachability, and squared distance, of that edge
    std::vector<double> lows;         // the smallest of each run of `best`

    Waiting(const Points &points, double *core)
        : points(points), core(core), position(points.n), source(points.n, 0), best(points.n, INF), apart(points.n, INF),
          lows(points.n / RUN + 1, INF) {
        for (i64 i = 0; i < points.n; i++) position[i] = i;
    }

    // Move the last waiting point to the place of one that has joined the tree.
    void take(i64 k, i64 last) {
        for (i64 d = 0; d < points.p; d++) points(d, k) = points(d, last);
        core[k] = core[last];
        position[k] = position[last];
        best[k] = best[last];
        apart[k] = apart[last];
        source[k] = source[last];
    }

    // Compare the edges to the newest point of the tree, with squared distances `squares`, with the known ones.
    void compare(i64 first, i64 last, const double *__restrict squares, i64 current, double own) {
        double reach[RUN];
        i64 closer[RUN];
        i64 n_closer = 0, n_tied = 0;
        const i64 n = last - first;
        const double *__restrict of = core + first;
        double *__restrict kept = best.data() + first, *__restrict kept_apart = apart.data() + first;
        i64 *__restrict kept_source = source.data() + first;
        for (i64 j = 0; j < n; j++) {
            const double m = of[j] > squares[j] ? of[j] : squares[j];
            reach[j] = m > own ? m : own;
        }
        for (i64 j = 0; j < n; j++) {
            const i64 is_tied = !listed & (reach[j] == kept[j]) & (squares[j] == kept_apart[j]);
            const i64 is_closer = (reach[j] < kept[j]) | (!listed & (reach[j] == kept[j]) & (squares[j] < kept_apart[j]));
            closer[j] = is_closer;
            n_closer += is_closer;
            n_tied += is_tied;
        }
        if (n_tied > 0)
            for (i64 j = 0; j < n; j++)
                if (reach[j] == kept[j] && squares[j] == kept_apart[j] &&
                    comes_first(kept_apart[j], current, position[first + j], kept_apart[j], kept_source[j], position[first + j]))
                    kept_source[j] = current;
        if (n_closer == 0) return;
        for (i64 j = 0; j < n; j++) {
            kept[j] = closer[j] ? reach[j] : kept[j];
            kept_apart[j] = closer[j] ? squares[j] : kept_apart[j];
            kept_source[j] = closer[j] ? current : kept_source[j];
        }
        lows[first / RUN] = least_of(kept, n);
    }

    bool joins_before(i64 k, i64 other) const {
        if (best[k] != best[other]) return best[k] < best[other];
        if (listed) return position[k] < position[other];
        return comes_first(apart[k], source[k], position[k], apart[other], source[other], position[other]);
    }
    i64 next_of(i64 left) const {
        i64 winner = 0;
        for (i64 run = 0; run * RUN < left; run++) {
            if (lows[run] > best[winner]) continue;
            for (i64 k = run * RUN; k < std::min((run + 1) * RUN, left); k++)
                if (joins_before(k, winner)) winner = k;
        }
        return winner;
    }
    void renew_low(i64 k, i64 left) {
        const i64 first = k / RUN * RUN;
        lows[k / RUN] = least_of(best.data() + first, std::max<i64>(0, std::min(first + RUN, left) - first));
    }
};

// Minimum spanning tree of points under max(core, core, d), by Prim's algorithm from point 0.
//
// `points`, of shape (p, n), and `core` are reordered. Each point except 0 has an edge: to `parents`, with squared mutual
// reachability `lengths` and squared distance `squares`.
template <bool listed>
void grow_tree(Matrix<double> points, Vector<double> core, Vector<i64> parents, Vector<double> lengths, Vector<double> squares) {
    const Points given{points.data(), length(points), length(points, 1)};
    const i64 n = given.n;
    require(given.p > 0 && n > 0 && length(core) == n && length(parents) == n && length(lengths) == n && length(squares) == n,
            "a tree needs points, and a core distance and an edge for each");
    const Unlocked unlocked;
    Waiting<listed> waiting(given, core.data());
    std::vector<double> place(given.p), room(HELD);
    double own = core.data()[0];
    i64 current = 0, left = n - 1;
    parents.data()[0] = -1;
    lengths.data()[0] = squares.data()[0] = 0.0;
    given.copy_place(0, place.data());
    waiting.take(0, left);
    while (left > 0) {
        for (i64 start = 0; start < left; start += HELD) {
            const i64 stop = std::min(start + HELD, left);
            squares_to(given, start, stop, place.data(), room.data());
            for (i64 first = start; first < stop; first += RUN)
                waiting.compare(first, std::min(first + RUN, stop), room.data() + first - start, current, own);
        }
        const i64 winner = waiting.next_of(left);
        current = waiting.position[winner];
        own = waiting.core[winner];
        parents.data()[current] = waiting.source[winner];
        lengths.data()[current] = waiting.best[winner];
        squares.data()[current] = waiting.apart[winner];
        given.copy_place(winner, place.data());
        left--;
        waiting.take(winner, left);
        waiting.renew_low(winner, left);
        waiting.renew_low(left, left);
    }
}

// The tree with edges compared by (reachability, distance, lower end, higher end).
//
// No two edges are equal in that order, so the tree is unique, wherever it begins.
void tree_in_order(Matrix<double> points, Vector<double> core, Vector<i64> parents, Vector<double> lengths, Vector<double> squares) {
    grow_tree<false>(points, core, parents, lengths, squares);
}

// The tree as the authors of DBCV build it, by list search: of ties, what comes first stays.
void tree_as_listed(Matrix<double> points, Vector<double> core, Vector<i64> parents, Vector<double> lengths, Vector<double> squares) {
    grow_tree<true>(points, core, parents, lengths, squares);
}

// One step of Prim's algorithm, given the distances from the newest point: returns the point that joins next, or -1.
i64 join_row(Vector<const double> line, Vector<const double> core, i64 current, Vector<bool> joined, bool in_order,
             Vector<i64> parents, Vector<double> lengths, Vector<double> distances) {
    const i64 n = length(line);
    require(length(core) == n && length(joined) == n && length(parents) == n && length(lengths) == n && length(distances) == n,
            "a step needs a core distance and an edge for each point");
    require(0 <= current && current < n, "the newest point is none of them");
    const Unlocked unlocked;
    const double *d = line.data();
    double *reach = lengths.data(), *apart = distances.data();
    i64 *from = parents.data(), winner = -1;
    joined.data()[current] = true;
    for (i64 k = 0; k < n; k++) {
        if (joined.data()[k]) continue;
        const double m = std::max({core.data()[k], core.data()[current], d[k]});
        if (m < reach[k] || (in_order && m == reach[k] && comes_first(d[k], current, k, apart[k], from[k], k))) {
            reach[k] = m;
            apart[k] = d[k];
            from[k] = current;
        }
        if (winner < 0 || reach[k] < reach[winner] ||
            (in_order && reach[k] == reach[winner] &&
             comes_first(apart[k], from[k], k, apart[winner], from[winner], winner)))
            winner = k;
    }
    return winner;
}

// Smallest squared mutual reachability along a line; that of each column is updated, too.
double least_reach(const double *__restrict line, i64 n, double own, const double *__restrict core, double *__restrict columns) {
    double room[HELD], low = INF;
    for (i64 start = 0; start < n; start += HELD) {
        const i64 width = std::min(HELD, n - start);
        for (i64 j = 0; j < width; j++) {
            double m = line[start + j] > core[start + j] ? line[start + j] : core[start + j];
            room[j] = m = m > own ? m : own;
            columns[start + j] = m < columns[start + j] ? m : columns[start + j];
        }
        low = std::min(low, least_of(room, width));
    }
    return low;
}

// Smallest squared mutual reachability from each row, and from each column, to points of later clusters.
//
// Points are sorted by cluster: the columns of row r begin at ends[r], where its cluster ends.
void separate(Matrix<const double> rows, i64 n_rows, Vector<const double> own, Vector<const i64> ends, i64 n,
              Cube<const double> tiles, Vector<const double> core, Vector<double> nearest, Vector<double> columns) {
    const Tiles all_tiles(tiles, n);
    require(length(rows) >= (n_rows + ROWS - 1) / ROWS * ROWS && length(rows, 1) == all_tiles.p, "rows of other points");
    require(length(own) >= n_rows && length(ends) >= n_rows && length(nearest) >= n_rows, "rows without an end or a core");
    require(length(core) >= n && length(columns) >= n, "columns without a core");
    require(n_rows > 0 && all_below(ends.data(), n_rows, n + 1), "a cluster that ends beyond the points");
    const Unlocked unlocked;
    std::vector<double> room(ROWS * all_tiles.width);
    for (i64 offset = ends.data()[0] / all_tiles.width * all_tiles.width; offset < n; offset += all_tiles.width) {
        const i64 width = all_tiles.width_from(offset);
        for (i64 i = 0; i < n_rows; i += ROWS) {
            if (ends.data()[i] >= offset + width) continue;
            const Block block = all_tiles.block(rows.data() + i * all_tiles.p, offset, room.data());
            for (i64 r = i; r < std::min(i + ROWS, n_rows); r++) {
                const i64 start = std::max<i64>(0, ends.data()[r] - offset);
                if (start >= width) continue;
                const double low = least_reach(block.line(static_cast<int>(r - i)) + start, width - start, own.data()[r],
                                               core.data() + offset + start, columns.data() + offset + start);
                nearest.data()[r] = std::min(nearest.data()[r], low);
            }
        }
    }
}

// One step of OPTICS, given the distances from the newest point: returns the point that is reached next, or -1.
i64 reach_row(Vector<const double> line, double core, i64 current, Vector<bool> reached, Vector<double> reachability) {
    const i64 n = length(line);
    require(length(reached) == n && length(reachability) == n, "a step needs a reachability for each point");
    require(0 <= current && current < n, "the newest point is none of them");
    const Unlocked unlocked;
    double *reach = reachability.data();
    i64 winner = -1;
    reached.data()[current] = true;
    for (i64 k = 0; k < n; k++) {
        if (reached.data()[k]) continue;
        reach[k] = std::min(reach[k], std::max(core, line.data()[k]));
        if (winner < 0 || reach[k] < reach[winner]) winner = k;
    }
    return winner;
}

}  // namespace

void squares_to(const Points &points, i64 start, i64 stop, const double *place, double *__restrict out) {
    const i64 width = stop - start;
    auto line = [&](i64 d) { return points.at + d * points.n + start; };
    const double *first = line(0);
    for (i64 j = 0; j < width; j++) out[j] = (first[j] - place[0]) * (first[j] - place[0]);
    i64 d = 1;
    for (; d + 2 < points.p; d += 3) {
        const double *__restrict x = line(d), *__restrict y = line(d + 1), *__restrict z = line(d + 2);
        const double a = place[d], b = place[d + 1], c = place[d + 2];
        for (i64 j = 0; j < width; j++)
            out[j] = out[j] + (x[j] - a) * (x[j] - a) + (y[j] - b) * (y[j] - b) + (z[j] - c) * (z[j] - c);
    }
    for (; d < points.p; d++) {
        const double *__restrict x = line(d);
        for (i64 j = 0; j < width; j++) out[j] += (x[j] - place[d]) * (x[j] - place[d]);
    }
}

void bind_reachability(nb::module_ &m) {
    m.doc() = "Mutual reachability: core distances, minimum spanning trees and separations.";
    define(m, "core_squares", core_squares, "rows", "n_rows", "first", "n", "p", "tiles", "found");
    define(m, "add_within", add_within, "points", "first", "last", "starts", "ends", "sums");
    define(m, "tree_in_order", tree_in_order, "points", "core", "parents", "lengths", "squares");
    define(m, "tree_as_listed", tree_as_listed, "points", "core", "parents", "lengths", "squares");
    define(m, "join_row", join_row, "line", "core", "current", "joined", "in_order", "parents", "lengths", "distances");
    define(m, "separate", separate, "rows", "n_rows", "own", "ends", "n", "tiles", "core", "nearest", "columns");
    define(m, "reach_row", reach_row, "line", "core", "current", "reached", "reachability");
}
