// A store's machine under a clock that the test moves, and what all machines have to do.
//
// Thread rule: one test.
#pragma once

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "core/store/store_machine.h"
#include "sim/stores/session_store.h"

namespace tenure::testing {

template <class Machine, class MachineRequest, class MachineReply>
struct MachineUnderTest {
  static constexpr Incarnation kCaller{NodeId{1}, 1};

  MachineReply reply(const MachineRequest& request) {
    std::vector<Notification> heard;
    return *message_as<MachineReply>(store.apply(request, now, heard));
  }
  template <class Answer>
  Answer ask(const MachineRequest& request) {
    return std::get<Answer>(reply(request));
  }
  // What a failure says; empty: it was done.
  std::string failure(const MachineRequest& request) { return failure_of(reply(request)); }
  static std::string failure_of(const MachineReply& reply) {
    return std::visit(
        [](const auto& it) -> std::string {
          if constexpr (requires { it.code; }) return it.code;
          if constexpr (requires { it.message; }) return it.message;
          return "";
        },
        reply);
  }
  // The answer, or none yet.
  std::optional<MachineReply> begin(std::uint64_t ticket, const MachineRequest& request,
                                    std::uint32_t connection = 0) {
    const auto answered = store.begin({kCaller, Part::elector, connection}, ticket, request, now);
    return answered ? std::optional(*message_as<MachineReply>(*answered)) : std::nullopt;
  }
  // What has been answered since: its ticket and its answer.
  std::map<std::uint64_t, MachineReply> completed() {
    std::map<std::uint64_t, MachineReply> all;
    for (const auto& [ticket, answered] : store.take_completed())
      all.emplace(ticket, *message_as<MachineReply>(answered));
    return all;
  }
  // Time goes by, and the store does what it does alone.
  void go_to(StoreTime time) {
    while (store.next_time_out() && *store.next_time_out() <= time) {
      now = *store.next_time_out();
      store.time_out(now);
    }
    now = time;
  }
  void wait(Duration length) { go_to(now + length); }
  std::uint64_t hash() const {
    Hasher hasher;
    store.hash(hasher, now);
    return hasher.value();
  }

  Machine store;
  StoreTime now = StoreTime::from_ns(1'767'225'600'000'000'000);
};

// Two machines that live `apart` hash alike whatever `play` does with them; one that has another answer differs.
template <class Machine, class Play, class Change>
void check_hashes(Duration apart, int most, const Play& play, const Change& change) {
  Machine early;
  Machine late;
  late.now += apart;
  for (const int draw : *rc::gen::container<std::vector<int>>(20, rc::gen::inRange(0, most))) {
    play(early, draw);
    play(late, draw);
    RC_ASSERT(early.hash() == late.hash());
  }
  Machine copy = early;
  change(copy);
  RC_ASSERT(copy.hash() != early.hash());
}

}  // namespace tenure::testing
