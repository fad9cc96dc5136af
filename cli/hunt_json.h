// A hunt's findings as one JSON document on one line; docs/hunting.md lists its keys.
//
// Thread rule: pure functions.
#pragma once

#include <string>

#include "cli/findings.h"

namespace tenure::cli {

std::string json_of_hunt(const HuntFindings& findings);
std::string json_of_replay(const ReplayedFile& file);
std::string_view name_of(sim::Replayed::State state);

}  // namespace tenure::cli
