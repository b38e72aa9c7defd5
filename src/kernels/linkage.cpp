// The longest edge of a minimum spanning tree of points, without the tree: a set grows until it holds all of them.
//
// While a point outside of the set is within a length that the longest edge is known to have, it may join at once. The
// others wait until none is left: then the nearest of them says how long the longest edge is at least.
#include "lanes.h"
#include "reachability.h"

namespace {

// Largest squared distance from one of the first few points to its nearest other one; `points`: (p, n).
double isolation(Matrix<const double> points, i64 few) {
    const Points given{const_cast<double *>(points.data()), length(points), length(points, 1)};
    require(given.p > 0 && few <= given.n, "fewer points than are wanted");
    const Unlocked unlocked;
    std::vector<double> place(given.p), room(HELD);
    double largest = 0.0;
    for (i64 i = 0; i < few; i++) {
        given.copy_place(i, place.data());
        double nearest = INF;
        for (i64 start = 0; start < given.n; start += HELD) {
            const i64 stop = std::min(start + HELD, given.n);
            squares_to(given, start, stop, place.data(), room.data());
            if (start <= i && i < stop) room[i - start] = INF;
            nearest = std::min(nearest, least_of(room.data(), stop - start));
        }
        largest = std::max(largest, nearest);
    }
    return largest;
}

void keep_smaller(double *__restrict best, const double *__restrict found, i64 n) {
    for (i64 j = 0; j < n; j++) best[j] = found[j] < best[j] ? found[j] : best[j];
}

// Points of which the first `left` are outside of the set; the `waiting` ones that follow have not been looked at.
struct Growing {
    Points points;
    double *best;  // squared distances of those outside to the points of the set that were looked at
    i64 left, waiting;
    double reach;  // the squared longest edge, as far as it is known

    // Let a point change places with the last one outside of the set, which it joins.
    void join(i64 k) {
        left--;
        waiting++;
        for (i64 d = 0; d < points.p; d++) std::swap(points(d, k), points(d, left));
        best[k] = best[left];
    }
    // Look at the last to join: it is the farthest from those that have been looked at.
    void take_last(double *place) {
        points.copy_place(left, place);
        waiting--;
        for (i64 d = 0; d < points.p; d++) points(d, left) = points(d, left + waiting);
    }
};

// Let points join the set until all have, or about `most` distances were measured.
//
// points : (p, n), moved about: those outside of the set are the first `left` columns
// best : (n,), the squared distances of these to the points of the set that were looked at
// waiting : how many points of the set were not; they are the columns that follow
// reach : the squared longest edge, as far as it is known
//
// Returns `left`, `waiting` and `reach`. Once no point is left, `reach` is the squared longest edge.
std::tuple<i64, i64, double> join_within(Matrix<double> points, Vector<double> best, i64 left, i64 waiting, double reach, i64 most) {
    Growing growing{{points.data(), length(points), length(points, 1)}, best.data(), left, waiting, reach};
    const i64 n = growing.points.n;
    require(growing.points.p > 0 && length(best) == n, "points without a distance");
    require(left >= 0 && waiting >= 0 && waiting <= n - left, "fewer points than are left");
    const Unlocked unlocked;
    std::vector<double> place(growing.points.p), room(HELD);
    while (growing.left > 0 && most > 0) {
        const i64 outside = growing.left;
        const bool is_looking = growing.waiting > 0;
        if (is_looking) {
            growing.take_last(place.data());
            most -= outside;
        } else {
            growing.reach = std::max(growing.reach, least_of(growing.best, outside));
        }
        // From the end: what takes the place of a point that joins has been looked at.
        for (i64 start = (outside - 1) / HELD * HELD; start >= 0; start -= HELD) {
            const i64 stop = std::min(start + HELD, outside);
            if (is_looking) {
                squares_to(growing.points, start, stop, place.data(), room.data());
                keep_smaller(growing.best + start, room.data(), stop - start);
            }
            if (least_of(growing.best + start, stop - start) > growing.reach) continue;
            for (i64 k = stop - 1; k >= start; k--)
                // What is not a number joins, too: it would wait for ever.
                if (!(growing.best[k] > growing.reach)) growing.join(k);
        }
    }
    return {growing.left, growing.waiting, growing.reach};
}

}  // namespace

void bind_linkage(nb::module_ &m) {
    m.doc() = "The longest edge of a minimum spanning tree of points, without the tree.";
    define(m, "isolation", isolation, "points", "few");
    define(m, "join_within", join_within, "points", "best", "left", "waiting", "reach", "most");
}
