// Counts in a leadership as it happens: how long belief lasts without an answer, how many renewals are tried meanwhile,
// and how many renewals there were before a crash. Only for the first leadership of a run, on clocks that agree.
//
// Thread rule: one watch belongs to one run.
#pragma once

#include <cstdint>
#include <deque>
#include <map>
#include <optional>

#include "sim/world/record.h"

namespace tenure::lab {

// The moment of the last answered request from which belief counts.
enum class BeliefFrom : std::uint8_t { send, commit, reply };

struct LeaseTerms {
  BeliefFrom from = BeliefFrom::send;
  Duration wait;            // renewals are counted in a window of this length
  bool reads_first = true;  // on a record: whether an attempt begins with a get, or with an update
};

class LeaseWatch final : public sim::Observer {
 public:
  // `start_ns` is true time zero, since the Unix epoch.
  LeaseWatch(const LeaseTerms& terms, std::int64_t start_ns);

  void see(sim::TrueTime now, const sim::Record& record) override;

  // From the moment from which belief counts to the end of the leadership; nullopt: it never ended, or it ended by
  // death.
  std::optional<Duration> belief() const;
  // Renewals begun from the answer that made it the leader until then.
  std::int64_t attempts() const { return attempts_; }
  // Renewals committed within the last W before its death; nullopt: it did not die.
  std::optional<std::int64_t> renewals() const { return renewals_; }

 private:
  // Of a node's latest request.
  struct Last {
    sim::TrueTime sent;
    sim::TrueTime committed;
  };
  void take_note(sim::TrueTime now, const sim::Noted& noted);
  bool leads(Incarnation who) const { return leader_ == who; }

  const LeaseTerms terms_;
  const std::int64_t start_ns_;
  std::map<Incarnation, Last> last_;
  Incarnation leader_;  // number 0: nobody yet
  sim::TrueTime anchored_;
  sim::TrueTime declared_end_ = sim::TrueTime::max();  // where belief has an end of its own, on a wall clock
  std::optional<sim::TrueTime> end_;
  std::int64_t attempts_ = 0;
  std::deque<sim::TrueTime> commits_;  // of the leader, in the last W
  std::optional<std::int64_t> renewals_;
};

}  // namespace tenure::lab
