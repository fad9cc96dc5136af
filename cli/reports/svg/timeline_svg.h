// One run as a picture: the whole of it as a strip, and a window of it as lanes, as the page of --report draws them.
//
// Thread rule: pure functions.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "sim/runner/recording.h"

namespace tenure::cli {

// `title` stands above it, in as many lines as it needs; `below` under it, like the command that makes the run.
std::string timeline_svg(const sim::Recording& recording, std::string_view title, std::string_view below,
                         const sim::Span& window);

}  // namespace tenure::cli
