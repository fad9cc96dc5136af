#include "lab/hunt/failure.h"

#include <algorithm>
#include <utility>

namespace tenure::lab {
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

std::vector<Failure> failures_of(const sim::RunResult& result) {
  std::vector<Failure> failures;
  if (result.verdict != sim::Verdict::fail) return failures;
  for (const sim::CheckResult& check : result.checks) {
    if (check.verdict != sim::Verdict::fail || !check.demanded || check.violations.empty()) continue;
    const sim::ReportedViolation& violation = check.violations.front();
    failures.push_back({check.name, violation.message, violation.at});
  }
  std::stable_sort(failures.begin(), failures.end(),
                   [](const Failure& a, const Failure& b) { return a.at < b.at; });
  return failures;
}

std::optional<Failure> failure_of(const sim::RunResult& result) {
  std::vector<Failure> failures = failures_of(result);
  if (failures.empty()) return std::nullopt;
  return std::move(failures.front());
}

const Failure* find_same(const std::vector<Failure>& failures, const Failure& failure) {
  const auto same = std::find_if(failures.begin(), failures.end(),
                                 [&](const Failure& each) { return each.same_as(failure); });
  return same == failures.end() ? nullptr : &*same;
}

}  // namespace tenure::lab
