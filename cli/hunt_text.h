// A hunt's findings as text for people.
//
// Thread rule: pure functions.
#pragma once

#include <string>

#include "cli/findings.h"

namespace tenure::cli {

// A failure as it was kept: its story, its file, and the line that reproduces it.
std::string text_of_finding(const Finding& finding, bool paint);
// What a regression's replay says; nothing for one that passed, unless `all`.
std::string text_of_replay(const ReplayedFile& file, bool paint, bool all);
std::string text_of_hunt(const HuntFindings& findings, bool paint);

}  // namespace tenure::cli
