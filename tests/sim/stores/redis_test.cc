// The store redis: what must hold in any order of requests and any movement of its clock. interactions/redis.txt
// has what it answers to each.
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <optional>
#include <string>
#include <vector>

#include "sim/stores/redis/redis_store.h"

namespace tenure::redis {
namespace {

constexpr StoreTime kBegin = StoreTime::from_ns(1'767'225'600'000'000'000);
constexpr Duration kSecond = Duration::seconds(1);
constexpr Duration kMilli = Duration::millis(1);

Reply asked_at(RedisStore& store, const Request& request, StoreTime now) {
  std::vector<Notification> heard;
  return *message_as<Reply>(store.apply(request, now, heard));
}
std::uint64_t hash_at(const RedisStore& store, StoreTime now) {
  Hasher hasher;
  store.hash(hasher, now);
  return hasher.value();
}

struct Laws {
  RedisStore store;
  StoreTime now = kBegin;

  std::optional<std::string> get(const std::string& key) const {
    RedisStore copy = store;
    return std::get<Bulk>(asked_at(copy, Get{key}, now)).value;
  }
  std::int64_t pttl(const std::string& key) const {
    RedisStore copy = store;
    return std::get<Integer>(asked_at(copy, Pttl{key}, now)).value;
  }
  // What expired by now is gone, and nothing else.
  void settle() { asked_at(store, Get{"none"}, now); }
};

Duration some_length() { return Duration::micros(*rc::gen::inRange<std::int64_t>(500, 4'000)); }
std::string one_of_two(const char* one, const char* other) {
  return *rc::gen::element<std::string>(one, other);
}

RC_GTEST_PROP(RedisProperty, a_request_changes_a_key_of_ones_own_or_none, ()) {
  Laws laws;
  for (int i = 0; i < 40; ++i) {
    laws.settle();
    const std::string key = one_of_two("k", "l");
    const std::string other = key == "k" ? "l" : "k";
    const std::string value = one_of_two("a", "b");
    const auto before = laws.get(key);
    const auto others = std::pair(laws.get(other), laws.pttl(other));
    const std::uint64_t was = hash_at(laws.store, laws.now);
    const Duration length = some_length();
    const std::int64_t ms = length.ns() / kMilli.ns();
    switch (*rc::gen::inRange(0, 4)) {
      case 0: {
        const Reply reply = asked_at(laws.store, Set{key, value, true, length}, laws.now);
        const bool refused = std::holds_alternative<Failed>(reply);
        RC_ASSERT(refused == (ms == 0));
        const bool set = !refused && std::get<Status>(reply).ok;
        RC_ASSERT(set == (!refused && !before.has_value()));
        if (set) {
          RC_ASSERT(laws.get(key) == value);
          RC_ASSERT(laws.pttl(key) == ms);
        } else {
          RC_ASSERT(hash_at(laws.store, laws.now) == was);
        }
        break;
      }
      case 1: {
        const Reply reply = asked_at(laws.store, CompareAndDelete{key, value}, laws.now);
        RC_ASSERT((std::get<Integer>(reply).value == 1) == (before == value));
        if (before == value)
          RC_ASSERT(!laws.get(key).has_value());
        else
          RC_ASSERT(hash_at(laws.store, laws.now) == was);
        break;
      }
      case 2: {
        const Reply reply = asked_at(laws.store, CompareAndExtend{key, value, length}, laws.now);
        RC_ASSERT((std::get<Integer>(reply).value == 1) == (before == value));
        if (before == value)
          RC_ASSERT(laws.pttl(key) == (ms > 0 ? ms : -2));
        else
          RC_ASSERT(hash_at(laws.store, laws.now) == was);
        break;
      }
      default: laws.now += Duration::micros(*rc::gen::inRange<std::int64_t>(0, 2'000)); continue;
    }
    RC_ASSERT(others == std::pair(laws.get(other), laws.pttl(other)));
  }
}

RC_GTEST_PROP(RedisProperty, what_is_left_of_a_key_moves_with_the_clock_and_it_is_gone_below_nothing, ()) {
  Laws laws;
  const auto in_ms = [](StoreTime time) { return time.ns() / kMilli.ns(); };
  for (int i = 0; i < 40; ++i) {
    asked_at(laws.store, Set{"k", "a", true, some_length() + kMilli}, laws.now);
    const std::int64_t left = laws.pttl("k");
    const StoreTime before = laws.now;
    laws.now += Duration::micros(*rc::gen::inRange<std::int64_t>(-3'000, 6'000));
    const std::int64_t expected = left - (in_ms(laws.now) - in_ms(before));
    RC_ASSERT(laws.pttl("k") == (expected >= 0 ? expected : -2));
    laws.settle();
    const bool gone = laws.pttl("k") == -2;
    const StoreTime at = laws.now;
    laws.now += -kSecond;
    RC_ASSERT((laws.pttl("k") == -2) == gone);
    laws.now = at;
  }
}

RC_GTEST_PROP(RedisProperty, hashes_alike_at_any_time_and_apart_when_answers_differ, ()) {
  RedisStore early;
  RedisStore late;
  const Duration apart = kMilli * *rc::gen::inRange<std::int64_t>(1, 1'000'000'000);
  StoreTime now = kBegin;
  for (int i = 0; i < 20; ++i) {
    const Set request{one_of_two("k", "l"), one_of_two("a", "b"), *rc::gen::arbitrary<bool>(), some_length()};
    asked_at(early, request, now);
    const std::uint64_t was = hash_at(early, now);
    asked_at(late, request, now + apart);
    RC_ASSERT(hash_at(early, now) == hash_at(late, now + apart));
    RedisStore longer = early;
    if (std::get<Integer>(asked_at(longer, CompareAndExtend{"k", "a", kSecond}, now)).value == 1)
      RC_ASSERT(hash_at(longer, now) != was);
    now += Duration::micros(*rc::gen::inRange<std::int64_t>(0, 2'000));
  }
}

}  // namespace
}  // namespace tenure::redis
