// Which faults are at work, and what kind of trouble each is: to say what ended a leadership.
//
// A fault that is over goes on counting for kAftermath, because what it breaks (a renewal that was not answered)
// shows only later. A deploy counts until the heal.
//
// Thread rule: one book belongs to one reader.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "sim/world/record.h"

namespace tenure::sim {

// In the words of the report: "leaderless 31.2s: crash 15.1, pause 15.9, …".
enum class Trouble : std::uint8_t { start, crash, pause, deploy, network, store, clock, other };
std::string_view name_of(Trouble trouble);

class FaultBook {
 public:
  enum class Manner : std::uint8_t {
    plain,
    cuts,         // its targets cannot reach the store at all
    kills_again,  // and not only as it begins
    fails_over,   // it is felt when the store fails over, not before
  };
  struct Fault {
    std::uint64_t id = 0;
    Trouble trouble = Trouble::other;
    Manner manner = Manner::plain;
    std::string target;  // "n1 n3", "store"; empty: everything
    TrueTime began;
    TrueTime counts_until = TrueTime::max();
    bool cuts() const { return manner == Manner::cuts; }
  };

  void see(TrueTime now, const Record& record);

  // Of those at work on `node`, or on the store, of a kind that makes a running node lose its leadership: one that
  // still cuts it off, whatever came on top, else the latest begun. `deploys` says whether a deploy is among those
  // kinds. nullptr: none.
  const Fault* at_work_on(TrueTime now, NodeId node, bool deploys) const;
  // The id of the latest fault of a kind on `node`, of those that still count; 0: none.
  std::uint64_t latest(Trouble trouble, NodeId node) const;
  // Did a fault that kills begin at this very moment?
  bool kills_at(TrueTime now) const;

 private:
  static constexpr Duration kAftermath = Duration::seconds(15);
  std::vector<Fault> faults_;
};

}  // namespace tenure::sim
