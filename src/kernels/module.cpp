// The module of one level of processors: a submodule for each subject.
#include "arrays.h"

#define SUBJECTS(each)   \
    each(centroids)      \
    each(coding)         \
    each(counting)       \
    each(hierarchical)   \
    each(hypergeometric) \
    each(information)    \
    each(kmeans)         \
    each(logarithm)      \
    each(magnitude)      \
    each(metric_tiles)   \
    each(pair_tiles)     \
    each(perplexity)     \
    each(random_tables)  \
    each(reachability)

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
