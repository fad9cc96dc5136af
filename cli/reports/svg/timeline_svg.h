// One run as a picture: the whole of it as a strip, and a window of it as lanes, as the page of --report draws them.
//
// Thread rule: pure functions.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "sim/runner/recording.h"

namespace tenure::cli {

// Where a reader should look first: the first violation that counts, with the fault before it; else two who believed;
// else the longest time without a leader; else everything.
sim::Span window_to_look_at(const sim::Recording& recording);

// `title` stands above it, in as many lines as it needs; `below` under it, like the command that makes the run.
std::string timeline_svg(const sim::Recording& recording, std::string_view title, std::string_view below,
                         const sim::Span& window);

}  // namespace tenure::cli
