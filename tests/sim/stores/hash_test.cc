// hash(hasher, now) of the machines that elections use: alike at any time, and different where replies differ.
#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <vector>

#include "core/store/store_kind.h"
#include "sim/stores/lease_table/requests.h"
#include "sim/stores/record/requests.h"
#include "sim/stores/registry.h"

namespace tenure {
namespace {

constexpr StoreTime kStart = StoreTime::from_ns(1'767'225'600'000'000'000);

class Dice {
 public:
  // Mixed first: one round on a small seed leaves one roll much like the next.
  explicit Dice(std::uint64_t seed) : seed_(Hasher{seed}.add(0x9e3779b97f4a7c15ULL).add(seed).value()) {}
  std::uint64_t roll(std::uint64_t n) { return reduce(Hasher{seed_}.add(++rolls_).value(), n); }

 private:
  std::uint64_t seed_;
  std::uint64_t rolls_ = 0;
};

Request some_request(const StoreMachine& machine, Dice& dice) {
  const Incarnation who{NodeId{static_cast<std::uint32_t>(dice.roll(2))}, 1};
  const Duration duration = Duration::seconds(static_cast<std::int64_t>(1 + dice.roll(4)));
  const Token token{1, dice.roll(3), dice.roll(2)};
  const WallTime renewed = WallTime::from_ns(static_cast<std::int64_t>(dice.roll(2)));
  const record::LeaseRecord record{who, duration, dice.roll(2), WallTime{}, renewed};
  for (;;) {
    Request request;
    switch (dice.roll(6)) {
      case 0:
        request = reference::Request{reference::Acquire{{}, who, dice.roll(3), dice.roll(2), duration}};
        break;
      case 1: request = reference::Request{reference::Renew{{}, who, token, duration}}; break;
      case 2: request = reference::Request{reference::Release{{}, who, token}}; break;
      case 3: request = lease_table::Request{lease_table::TryLock{{}, who, duration}}; break;
      case 4: request = record::Request{record::Put{{}, dice.roll(4), record}}; break;
      default: request = record::Request{record::Get{}}; break;
    }
    if (machine.handles(request)) return request;
  }
}

// `change` is told the request, of whichever of their families.
template <class Change>
Request with_each(const Request& request, const Change& change) {
  Request changed = request;
  const auto try_family = [&]<class Family>(const Family* family) {
    if (family == nullptr) return;
    Family copy = *family;
    std::visit(change, copy);
    changed = copy;
  };
  try_family(message_as<reference::Request>(request));
  try_family(message_as<lease_table::Request>(request));
  try_family(message_as<record::Request>(request));
  return changed;
}

// The same request, but for how long it asks or under which nonce.
Request near(Request request, Dice& dice) {
  const auto change = [&](auto& it) {
    if constexpr (requires { it.nonce; }) it.nonce = dice.roll(2);
    if constexpr (requires { it.duration; })
      it.duration = Duration::seconds(static_cast<std::int64_t>(1 + dice.roll(6)));
  };
  return with_each(request, change);
}

std::uint64_t hash_of(const StoreMachine& machine, StoreTime now) {
  Hasher hasher;
  machine.hash(hasher, now);
  return hasher.value();
}

// The reply in words, with the end of a lock as its distance from `now`.
std::string words(const Reply& reply, StoreTime now) {
  Hasher hasher;
  hasher.add(store_number(reply));
  const auto add = [&](const auto& it) {
    if constexpr (requires { it.expires_at; }) hasher.add(it.expires_at - now);
    if constexpr (requires { it.token; }) hasher.add(it.token).add(it.duration);
    if constexpr (requires { it.remaining; })
      hasher.add(it.why).add(it.holder).add(it.epoch).add(it.remaining);
    if constexpr (requires { it.version; }) hasher.add(it.version);
    if constexpr (requires { it.record; }) {
      hasher.add(it.record.holder).add(it.record.duration).add(it.record.transitions);
      hasher.add(it.record.renewed.ns() - now.ns());
    }
  };
  const auto add_family = [&](const auto* family) {
    if (family == nullptr) return;
    hasher.add(family->index());
    std::visit(add, *family);
  };
  add_family(message_as<reference::Reply>(reply));
  add_family(message_as<lease_table::Reply>(reply));
  add_family(message_as<record::Reply>(reply));
  return std::to_string(hasher.value());
}

// The request as it would have been made so much later: a record's times are its writer's.
Request later(const Request& request, Duration by) {
  return with_each(request, [by](auto& it) {
    if constexpr (requires { it.record; }) {
      it.record.acquired += by;
      it.record.renewed += by;
    }
  });
}

const StoreKind& kind_of(const char* name) { return *find_store_kind(name); }
constexpr const char* kOfElections[] = {"reference", "lease-table", "record"};

TEST(StoreHash, is_alike_at_any_time) {
  for (const char* name : kOfElections) {
    for (std::uint64_t run = 0; run < 200; ++run) {
      const auto early = kind_of(name).make();
      const auto late = kind_of(name).make();
      const Duration apart = Duration::micros(1) * static_cast<std::int64_t>(1 + run * 7'777'777);
      StoreTime now = kStart;
      Dice dice(run);
      std::vector<Notification> heard;
      for (int i = 0; i < 20; ++i) {
        const Request request = some_request(*early, dice);
        EXPECT_EQ(words(early->apply(request, now, heard), now),
                  words(late->apply(later(request, apart), now + apart, heard), now + apart));
        now += Duration::millis(static_cast<std::int64_t>(dice.roll(3'000)));
        ASSERT_EQ(hash_of(*early, now), hash_of(*late, now + apart)) << name;
      }
    }
  }
}

// Twins by two ways, at two times: if they hash alike, every probe is answered alike, after any wait.
TEST(StoreHash, of_those_that_answer_differently_differs) {
  for (const char* name : kOfElections) {
    int alike = 0;
    std::vector<Notification> heard;
    for (std::uint64_t run = 0; run < 3'000; ++run) {
      const auto one = kind_of(name).make();
      const auto other = kind_of(name).make();
      const Duration apart = Duration::hours(static_cast<std::int64_t>(run % 3));
      StoreTime now = kStart;
      Dice dice(run);
      for (std::uint64_t length = dice.roll(5); length > 0; --length) {
        const Request request = some_request(*one, dice);
        one->apply(request, now, heard);
        other->apply(later(request, apart), now + apart, heard);
        now += Duration::seconds(static_cast<std::int64_t>(dice.roll(3)));
      }
      const StoreTime end = now + Duration::seconds(static_cast<std::int64_t>(dice.roll(3)));
      const Request last = some_request(*one, dice);
      const bool other_moment = dice.roll(2) == 0;
      one->apply(last, now, heard);
      other->apply(later(other_moment ? last : near(last, dice), apart), (other_moment ? end : now) + apart,
                   heard);
      if (hash_of(*one, end) != hash_of(*other, end + apart)) continue;
      ++alike;
      for (int i = 0; i < 40; ++i) {
        const Duration wait = Duration::millis(static_cast<std::int64_t>(dice.roll(5)) * 1'000 - 500);
        const Request request = some_request(*one, dice);
        const auto a = one->clone();
        const auto b = other->clone();
        ASSERT_EQ(words(a->apply(request, end + wait, heard), end + wait),
                  words(b->apply(later(request, apart), end + apart + wait, heard), end + apart + wait))
            << name << ", run " << run;
        ASSERT_EQ(hash_of(*a, end + wait), hash_of(*b, end + apart + wait)) << name << ", run " << run;
      }
    }
    EXPECT_GT(alike, 200) << name;
  }
}

}  // namespace
}  // namespace tenure
