// What is wrong with the file of --save (lab/session/saved_runs.h), for people.
//
// Thread rule: pure functions.
#pragma once

#include <string>
#include <string_view>

#include "lab/session/run_log.h"

namespace tenure::cli {

// `command`: "tune". `other`: what the runs in it may be of instead, "another build of tenure".
std::string why_not_open(const std::string& path, const lab::RunLog::Problem& problem,
                         std::string_view command, std::string_view other);
// "; they are kept in FILE, and --resume goes on", or `else_what`.
std::string when_interrupted(bool kept, const std::string& path, std::string_view else_what);

}  // namespace tenure::cli
