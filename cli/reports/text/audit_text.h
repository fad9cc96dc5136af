// An audit of journals, as text for people.
//
// Thread rule: pure functions.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "lab/audit/audit.h"

namespace tenure::cli {

std::string_view end_of_life(lab::AuditedLife::End end);
std::string text_of_audit(const lab::Audit& audit, std::size_t journals, bool paint);
// What these checks are not about, a row a reason.
std::string text_of_silences(std::string_view label, const std::vector<lab::Silence>& silences);
// Of each check that is violated or could judge nothing: what it says.
std::string text_of_findings(const std::vector<sim::CheckResult>& checks);

}  // namespace tenure::cli
