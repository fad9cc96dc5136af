#include "cli/reports/text/explain_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <vector>

#include "cli/reports/svg/highlights.h"
#include "cli/reports/text/text_format.h"
#include "cli/reports/text/text_run.h"
#include "core/lease/elector_kind.h"
#include "core/model/describe.h"
#include "core/scheduler/scheduler_kind.h"
#include "sim/checkers/names.h"

namespace tenure::cli {
namespace {

using sim::time_text;

constexpr std::size_t kRequestsShown = 6;

bool overlap(const sim::Span& a, const sim::Span& b) { return a.from <= b.to && b.from <= a.to; }

std::string text_of_span(const sim::Span& span) {
  if (span.to == sim::TrueTime::max()) return fmt::format("from {} on", time_text(span.from));
  if (span.to == span.from) return fmt::format("at {}", time_text(span.from));
  return fmt::format("{} to {}", time_text(span.from), time_text(span.to));
}

// "decided 30.001s, executed 30.002s, heard 30.003s"
std::string text_of_way(const sim::RequestTrip& trip) {
  std::string text = "decided " + time_text(trip.decided);
  text += trip.applied ? ", executed " + time_text(*trip.applied) : std::string(", never executed");
  return text + (trip.heard ? ", heard " + time_text(*trip.heard) : ", no answer heard");
}

class Explanation {
 public:
  Explanation(const sim::Recording& recording, const sim::RunResult& result, const sim::Scenario& scenario)
      : recording_(recording), result_(result), scenario_(scenario), violation_(*first_mark(recording)) {}

  std::string text(bool paint) {
    text_ = fmt::format("{} {}  seed {}  {} at {}\n  {}\n", verdict_word(result_.verdict, paint),
                        result_.scenario, result_.seed, violation_.checker, time_text(violation_.span.to),
                        violation_.message);
    if (!violation_.demanded) text_ += "  It is only reported: nothing demands that it never happens.\n";
    add_beliefs();
    add_clocks();
    add_faults();
    add_requests();
    add_promise();
    return text_ + "\n" + row("reproduce", result_.reproduce);
  }

 private:
  void head(std::string_view what) { text_ += fmt::format("\n  {}\n", what); }
  void line(std::string_view who, std::string_view what) {
    text_ += fmt::format("    {:<4}  {}\n", who, what);
  }

  const sim::RequestTrip* trip(RequestId id) const {
    const auto found = std::find_if(recording_.requests.begin(), recording_.requests.end(),
                                    [&](const sim::RequestTrip& one) { return one.id == id; });
    return found != recording_.requests.end() ? &*found : nullptr;
  }

  // In two lines, because what designs write may be long.
  void tell(const sim::RequestTrip& trip, std::string_view who) {
    line(who, trip.what);
    line("", fmt::format("{}{}", text_of_way(trip), trip.reply.empty() ? "" : "; the store: " + trip.reply));
  }

  void add_beliefs() {
    head("leaders then, and their grants");
    bool any = false;
    for (const sim::BeliefSpan& belief : recording_.beliefs) {
      if (!overlap(belief.span, violation_.span)) continue;
      any = true;
      const std::string token = belief.token.empty() ? "" : " (" + belief.token + ")";
      const std::string end = belief.end.empty() ? "" : ": " + belief.end;
      line(describe(belief.who), text_of_span(belief.span) + end + token);
      const auto later = std::find_if(belief.grants.begin(), belief.grants.end(),
                                      [&](const auto& grant) { return grant.at > violation_.span.to; });
      if (later == belief.grants.begin()) {
        line("", "it rests on no answer of a store");
        continue;
      }
      if (const sim::RequestTrip* granted = trip(std::prev(later)->request)) tell(*granted, "");
    }
    if (!any) line("", "nobody");
  }

