// The module of one level of processors: a submodule for each subject.
#include "arrays.h"

#define SUBJECTS(each)         \
    each(closest)              \
    each(extremes)             \
    each(farthest)             \
    each(linkage)              \
    each(metric_tiles)         \
    each(neighbours)           \
    each(overlaps)             \
    each(pair_ranks)           \
    each(pair_tiles)           \
    each(places)               \
    each(products)             \
    each(reachability)         \
    each(rows)                 \
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
