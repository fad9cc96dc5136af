// A hunt's findings as one JSON document on one line; docs/hunting.md lists its keys.
//
// Thread rule: pure functions.
#pragma once

#include <string>

#include "lab/session/hunt_findings.h"

namespace tenure::cli {

// `kind`: its first field, if it is to have one.
std::string json_of_hunt(const lab::HuntFindings& findings, std::string_view kind = {});
std::string json_of_replay(const lab::ReplayedFile& file, std::string_view kind = {});
// A failure by itself, as it comes; what json_of_hunt says of it and how to run it.
std::string json_of_finding(const lab::Finding& finding, std::string_view scenario, std::string_view kind);
std::string_view name_of(lab::Replayed::State state);

}  // namespace tenure::cli
