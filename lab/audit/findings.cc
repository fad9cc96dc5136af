#include "lab/audit/findings.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace tenure::lab {

std::string counted(std::size_t n, std::string_view one, std::string_view many) {
  return n == 1 ? std::string(one) : fmt::format("{} {}", n, many);
}

sim::CheckResult& AuditFindings::check_of(std::string_view name) {
  const auto known = std::find_if(checks_.begin(), checks_.end(),
                                  [&](const sim::CheckResult& check) { return check.name == name; });
  if (known != checks_.end()) return *known;
  sim::CheckResult& fresh = checks_.emplace_back();
  fresh.name = name;
  return fresh;
}

void AuditFindings::violate(std::string_view check, sim::TrueTime at, std::string message) {
  constexpr std::size_t kShown = 10;
  sim::CheckResult& result = check_of(check);
  result.verdict = sim::Verdict::fail;
  ++result.violation_count;
  result.opportunities = std::max(result.opportunities, result.violation_count);
  if (result.violations.size() < kShown) result.violations.push_back({at, std::move(message)});
}

}  // namespace tenure::lab
