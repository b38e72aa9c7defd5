// The assignment problem: shortest augmenting paths.
#include "arrays.h"

namespace {

// Match each row with a column of its own to maximize the sum of the weights of the matched cells; (R, C), R <= C.
//
// Crouse (2016), On implementing 2D rectangular assignment algorithms.
NewVector<i64> assign(Matrix<const double> weights) {
    const i64 n_rows = length(weights), n_cols = length(weights, 1);
    require(n_rows <= n_cols, "more rows than columns");
    std::vector<i64> col_of(n_rows, -1);
    {
        const Unlocked unlocked;
        std::vector<double> u(n_rows), v(n_cols), shortest(n_cols);
        std::vector<i64> row_of(n_cols, -1), came_from(n_cols), remaining(n_cols), done(n_cols);
        for (i64 start = 0; start < n_rows; start++) {
            for (i64 col = 0; col < n_cols; col++) {
                shortest[col] = INF;
                remaining[col] = n_cols - 1 - col;
            }
            i64 n_done = 0, row = start, sink = -1;
            double reached = 0.0;
            while (sink < 0) {
                double lowest = INF;
                i64 nearest = 0;
                const double *line = weights.data() + row * n_cols;
                const double of_row = u[row];
                for (i64 place = 0; place < n_cols - n_done; place++) {
                    const i64 col = remaining[place];
                    const double length = reached - line[col] - of_row - v[col];
                    if (length < shortest[col]) {
                        came_from[col] = row;
                        shortest[col] = length;
                    }
                    // Among ties, a free column ends the search.
                    if (shortest[col] < lowest || (shortest[col] == lowest && row_of[col] < 0)) {
                        lowest = shortest[col];
                        nearest = place;
                    }
                }
                require(lowest < INF, "weights are no numbers, or too large");
                reached = lowest;
                const i64 col = remaining[nearest];
                done[n_done++] = col;
                remaining[nearest] = remaining[n_cols - n_done];
                if (row_of[col] < 0)
                    sink = col;
                else
                    row = row_of[col];
            }
            u[start] += reached;
            for (i64 place = 0; place < n_done; place++) {
                const i64 col = done[place];
                if (row_of[col] >= 0) u[row_of[col]] += reached - shortest[col];
                v[col] -= reached - shortest[col];
            }
            for (row = -1; row != start;) {
                row = came_from[sink];
                row_of[sink] = row;
                std::swap(col_of[row], sink);
            }
        }
    }
    return as_array(std::move(col_of));
}

// Columns by the length of the path to them, the shortest first. Ties come in a fixed order, which a heap of the
// standard library does not guarantee.
class Heap {
    std::vector<std::pair<double, i64>> held;

public:
    bool empty() const { return held.empty(); }
    const std::pair<double, i64> &first() const { return held.front(); }
    void clear() { held.clear(); }
    void push(double key, i64 node) {
        held.emplace_back();
        size_t place = held.size() - 1;
        while (place > 0) {
            const size_t parent = (place - 1) / 2;
            if (held[parent].first <= key) break;
            held[place] = held[parent];
            place = parent;
        }
        held[place] = {key, node};
    }
    void pop() {
        const auto last = held.back();
        held.pop_back();
        if (held.empty()) return;
        size_t place = 0;
        for (size_t child = 1; child < held.size(); child = 2 * place + 1) {
            if (child + 1 < held.size() && held[child + 1].first < held[child].first) child++;
            if (held[child].first >= last.first) break;
            held[place] = held[child];
            place = child;
        }
        held[place] = last;
    }
};

// A matching of rows with columns that is improved row by row; cells that are not given have weight 0.
struct Matching {
    const i64 *starts, *columns;
    const double *weights;
    std::vector<double> u, v;
    std::vector<i64> col_of, row_of;
    // The search from one row.
    std::vector<double> reached;
    std::vector<i64> came_from, touched;
    std::vector<char> settled;
    Heap waiting;
    // Where the search ends: at a row that stays unmatched, or at a free column, and the cost.
    i64 alone = -1, free = -1;
    double least = 0.0;

    Matching(const i64 *starts, const i64 *columns, const double *weights, i64 n_rows, i64 n_columns)
        : starts(starts), columns(columns), weights(weights), u(n_rows), v(n_columns), col_of(n_rows, -1), row_of(n_columns, -1),
          reached(n_columns, INF), came_from(n_columns), settled(n_columns, 0) {}

