// The nearest neighbours of each point, by explicit differences, and the extremes of distances by cluster.
#include "pair_tiles.h"

namespace {

// Points in a compact block.
constexpr i64 BLOCK = 64;
// Blocks that are visited first: after these, few others are near enough.
constexpr i64 FIRST_BLOCKS = 16;
// Points in a block that are compared together.
constexpr i64 RUN = 16;
// How far rounding may move a distance beyond the bounds of its block.
constexpr double ROUNDING = 1e-12;

// The nearest points so far, the nearest first, and their positions.
struct Nearest {
    double *distances;
    i64 *positions;
    i64 n;

    double most() const { return distances[n - 1]; }
    // Whether to keep a point; among equally near ones, the lower position comes first.
    bool wants(double distance, i64 position) const {
        return distance < most() || (distance == most() && position <= positions[n - 1]);
    }
    // Insert a point at its rank.
    void insert(double distance, i64 position) {
        if (!wants(distance, position)) return;
        i64 j = n - 1;
        for (; j > 0 && (distances[j - 1] > distance || (distances[j - 1] == distance && positions[j - 1] > position)); j--) {
            distances[j] = distances[j - 1];
            positions[j] = positions[j - 1];
        }
        distances[j] = distance;
        positions[j] = position;
    }
};

// Add a block of given distances from the rows to the points from `offset` onwards; blocks come in order.
void insert_block(Matrix<const double> block, Vector<const i64> own, i64 offset, Matrix<double> distances, Matrix<i64> positions) {
    const i64 n = length(block), m = length(distances, 1), width = length(block, 1);
    require(length(own) == n && length(distances) == n && length(positions) == n, "rows of other points");
    require(m > 0 && length(positions, 1) == m, "no room for neighbours");
    const Unlocked unlocked;
    for (i64 i = 0; i < n; i++) {
        const double *line = block.data() + i * width;
        Nearest nearest{distances.data() + i * m, positions.data() + i * m, m};
        for (i64 j = 0; j < width; j++)
            if (line[j] <= nearest.most() && offset + j != own.data()[i]) nearest.insert(line[j], offset + j);
    }
}

// Smallest and largest number of a line; inf and 0 if it is empty.
struct Ends {
    double low = INF, high = 0.0;

