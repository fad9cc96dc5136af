// The store consul: what must hold in any order of requests. interactions/consul.txt has what it answers to each.
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "sim/stores/consul/consul_store.h"
#include "tests/sim/stores/machine_under_test.h"

namespace tenure::consul {
namespace {

constexpr Duration kSec = Duration::seconds(1);
constexpr Duration kTtl = Duration::seconds(15);

struct Agent : testing::MachineUnderTest<ConsulStore, Request, Reply> {
  std::string session(std::optional<Duration> ttl = kTtl, std::optional<Duration> lock_delay = {}) {
    return ask<SessionEntry>(SessionCreate{ttl, lock_delay, {}}).id;
  }
  bool acquire(const std::string& session, const std::string& value = "v") {
    return ask<Done>(KvPut{"k", value, session, {}, {}}).ok;
  }
  bool release(const std::string& session) { return ask<Done>(KvPut{"k", "", {}, session, {}}).ok; }
  bool renew(const std::string& session) { return ask<Renewed>(SessionRenew{session}).session.has_value(); }
  Found get() { return ask<Found>(KvGet{"k", {}, {}}); }
  std::optional<std::string> holder() { return get().pair ? get().pair->session : std::nullopt; }
};

// ---- laws -----------------------------------------------------------------------------------------------------------

RC_GTEST_PROP(ConsulProperty, a_session_has_the_key_from_its_lock_until_it_is_released_or_invalidated, ()) {
  Agent consul;
  const Duration delay = kSec * *rc::gen::inRange(0, 20);
  std::vector<std::string> sessions;
  std::map<std::string, StoreTime> ends;
  std::optional<std::string> holder;
  StoreTime free_from;
  const auto settle = [&](StoreTime now) {
    for (const auto& [id, end] : ends)
      if (holder == id && end <= now) {
        holder.reset();
        free_from = end + delay;
      }
  };
  for (int i = 0; i < 60; ++i) {
    if (sessions.empty() || *rc::gen::inRange(0, 8) == 0) {
      sessions.push_back(consul.session(kTtl, delay));
      ends[sessions.back()] = consul.now + kTtl * 2;
    }
    const std::string one = sessions[*rc::gen::inRange<std::size_t>(0, sessions.size())];
    const bool lives = ends[one] > consul.now;
    switch (*rc::gen::inRange(0, 4)) {
      case 0:
        RC_ASSERT(consul.renew(one) == lives);
        if (lives) ends[one] = consul.now + kTtl * 2;
        break;
      case 1: {
        const bool may = free_from <= consul.now && (!holder || holder == one);
        if (!lives) break;
        RC_ASSERT(consul.acquire(one) == may);
        if (may) holder = one;
        break;
      }
      case 2: {
        RC_ASSERT(consul.release(one) == (holder == one));
        if (holder == one) holder.reset();
        break;
      }
      default: consul.wait(Duration::millis(*rc::gen::inRange<std::int64_t>(0, 20'000)));
    }
    settle(consul.now);
    RC_ASSERT(consul.holder() == holder);
  }
}

RC_GTEST_PROP(ConsulProperty, who_follows_the_index_misses_no_value_that_stays, ()) {
  Agent consul;
  std::string known;
  std::int64_t index = 0;
  std::uint64_t ticket = 0;
  bool waits = false;
  const auto learn = [&](const Found& found) {
    RC_ASSERT(found.index >= index);
    index = found.index;
    known = found.pair ? found.pair->value : "";
    waits = false;
  };
  for (int i = 0; i < 40; ++i) {
    if (!waits) {
      const auto at_once = consul.begin(++ticket, KvGet{"k", index, kSec * 10});
      waits = true;
      if (at_once) learn(std::get<Found>(*at_once));
    }
    switch (*rc::gen::inRange(0, 4)) {
      case 0: consul.ask<Done>(KvDelete{"k", {}}); break;
      case 1: consul.wait(kSec * *rc::gen::inRange(0, 12)); break;
      default: consul.ask<Done>(KvPut{"k", *rc::gen::element<std::string>("a", "b"), {}, {}, {}});
    }
    for (const auto& [of, found] : consul.completed())
      if (of == ticket) learn(std::get<Found>(found));
    const Found now = consul.get();
    if (waits) RC_ASSERT(known == (now.pair ? now.pair->value : ""));
  }
}

RC_GTEST_PROP(ConsulProperty, hashes_alike_at_any_time_and_apart_when_answers_differ, ()) {
  testing::check_hashes<Agent>(
      Duration::millis(*rc::gen::inRange<std::int64_t>(1, 1'000'000'000)), 30'000,
      [](Agent& consul, int draw) {
        switch (draw % 4) {
          case 0: consul.session(); break;
          case 1: consul.failure(KvPut{"k", std::to_string(draw), "session-1", {}, {}}); break;
          case 2: consul.ask<Done>(SessionDestroy{"session-1"}); break;
          default: consul.wait(Duration::millis(draw));
        }
      },
      [](Agent& consul) {
        consul.ask<Done>(KvPut{"k", "another", {}, {}, {}});
      });
}

}  // namespace
}  // namespace tenure::consul
