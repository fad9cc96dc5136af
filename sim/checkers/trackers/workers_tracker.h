// Tracks how busy the leader's workers are: what is due waits for one of them, and is neither lost nor late meanwhile.
//
// The leader is the instance that believed last under the newest token, or asked for work. Work keeps a worker busy
// from the moment it is asked for until it is over. A fire keeps one free before that: from when its commit is sent
// until the store has executed it. One moment in which all are busy is no reason to wait for long. So what counts is
// the workers' time: how much of it went into work.
//
// Thread rule: one tracker belongs to one reader.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <optional>
#include <vector>

#include "sim/checkers/trackers/applied.h"
#include "sim/checkers/trackers/event_lifecycle.h"
#include "sim/checkers/trackers/per_incarnation.h"
#include "sim/scenario/latencies.h"
#include "sim/world/record.h"

namespace tenure::sim {

class WorkersTracker {
 public:
  // `kept`: the longest time before the heal that a reader asks for.
  WorkersTracker(const Scenario& scenario, Duration kept)
      : kept_for_(kept), most_(scheduling_number(scenario, "max_running", INT64_MAX)) {}

  // `work`: has seen the record.
  void see(TrueTime now, const Record& record, const EventLifecycle& work) {
    if (const auto* asked = std::get_if<WorkAsked>(&record)) {
      leads(asked->who, asked->item.token);
    } else if (const auto* submitted = std::get_if<Submitted>(&record)) {
      if (reference_request<reference::CommitFires>(submitted->submission.request) != nullptr)
        commits_[submitted->who] = {submitted->id, now, work.in_hand(submitted->who)};
      return;
    } else if (const auto* applied = std::get_if<Applied>(&record)) {
      return keeps_free(now, *applied);
    } else if (const auto* noted = std::get_if<Noted>(&record)) {
      if (const auto* believes = std::get_if<Believes>(&noted->note)) leads(noted->who, believes->token);
    } else if (std::holds_alternative<Healed>(record)) {
      healed_ = true;
    }
    note(now, leader_ ? work.in_hand(*leader_) : 0);
  }

  // How many of its leader's workers were at work as this commit was sent; 0: it is not the leader's last one.
  std::int64_t at_work_before(const Applied& applied) const {
    const Commit* const commit = commits_.find(applied.who);
    return commit != nullptr && commit->id == applied.id ? commit->at_work : 0;
  }
  // Whether work took at least half of the workers' time since `time`. The rest is what a store takes for the commits
  // between two pieces of work. REQUIRES: `time` is not further before the heal than is kept.
  bool busy_since(TrueTime time, TrueTime now) const { return busy_between(time, now); }
  // The same of another time, which begins no earlier and ends by now.
  bool busy_between(TrueTime time, TrueTime end) const {
    const Duration window = std::max(end - time, Duration::nanos(1));
    Duration worked = worked_until(end) - worked_until(end - window);
    for (const KeptFree& kept : kept_)
      if (kept.to > end - window && kept.from < end)
        worked = worked + (std::min(kept.to, end) - std::max(kept.from, end - window)) * kept.workers;
    return worked.ns() / window.ns() * 2 + worked.ns() % window.ns() * 2 / window.ns() >= most_;
  }

 private:
  // From here on `workers` of the leader were at work; before, they had worked `worked` in all.
  struct Stretch {
    TrueTime from;
    Duration worked;
    std::int64_t workers = 0;

    Duration until(TrueTime time) const { return worked + (time - from) * workers; }
  };

  static constexpr std::size_t kFew = 64;

  struct Commit {
    RequestId id;
    TrueTime at;
    std::int64_t at_work = 0;
  };
  struct KeptFree {
    TrueTime from;
    TrueTime to;
    std::int64_t workers = 0;
  };

  void keeps_free(TrueTime now, const Applied& applied) {
    const Commit* const commit = commits_.find(applied.who);
    if (commit == nullptr || commit->id != applied.id || leader_ != applied.who) return;
    std::int64_t workers = 0;
    for_each_covered(applied, [&workers](const reference::LedgerRow& row) {
      if (row.what == reference::Disposition::fired) ++workers;
    });
    kept_.push_back({commit->at, now, workers});
    while (!healed_ && kept_.front().to < now - kept_for_) kept_.pop_front();
  }
  void leads(Incarnation who, const std::optional<Token>& token) {
    if (token && newest_ && token->older_than(*newest_)) return;
    if (token) newest_ = token;
    leader_ = who;
  }
  void note(TrueTime now, std::int64_t workers) {
    if (!stretches_.empty() && stretches_.back().workers == workers) return;
    stretches_.push_back({now, worked_until(now), workers});
    if (!healed_ && stretches_.size() >= forget_at_) forget(now - kept_for_);
  }
  // What ended before; half of what is there at least, or the next time comes later.
  void forget(TrueTime before) {
    const auto later =
        std::lower_bound(stretches_.begin() + 1, stretches_.end(), before,
                         [](const Stretch& stretch, TrueTime at) { return stretch.from < at; });
    stretches_.erase(stretches_.begin(), later - 1);
    forget_at_ = std::max(stretches_.size() * 2, kFew);
  }
  Duration worked_until(TrueTime time) const {
    if (!stretches_.empty() && time >= stretches_.back().from) return stretches_.back().until(time);
    auto next = std::upper_bound(stretches_.begin(), stretches_.end(), time,
                                 [](TrueTime at, const Stretch& stretch) { return at < stretch.from; });
    return next == stretches_.begin() ? Duration{} : (--next)->until(time);
  }

  Duration kept_for_;
  std::int64_t most_;
  bool healed_ = false;
  std::optional<Incarnation> leader_;
  std::optional<Token> newest_;
  std::vector<Stretch> stretches_;
  std::size_t forget_at_ = kFew;    // of them
  PerIncarnation<Commit> commits_;  // the latest
  std::deque<KeptFree> kept_;
};

}  // namespace tenure::sim