    void take(double least, double most) {
        low = least < low ? least : low;
        high = most > high ? most : high;
    }
};
Ends ends_of(const double *line, i64 n) {
    Ends found;
    i64 j = 0;
    if (n >= WIDTH_OF_PACK) {
        Pack low[PACKS], high[PACKS] = {};
        for (Pack &pack : low) pack = all(INF);
        auto take = [&](int k, Pack v) {
            low[k] = smaller(v, low[k]);
            high[k] = larger(v, high[k]);
        };
        for (; j + LANES <= n; j += LANES) each_pack([&](int k) { take(k, load(line + j + k * WIDTH_OF_PACK)); });
        for (; j + WIDTH_OF_PACK <= n; j += WIDTH_OF_PACK) take(0, load(line + j));
        // Take some of the last numbers twice, which makes no difference.
        take(0, load(line + n - WIDTH_OF_PACK));
        each_pack([&](int k) {
            low[0] = smaller(low[k], low[0]);
            high[0] = larger(high[k], high[0]);
        });
        for (int i = 0; i < WIDTH_OF_PACK; i++) found.take(low[0][i], high[0][i]);
        return found;
    }
    for (; j < n; j++) found.take(line[j], line[j]);
    return found;
}

// The smallest distance from one row to the points of a tile that are alone in their clusters: the first is at `among`
// in the tile, and the row itself, if it is one of them, at `own`.
double least_of_singles(const double *line, i64 among, i64 width, i64 own) {
    if (own < among || own >= width) return least_of(line + among, width - among);
    return std::min(least_of(line + among, own - among), least_of(line + own + 1, width - own - 1));
}

// Squared distance from each row to the nearest point of another cluster, and the least reach of each cluster.
//
// The points of the tiles are sorted by cluster: `bounds` says where each begins. From position `single` onwards,
// clusters have one point. `farthest` holds, for each of the other clusters, the minimum over the rows outside it of
// the largest squared distance to its points; inf beforehand.
void outside_extremes(Matrix<const double> rows, Vector<const i64> of_row, i64 n, Cube<const double> tiles, Vector<const i64> bounds,
                      i64 single, Vector<double> nearest, Vector<double> farthest) {
    const i64 n_rows = length(of_row), p = length(rows, 1), tile = length(tiles, 2), k = length(bounds) - 1;
    const i64 *bound = bounds.data(), *cluster_of = of_row.data();
    require(p > 0 && p % 2 == 0 && length(tiles, 1) == p && length(tiles) * tile >= n, "tiles of other points");
    require(length(rows) >= (n_rows + ROWS - 1) / ROWS * ROWS && length(nearest) >= n_rows, "fewer rows than are wanted");
    require(k > 0 && bound[0] == 0 && std::is_sorted(bound, bound + k + 1) && bound[k] >= n, "fewer clusters than points have");
    require(0 <= single && single <= n && length(farthest) >= k, "clusters without room for what is found");
    require_below(of_row, k, "a row of no cluster");
    const Unlocked unlocked;
    Room room(ROWS * tile);
    std::vector<double> reach(n_rows, 0.0);
    i64 first = 0;
    for (i64 offset = 0; offset < n; offset += tile) {
        const i64 width = std::min(tile, n - offset), among = std::clamp<i64>(single - offset, 0, width);
        while (among > 0 && bound[first + 1] <= offset) first++;
        for (i64 i = 0; i < n_rows; i += ROWS) {
            const Block block{rows.data() + i * p, p, tiles.data() + offset * p, tile, width, room.data(), tile};
            squared_distances(block);
            for (i64 r = i; r < std::min(i + ROWS, n_rows); r++) {
                const double *line = block.line(static_cast<int>(r - i));
                double least = nearest.data()[r];
                if (among < width)
                    least = std::min(least, least_of_singles(line, among, width, bound[cluster_of[r]] - offset));
                i64 cluster = first;
                for (i64 start = 0; start < among; cluster++) {
                    const i64 stop = std::min(among, bound[cluster + 1] - offset);
                    if (cluster_of[r] != cluster) {
                        const Ends ends = ends_of(line + start, stop - start);
                        least = std::min(least, ends.low);
                        reach[r] = std::max(reach[r], ends.high);
                        if (offset + stop == bound[cluster + 1]) {
                            farthest.data()[cluster] = std::min(farthest.data()[cluster], reach[r]);
                            reach[r] = 0.0;
                        }
                    }
                    start = stop;
                }
                nearest.data()[r] = least;
            }
        }
    }
}

// Points in compact blocks: rows and tiles of `size` points each, and the box of each block.
struct Blocks {
    const double *rows, *tiles;
    i64 p, size, n;
    const double *lows, *highs;
    i64 dimensions;  // of the boxes; those of the points are padded to an even number

    Blocks(const Matrix<const double> &rows, const Cube<const double> &tiles, const Cube<const double> &boxes)
        : rows(rows.data()), tiles(tiles.data()), p(length(rows, 1)), size(length(tiles, 2)), n(length(tiles)), lows(boxes.data()),
          highs(lows + length(boxes, 1) * length(boxes, 2)), dimensions(length(boxes, 2)) {
        require(p > 0 && p % 2 == 0 && length(tiles, 1) == p && size % ROWS == 0 && length(rows) >= n * size, "tiles of other points");
        require(length(boxes) == 2 && length(boxes, 1) == n && dimensions <= p, "boxes of other blocks");
    }

    // Lower bound of the squared distances between points of two blocks.
    double gap(i64 b, i64 c) const {
        const double *low = lows + b * dimensions, *high = highs + b * dimensions;
        const double *other_low = lows + c * dimensions, *other_high = highs + c * dimensions;
        double total = 0.0;
        for (i64 d = 0; d < dimensions; d++) {
            const double gap = std::max(std::max(other_low[d] - high[d], low[d] - other_high[d]), 0.0);
            total += gap * gap;
        }
        return total * (1.0 - ROUNDING);
    }
    // Upper bound of the squared distances between points of two blocks.
    double span(i64 b, i64 c) const {
        const double *low = lows + b * dimensions, *high = highs + b * dimensions;
        const double *other_low = lows + c * dimensions, *other_high = highs + c * dimensions;
        double total = 0.0;
        for (i64 d = 0; d < dimensions; d++) {
            const double span = std::max(other_high[d] - low[d], high[d] - other_low[d]);
            total += span * span;
        }
        return total * (1.0 + ROUNDING);
    }
    // Squared distances from four rows to a block.
    Block measured(i64 row, i64 c, i64 width, double *out) const {
        const Block found{rows + row * p, p, tiles + c * p * size, size, width, out, size};
        squared_distances(found);
        return found;
    }
};

// Blocks that each hold points of one cluster, `of_block`.
struct BlocksOfClusters : Blocks {
    const i64 *widths, *of_block;
    mutable Room room;

