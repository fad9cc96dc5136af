// The page of `tenure audit --report`: what journals know, and what they do not.
//
// Thread rule: pure functions.
#pragma once

#include <string>

#include "lab/audit/audit.h"

namespace tenure::cli {

// `command`: as it was given. REQUIRES: the audit was asked for a timeline.
std::string page_of(const lab::Audit& audit, const std::string& command);

}  // namespace tenure::cli
