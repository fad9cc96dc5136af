// A comparison of designs as text, Markdown and JSON.
//
// Thread rule: pure functions.
#pragma once

#include <cstdint>
#include <string>

#include "lab/session/compare_session.h"

namespace tenure::cli {

struct CompareReport {
  const lab::CompareFindings* findings = nullptr;
  std::uint64_t seeds = 0;
};

std::string compare_text(const CompareReport& report);
std::string compare_markdown(const CompareReport& report);
std::string compare_json(const CompareReport& report);

}  // namespace tenure::cli
