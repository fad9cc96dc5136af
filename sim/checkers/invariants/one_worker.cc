// one-worker: no two incarnations do work on one resource at once.
//
// Work, not belief: a deposed leader whose job still runs is what users are hurt by.
// A lease that is given back while work under its token runs invites the next worker: nobody may do that either,
// however soon the first one stops.
// Reads: work that begins and ends in the outside world; releases.
// Not applicable: no fires, or work that takes no time, since nothing that takes no time can overlap. For the same
// reason an overlap counts from the first moment after it began.
// One opportunity: work that begins, compared with all that is in progress.
#include <fmt/format.h>

#include <algorithm>
#include <span>

#include "sim/checkers/invariants/checker_of.h"
#include "sim/checkers/trackers/applied.h"

namespace tenure::sim {
namespace {

class OneWorker final : public CheckerOf<OneWorker> {
 public:
  using CheckerOf::CheckerOf;

  void before(TrueTime now, const Record&) {
    if (!fresh_.empty()) confirm(now);
  }
  void on(TrueTime now, const WorkArrived& landed) {
    if (landed.landing != DeliveryOutcome::begun) return;
    examined();
    count(landed, 1);
    if (run_.work().changed()) pair_up(now, landed);
  }
  void on(TrueTime now, const Applied& applied) { released(now, applied); }
  void on(TrueTime, const WorkEnded& ended) {
    count(ended, -1);
    if (!run_.work().changed() || fresh_.empty()) return;
    std::erase_if(fresh_, [&ended](const Pair& pair) {
      return pair.resource == ended.item.resource &&
             (pair.earlier.who == ended.who || pair.later.who == ended.who);
    });
  }

  void finish(TrueTime now) override { confirm(now); }

 private:
  struct Pair {
    ResourceId resource;
    Worker earlier;
    Worker later;
  };

  struct Term {
    ResourceId resource;
    Incarnation who;
    Token token;
    std::int64_t running = 0;  // pieces of work, at least one
  };

  // `record`: work under a token that begins (by 1) or ends (by -1).
  template <class WorkRecord>
  void count(const WorkRecord& record, std::int64_t by) {
    if (!record.item.token) return;
    const auto term = std::find_if(terms_.begin(), terms_.end(), [&record](const Term& other) {
      return other.resource == record.item.resource && other.who == record.who &&
             other.token == *record.item.token;
    });
    if (term == terms_.end()) {
      if (by > 0) terms_.push_back({record.item.resource, record.who, *record.item.token, by});
    } else if ((term->running += by) == 0) {
      terms_.erase(term);
    }
  }

  void released(TrueTime now, const Applied& applied) {
    const auto* release = reference_request<reference::Release>(applied.request);
    if (release == nullptr || reference_reply<reference::Released>(applied.reply) == nullptr) return;
    for (const Term& term : terms_) {
      if (term.resource != release->resource || term.token != release->token) continue;
      violate(now, {term.who}, {},
              fmt::format("{} gave its lease back at {}, while {} of its pieces of work were running",
                          names_.who(term.who), time_text(now), term.running));
    }
  }

  void pair_up(TrueTime now, const WorkArrived& landed) {
    const std::span<const Worker> workers = run_.work().workers(landed.item.resource);
    if (workers.size() == 1) return;
    const Worker later{landed.who, 1, now, landed.item.event};
    for (const Worker& worker : workers) {
      if (worker.who != landed.who) fresh_.push_back({landed.item.resource, worker, later});
    }
  }

  // What began before now and is still going on has overlapped.
  void confirm(TrueTime now) {
    for (const Pair& pair : fresh_) {
      if (pair.later.since >= now) continue;
      const Worker& a = pair.earlier;
      const Worker& b = pair.later;
      violate(b.since, {a.who, b.who}, {b.event.schedule, a.event.schedule},
              fmt::format("{} began {} at {}, while {} was working, since {} on {}", names_.who(b.who),
                          names_.event(b.event), time_text(b.since), names_.who(a.who), time_text(a.since),
                          names_.event(a.event)));
    }
    std::erase_if(fresh_, [now](const Pair& pair) { return pair.later.since < now; });
  }

  std::vector<Term> terms_;  // with work in progress
  std::vector<Pair> fresh_;  // in progress together, for no time yet
};

}  // namespace

const char* one_worker::not_applicable(const Scenario& scenario) {
  if (const char* why = lacks_fires(scenario)) return why;
  return scenario.work.duration.max() > Duration{} ? nullptr : "the scenario's work takes no time";
}

TENURE_MADE_AS(one_worker, OneWorker)

}  // namespace tenure::sim
