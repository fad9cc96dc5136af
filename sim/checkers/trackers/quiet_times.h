// Tracks quiet times: one and the same instance leads, no fault is in force, and nobody is at work. Whatever comes due
// in them is a scheduler's to do at once. Work of others in between takes its own time away, and no more.
//
// Thread rule: one tracker belongs to one reader.
#pragma once

#include <algorithm>
#include <optional>
#include <set>
#include <vector>

#include "sim/checkers/trackers/leadership_tracker.h"
#include "sim/world/record.h"

namespace tenure::sim {

class QuietTimes {
 public:
  // `leadership`: sees each record before.
  explicit QuietTimes(const LeadershipTracker& leadership) : leadership_(leadership) {}

  void see(TrueTime now, const Record& record) {
    for (const LeadershipChange& change : leadership_.changes()) disturb(change.at);
    if (const auto* began = std::get_if<FaultBegan>(&record)) {
      disturb(now);
      if (began->duration != Duration{}) faults_.insert(began->id);
      lingers_ = std::max(lingers_, began->lingers);
      calm_ = std::max(calm_, now + began->lingers);
    } else if (const auto* ended = std::get_if<FaultEnded>(&record)) {
      disturb(now);
      faults_.erase(ended->id);
      calm_ = std::max(calm_, now + lingers_);
    } else if (const auto* landed = std::get_if<WorkArrived>(&record)) {
      if (landed->landing == DeliveryOutcome::begun && at_work_++ == 0) busy_since_ = now;
    } else if (std::holds_alternative<WorkEnded>(record)) {
      if (at_work_ > 0 && --at_work_ == 0) worked(now);
    }
    if (!since_ && faults_.empty() && leadership_.leaders() == 1) since_ = std::max(now, calm_);
  }
  void finish(TrueTime now) {
    disturb(now);
    if (at_work_ > 0) worked(now);
  }

  // Whether within [from, to) one leader had so much quiet time. Call it after finish().
  bool any_within(TrueTime from, TrueTime to, Duration length) const {
    auto steady = first_after(steady_, from);
    for (; steady != steady_.end() && steady->from < to; ++steady) {
      const Span span{std::max(steady->from, from), std::min(steady->to, to)};
      Duration quiet = span.to - span.from;
      for (auto busy = first_after(busy_, span.from); busy != busy_.end() && busy->from < span.to; ++busy)
        quiet = quiet - (std::min(busy->to, span.to) - std::max(busy->from, span.from));
      if (quiet >= length) return true;
    }
    return false;
  }

 private:
  struct Span {
    TrueTime from;
    TrueTime to;
  };
  using Spans = std::vector<Span>;  // in order

  static Spans::const_iterator first_after(const Spans& spans, TrueTime from) {
    return std::partition_point(spans.begin(), spans.end(),
                                [from](const Span& each) { return each.to <= from; });
  }
  void disturb(TrueTime at) {
    if (since_ && *since_ < at) steady_.push_back({*since_, at});
    since_.reset();
  }
  void worked(TrueTime now) {
    if (busy_since_ < now) busy_.push_back({busy_since_, now});
  }

  const LeadershipTracker& leadership_;
  std::set<std::uint64_t> faults_;  // in force
  Duration lingers_;                // the longest of any fault so far
  TrueTime calm_;                   // what faults had delayed is over
  std::optional<TrueTime> since_;   // one leads, and nothing is wrong; nullopt: that is not so now
  std::uint64_t at_work_ = 0;
  TrueTime busy_since_;
  Spans steady_;
  Spans busy_;
};

}  // namespace tenure::sim