    BlocksOfClusters(const Matrix<const double> &rows, const Cube<const double> &tiles, const Vector<const i64> &widths,
                     const Vector<const i64> &of_block, const Cube<const double> &boxes)
        : Blocks(rows, tiles, boxes), widths(widths.data()), of_block(of_block.data()), room(ROWS * BLOCK) {
        require(size == BLOCK, "blocks of another size");
        require(length(widths) == n && length(of_block) == n, "blocks without a width or a cluster");
        require_below(widths, BLOCK + 1, "blocks wider than their room");
    }

    // Add the distances from a block to another one: the smallest and the largest of each point.
    void take(i64 b, i64 c, double *nearest, double *reach) const {
        for (i64 first = 0; first < widths[b]; first += ROWS) {
            const Block block = measured(b * BLOCK + first, c, widths[c], room.data());
            for (i64 r = first; r < std::min<i64>(first + ROWS, widths[b]); r++) {
                const Ends ends = ends_of(block.line(static_cast<int>(r - first)), widths[c]);
                nearest[r] = std::min(nearest[r], ends.low);
                reach[r] = std::max(reach[r], ends.high);
            }
        }
    }
};

// Squared distances from the points of some blocks to the nearest point of another cluster; inf beforehand.
//
// Each block holds points of one cluster, `of_block`, in a box from `boxes[0]` to `boxes[1]`: blocks that are too far
// away are skipped.
void nearest_of_blocks(Matrix<const double> rows, Cube<const double> tiles, Vector<const i64> widths, Vector<const i64> of_block,
                       Cube<const double> boxes, i64 first, i64 last, Vector<double> nearest) {
    const BlocksOfClusters blocks(rows, tiles, widths, of_block, boxes);
    require(0 <= first && first <= last && last <= blocks.n && length(nearest) >= last * BLOCK, "fewer blocks than are wanted");
    const Unlocked unlocked;
    std::vector<double> gaps(blocks.n), unused(BLOCK, 0.0);
    for (i64 b = first; b < last; b++) {
        i64 closest = -1;
        for (i64 c = 0; c < blocks.n; c++) {
            gaps[c] = INF;
            if (blocks.of_block[c] == blocks.of_block[b]) continue;
            gaps[c] = blocks.gap(b, c);
            if (closest < 0 || gaps[c] < gaps[closest]) closest = c;
        }
        double *own = nearest.data() + b * BLOCK, worst = INF;
        for (i64 step = closest < 0 ? 0 : -1; step < blocks.n; step++) {
            const i64 c = step < 0 ? closest : step;
            if (!(gaps[c] < worst)) continue;
            blocks.take(b, c, own, unused.data());
            worst = *std::max_element(own, own + std::max<i64>(1, blocks.widths[b]));
            gaps[c] = INF;
        }
    }
}

// The smallest, over the points of a block, of the largest distance to the points of a cluster, if less than `least`;
// `spans` is a buffer with a number for each block.
double least_reach_of_block(const BlocksOfClusters &blocks, i64 b, i64 cluster, double least, std::vector<double> &spans) {
    double unused[BLOCK], reach[BLOCK] = {};
    std::fill_n(unused, BLOCK, INF);
    i64 farthest = -1;
    for (i64 c = 0; c < blocks.n; c++) {
        spans[c] = -1.0;
        if (blocks.of_block[c] != cluster) continue;
        spans[c] = blocks.span(b, c);
        if (farthest < 0 || spans[c] > spans[farthest]) farthest = c;
    }
    double shortest = -1.0;
    for (i64 step = farthest < 0 ? 0 : -1; step < blocks.n; step++) {
        const i64 c = step < 0 ? farthest : step;
        // Once the smallest of them is too large, none of these rows matters.
        if (!(spans[c] > shortest && shortest < least)) continue;
        blocks.take(b, c, unused, reach);
        shortest = *std::min_element(reach, reach + std::max<i64>(1, blocks.widths[b]));
        spans[c] = -1.0;
    }
    return shortest;
}

// Find the minimum, over the points outside a cluster, of the largest squared distance to its points.
//
// Blocks are those of `nearest_of_blocks`.
double least_reach_of_blocks(Matrix<const double> rows, Cube<const double> tiles, Vector<const i64> widths,
                             Vector<const i64> of_block, Cube<const double> boxes, i64 cluster) {
    const BlocksOfClusters blocks(rows, tiles, widths, of_block, boxes);
    const Unlocked unlocked;
    std::vector<double> gaps(blocks.n, INF), spans(blocks.n);
    i64 closest = -1;
    for (i64 b = 0; b < blocks.n; b++) {
        if (blocks.of_block[b] == cluster) continue;
        gaps[b] = 0.0;
        for (i64 c = 0; c < blocks.n; c++)
            if (blocks.of_block[c] == cluster) gaps[b] = std::max(gaps[b], blocks.gap(b, c));
        if (closest < 0 || gaps[b] < gaps[closest]) closest = b;
    }
    double least = INF;
    for (i64 step = closest < 0 ? 0 : -1; step < blocks.n; step++) {
        const i64 b = step < 0 ? closest : step;
        if (gaps[b] >= least) continue;
        gaps[b] = INF;
        least = std::min(least, least_reach_of_block(blocks, b, cluster, least, spans));
    }
    return least;
}

// Neighbours of the points of one block.
struct NeighboursOfBlock {
    const Blocks &blocks;
    i64 row;           // the first one, among those of all blocks
    const i64 *own;    // their positions in the input
    i64 n_rows;
    double *squares;   // (n_rows, m)
    i64 *positions;    // (n_rows, m)
    i64 m;
    double *room;

