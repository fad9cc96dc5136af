#include "cli/reports/svg/highlights.h"

#include <algorithm>
#include <optional>

namespace tenure::cli {

using sim::Recording;
using sim::Span;
using sim::TrueTime;

TrueTime end_of(const Span& span, const Recording& recording) { return std::min(span.to, recording.end); }

// Each time in which there were two, whether both acted or not.
std::vector<Span> times_of_two(const Recording& recording) {
  std::vector<Span> times;
  for (const sim::OverlapSpan& two : overlaps(recording)) {
    if (times.empty() || times.back().to < two.span.from)
      times.push_back(two.span);
    else
      times.back().to = std::max(times.back().to, end_of(two.span, recording));
  }
  for (Span& span : times) span.to = end_of(span, recording);
  return times;
}

const sim::ViolationSpan* first_mark(const Recording& recording, std::string_view checker) {
  const sim::ViolationSpan* first = nullptr;
  for (const sim::ViolationSpan& one : recording.violations) {
    if (!checker.empty() && one.checker != checker) continue;
    if (first == nullptr || (one.demanded && !first->demanded) ||
        (one.demanded == first->demanded && one.span.to < first->span.to))
      first = &one;
  }
  return first;
}

namespace {

Span with_margin(Span span, const Recording& recording) {
  const Duration margin = std::max((span.to - span.from) * 3 / 10, Duration::millis(500));
  return {std::max(TrueTime{}, span.from - margin), std::min(recording.end, span.to + margin)};
}

Span around(const sim::ViolationSpan& mark, const Recording& recording) {
  constexpr Duration kLongestBefore = Duration::seconds(120);
  const TrueTime at = std::min(mark.span.to, recording.end);
  Span span{std::min(mark.span.from, at), at};
  for (const Span& two : times_of_two(recording))
    if (two.from <= at && at <= two.to) {
      span.from = std::min(span.from, two.from);
      span.to = std::max(span.to, two.to);
    }
  const sim::FaultSpan* before = nullptr;
  for (const sim::FaultSpan& fault : recording.faults)
    if (fault.span.from <= at) before = &fault;
  if (before != nullptr) span.from = std::min(span.from, before->span.from);
  span.from = std::max(span.from, at - kLongestBefore);
  return with_margin(span, recording);
}

}  // namespace

Span highlighted_window(const Recording& recording) {
  if (const sim::ViolationSpan* mark = first_mark(recording)) return around(*mark, recording);
  const std::vector<sim::OverlapSpan> two = overlaps(recording);
  if (!two.empty())
    return with_margin({two.front().span.from, end_of(two.front().span, recording)}, recording);
  std::optional<TrueTime> reached;
  Span longest;
  longest.to = longest.from;
  for (const sim::BeliefSpan& belief : recording.beliefs) {
    if (reached && belief.span.from - *reached > longest.to - longest.from)
      longest = {*reached, belief.span.from};
    reached = std::max(reached.value_or(TrueTime{}), end_of(belief.span, recording));
  }
  if (longest.to > longest.from) return with_margin(longest, recording);
  return {TrueTime{}, recording.end};
}

}  // namespace tenure::cli
