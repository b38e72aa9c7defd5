// Counting: contingency tables, dense or sparse, and the cell of each instance.
#include "counts.h"

namespace {

// Call `use` with pointers to the row and column codes of the instances. Each pair of types is a separate loop: both
// are wide or, in the loops that read nothing else, of one byte each.
template <class Row, class Col, class Use> bool with_these(const AnyVector &rows, const AnyVector &cols, Use &&use) {
    if (rows.dtype() != nb::dtype<Row>() || cols.dtype() != nb::dtype<Col>()) return false;
    use(static_cast<const Row *>(rows.data()), static_cast<const Col *>(cols.data()));
    return true;
}
template <bool NARROW = false, class Use> void with_both(const AnyVector &rows, const AnyVector &cols, Use &&use) {
    require(length(rows) == length(cols), "not one row and one column for each instance");
    if (with_these<i64, i64>(rows, cols, use) || with_these<i32, i32>(rows, cols, use)) return;
    if (with_these<i64, i32>(rows, cols, use) || with_these<i32, i64>(rows, cols, use)) return;
    if constexpr (NARROW)
        if (with_these<i8, i8>(rows, cols, use)) return;
    throw nb::type_error("codes of these two types do not go together");
}

// The cell of a table that each instance lies in; like `Codes`, checked when it is read.
template <class Row, class Col> struct CellOf {
    const Row *rows;
    const Col *cols;
    u64 n_cols, base, n_cells;

    CellOf(const Row *rows, const Col *cols, i64 low_row, i64 low_col, i64 n_cols, i64 n_cells)
        : rows(rows), cols(cols), n_cols(n_cols), base(static_cast<u64>(low_row) * static_cast<u64>(n_cols) + static_cast<u64>(low_col)),
          n_cells(n_cells) {}

    i64 operator[](i64 i) const {
        const u64 cell = static_cast<u64>(rows[i]) * n_cols + static_cast<u64>(cols[i]) - base;
        if (cell >= n_cells) [[unlikely]]
            refuse("an instance in no cell of the table");
        return static_cast<i64>(cell);
    }
};

// Count the joint occurrences of two codes into `lanes`, of shape (1 or 4, n_rows * n_cols).
//
// Four lanes take turns, so that in a run of equal labels no count waits for the previous store.
void count_dense(AnyVector rows, AnyVector cols, i64 low_row, i64 low_col, i64 n_cols, Matrix<u32> lanes) {
    const i64 n = length(rows), size = length(lanes, 1);
    require(length(lanes) == 1 || length(lanes) == 4, "lanes are one or four");
    with_both<true>(rows, cols, [&](const auto *row, const auto *col) {
        const Unlocked unlocked;
        const CellOf cell(row, col, low_row, low_col, n_cols, size);
        u32 *lane = lanes.data();
        i64 i = 0;
        if (length(lanes) == 4)
            for (; i + 4 <= n; i += 4) {
                lane[cell[i]]++;
                lane[size + cell[i + 1]]++;
                lane[2 * size + cell[i + 2]]++;
                lane[3 * size + cell[i + 3]]++;
            }
        for (; i < n; i++) lane[cell[i]]++;
    });
}

void count_codes(AnyVector codes, Vector<i64> counts) {
    with_codes(codes, [&](const auto *code) {
        const Unlocked unlocked;
        count_into(Codes{code, length(counts)}, length(codes), counts.data());
    });
}

i64 code_and_count(AnyVector labels, Vector<i64> codes, Vector<i64> counts) {
    const i64 n = length(codes);
    require(n > 0 && length(labels) == n && length(counts) == n, "not one code for each label");
    return with_codes(labels, [&](const auto *label) -> i64 {
        const Unlocked unlocked;
        return code_and_count_of(label, n, codes.data(), counts.data());
    });
}

// Count into 16 bits per cell, so that a large table takes half the cache; `carries` counts overflows.
void count_narrow(AnyVector rows, AnyVector cols, i64 low_row, i64 low_col, i64 n_cols, Vector<u16> lane, Vector<u32> carries) {
    const i64 n = length(rows);
    require(length(lane) == length(carries), "not a carry for each cell");
    with_both<true>(rows, cols, [&](const auto *row, const auto *col) {
        const Unlocked unlocked;
        const CellOf cell_of(row, col, low_row, low_col, n_cols, length(lane));
        u16 *counts = lane.data();
        for (i64 i = 0; i < n; i++) {
            const i64 cell = cell_of[i];
            if (++counts[cell] == 0) carries.data()[cell]++;
        }
    });
}

// Add up lanes of 16 bits, and their carries, into `sums`, of shape (1, cells).
void add_carries(Matrix<const u16> lanes, Matrix<const u32> carries, Matrix<u32> sums) {
    const i64 parts = length(lanes), cells = length(lanes, 1);
    require(length(carries) == parts && length(carries, 1) == cells && length(sums) == 1 && length(sums, 1) == cells,
            "lanes, carries and sums of other tables");
    const Unlocked unlocked;
    for (i64 part = 0; part < parts; part++)
        for (i64 cell = 0; cell < cells; cell++)
            sums.data()[cell] += lanes.data()[part * cells + cell] + (carries.data()[part * cells + cell] << 16);
}

// The number of cells of a table.
i64 cells_of(i64 n_rows, i64 n_cols) {
    constexpr i64 MOST = std::numeric_limits<i64>::max() / static_cast<i64>(sizeof(i64));
    require(n_rows >= 0 && n_cols >= 0 && n_rows < MOST && n_cols < MOST && (n_cols == 0 || n_rows <= MOST / n_cols),
            "a table has rows and columns, and fits in memory");
    return n_rows * n_cols;
}

using Table = std::tuple<NewMatrix<i64>, NewVector<i64>, NewVector<i64>>;

template <class Count> Table folded(const Count *lanes, i64 n_lanes, i64 n_rows, i64 n_cols) {
    std::vector<i64> table(n_rows * n_cols), row_sums(n_rows), col_sums(n_cols);
    {
        const Unlocked unlocked;
        for (i64 r = 0; r < n_rows; r++) {
            i64 *row = table.data() + r * n_cols;
            for (i64 lane = 0; lane < n_lanes; lane++) {
                const Count *part = lanes + lane * n_rows * n_cols + r * n_cols;
                for (i64 c = 0; c < n_cols; c++) row[c] += part[c];
            }
            for (i64 c = 0; c < n_cols; c++) {
                row_sums[r] += row[c];
                col_sums[c] += row[c];
            }
        }
    }
    return {as_matrix(std::move(table), n_rows, n_cols), as_array(std::move(row_sums)), as_array(std::move(col_sums))};
}

// Add up lanes of shape (lanes, n_rows * n_cols) into one table, with its row and column sums.
Table fold(AnyMatrix lanes, i64 n_rows, i64 n_cols) {
    require(length(lanes, 1) == cells_of(n_rows, n_cols), "lanes of another table");
    return with_type<u32, i64>(lanes, "counts have 4 bytes without, or 8 with, a sign",
                               [&](const auto *counts) { return folded(counts, length(lanes), n_rows, n_cols); });
}

// Count a table in which instance i stands for weights[i] instances; of shape (1, n_rows * n_cols).
NewMatrix<i64> count_weighted(AnyVector rows, AnyVector cols, i64 low_row, i64 low_col, i64 n_rows, i64 n_cols,
                              Vector<const i64> weights) {
    const i64 n = length(rows), n_cells = cells_of(n_rows, n_cols);
    require(length(weights) == n, "not one weight for each instance");
    std::vector<i64> counts(n_cells);
    with_both(rows, cols, [&](const auto *row, const auto *col) {
        const Unlocked unlocked;
        const CellOf cell(row, col, low_row, low_col, n_cols, n_cells);
        for (i64 i = 0; i < n; i++) counts[cell[i]] += weights.data()[i];
    });
    return as_matrix(std::move(counts), 1, n_cells);
}

// How far each code is above the lowest; like `Codes`, checked when it is read.
template <class Code> struct From {
    const Code *at;
    i64 low, n;

    i64 operator[](i64 i) const {
        const u64 above = static_cast<u64>(at[i]) - static_cast<u64>(low);
        if (above >= static_cast<u64>(n)) [[unlikely]]
            refuse("an instance in no row or column of the table");
        return static_cast<i64>(above);
    }
};

// A table as compressed rows: the cells of row r are starts[r]..starts[r + 1], their columns ascending.
struct SparseTable {
    std::vector<i64> starts;
    std::vector<i32> cols;
    std::vector<i64> counts;
};

// Count the cells that occur, in O(n + n_rows + n_cols): a counting sort by row, then row by row.
template <class Row, class Col>
SparseTable counted_sparsely(const Row *rows, const Col *cols, i64 n, i64 low_row, i64 low_col, i64 n_rows, i64 n_cols, const i64 *weights) {
    std::vector<i64> offsets(n_rows + 1);
    const From row{rows, low_row, n_rows};
    const From col{cols, low_col, n_cols};
    for (i64 i = 0; i < n; i++) offsets[row[i] + 1]++;
    for (i64 r = 0; r < n_rows; r++) offsets[r + 1] += offsets[r];
    std::vector<i64> place(offsets.begin(), offsets.end() - 1), weight_by_row(weights ? n : 0);
    std::vector<i32> by_row(n);
    for (i64 i = 0; i < n; i++) {
        const i64 at = place[row[i]]++;
        by_row[at] = static_cast<i32>(col[i]);
        if (weights) weight_by_row[at] = weights[i];
    }
    SparseTable found{std::vector<i64>(n_rows + 1), {}, {}};
    std::vector<i64> in_row(n_cols);
    for (i64 r = 0; r < n_rows; r++) {
        const size_t first = found.cols.size();
        for (i64 k = offsets[r]; k < offsets[r + 1]; k++) {
            const i64 weight = weights ? weight_by_row[k] : 1;
            if (weight == 0) continue;
            if (in_row[by_row[k]] == 0) found.cols.push_back(by_row[k]);
            in_row[by_row[k]] += weight;
        }
        std::sort(found.cols.begin() + first, found.cols.end());
        for (size_t k = first; k < found.cols.size(); k++) found.counts.push_back(std::exchange(in_row[found.cols[k]], 0));
        found.starts[r + 1] = static_cast<i64>(found.cols.size());
    }
    return found;
}

// Count the cells that occur; if `weights` is empty, every instance counts once. Returns where the cells of each row
// begin, their columns, and their counts.
std::tuple<NewVector<i64>, NewVector<i32>, NewVector<i64>> count_sparse(AnyVector rows, AnyVector cols, i64 low_row, i64 low_col,
                                                                        i64 n_rows, i64 n_cols, Vector<const i64> weights) {
    const i64 n = length(rows);
    require(length(weights) == 0 || length(weights) == n, "not one weight for each instance");
    require(n_rows >= 0 && 0 <= n_cols && n_cols <= INT32_MAX, "columns have numbers of 4 bytes");
    SparseTable found;
    with_both(rows, cols, [&](const auto *row, const auto *col) {
        const Unlocked unlocked;
        found = counted_sparsely(row, col, n, low_row, low_col, n_rows, n_cols, length(weights) ? weights.data() : nullptr);
    });
    return {as_array(std::move(found.starts)), as_array(std::move(found.cols)), as_array(std::move(found.counts))};
}

// Position of each instance's cell among those of compressed rows, by bisection within its row.
template <class Row, class Col> struct SparseCellOf {
    From<Row> rows;
    From<Col> cols;
    const i64 *starts;
    const i32 *cell_cols;

    SparseCellOf(const Row *rows, const Col *cols, i64 low_row, i64 low_col, const Vector<const i64> &starts,
                 const Vector<const i32> &cell_cols)
        : rows{rows, low_row, length(starts) - 1}, cols{cols, low_col, INT32_MAX}, starts(starts.data()), cell_cols(cell_cols.data()) {}

    i64 operator[](i64 i) const {
        const i64 row = rows[i];
        const i32 col = static_cast<i32>(cols[i]), *last = cell_cols + starts[row + 1];
        const i32 *found = std::lower_bound(cell_cols + starts[row], last, col);
        if (found == last || *found != col) [[unlikely]]
            refuse("an instance in no cell of the table");
        return found - cell_cols;
    }
};

// Count of the cell of each instance, in a table.
NewVector<i64> gather_dense(AnyVector rows, AnyVector cols, i64 low_row, i64 low_col, Matrix<const i64> table) {
    const i64 n = length(rows), n_cols = length(table, 1);
    std::vector<i64> found(n);
    with_both(rows, cols, [&](const auto *row, const auto *col) {
        const Unlocked unlocked;
        const CellOf cell(row, col, low_row, low_col, n_cols, length(table) * n_cols);
        for (i64 i = 0; i < n; i++) found[i] = table.data()[cell[i]];
    });
    return as_array(std::move(found));
}

// Count of the cell of each instance, in compressed rows.
NewVector<i64> gather_sparse(AnyVector rows, AnyVector cols, i64 low_row, i64 low_col, Vector<const i64> row_starts,
                             Vector<const i32> cell_cols, Vector<const i64> cell_counts) {
    const i64 n = length(rows);
    require(length(cell_cols) == length(cell_counts), "not one count for each cell");
    require_runs(row_starts, length(cell_cols), "rows of other cells");
    std::vector<i64> found(n);
    with_both(rows, cols, [&](const auto *row, const auto *col) {
        const Unlocked unlocked;
        const SparseCellOf cell(row, col, low_row, low_col, row_starts, cell_cols);
        for (i64 i = 0; i < n; i++) found[i] = cell_counts.data()[cell[i]];
    });
    return as_array(std::move(found));
}

// Sum the weights, and their squares, of the instances in each cell of a dense table.
void weigh_dense(AnyVector rows, AnyVector cols, i64 low_row, i64 low_col, Vector<const double> weights, Matrix<double> sums,
                 Matrix<double> squares) {
    const i64 n = length(rows), n_cols = length(sums, 1);
    require(length(weights) == n && length(squares) == length(sums) && length(squares, 1) == n_cols, "not one weight for each instance");
    with_both(rows, cols, [&](const auto *row, const auto *col) {
        const Unlocked unlocked;
        const CellOf cell_of(row, col, low_row, low_col, n_cols, length(sums) * n_cols);
        for (i64 i = 0; i < n; i++) {
            const i64 cell = cell_of[i];
            const double weight = weights.data()[i];
            sums.data()[cell] += weight;
            squares.data()[cell] += weight * weight;
        }
    });
}

// Do the same for compressed rows.
void weigh_sparse(AnyVector rows, AnyVector cols, i64 low_row, i64 low_col, Vector<const double> weights,
                  Vector<const i64> row_starts, Vector<const i32> cell_cols, Vector<double> sums, Vector<double> squares) {
    const i64 n = length(rows), n_cells = length(cell_cols);
    require(length(weights) == n && length(sums) == n_cells && length(squares) == n_cells, "not one weight for each instance");
    require_runs(row_starts, n_cells, "rows of other cells");
    with_both(rows, cols, [&](const auto *row, const auto *col) {
        const Unlocked unlocked;
        const SparseCellOf cell(row, col, low_row, low_col, row_starts, cell_cols);
        for (i64 i = 0; i < n; i++) {
            const i64 place = cell[i];
            const double weight = weights.data()[i];
            sums.data()[place] += weight;
            squares.data()[place] += weight * weight;
        }
    });
}

// Numbers of pairs that share a cell, a row and a column of a table.
std::tuple<i64, i64, i64> joined_in(const u32 *cells, i64 n_rows, i64 n_cols, i64 *col_sums) {
    i64 both = 0, in_true = 0, in_pred = 0;
    for (i64 r = 0; r < n_rows; r++) {
        i64 row_sum = 0;
        for (i64 c = 0; c < n_cols; c++) {
            const i64 count = cells[r * n_cols + c];
            both += count * (count - 1);
            row_sum += count;
            col_sums[c] += count;
        }
        in_true += row_sum * (row_sum - 1);
    }
    for (i64 c = 0; c < n_cols; c++) in_pred += col_sums[c] * (col_sums[c] - 1);
    return {both / 2, in_true / 2, in_pred / 2};
}

// Maximum number of cells of a table that is kept on the stack.
constexpr i64 ON_STACK = 1024;
constexpr u64 FEW_LABELS = 32;

// Numbers of pairs of instances that share a label in both of two short vectors, in the first, and in the second.
//
// The first number is -1 if the labels are too far apart for a table of at most `most_cells` cells.
std::tuple<i64, i64, i64> joined_at_once(Vector<const i64> labels_true, Vector<const i64> labels_pred, i64 most_cells) {
    const i64 n = length(labels_true);
    require(n > 0 && length(labels_pred) == n && most_cells > 0, "not one row and one column for each instance");
    const i64 *row = labels_true.data(), *col = labels_pred.data();
    // Numbers from 0 on, as most are: no label exceeds all of their bits together, which take less time to find.
    u64 bits_row = 0, bits_col = 0;
    for (i64 i = 0; i < n; i++) {
        bits_row |= static_cast<u64>(row[i]);
        bits_col |= static_cast<u64>(col[i]);
    }
    const bool few_bits = bits_row < FEW_LABELS && bits_col < FEW_LABELS;
    const Range<i64> rows = few_bits ? Range<i64>{0, static_cast<i64>(bits_row)} : range_of(row, n);
    const Range<i64> cols = few_bits ? Range<i64>{0, static_cast<i64>(bits_col)} : range_of(col, n);
    const i64 n_rows = rows.span(most_cells + 1), n_cols = cols.span(most_cells + 1);
    if (n_rows > most_cells / n_cols) return {-1, 0, 0};
    u32 few[ON_STACK];
    i64 few_sums[ON_STACK];
    std::vector<u32> many;
    std::vector<i64> many_sums;
    u32 *cells = few;
    i64 *sums = few_sums;
    if (n_rows * n_cols > ON_STACK) {
        many.resize(n_rows * n_cols);
        many_sums.resize(n_cols);
        cells = many.data();
        sums = many_sums.data();
    } else {
        std::fill_n(cells, n_rows * n_cols, 0);
        std::fill_n(sums, n_cols, 0);
    }
    for (i64 i = 0; i < n; i++) cells[(row[i] - rows.low) * n_cols + (col[i] - cols.low)]++;
    return joined_in(cells, n_rows, n_cols, sums);
}

}  // namespace

