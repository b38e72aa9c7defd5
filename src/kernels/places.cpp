// The nearest of many places to each point, other than its own, four points against a tile of places at a time.
#include "pair_tiles.h"

namespace {

// Rows that stay in the cache while all places are processed.
constexpr i64 RUN = 256;

double least_raised(const double *line, const double *rise, i64 n) {
    Pack low[PACKS];
    for (Pack &pack : low) pack = all(INF);
    i64 j = 0;
    for (; j + LANES <= n; j += LANES)
        each_pack([&](int k) {
            const i64 at = j + k * WIDTH_OF_PACK;
            low[k] = smaller(load(line + at) + load(rise + at), low[k]);
        });
    double least = INF;
    for (const Pack &pack : low)
        for (int i = 0; i < WIDTH_OF_PACK; i++) least = std::min(least, pack[i]);
    for (; j < n; j++) least = std::min(least, line[j] + rise[j]);
    return least;
}

// Squared distance from a row to a place, summed over the variables in order.
double square_in_order(const double *row, const Block &block, i64 j) {
    double square = 0.0;
    for (i64 d = 0; d < block.p; d++) {
        const double step = row[d] - block.tile[d * block.tile_stride + j];
        square += step * step;
    }
    return square;
}

// The smaller of `found` and the smallest squared distance to a place of a tile plus that place's rise.
double least_to_tile(const double *row, const Block &block, const double *line, const double *rise, double rounding, double found) {
    if (least_raised(line, rise, block.width) * (1.0 - rounding) >= found) return found;
    for (i64 j = 0; j < block.width; j++)
        if ((line[j] + rise[j]) * (1.0 - rounding) < found) found = std::min(found, square_in_order(row, block, j) + rise[j]);
    return found;
}

// Find the smallest squared distance from each row to another place plus that place's rise, for each line of rises.
//
// rows : (points padded to a multiple of ROWS, p) coordinates, p even
// mine : (points,) each point's own place
// n, tiles : the number of places, and their tiles
// rises : (R, places), non-negative
// rounding : relative difference between a distance from tiles and one that is summed in order
// found : (R, points), inf beforehand; summed in order
void least_to_places(Matrix<const double> rows, Vector<const i64> mine, i64 n, Cube<const double> tiles, Matrix<const double> rises,
                     double rounding, Matrix<double> found) {
    const i64 n_rows = length(mine), p = length(rows, 1), tile = length(tiles, 2), n_rises = length(rises);
    require(p > 0 && p % 2 == 0 && length(tiles, 1) == p && length(tiles) * tile >= n, "tiles of other places");
    require(length(rows) >= (n_rows + ROWS - 1) / ROWS * ROWS, "fewer rows than are wanted");
    require(n_rises == 0 || length(rises, 1) >= n, "places without a rise");
    require(length(found) == n_rises && length(found, 1) == n_rows, "no room for what is found");
    const Unlocked unlocked;
    Room room(ROWS * tile);
    for (i64 first = 0; first < n_rows; first += RUN)
        for (i64 offset = 0; offset < n; offset += tile)
            for (i64 i = first; i < std::min(first + RUN, n_rows); i += ROWS) {
                const i64 width = std::min(tile, n - offset);
                const Block block{rows.data() + i * p, p, tiles.data() + offset * p, tile, width, room.data(), tile};
                squared_distances(block);
                for (i64 r = i; r < std::min({i + ROWS, first + RUN, n_rows}); r++) {
                    double *line = block.line(static_cast<int>(r - i));
                    const i64 own = mine.data()[r];
                    if (offset <= own && own < offset + width) line[own - offset] = INF;
                    for (i64 q = 0; q < n_rises; q++) {
                        double &least = found.data()[q * n_rows + r];
                        const double *rise = rises.data() + q * length(rises, 1) + offset;
                        least = least_to_tile(rows.data() + r * p, block, line, rise, rounding, least);
                    }
                }
            }
}

}  // namespace

void bind_places(nb::module_ &m) {
    m.doc() = "The nearest of many places to each point but its own.";
    define(m, "least_to_places", least_to_places, "rows", "mine", "n", "tiles", "rises", "rounding", "found");
}