    Nearest of(i64 r) const { return {squares + r * m, positions + r * m, m}; }

    // Whether some rows may have to keep a point of a block, whose first point in the input is `lowest`.
    bool are_near(i64 first, i64 stop, i64 c, i64 lowest) const {
        const double *low = blocks.lows + c * blocks.dimensions, *high = blocks.highs + c * blocks.dimensions;
        for (i64 r = first; r < stop; r++) {
            const double *x = blocks.rows + (row + r) * blocks.p, most = of(r).most();
            double total = 0.0;
            for (i64 d = 0; d < blocks.dimensions && !(total > most); d++) {
                const double gap = std::max(std::max(low[d] - x[d], x[d] - high[d]), 0.0);
                total += gap * gap * (1.0 - ROUNDING);
            }
            if (total < most || (total == most && lowest < of(r).positions[m - 1])) return true;
        }
        return false;
    }

    // Add the distances from one row to the points of a block. In most runs, no point is near.
    void take_line(i64 r, const double *line, const i64 *theirs, i64 width) const {
        Nearest nearest = of(r);
        for (i64 start = 0; start < width; start += RUN) {
            const double most = nearest.most();
            const i64 stop = std::min(start + RUN, width);
            i64 near = 0;
            if (stop - start == RUN)
                for (i64 j = start; j < start + RUN; j++) near += line[j] <= most;
            else
                for (i64 j = start; j < stop; j++) near += line[j] <= most;
            for (i64 j = start; j < stop && near > 0; j++) {
                if (line[j] > most) continue;
                near--;
                if (theirs[j] != own[r]) nearest.insert(line[j], theirs[j]);
            }
        }
    }

