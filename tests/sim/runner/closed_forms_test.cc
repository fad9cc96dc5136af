// Simulated failover times against closed forms that owe nothing to our code: one leader crashes, nothing else happens.
//
// Notation: T lease, H renewal period, A the age of the last renewal at the crash (uniform in [0, H]), G poll gap, R
// retry period, d the store's round trip. Each mean must be within 2 % of its formula, and no sample outside the range.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <ostream>
#include <string>

#include "format/parse/parse.h"
#include "sim/kernel/keyed_rng.h"
#include "sim/runner/run.h"

namespace tenure::sim {
namespace {

constexpr std::uint64_t kSeeds = 3'000;
// Several round trips of about a millisecond: a failover ends with one or two requests.
constexpr Duration kRoundTrips = Duration::millis(5);

Scenario one_crash(const std::string& protocol, int standbys) {
  const std::string text = fmt::format(
      "format = 1\nname = \"one-crash\"\n[sim]\nduration = \"150s\"\ntail = \"60s\"\n"
      "[cluster]\ninstances = {}\nprotocol = \"{}\"\nscheduler = \"none\"\nstart_spread = \"20s\"\n"
      "[network]\nlatency = \"300us\"\n[store]\nlatency = \"300us\"\n"
      "[[fault]]\nat = \"60s\"\naction = \"kill\"\ntarget = \"leader\"\n",
      standbys + 1, protocol);
  format::ParseResult parsed = format::parse_scenario("one-crash.toml", text);
  for (const format::Diagnostic& diagnostic : parsed.diagnostics) ADD_FAILURE() << diagnostic.message;
  return parsed.scenario.value();
}

// The failover times over many seeds, with the crash at a moment drawn for each.
Samples failovers(const std::string& protocol, int standbys) {
  Scenario scenario = one_crash(protocol, standbys);
  Samples samples;
  for (std::uint64_t seed = 1; seed <= kSeeds; ++seed) {
    const std::int64_t moment = KeyedRng(seed).of("crash").between(0, Duration::seconds(60).ns());
    scenario.faults.front().when = FaultSetting::At{Duration::seconds(60) + Duration::nanos(moment)};
    const RunResult result = run(scenario, seed, {.trace = nullptr, .story = false});
    EXPECT_EQ(result.metrics.failovers, 1U) << protocol << " seed " << seed;
    EXPECT_EQ(result.verdict, Verdict::pass) << protocol << " seed " << seed;
    samples.merge(result.metrics.failover);
  }
  return samples;
}

struct ClosedForm {
  std::string protocol;
  int standbys;
  Duration mean;
  Duration least;
  Duration most;
};

// What a failing test is called by.
void PrintTo(const ClosedForm& form, std::ostream* out) {
  *out << form.protocol << " with " << form.standbys << (form.standbys == 1 ? " standby" : " standbys");
}

class Failover : public ::testing::TestWithParam<ClosedForm> {};

TEST_P(Failover, has_the_mean_and_the_range_of_its_closed_form) {
  const ClosedForm& form = GetParam();
  const Samples samples = failovers(form.protocol, form.standbys);
  ASSERT_EQ(samples.count(), kSeeds);
  const Duration off = samples.mean() - form.mean;
  RecordProperty("mean_ms", std::to_string(samples.mean().ns() / 1'000'000));
  EXPECT_LE(std::abs(off.ns()), form.mean.ns() / 50)
      << "mean " << samples.mean().ns() / 1'000'000 << " ms, expected " << form.mean.ns() / 1'000'000
      << " ms";
  EXPECT_GE(samples.min(), form.least) << samples.min().ns();
  EXPECT_LE(samples.max(), form.most) << samples.max().ns();
}

Duration ms(std::int64_t n) { return Duration::millis(n); }

// client-go 15/10/2: D = Res1 - A + L + Res2 + d; range [L - R, L + 4.4 R].
ClosedForm client_go(int standbys, std::int64_t mean_ms) {
  return {"client-go", standbys, ms(mean_ms), ms(13'000), ms(23'800) + kRoundTrips};
}
// Polled every G = 3 s + d with T = 5 s and H = G: D = T - A + Res + d, E[min Res] = G / (N + 1); range [T - H, T + G].
ClosedForm db_lease(int standbys) {
  return {"db-lease", standbys, ms(5'000 - 1'500 + 3'000 / (standbys + 1)), ms(5'000 - 3'000) - kRoundTrips,
          ms(5'000 + 3'000) + kRoundTrips};
}
// Told how long is left: D = T - A + E[min jitter] + d, with T = 15 s, H = 5 s, jitter in [0, 200 ms].
ClosedForm fenced_lease(int standbys) {
  return {"fenced-lease", standbys, ms(15'000 - 2'500 + 200 / (standbys + 1)),
          ms(15'000 - 5'000) - kRoundTrips, ms(15'000 + 200) + kRoundTrips};
}

INSTANTIATE_TEST_SUITE_P(ClientGo, Failover,
                         ::testing::Values(client_go(1, 17'350), client_go(2, 16'500), client_go(4, 15'900),
                                           client_go(9, 15'300)));
INSTANTIATE_TEST_SUITE_P(DbLease, Failover, ::testing::Values(db_lease(1), db_lease(2), db_lease(4)));
INSTANTIATE_TEST_SUITE_P(FencedLease, Failover,
                         ::testing::Values(fenced_lease(1), fenced_lease(2), fenced_lease(4)));

}  // namespace
}  // namespace tenure::sim
