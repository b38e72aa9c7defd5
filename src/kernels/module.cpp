// The module for one processor level, with a submodule for each subject.
#include "arrays.h"

#define SUBJECTS(each) \
    each(assignment)           \
    each(centroids)            \
    each(closest)              \
    each(coding)               \
    each(counting)             \
    each(dip)                  \
    each(elementary)           \
    each(event_sums)           \
    each(extremes)             \
    each(farthest)             \
    each(few_points)           \
    each(hierarchical)         \
    each(hypergeometric)       \
    each(information)          \
    each(kmeans)               \
    each(label_ranks)          \
    each(linkage)              \
    each(magnitude)            \
    each(metric_tiles)         \
    each(neighbours)           \
    each(pair_ranks)           \
    each(pair_tiles)           \
    each(perplexity)           \
    each(products)             \
    each(random_tables)        \
    each(reachability)         \
    each(rows)                 \
    each(score_cells)          \
    each(scores)               \
    each(silhouette_jackknife) \
    each(sparse_rows)

#define DECLARE(subject) void bind_##subject(nb::module_ &);
SUBJECTS(DECLARE)

NB_MODULE(MODULE_NAME, m) {
    m.doc() = "Compiled loops.";
#define BIND(subject)                                    \
    {                                                    \
        nb::module_ made = m.def_submodule(#subject);    \
        bind_##subject(made);                            \
    }
    SUBJECTS(BIND)
}
