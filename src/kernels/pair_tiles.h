// Distances from four rows to a tile of columns; see pair_tiles.cpp.
#pragma once
#include "arrays.h"
#include "lanes.h"

constexpr int ROWS = 4;

// A buffer of numbers aligned to a cache line: loads and stores that straddle two lines cost twice as much.
class Room {
    struct alignas(64) Line {
        double numbers[8];
    };
    std::vector<Line> lines;

  public:
    explicit Room(i64 n) : lines(n / 8 + 1) {}
    double *data() { return lines.front().numbers; }
};

// Four consecutive rows of coordinates, and a tile of columns, dimension by dimension.
struct Block {
    const double *rows;  // the first of them
    i64 p;
    const double *tile;
    i64 tile_stride;  // columns that a tile has room for
    i64 width;        // columns that this tile has
    double *out;      // distances of the four rows
    i64 out_stride;

    double *line(int r) const { return out + r * out_stride; }
};

// Squared Euclidean distances, summed over the dimensions in order; p is even. With up to four dimensions, nothing is
// fused, so that equal distances stay equal.
void squared_distances(const Block &block);
// Their roots.
void distances(const Block &block);
// The same for one row and one column.
double squared_distance(const double *row, const Block &block, i64 j);

// Distances whose bins are found at a time.
constexpr i64 BINNED = 256;
// Find the bin of each distance, among fewer than 2^31 bins of equal width. A given distance may exceed all earlier
// ones if it does not depend on the points alone.
void bins_of(const double *__restrict line, i64 n, double scale, i64 n_bins, i32 *__restrict bins);
// Count distances in bins of equal width.
void count_bins(const double *line, i64 n, double scale, u32 *counts, i64 n_bins);

enum Metric : i64 { EUCLIDEAN, CITYBLOCK, CHEBYSHEV, CANBERRA, HAMMING, HAMMING_OF_BITS, JACCARD_OF_BITS, HAVERSINE };

// The number of values per point that `metric_distances` reads from a tile.
i64 numbers_of(std::pair<i64, i64> kind);
// Distances other than Euclidean ones; packed points have more variables than the tile has lines.
void metric_distances(i64 metric, i64 variables, const Block &block);
