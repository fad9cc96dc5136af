// Work that an instance knows of and has to begin: the outbox has shown its event while it leads, or it came back in
// vain. Of the latter a leader may take a minute by its own clock to try again. After a failover only the outbox tells
// what there is to begin: work of the branch before that comes back in vain may be lost. Nor is work to be begun again
// that has failed `work_attempts` times under one token: it is given up.
//
// Thread rule: a value.
#pragma once

#include <map>
#include <optional>
#include <set>
#include <vector>

#include "tests/judge/invariants.h"

namespace tenure::judging {

class ToBegin {
 public:
  explicit ToBegin(const Case& run);

  void see(const Kept& kept);
  // From here on only what runs is in its hand, and the outbox tells the rest.
  void begins_to_lead(Incarnation who);
  // A page that the outbox has shown to a leader, from behind the number `after`.
  void shown(Incarnation who, std::uint64_t after, const reference::Outbox& page, sim::TrueTime at);
  // Since when some work has waited that waits longest.
  std::optional<sim::TrueTime> since(Incarnation who);
  // How much waits.
  std::size_t count(Incarnation who) const;

 private:
  struct Waiting {
    sim::TrueTime since;
    std::uint64_t number = 0;  // in the outbox; 0: it came back
  };
  struct Instance {
    std::set<reference::EventId> running;
    std::set<reference::EventId> in_hand;
    std::set<reference::EventId> delivered;  // and not taken from the outbox
    std::map<reference::EventId, sim::TrueTime> in_vain;
    std::map<reference::EventId, Waiting> waiting;
    std::optional<sim::TrueTime> longest;  // since when some work of these has waited, if that is known
    bool longest_is_known = false;
    std::map<reference::EventId, std::vector<std::optional<Token>>> failed_under;  // these tokens
  };
  Instance& changed(Incarnation who);
  void asked(Instance& instance, const reference::EventId& event);
  void in_vain(Instance& instance, const WorkItem& item, sim::TrueTime at);
  void over(Instance& instance, const reference::EventId& event);

  bool is_given_up(Instance& instance, const WorkItem& item) const;

  std::size_t attempts_;
  Duration again_within_;
  std::uint32_t branch_ = 0;  // of the store
  std::map<Incarnation, Instance> instances_;
};

}  // namespace tenure::judging