  // Of the nodes that are in it, as they were last read before it.
  void add_clocks() {
    std::string text;
    for (const NodeId node : violation_.nodes) {
      const sim::ClockState* last = nullptr;
      for (const sim::ClockState& clock : recording_.clocks)
        if (clock.node == node && clock.at <= violation_.span.to) last = &clock;
      if (last == nullptr) continue;
      text += fmt::format("    {:<4}  wall {} against the true date, rate {:+} ppm{}; since {}\n",
                          describe(node), short_duration(last->wall_offset), last->rate_ppm,
                          last->still ? ", the monotonic clock stands still" : "", time_text(last->at));
    }
    if (text.empty()) return;
    head("their clocks");
    text_ += text;
  }

  // Those that lasted then, and the last one that was over at once.
  void add_faults() {
    head("faults at work, and the last one before");
    const sim::FaultSpan* last = nullptr;
    std::vector<const sim::FaultSpan*> shown;
    for (const sim::FaultSpan& fault : recording_.faults) {
      if (fault.span.from > violation_.span.to) continue;
      if (overlap(fault.span, violation_.span)) shown.push_back(&fault);
      last = &fault;
    }
    if (last != nullptr && std::find(shown.begin(), shown.end(), last) == shown.end()) shown.push_back(last);
    for (const sim::FaultSpan* fault : shown)
      line("", fmt::format("{}, {}", fault->text, text_of_span(fault->span)));
    if (shown.empty()) line("", "none");
  }

  void add_requests() {
    if (violation_.requests.empty()) return;
    head("requests of these nodes meanwhile, and the last before");
    const std::size_t count = std::min(violation_.requests.size(), kRequestsShown);
    for (std::size_t i = violation_.requests.size() - count; i < violation_.requests.size(); ++i)
      if (const sim::RequestTrip* one = trip(violation_.requests[i]))
        tell(*one, describe(one->id.incarnation));
  }

  void add_promise() {
    head("the promise");
    bool promised = add_claims(scenario_.protocol->name, scenario_.protocol->claims());
    if (scenario_.scheduler != nullptr)
      promised = add_claims(scenario_.scheduler->name, scenario_.scheduler->claims()) || promised;
    if (!promised) line("", fmt::format("no design here promises {}", violation_.checker));
    const auto check = std::find_if(result_.checks.begin(), result_.checks.end(),
                                    [&](const auto& one) { return one.name == violation_.checker; });
    if (check != result_.checks.end() && !check->detail.empty()) line("", check->detail);
  }

  bool add_claims(std::string_view who, const std::vector<Claim>& claims) {
    bool any = false;
    for (const Claim& claim : claims) {
      if (claim.invariant != violation_.checker) continue;
      any = true;
      std::vector<std::string_view> names;
      for (const Assumption assumption : claim.assumptions) names.push_back(name_of(assumption));
      line("", fmt::format("{} promises {}{}", who, claim.invariant,
                           names.empty() ? ", whatever happens" : " as long as these hold:"));
      if (!names.empty()) line("", fmt::format("  {}", fmt::join(names, ", ")));
      add_broken(names);
    }
    return any;
  }

  void add_broken(const std::vector<std::string_view>& names) {
    std::set<std::string> said;
    for (const sim::BrokenSpan& broken : recording_.broken) {
      const bool assumed = std::find(names.begin(), names.end(), broken.assumption) != names.end();
      if (!assumed || broken.span.from > violation_.span.to) continue;
      const std::string text =
          fmt::format("{} was broken by {}, {}", broken.assumption, broken.by, text_of_span(broken.span));
      if (said.insert(text).second) line("", text);
    }
    if (said.empty())
      line("", "nothing that it assumes was broken before: the design does not keep its promise");
  }

  const sim::Recording& recording_;
  const sim::RunResult& result_;
  const sim::Scenario& scenario_;
  const sim::ViolationSpan& violation_;
  std::string text_;
};

}  // namespace

std::string text_of_explanation(const sim::Recording& recording, const sim::RunResult& result,
                                const sim::Scenario& scenario, bool paint) {
  return Explanation(recording, result, scenario).text(paint);
}

}  // namespace tenure::cli
