// How far a count deviates from its mean, in nats: the terms of mutual information.
#pragma once
#include "logarithm.h"

// count log(count / mean) - (count - mean), which is >= 0, to full precision even where it is nearly 0.
//
// difference : count - mean; the caller may know it to more digits than the mean
inline double deviance(double count, double mean, double difference) {
    const double total = count + mean;
    if (std::abs(difference) >= 0.1 * total) {
        const double excess = difference / mean;
        return excess <= -1.0 ? mean : count * log_of_one_plus(excess) - difference;
    }
    // log(count / mean) = 2 artanh(ratio); the two leading terms are combined by hand, the rest is a series.
    const double ratio = difference / total, square = ratio * ratio;
    double value = difference * ratio, term = 2.0 * count * ratio;
    for (double odd = 3.0;; odd += 2.0) {
        term *= square;
        const double updated = value + term / odd;
        // The sum is nan if an argument is.
        if (updated == value || std::isnan(updated)) return updated;
        value = updated;
    }
}
