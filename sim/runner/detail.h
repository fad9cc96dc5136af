// Where a picture of a long run shows every request: requests are most of what there is, and few of them are news.
//
// Thread rule: pure functions.
#pragma once

#include <cstddef>
#include <optional>
#include <vector>

#include "sim/runner/recording.h"

namespace tenure::sim {

// The spans, in order and apart, in which at most `requests_max` requests were decided: the whole run if it has no
// more; else what is `asked` for, then around violations, two believers, beginnings and ends of faults, handovers, as
// far as the number goes.
std::vector<Span> spans_of_detail(const Recording& recording, std::size_t requests_max,
                                  const std::optional<Span>& asked);

}  // namespace tenure::sim