void bind_counting(nb::module_ &m) {
    m.doc() = "Counting: contingency tables, dense or sparse, and the cell that each instance lies in.";
    define(m, "count_dense", count_dense, "rows", "cols", "low_row", "low_col", "n_cols", "lanes");
    define(m, "count_codes", count_codes, "codes", "counts");
    define(m, "code_and_count", code_and_count, "labels", "codes", "counts");
    define(m, "count_narrow", count_narrow, "rows", "cols", "low_row", "low_col", "n_cols", "lane", "carries");
    define(m, "add_carries", add_carries, "lanes", "carries", "sums");
    define(m, "fold", fold, "lanes", "n_rows", "n_cols");
    define(m, "count_weighted", count_weighted, "rows", "cols", "low_row", "low_col", "n_rows", "n_cols", "weights");
    define(m, "count_sparse", count_sparse, "rows", "cols", "low_row", "low_col", "n_rows", "n_cols", "weights");
    define(m, "gather_dense", gather_dense, "rows", "cols", "low_row", "low_col", "table");
    define(m, "gather_sparse", gather_sparse, "rows", "cols", "low_row", "low_col", "row_starts", "cell_cols", "cell_counts");
    define(m, "weigh_dense", weigh_dense, "rows", "cols", "low_row", "low_col", "weights", "sums", "squares");
    define(m, "weigh_sparse", weigh_sparse, "rows", "cols", "low_row", "low_col", "weights", "row_starts", "cell_cols", "sums",
           "squares");
    define(m, "joined_at_once", joined_at_once, "labels_true", "labels_pred", "most_cells");
}