    // Match a row with the column of its largest weight, if no earlier row has taken it.
    void take_best(i64 row) {
        for (i64 cell = starts[row]; cell < starts[row + 1]; cell++) u[row] = std::max(u[row], weights[cell]);
        for (i64 cell = starts[row]; cell < starts[row + 1]; cell++) {
            const i64 col = columns[cell];
            if (u[row] > 0.0 && weights[cell] == u[row] && row_of[col] < 0 && col_of[row] < 0) {
                col_of[row] = col;
                row_of[col] = row;
            }
        }
    }

    void look_from(i64 row, double distance) {
        for (i64 cell = starts[row]; cell < starts[row + 1]; cell++) {
            const i64 col = columns[cell];
            const double length = distance + std::max(0.0, u[row] + v[col] - weights[cell]);
            // Among ties, a free column ends the search.
            if (length > least || (length == least && (free >= 0 || row_of[col] >= 0)) || !(length < reached[col])) continue;
            if (reached[col] == INF) touched.push_back(col);
            reached[col] = length;
            came_from[col] = row;
            if (row_of[col] >= 0) {
                waiting.push(length, col);
                continue;
            }
            free = col;
            alone = -1;
            least = length;
        }
    }

    void search(i64 start) {
        i64 row = start;
        double distance = 0.0;
        alone = start;
        free = -1;
        least = u[start];
        for (;;) {
            look_from(row, distance);
            while (!waiting.empty() && settled[waiting.first().second]) waiting.pop();
            if (waiting.empty() || waiting.first().first >= least) return;
            const i64 col = waiting.first().second;
            distance = waiting.first().first;
            waiting.pop();
            settled[col] = 1;
            row = row_of[col];
            if (distance + u[row] < least) {
                free = -1;
                alone = row;
                least = distance + u[row];
            }
        }
    }

    // Match the columns on the path with the rows from which they were reached.
    void move_along(i64 start) {
        i64 col = free;
        if (free < 0 && alone != start) {
            col = std::exchange(col_of[alone], -1);
            u[alone] = 0.0;
        }
        while (col >= 0) {
            const i64 row = came_from[col];
            row_of[col] = row;
            const i64 before = std::exchange(col_of[row], col);
            col = row != start ? before : -1;
        }
    }

    void place(i64 start) {
        if (col_of[start] >= 0 || u[start] == 0.0) return;
        search(start);
        u[start] = std::max(0.0, u[start] - least);
        for (const i64 col : touched)
            if (settled[col] && reached[col] < least) {
                u[row_of[col]] = std::max(0.0, u[row_of[col]] - (least - reached[col]));
                v[col] += least - reached[col];
            }
        move_along(start);
        for (const i64 col : touched) {
            reached[col] = INF;
            settled[col] = 0;
        }
        touched.clear();
        waiting.clear();
    }
};

// Match rows with columns to maximize the sum of the weights of the matched cells; cells not given have weight 0.
// Returns the column of each row, or -1: rows that gain nothing stay unmatched.
//
// Rows are processed one by one; a search from each ends at a free column, or at a row that gives up its column,
// whichever costs least. It visits only cells that are closer than that.
//
// starts : (R + 1,) where the cells of each row begin
// columns, weights : (cells,); weights are positive
// turns : (R,) the order in which rows are processed
NewVector<i64> assign_sparse(Vector<const i64> starts, Vector<const i64> columns, Vector<const double> weights, i64 n_columns,
                             Vector<const i64> turns) {
    const i64 n_rows = length(starts) - 1;
    require(length(turns) == n_rows && length(weights) == length(columns), "not one weight for each cell");
    require_runs(starts, length(columns), "more cells than columns");
    require_below(columns, n_columns, "a cell of no column");
    require_below(turns, n_rows, "a turn of no row");
    std::vector<i64> found;
    {
        const Unlocked unlocked;
        Matching matching(starts.data(), columns.data(), weights.data(), n_rows, n_columns);
        for (i64 i = 0; i < n_rows; i++) matching.take_best(turns.data()[i]);
        for (i64 i = 0; i < n_rows; i++) matching.place(turns.data()[i]);
        found = std::move(matching.col_of);
    }
    return as_array(std::move(found));
}

}  // namespace

void bind_assignment(nb::module_ &m) {
    m.doc() = "The assignment problem.";
    define(m, "assign", assign, "weights");
    define(m, "assign_sparse", assign_sparse, "starts", "columns", "weights", "n_columns", "turns");
}
