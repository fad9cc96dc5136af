#include "sim/hunt/failure.h"

#include <algorithm>
#include <cctype>

namespace tenure::sim {
namespace {

bool is_digit(char c) { return c >= '0' && c <= '9'; }

}  // namespace

std::string shape_of(std::string_view message) {
  std::string shape;
  while (!message.empty()) {
    const std::size_t end = std::min(message.find(' '), message.size());
    const std::string_view word = message.substr(0, end);
    if (!shape.empty()) shape += ' ';
    shape += std::any_of(word.begin(), word.end(), is_digit) ? "#" : word;
    message.remove_prefix(std::min(end + 1, message.size()));
  }
  return shape;
}

bool Failure::same_as(const Failure& other) const {
  return checker == other.checker && shape_of(message) == shape_of(other.message);
}

std::optional<Failure> failure_of(const RunResult& result) {
  if (result.verdict != Verdict::fail) return std::nullopt;
  std::optional<Failure> first;
  for (const CheckResult& check : result.checks) {
    if (check.verdict != Verdict::fail || !check.demanded || check.violations.empty()) continue;
    const ReportedViolation& violation = check.violations.front();
    if (!first || violation.at < first->at) first = Failure{check.name, violation.message, violation.at};
  }
  return first;
}

}  // namespace tenure::sim
