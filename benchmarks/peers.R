# Time one measure of one R program: Rscript peers.R PROGRAM MEASURE FOLDER N P BUDGET
# The folder holds what peers.py wrote: a, b and y (int32), X (float64, by rows). Prints one JSON object.
# `Rscript peers.R programs` lists what is installed, and `Rscript peers.R measures` what each program computes.

calls <- list(
  genieclust = list(
    "adjusted Rand" = function() genieclust::adjusted_rand_score(a, b),
    "Rand" = function() genieclust::rand_score(a, b),
    "normalised mutual information" = function() genieclust::normalized_mi_score(a, b),
    "adjusted mutual information" = function() genieclust::adjusted_mi_score(a, b),
    "silhouette" = function() genieclust::silhouette_index(X, y),
    "Calinski-Harabasz" = function() genieclust::calinski_harabasz_index(X, y),
    "Davies-Bouldin" = function() -genieclust::negated_davies_bouldin_index(X, y),
    "Dunn" = function() genieclust::generalised_dunn_index(X, y, 1L, 1L)
  ),
  aricode = list(
    "adjusted Rand" = function() aricode::ARI(a, b),
    "Rand" = function() aricode::RI(a, b),
    "normalised mutual information" = function() aricode::NMI(a, b, "sum"),
    "adjusted mutual information" = function() aricode::AMI(a, b)
  ),
  mclustcomp = list(
    "adjusted Rand" = function() mclustcomp::mclustcomp(a, b, types = "adjrand")$scores,
    "Rand" = function() mclustcomp::mclustcomp(a, b, types = "rand")$scores
  ),
  fpc = list(
    "adjusted Rand" = function() fpc::cluster.stats(NULL, a, b, compareonly = TRUE)$corrected.rand,
    "silhouette" = function() fpc::cluster.stats(dist(X), y)$avg.silwidth,
    "Calinski-Harabasz" = function() fpc::calinhara(X, y),
    "Dunn" = function() fpc::cluster.stats(dist(X), y)$dunn,
    "all internal criteria" = function() length(fpc::cluster.stats(dist(X), y))
  ),
  clusterCrit = list(
    "Rand" = function() clusterCrit::extCriteria(a, b, "Rand")$rand,
    "silhouette" = function() clusterCrit::intCriteria(X, y, "Silhouette")[[1]],
    "Calinski-Harabasz" = function() clusterCrit::intCriteria(X, y, "Calinski_Harabasz")[[1]],
    "Davies-Bouldin" = function() clusterCrit::intCriteria(X, y, "Davies_Bouldin")[[1]],
    "Dunn" = function() clusterCrit::intCriteria(X, y, "Dunn")[[1]],
    "all internal criteria" = function() length(clusterCrit::intCriteria(X, y, "all"))
  ),
  NbClust = list(
    "number of clusters" = function() {
      pdf(NULL)
      capture.output(found <- NbClust::NbClust(X, min.nc = 2, max.nc = 10, method = "kmeans", index = "all"))
      max(found$Best.partition)
    }
  )
)

arguments <- commandArgs(TRUE)
if (arguments[1] == "programs") {
  for (name in names(calls)) {
    if (requireNamespace(name, quietly = TRUE)) cat(name, as.character(packageVersion(name)), "\n")
  }
  quit()
}
if (arguments[1] == "measures") {
  for (name in names(calls)) writeLines(paste0(name, ":", paste(names(calls[[name]]), collapse = ";")))
  quit()
}

folder <- arguments[3]
n <- as.integer(arguments[4])
p <- as.integer(arguments[5])
budget <- as.numeric(arguments[6])
labels_of <- function(name) readBin(file.path(folder, name), "integer", n)
if (file.exists(file.path(folder, "X"))) {
  X <- matrix(readBin(file.path(folder, "X"), "double", n * p), n, p, byrow = TRUE)
  y <- labels_of("y") + 1L
} else {
  a <- labels_of("a") + 1L
  b <- labels_of("b") + 1L
}
call <- calls[[arguments[1]]][[arguments[2]]]
loadNamespace(arguments[1])

peak <- function() {
  status <- "/proc/self/status"
  if (!file.exists(status)) return(NaN)
  line <- grep("^VmHWM", readLines(status), value = TRUE)
  as.numeric(gsub("[^0-9]", "", line)) / 1024
}
invisible(gc())
try(cat("5", file = "/proc/self/clear_refs"), silent = TRUE)
before <- peak()
seconds <- c()
repeat {
  started <- proc.time()[["elapsed"]]
  rounds <- 0
  # R's clock has a resolution of milliseconds, so short calls are timed in batches.
  repeat {
    value <- call()
    rounds <- rounds + 1
    spent <- proc.time()[["elapsed"]] - started
    if (spent > 0.02) break
  }
  if (!length(seconds)) after <- peak()
  seconds <- c(seconds, spent / rounds)
  if (length(seconds) >= 20 || sum(seconds * rounds) + spent > budget) break
}
cat(sprintf(
  '{"seconds": [%s], "memory": %s, "value": %.17g}\n',
  paste(sprintf("%.9g", seconds), collapse = ", "),
  if (is.nan(before)) "null" else sprintf("%.1f", after - before), as.numeric(value)
))