    // Add the points of a block; return the largest of the squared distances that are kept for the rows.
    double keep_near_points(i64 c, const i64 *theirs, i64 width) const {
        for (i64 first = 0; first < n_rows; first += ROWS) {
            const i64 stop = std::min<i64>(first + ROWS, n_rows);
            if (!are_near(first, stop, c, theirs[0])) continue;
            const Block block = blocks.measured(row + first, c, width, room);
            for (i64 r = first; r < stop; r++) take_line(r, block.line(static_cast<int>(r - first)), theirs, width);
        }
        double worst = 0.0;
        for (i64 r = 0; r < n_rows; r++) worst = std::max(worst, of(r).most());
        return worst;
    }
};

// Visit the blocks that may be near enough, the nearest first, and the block itself before all others.
void look_at_blocks(const NeighboursOfBlock &mine, i64 b, const i64 *starts, const i64 *members, std::vector<double> &gaps) {
    const i64 n_blocks = mine.blocks.n;
    double near_gaps[FIRST_BLOCKS];
    i64 near[FIRST_BLOCKS];
    std::fill_n(near_gaps, FIRST_BLOCKS, INF);
    std::fill_n(near, FIRST_BLOCKS, n_blocks);
    Nearest first_blocks{near_gaps, near, FIRST_BLOCKS};
    for (i64 c = 0; c < n_blocks; c++) {
        gaps[c] = c != b ? mine.blocks.gap(b, c) : -1.0;
        first_blocks.insert(gaps[c], c);
    }
    double worst = INF;
    for (i64 step = 0; step < FIRST_BLOCKS + n_blocks; step++) {
        const i64 c = step < FIRST_BLOCKS ? near[step] : step - FIRST_BLOCKS;
        if (c >= n_blocks || !(gaps[c] <= worst)) continue;
        worst = mine.keep_near_points(c, members + starts[c], starts[c + 1] - starts[c]);
        gaps[c] = std::numeric_limits<double>::quiet_NaN();
    }
}

// Find the nearest neighbours of the points of some blocks, and their distances.
//
// Block b has the points `members[starts[b]:starts[b + 1]]`, in the order of the input, in a box from `boxes[0, b]` to
// `boxes[1, b]`; no point is a neighbour of itself. Beforehand, `squares`, with a row for each of these points, holds
// inf, and `positions` the number of points.
void neighbours_in_blocks(Matrix<const double> rows, Cube<const double> tiles, Vector<const i64> starts, Vector<const i64> members,
                          Cube<const double> boxes, i64 first, i64 last, Matrix<double> squares, Matrix<i64> positions) {
    const Blocks blocks(rows, tiles, boxes);
    const i64 *start = starts.data(), m = length(squares, 1), n_points = length(squares);
    require(length(starts) == blocks.n + 1 && start[0] >= 0 && start[blocks.n] <= length(members), "blocks without points");
    for (i64 b = 0; b < blocks.n; b++)
        require(start[b] < start[b + 1] && start[b + 1] - start[b] <= blocks.size, "blocks wider than their room");
    require(0 <= first && first <= last && last <= blocks.n, "fewer blocks than are wanted");
    require(m > 0 && length(positions, 1) == m && n_points == start[last] - start[first] && length(positions) == n_points,
            "no room for neighbours");
    const Unlocked unlocked;
    Room room(ROWS * blocks.size);
    std::vector<double> gaps(blocks.n);
    for (i64 b = first; b < last; b++) {
        const i64 offset = start[b] - start[first];
        look_at_blocks({blocks, b * blocks.size, members.data() + start[b], start[b + 1] - start[b], squares.data() + offset * m,
                        positions.data() + offset * m, m, room.data()},
                       b, start, members.data(), gaps);
    }
    for (i64 i = 0; i < n_points * m; i++) squares.data()[i] = std::sqrt(squares.data()[i]);
}

}  // namespace

void bind_neighbours(nb::module_ &m) {
    m.doc() = "The nearest points of each point, and the extremes of distances by cluster.";
    m.attr("BLOCK") = BLOCK;
    define(m, "insert_block", insert_block, "block", "own", "offset", "distances", "positions");
    define(m, "outside_extremes", outside_extremes, "rows", "of_row", "n", "tiles", "bounds", "single", "nearest", "farthest");
    define(m, "nearest_of_blocks", nearest_of_blocks, "rows", "tiles", "widths", "of_block", "boxes", "first", "last", "nearest");
    define(m, "least_reach_of_blocks", least_reach_of_blocks, "rows", "tiles", "widths", "of_block", "boxes", "cluster");
    define(m, "neighbours_in_blocks", neighbours_in_blocks, "rows", "tiles", "starts", "members", "boxes", "first", "last", "squares",
           "positions");
}
