// The store consul: what must hold in any order of requests. interactions/consul.txt has what it answers to each.
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "sim/stores/consul/consul_store.h"

namespace tenure::consul {
namespace {

constexpr Duration kSec = Duration::seconds(1);
constexpr Duration kTtl = Duration::seconds(15);
constexpr Incarnation kCaller{NodeId{1}, 1};

class Agent {
 public:
  template <class Answer>
  Answer ask(const Request& request) {
    std::vector<Notification> heard;
    return std::get<Answer>(*message_as<Reply>(store.apply(request, now, heard)));
  }
  std::string failure(const Request& request) {
    std::vector<Notification> heard;
    const tenure::Reply reply = store.apply(request, now, heard);
    const auto* failed = std::get_if<Failed>(&*message_as<Reply>(reply));
    return failed != nullptr ? failed->message : "";
  }
  std::optional<Found> begin(std::uint64_t ticket, const KvGet& query, Incarnation who = kCaller) {
    const auto reply = store.begin({who, Part::elector, 0}, ticket, Request{query}, now);
    if (!reply) return std::nullopt;
    return std::get<Found>(*message_as<Reply>(*reply));
  }
  std::map<std::uint64_t, Found> completed() {
    std::map<std::uint64_t, Found> all;
    for (const auto& [ticket, reply] : store.take_completed())
      all.emplace(ticket, std::get<Found>(*message_as<Reply>(reply)));
    return all;
  }
  void wait(Duration length) {
    const StoreTime until = now + length;
    while (store.next_time_out() && *store.next_time_out() <= until) {
      now = *store.next_time_out();
      store.time_out(now);
    }
    now = until;
  }
  std::string session(std::optional<Duration> ttl = kTtl, std::optional<Duration> lock_delay = {},
                      std::optional<std::string> behavior = {}) {
    return ask<SessionEntry>(SessionCreate{ttl, lock_delay, std::move(behavior)}).id;
  }
  bool acquire(const std::string& session, const std::string& value = "v") {
    return ask<Done>(KvPut{"k", value, session, {}, {}}).ok;
  }
  bool release(const std::string& session) { return ask<Done>(KvPut{"k", "", {}, session, {}}).ok; }
  bool renew(const std::string& session) { return ask<Renewed>(SessionRenew{session}).session.has_value(); }
  Found get() { return ask<Found>(KvGet{"k", {}, {}}); }
  std::optional<std::string> holder() { return get().pair ? get().pair->session : std::nullopt; }
  std::uint64_t hash() const {
    Hasher hasher;
    store.hash(hasher, now);
    return hasher.value();
  }

  ConsulStore store;
  StoreTime now = StoreTime::from_ns(1'767'225'600'000'000'000);
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
      if (at_once) learn(*at_once);
    }
    switch (*rc::gen::inRange(0, 4)) {
      case 0: consul.ask<Done>(KvDelete{"k", {}}); break;
      case 1: consul.wait(kSec * *rc::gen::inRange(0, 12)); break;
      default: consul.ask<Done>(KvPut{"k", *rc::gen::element<std::string>("a", "b"), {}, {}, {}});
    }
    for (const auto& [of, found] : consul.completed())
      if (of == ticket) learn(found);
    const Found now = consul.get();
    if (waits) RC_ASSERT(known == (now.pair ? now.pair->value : ""));
  }
}

RC_GTEST_PROP(ConsulProperty, hashes_alike_at_any_time_and_apart_when_answers_differ, ()) {
  Agent early;
  Agent late;
  late.now += Duration::millis(*rc::gen::inRange<std::int64_t>(1, 1'000'000'000));
  const std::vector<int> draws = *rc::gen::container<std::vector<int>>(20, rc::gen::inRange(0, 30'000));
  const auto play = [](Agent& consul, int draw) {
    switch (draw % 4) {
      case 0: consul.session(); break;
      case 1: consul.failure(KvPut{"k", std::to_string(draw), "session-1", {}, {}}); break;
      case 2: consul.ask<Done>(SessionDestroy{"session-1"}); break;
      default: consul.wait(Duration::millis(draw));
    }
  };
  for (const int draw : draws) {
    play(early, draw);
    play(late, draw);
    RC_ASSERT(early.hash() == late.hash());
  }
  Agent copy = early;
  copy.ask<Done>(KvPut{"k", "another", {}, {}, {}});
  RC_ASSERT(copy.hash() != early.hash());
}

}  // namespace
}  // namespace tenure::consul
