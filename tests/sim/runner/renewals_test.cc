// A leader whose store answers in time keeps its lease, however fast it is told to renew.
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "core/lease/fenced_lease/fenced_lease.h"
#include "tests/sim/runner/support.h"

namespace tenure::sim {
namespace {

// `least` and up to 10 to the `orders` times as much, each order of magnitude as likely as any other.
std::int64_t over_orders(std::int64_t least, int orders) {
  std::int64_t value = least * *rc::gen::inRange<std::int64_t>(10, 100) / 10;
  for (int n = *rc::gen::inRange(0, orders); n > 0; --n) value *= 10;
  return value;
}

RC_GTEST_PROP(Renewals, keep_the_lease_of_a_leader_whose_store_answers_in_time, ()) {
  const auto micros = [](std::int64_t ns) { return Duration::nanos(ns - ns % 1'000); };
  const Duration lease = micros(over_orders(100'000'000, 4));
  const Duration belief = fenced_lease_belief(lease, 500, lease / 100);
  // The whole of it is on one side: at the link, or at a server that does one thing at a time.
  const Duration round_trip = std::min(micros(over_orders(1'000'000, 5)),
                                       Duration::nanos(belief.ns() * *rc::gen::inRange(1, 45) / 100));
  const bool one_at_a_time = *rc::gen::arbitrary<bool>();
  const Duration timeout = round_trip + round_trip / 10 + Duration::millis(2);
  const Duration room = belief - timeout;
  RC_PRE(room >= Duration::millis(2));
  const Duration renew = std::clamp(micros(over_orders(1'000'000, 5)), Duration::millis(1), room);
  const Duration length = std::min(lease * 20, std::max(renew, round_trip) * 20'000);
  const std::string text = fmt::format(
      "format = 1\nname = \"test\"\n[sim]\nduration = \"{0}us\"\ntail = \"{1}us\"\n[cluster]\ninstances = 1\n"
      "protocol = \"fenced-lease\"\nscheduler = \"none\"\n[network]\nlatency = \"{2}us\"\n"
      "[store]\nlatency = \"{3}us\"\n{4}[election]\nlease_duration = \"{5}us\"\nrenew_period = \"{6}us\"\n"
      "request_timeout = \"{7}us\"\nguard = \"{8}us\"\n[expect]\nalways = [\"one-believer\"]\n",
      length.ns() / 1'000, 3 * lease.ns() / 1'000 + 10'000'000, one_at_a_time ? 1 : round_trip.ns() / 2'000,
      one_at_a_time ? round_trip.ns() / 1'000 : 1,
      one_at_a_time ? "capacity = { concurrent = 1, queue = 1000 }\n" : "", lease.ns() / 1'000,
      renew.ns() / 1'000, timeout.ns() / 1'000, (lease / 100).ns() / 1'000);
  const RunResult result = run(parsed(text), *rc::gen::arbitrary<std::uint64_t>());
  RC_LOG() << text;
  RC_ASSERT(result.verdict == Verdict::pass);
  RC_ASSERT(result.metrics.epochs == 1U);
  RC_TAG(renew < round_trip ? "faster than a round trip" : "slower than a round trip");
}

}  // namespace
}  // namespace tenure::sim
