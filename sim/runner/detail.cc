#include "sim/runner/detail.h"

#include <algorithm>

namespace tenure::sim {
namespace {

constexpr Duration kAround = Duration::seconds(5);

// What deserves detail, the most important first.
std::vector<Span> wanted(const Recording& recording, const std::optional<Span>& asked) {
  std::vector<Span> spans;
  if (asked) spans.push_back(*asked);
  const auto around = [&](TrueTime at) {
    if (at != TrueTime::max()) spans.push_back({at - kAround, at + kAround});
  };
  for (const ViolationSpan& violation : recording.violations)
    if (violation.demanded) around(violation.span.to);
  for (const ViolationSpan& violation : recording.violations)
    if (!violation.demanded) around(violation.span.to);
  for (const OverlapSpan& overlap : overlaps(recording)) {
    around(overlap.span.from);
    around(overlap.span.to);
  }
  for (const FaultSpan& fault : recording.faults) {
    around(fault.span.from);
    around(fault.span.to);
  }
  for (const BeliefSpan& belief : recording.beliefs) around(belief.span.from);
  return spans;
}

std::vector<Span> merged(std::vector<Span> spans, TrueTime end) {
  std::sort(spans.begin(), spans.end(), [](const Span& a, const Span& b) { return a.from < b.from; });
  std::vector<Span> result;
  for (Span span : spans) {
    span = {std::max(span.from, TrueTime{}), std::min(span.to, end)};
    if (!result.empty() && span.from <= result.back().to)
      result.back().to = std::max(result.back().to, span.to);
    else
      result.push_back(span);
  }
  return result;
}

}  // namespace

std::vector<Span> spans_of_detail(const Recording& recording, std::size_t requests_max,
                                  const std::optional<Span>& asked) {
  const std::vector<RequestTrip>& requests = recording.requests;
  if (requests.size() <= requests_max) return {{TrueTime{}, recording.end}};
  const auto place = [&](TrueTime at) {
    return static_cast<std::size_t>(
        std::lower_bound(requests.begin(), requests.end(), at,
                         [](const RequestTrip& trip, TrueTime time) { return trip.decided < time; }) -
        requests.begin());
  };
  std::vector<bool> kept(requests.size());
  std::size_t count = 0;
  std::vector<Span> spans;
  for (const Span& span : wanted(recording, asked)) {
    const std::size_t first = place(span.from);
    const std::size_t last = place(span.to);
    const auto more =
        static_cast<std::size_t>(std::count(kept.begin() + static_cast<std::ptrdiff_t>(first),
                                            kept.begin() + static_cast<std::ptrdiff_t>(last), false));
    if (count + more > requests_max) continue;
    std::fill(kept.begin() + static_cast<std::ptrdiff_t>(first),
              kept.begin() + static_cast<std::ptrdiff_t>(last), true);
    count += more;
    spans.push_back(span);
  }
  return merged(std::move(spans), recording.end);
}

}  // namespace tenure::sim
