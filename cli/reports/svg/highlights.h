// Where in a recording a reader should look first.
//
// Thread rule: pure functions.
#pragma once

#include <string_view>
#include <vector>

#include "sim/runner/recording.h"

namespace tenure::cli {

// The end of a span, if only of the run.
sim::TrueTime end_of(const sim::Span& span, const sim::Recording& recording);
// Each time in which there were two, whether both acted or not.
std::vector<sim::Span> times_of_two(const sim::Recording& recording);
// The first violation that counts; else the first at all; nullptr: there is none. `checker`: only of this one.
const sim::ViolationSpan* first_mark(const sim::Recording& recording, std::string_view checker = {});
// Where a reader should look first: the first violation that counts, with the fault before it; else two who believed;
// else the longest time without a leader; else everything.
sim::Span highlighted_window(const sim::Recording& recording);

}  // namespace tenure::cli
