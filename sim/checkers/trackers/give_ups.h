// Which events a give-up has taken. It names their numbers in the store: one that is repeated, because its answer was
// lost, takes nothing that was put back since under another number.
//
// Thread rule: one tracker belongs to one reader.
#pragma once

#include <cstdint>
#include <map>
#include <utility>

#include "sim/checkers/trackers/applied.h"

namespace tenure::sim {

class GiveUps {
 public:
  // Calls see(event) for each event that this request took, if it is a give-up. REQUIRES: each is shown once, in order.
  template <class See>
  void take(const Applied& applied, See&& see) {
    const auto* asked = reference_request<reference::GiveUpEvents>(applied.request);
    if (asked == nullptr || reference_reply<reference::GivenUp>(applied.reply) == nullptr) return;
    for (const reference::DeadEvent& dead : asked->events) {
      const Name name{asked->token.branch, dead.seq};
      const auto [known, is_new] = last_.try_emplace(dead.id, name);
      if (!is_new && dead.seq != 0 && known->second == name) continue;
      known->second = name;
      see(dead.id);
    }
  }

 private:
  using Name = std::pair<std::uint32_t, std::uint64_t>;  // another branch gives the same numbers to others
  std::map<reference::EventId, Name> last_;
};

}  // namespace tenure::sim
