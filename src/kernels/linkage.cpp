// The longest edge of a minimum spanning tree of points, without the tree: a set grows until it holds all points.
//
// A point outside the set that is within a known lower bound of the longest edge may join at once. The others wait
// until no such point is left: then the nearest of them raises the lower bound.
#include "lanes.h"
#include "reachability.h"

namespace {

// Largest squared distance from one of the first few points to its nearest neighbour; `points`: (p, n).
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

// Points of which the first `left` are outside the set; the `waiting` ones that follow have joined unvisited.
struct Growing {
    Points points;
    double *best;  // squared distances from those outside to the visited points of the set
    i64 left, waiting;
    double reach;  // lower bound of the squared longest edge

    // Swap a point with the last one outside the set, which it joins.
    void join(i64 k) {
        left--;
        waiting++;
        for (i64 d = 0; d < points.p; d++) std::swap(points(d, k), points(d, left));
        best[k] = best[left];
    }
    // Visit the last point to join: it is the farthest from the visited ones.
    void take_last(double *place) {
        points.copy_place(left, place);
        waiting--;
        for (i64 d = 0; d < points.p; d++) points(d, left) = points(d, left + waiting);
    }
};

// Let points join the set until all have, or about `most` distances have been measured.
//
// points : (p, n), reordered: those outside the set are the first `left` columns
// best : (n,), the squared distances from these to the visited points of the set
// waiting : the number of points of the set not visited yet; they are the columns that follow
// reach : the lower bound of the squared longest edge
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
        // From the end: the point that replaces one that joins has already been compared.
        for (i64 start = (outside - 1) / HELD * HELD; start >= 0; start -= HELD) {
            const i64 stop = std::min(start + HELD, outside);
            if (is_looking) {
                squares_to(growing.points, start, stop, place.data(), room.data());
                keep_smaller(growing.best + start, room.data(), stop - start);
            }
            if (least_of(growing.best + start, stop - start) > growing.reach) continue;
            for (i64 k = stop - 1; k >= start; k--)
                // Points at a distance of nan join, too: they would wait forever.
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
